import { allPages } from '../../api/all-pages.ts';
import { listExportRuns } from '../../api/operations/data-export.ts';
import { instantOf } from '../../api/params.ts';
import { backfillName } from '../../domain/exports/gaps/backfill.ts';
import { type CoveringRun, type ExportHistory, firstAfter } from '../../domain/exports/gaps/run-coverage.ts';
import { type JobRecord, lower } from '../../domain/exports/plan/similar-jobs.ts';
import { type FileLife, learnFileLife } from '../../workspace/download/file-life.ts';
import { type SuccessfulRun, successfulRunsOf } from '../../workspace/download/sync-plan.ts';
import type { ExportPlan } from '../../workspace/plans.ts';
import type { RunManifest } from '../../workspace/store/manifest.ts';
import type { Context } from '../context.ts';
import { coverageOf } from './export-lists.ts';

type HistoryContext = Pick<Context, 'ask' | 'progress' | 'workspace'>;

/** An instant of the interface in ms; undefined where there is none. */
export function msOf(text: string | null | undefined): number | undefined {
  const ms = instantOf(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** Successful runs with a range, by its beginning. */
function covering(runs: readonly SuccessfulRun[], kept: ReadonlySet<number>): CoveringRun[] {
  const all = runs.flatMap(({ runId, from, to, completedAt }): CoveringRun[] => {
    const [fromMs, toMs, completedMs] = [msOf(from), msOf(to), msOf(completedAt)];
    if (fromMs === undefined || toMs === undefined) return [];
    return [{ runId, fromMs, toMs: firstAfter(toMs), isKept: kept.has(runId), ...(completedMs !== undefined && { completedMs }) }];
  });
  return all.toSorted((a, b) => a.fromMs - b.fromMs);
}

/** Rows of a downloaded run; undefined where its files were not counted yet. */
function rowsOf({ table, files }: RunManifest): number | undefined {
  if (table) return table.rows;
  return files.reduce<number | undefined>((sum, { rows }) => (sum === undefined || rows === undefined ? undefined : sum + rows), 0);
}

/** The once jobs that fill gaps of a job: made by a plan for it, or called as such. */
function backfillsOf(job: JobRecord, jobs: readonly JobRecord[], plans: readonly ExportPlan[]): JobRecord[] {
  const made = new Set(plans.filter(({ fills }) => fills === job.jobId).flatMap(({ parts }) => parts.map(({ jobId }) => jobId)));
  const isCalledSo = ({ name, scope }: JobRecord) => name?.startsWith(`${backfillName(job)} `) && scope === job.scope;
  return jobs.filter((each) => lower(each.frequency) === 'once' && (made.has(each.jobId) || isCalledSo(each)));
}

/** Everything that shows what a job has delivered. */
export async function readHistory(
  job: JobRecord,
  jobs: readonly JobRecord[],
  plans: readonly ExportPlan[],
  context: HistoryContext,
): Promise<ExportHistory & { readonly life: FileLife }> {
  const { ask, workspace } = context;
  // Before the list of successful runs: a run that ends in between is then in both.
  const runs = await allPages(
    (paging) => ask(listExportRuns, { jobId: Number(job.jobId), ...paging }),
    ({ jobRunId }) => jobRunId,
  );
  context.progress(1, 2, `${runs.length} runs of the job listed`);
  const backfills = backfillsOf(job, jobs, plans);
  const ids = new Set(backfills.map(({ jobId }) => jobId));
  const wanted = [job.jobId, ...ids].filter((id) => typeof id === 'number');
  const [successful, kept] = await Promise.all([successfulRunsOf(wanted, ask), workspace().then((opened) => opened.runs())]);
  const life = await learnFileLife(ask, successful);
  const keptIds = new Set(kept.map(({ runId }) => runId));
  // Files without a row hold no more than no files; a once job has only their range.
  const isOnce = lower(job.frequency) === 'once';
  const emptyIds = new Set(isOnce ? [] : kept.filter((run) => rowsOf(run) === 0).map(({ runId }) => runId));
  const coveredBy = coverageOf(jobs, [], plans);
  const [fromMs, toMs, startMs] = [msOf(job.nextFrom), msOf(job.nextTo), msOf(job.nextRunTime)];
  const createdMs = msOf(job.createdAt);
  return {
    life,
    fileLifeMs: life.ms,
    frequency: lower(job.frequency),
    state: lower(job.state),
    ...(fromMs !== undefined &&
      toMs !== undefined && { next: { fromMs, toMs: firstAfter(toMs), ...(startMs !== undefined && { startMs }) } }),
    ...(createdMs !== undefined && { createdMs }),
    runs: runs.map(({ jobRunId: runId, startDate, state }) => {
      const startedMs = msOf(startDate);
      return { runId: runId ?? 'unknown id', state: lower(state), ...(startedMs !== undefined && { startedMs }) };
    }),
    covering: covering(
      successful.filter(({ jobId, runId }) => jobId === job.jobId && !emptyIds.has(runId)),
      keptIds,
    ),
    backfilled: covering(
      successful.filter(({ jobId }) => ids.has(jobId)),
      keptIds,
    ),
    filling: backfills
      .filter(({ state }) => ['active', 'computing'].includes(lower(state)))
      .flatMap(({ jobId }) => coveredBy(jobId).map((range) => ({ ...range, jobId }))),
  };
}
