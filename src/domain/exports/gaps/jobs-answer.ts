import * as z from 'zod';
import { recordId } from '../../../api/operations/records.ts';
import { counted } from '../../../lib/number-text.ts';
import { firstOf, present } from '../../../lib/sentences.ts';
import { isRunning, type JobRecord, lower } from '../plan/similar-jobs.ts';
import { isBackfillOf } from './backfill.ts';
import type { JobHealth } from './job-health.ts';

/** Facts about a once job that its record does not show. */
export const onceJob = z.object({
  jobId: recordId,
  /** ISO in UTC; absent where neither the platform nor a plan says it. */
  from: z.string().optional(),
  to: z.string().optional(),
  /** Whether its run produced files; absent while the job is not completed. */
  hasFiles: z.boolean().optional(),
  /** The platform has deleted them since. */
  expired: z.boolean().optional(),
});
/** A once job, as far as more is known of it than its record shows. */
export type OnceJob = z.output<typeof onceJob>;

/** A page of jobs with what is known of them, and all jobs that it is of. */
interface JobsRead {
  readonly jobs: readonly JobRecord[];
  readonly health: readonly JobHealth[];
  /** Those of all jobs, or of the page where `countedAll` is false. */
  readonly once: readonly OnceJob[];
  readonly countedAll?: boolean | undefined;
  /** Those of the page included; undefined where they are not known. */
  readonly all: readonly JobRecord[] | undefined;
}

/** Jobs that a sentence names before it counts the rest. */
const MOST_NAMED = 3;

const FAILED = /fail|error/;
const isOnce = ({ frequency }: JobRecord) => lower(frequency) === 'once';

const named = (ids: readonly (number | string)[]) => firstOf(ids, MOST_NAMED);

/** The jobs of a page, those that recur, are under way or ended without files first; others keep their order behind them. */
export function mattersFirst({ jobs, once }: Pick<JobsRead, 'jobs' | 'once'>): JobRecord[] {
  const empty = new Set(once.filter(({ hasFiles }) => hasFiles === false).map(({ jobId }) => jobId));
  const matters = (job: JobRecord) => !isOnce(job) || lower(job.state) !== 'completed' || empty.has(job.jobId);
  return [...jobs.filter(matters), ...jobs.filter((job) => !matters(job))];
}

/** `"Daily views": 19 of 19 runs succeeded, 1 of them without rows; 1 day without a good run`, for the recurring job of this health. */
function recurringWords(job: JobRecord, health: JobHealth, all: readonly JobRecord[]): string {
  const { goodRuns = 0, runs = 0, emptyRuns = 0, missing = 0, unit = 'day', lastRunState } = health;
  const filling = all.flatMap((each) => (isRunning(each) && isBackfillOf(job, each) ? each.jobId : []));
  const parts = present(
    `${goodRuns} of ${counted(runs, 'run')} succeeded`,
    emptyRuns > 0 && `${emptyRuns} of them without rows`,
    missing > 0 && `${counted(missing, unit)} without a good run`,
    filling.length > 0 && `backfill ${filling.length === 1 ? 'job' : 'jobs'} ${named(filling)} under way`,
    lastRunState !== 'success' && `last run ${lastRunState ?? 'unknown'}`,
  );
  return `"${job.name ?? job.jobId}": ${parts.join(', ')}`;
}

/** A recurring job that runs, with its runs. */
interface Running {
  readonly job: JobRecord;
  readonly own: JobHealth;
}

const where = (jobs: readonly Pick<JobRecord, 'jobId'>[], words: string) =>
  jobs.length > 0 && `${jobs.length} ${words} (${named(jobs.map(({ jobId }) => jobId))})`;

/** The active recurring jobs, and how the latest runs ended of those that are on the page. */
function scheduleWords(active: readonly JobRecord[], running: readonly Running[]): string | undefined {
  if (active.length === 0) return undefined;
  const failed = running.filter(({ own }) => FAILED.test(own.lastRunState ?? ''));
  const good = running.filter(({ own }) => own.lastRunState === 'success').length;
  const fresh = active.filter(({ jobId, lastRunTime }) => !lastRunTime && running.every(({ job }) => job.jobId !== jobId));
  const which = good === active.length ? 'each' : String(good);
  return present(
    `${active.length} ${active.length === 1 ? 'runs' : 'run'} on schedule`,
    good > 0 && `the last run of ${which} succeeded`,
    failed.length > 0 && `that of ${named(failed.map(({ job }) => job.jobId))} failed`,
    where(fresh, fresh.length === 1 ? 'has not run yet' : 'have not run yet'),
  ).join(', ');
}

/** How jobs do, in words: those that recur, are under way or suspended, and once jobs that ended with and without files. */
export function jobsAnswer({ jobs, health, once, all = jobs, countedAll = all.length <= jobs.length }: JobsRead): string {
  if (jobs.length === 0) return '';
  const active = all.filter((job) => !isOnce(job) && lower(job.state) === 'active');
  const running = active.flatMap((job) => {
    const own = health.find(({ jobId, runs }) => jobId === job.jobId && runs !== undefined);
    return own ? [{ job, own }] : [];
  });
  const isIn = (state: string) => all.filter((job) => lower(job.state) === state);
  const waiting = isIn('active').filter(isOnce);
  const [full, empty] = [once.filter(({ hasFiles }) => hasFiles).length, once.filter(({ hasFiles }) => hasFiles === false)];
  const expired = once.filter(({ hasFiles, expired: isGone }) => hasFiles && isGone).length;
  const since = expired > 0 ? `, ${expired === full ? 'all' : expired} expired since` : '';
  const states = present(
    scheduleWords(active, running),
    where(isIn('computing'), 'under way'),
    where(waiting, waiting.length === 1 ? 'waits for its run' : 'wait for their runs'),
    where(isIn('suspended'), 'suspended'),
    where(isIn('deleted'), 'deleted'),
  ).join('; ');
  const outcomes = present(full > 0 && `${full} ended with files${since}`, where(empty, 'ended without')).join(', ');
  const rows = running.slice(0, MOST_NAMED).map(({ job, own }) => recurringWords(job, own, all));
  const sentences = present(
    states && `Of ${counted(all.length, 'job')}, ${states}`,
    outcomes && `Once jobs${countedAll ? '' : ` among the ${jobs.length} listed first`}: ${outcomes}`,
    rows.join('; '),
  );
  return sentences.map((sentence) => `${sentence}.`).join(' ');
}
