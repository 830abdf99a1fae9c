import type { JobRecord } from '../analysis/export-plan/similar-jobs.ts';
import type { ExportRange } from '../analysis/export-plan/split-range.ts';
import { allPages } from '../api/all-pages.ts';
import { listExportJobs } from '../api/operations/data-export.ts';
import { instantOf } from '../api/params.ts';
import type { ExportPlan, PlanStore } from '../workspace/plans.ts';
import type { SuccessfulRun } from '../workspace/successful-runs.ts';
import type { ToolContext } from './tool.ts';

type Ask = ToolContext['ask'];

/** All jobs of the project as they are now, newest first. */
export async function readJobs(ask: Ask): Promise<JobRecord[]> {
  return allPages((paging) => ask(listExportJobs, paging), ({ jobId }) => jobId); // biome-ignore format: one thought
}

/** The plans of the call's project. */
export async function openPlansOf({ workspace }: Pick<ToolContext, 'workspace'>): Promise<PlanStore> {
  const [{ openPlans }, { plansDir, projectId }] = await Promise.all([import('../workspace/plans.ts'), workspace()]);
  return openPlans(plansDir, projectId);
}

function rangeOf(from: string | null | undefined, to: string | null | undefined): ExportRange[] {
  const range = { fromMs: instantOf(from ?? ''), toMs: instantOf(to ?? '') };
  return range.fromMs < range.toMs ? [range] : [];
}

/** The ranges that plans gave to the once jobs that they made, by job. */
function plannedRanges(plans: readonly ExportPlan[]): Map<number | string, ExportRange[]> {
  const parts = plans.flatMap(({ parts: all }) => all);
  return new Map(
    parts.flatMap(({ jobId, body: { frequency } }) => {
      const range = rangeOf(frequency.dateRange?.from, frequency.dateRange?.to);
      return jobId === undefined || range.length === 0 ? [] : [[jobId, range] as const];
    }),
  );
}

/** What each job covers: its successful runs, the next run of a once job, and what a plan said; the interface shows no other range. */
export function coverageOf(
  jobs: readonly JobRecord[],
  runs: readonly SuccessfulRun[],
  plans: readonly ExportPlan[],
): (jobId: number | string) => readonly ExportRange[] {
  const planned = plannedRanges(plans);
  const exported = new Map<number, ExportRange[]>();
  for (const { jobId, from, to } of runs) exported.set(jobId, [...(exported.get(jobId) ?? []), ...rangeOf(from, to)]);
  const records = new Map(jobs.map((job) => [job.jobId, job]));
  return (jobId) => {
    const done = typeof jobId === 'number' ? (exported.get(jobId) ?? []) : [];
    const job = records.get(jobId);
    const next = job?.frequency?.toLowerCase() === 'once' ? rangeOf(job.nextFrom, job.nextTo) : [];
    return [...done, ...next, ...(planned.get(jobId) ?? [])];
  };
}
