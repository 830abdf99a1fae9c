import { instantOf } from '../../api/params.ts';
import type { JobRecord } from '../../domain/exports/plan/similar-jobs.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { type FileLife, learnFileLife } from '../../workspace/download/file-life.ts';
import { type RunRow, runRowsOf } from '../../workspace/download/run-rows.ts';
import { asSuccessful } from '../../workspace/download/sync-plan.ts';
import type { Context } from '../context.ts';
import { readJobs } from './export-lists.ts';

/** `lastRunTime` says when a run started; no run is taken to last longer. */
const LONGEST_RUN_MS = 2 * DAY_MS;
/** Jobs that are asked for how long files live: the last run of one may have failed. */
const MOST_ASKED = 3;

const lastRunMs = ({ lastRunTime }: JobRecord): number => instantOf(lastRunTime ?? '');

/** The ids of jobs that may have completed a run since an instant, ms since 1970; where a record does not say when the job ran, it may. */
export function ranSince(jobs: readonly JobRecord[], sinceMs: number): number[] {
  return jobs.flatMap((job) => {
    const isEarlier = lastRunMs(job) < sinceMs - LONGEST_RUN_MS;
    return typeof job.jobId === 'number' && !isEarlier ? [job.jobId] : [];
  });
}

/** How long files are kept, as one of the latest runs of these jobs says it. */
export async function fileLifeAmong(jobs: readonly JobRecord[], ask: Context['ask']): Promise<FileLife> {
  const ran = jobs.filter((job) => lastRunMs(job) > 0).toSorted((a, b) => lastRunMs(b) - lastRunMs(a));
  const ids = ran.slice(0, MOST_ASKED).flatMap(({ jobId }) => (typeof jobId === 'number' ? [jobId] : []));
  return learnFileLife(ask, asSuccessful(await runRowsOf(ids, ask)));
}

/** The successful runs that may have completed since an instant, and older ones of the same jobs; reads all jobs and few pages of runs. */
export async function runRowsSince(sinceMs: number, ask: Context['ask']): Promise<RunRow[]> {
  return runRowsOf(ranSince(await readJobs(ask), sinceMs), ask);
}
