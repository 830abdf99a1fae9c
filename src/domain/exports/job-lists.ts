import type * as z from 'zod';
import type { exportJob, successfulRun } from '../../api/operations/records.ts';
import { grouped } from '../../lib/grouped.ts';
import { deviceWords, healthCells, type JobHealth } from './gaps/job-health.ts';

type Job = z.output<typeof exportJob>;
type Run = z.output<typeof successfulRun>;

/** An instant without its zeros: to the minute or to the second where nothing is lost by that; any other text as it is. */
function short(instant: string | null | undefined): string | null {
  return instant?.replace(/(T\d{2}:\d{2})(:\d{2})\.0+(?=Z|[+-])/, '$1$2').replace(/(T\d{2}:\d{2}):00(?=Z|[+-])/, '$1') ?? null;
}

/** When the files of a run are deleted where they live so long, ISO in UTC; undefined where the platform does not say when it completed. */
export function filesUntil({ completionTime }: Pick<Run, 'completionTime'>, fileLifeMs: number): string | undefined {
  const goneMs = Date.parse(completionTime ?? '') + fileLifeMs;
  return Number.isNaN(goneMs) ? undefined : new Date(goneMs).toISOString();
}

/** Range and outcome of a once job. */
interface OnceRange {
  readonly jobId: number | string;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly hasFiles?: boolean | undefined;
}

/** Export jobs as a text shows them: fields counted, without the people and accounts that no call takes. */
export function briefJobs(jobs: readonly Job[], once: readonly OnceRange[] = [], health: readonly JobHealth[] = []) {
  const ranges = new Map(once.map((range) => [range.jobId, range]));
  const byJob = new Map(health.map((each) => [each.jobId, each]));
  return jobs.map(({ jobId, name, state, format, scope, frequency, fields, filters, ...times }) => ({
    jobId,
    name,
    state: ranges.get(jobId)?.hasFiles === false ? `${state ?? ''}, no successful run` : state,
    frequency,
    format,
    scope,
    device: deviceWords({ jobId, filters }) ?? null,
    fields: fields?.length ?? null,
    createdAt: short(times.createdAt),
    lastRunTime: short(times.lastRunTime),
    lastRun: byJob.get(jobId)?.lastRunState ?? null,
    ...healthCells(byJob.get(jobId)),
    nextRunTime: short(times.nextRunTime),
    nextFrom: short(times.nextFrom),
    nextTo: short(times.nextTo),
    from: short(ranges.get(jobId)?.from),
    to: short(ranges.get(jobId)?.to),
  }));
}

/** Until when the files of a run are kept, ISO in UTC, and whether they are on disk. */
interface FilesUntil {
  readonly filesUntil?: string | undefined;
  readonly isFetched: boolean;
}

/**
 * Successful runs as a text shows them: what is the same for all runs of a job stands once, beside how many of them are here. `untils`
 * says by run until when its files are kept, and whether they are on disk.
 */
export function briefRuns(runs: readonly Run[], untils?: ReadonlyMap<number | string, FilesUntil>) {
  const jobs = [...grouped(runs, ({ jobId }) => jobId).values()].flatMap((own) => {
    const [latest] = own;
    if (!latest) return [];
    const { jobId, name, format, scope, frequency } = latest;
    return [{ jobId, name, frequency, format, scope, runsHere: own.length }];
  });
  const each = runs.map(({ jobId, jobRunId, from, to, completionTime, nbOfFiles }) => ({
    jobId,
    jobRunId,
    from: short(from),
    to: short(to),
    completionTime: short(completionTime),
    ...(untils && { filesUntil: short(untils.get(jobRunId)?.filesUntil), fetched: untils.get(jobRunId)?.isFetched ? 'yes' : 'no' }),
    nbOfFiles,
  }));
  return { jobs, runs: each };
}
