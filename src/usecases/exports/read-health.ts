import { ApiError } from '../../api/errors.ts';
import { listExportRuns } from '../../api/operations/data-export.ts';
import { MAX_PAGE_SIZE } from '../../api/params.ts';
import { healthOf, type JobHealth } from '../../domain/exports/gaps/job-health.ts';
import { type JobRecord, lower } from '../../domain/exports/plan/similar-jobs.ts';
import { mapConcurrent } from '../../lib/concurrency.ts';
import type { Context } from '../context.ts';

type HealthContext = Pick<Context, 'ask' | 'clock' | 'nowMs'>;

/** Jobs whose runs are asked for at once: as many calls as are in flight by default. */
const AT_ONCE = 8;

/** The health of jobs, and those that were not reached or could not be read. */
export interface HealthRead {
  readonly health: readonly JobHealth[];
  readonly left: readonly JobRecord[];
  /** Why the first of those could not be read; undefined where time ran out. */
  readonly reason?: string;
}

/** Reads the latest page of runs of each recurring job, a request each, until `untilMs` by the clock. */
export async function readHealth(jobs: readonly JobRecord[], untilMs: number, { ask, clock, nowMs }: HealthContext): Promise<HealthRead> {
  const left: JobRecord[] = [];
  let reason: string | undefined;
  async function one(job: JobRecord): Promise<JobHealth[]> {
    const jobId = Number(job.jobId);
    if (lower(job.frequency) === 'once' || !Number.isSafeInteger(jobId)) return [healthOf(job, [], nowMs)];
    if (clock.now() < untilMs) {
      try {
        return [healthOf(job, await ask(listExportRuns, { jobId, limit: MAX_PAGE_SIZE }), nowMs)];
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        reason ??= error.message;
      }
    }
    left.push(job);
    return [];
  }
  const outcomes = await mapConcurrent(jobs, AT_ONCE, one);
  const health = outcomes.flatMap((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
  return { health, left, ...(reason !== undefined && { reason }) };
}
