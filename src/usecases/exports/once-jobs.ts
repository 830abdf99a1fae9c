import { ApiError } from '../../api/errors.ts';
import type { JobRecord } from '../../domain/exports/plan/similar-jobs.ts';
import { lower } from '../../domain/exports/plan/similar-jobs.ts';
import { successfulRuns } from '../../workspace/download/sync-plan.ts';
import type { Context } from '../context.ts';
import { coverageOf, openPlansOf } from './export-lists.ts';

/** What the record of a once job does not show: its range, and whether it produced files. */
export interface OnceJob {
  readonly jobId: number | string;
  /** ISO in UTC; absent where neither the platform nor a plan says it. */
  readonly from?: string;
  readonly to?: string;
  /** Absent while the job is not completed. */
  readonly hasFiles?: boolean;
}

type Uses = Pick<Context, 'ask' | 'note' | 'workspace'>;

const isOnce = ({ frequency }: JobRecord): boolean => lower(frequency) === 'once';

/** The ranges and outcomes of the once jobs among these, from their successful runs and the plans that made them. */
export async function onceJobsAmong(jobs: readonly JobRecord[], context: Uses): Promise<OnceJob[]> {
  const once = jobs.filter(isOnce);
  if (once.length === 0) return [];
  try {
    const plans = await openPlansOf(context);
    const [runs, made] = await Promise.all([successfulRuns(context.ask), plans.all()]);
    const coveredBy = coverageOf(jobs, runs, made);
    return once.map((job) => {
      const [range] = coveredBy(job.jobId);
      const iso = (ms: number) => new Date(ms).toISOString();
      return {
        jobId: job.jobId,
        ...(range && { from: iso(range.fromMs), to: iso(range.toMs) }),
        ...(lower(job.state) === 'completed' && { hasFiles: runs.some(({ jobId }) => jobId === job.jobId) }),
      };
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    context.note(`Ranges and outcomes of once jobs could not be read: ${error.message}`);
    return [];
  }
}
