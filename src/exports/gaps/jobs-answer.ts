import * as z from 'zod';
import type { PayloadOf } from '../../api/operation.ts';
import type { listExportRuns } from '../../api/operations/data-export.ts';
import { recordId } from '../../api/operations/records.ts';
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts';
import { members } from '../../lib/members.ts';
import { counted } from '../../lib/number-text.ts';
import { firstOf, present } from '../../lib/sentences.ts';
import { DEVICES, isActive, isCompleted, isOnce, isRunning, isSuspended, type JobRecord, lower } from '../plan/similar-jobs.ts';
import { isBackfillOf } from './backfill.ts';
import { UNDER_WAY } from './find-gaps.ts';

/** A run as the list of a job's runs shows it. */
type ListedRun = Pick<PayloadOf<typeof listExportRuns>[number], 'startDate' | 'state'>;

/** How a job did lately; counts are of the last 30 days, or of as many runs as one page lists. */
export const jobHealth = z.object({
  jobId: recordId,
  device: z.string().optional(),
  /** The meaning of the state. */
  stateWords: z.string(),
  lastRunState: z.string().optional(),
  /** Runs that succeeded, those that ended, good ones that gave no rows; days or hours, up to what is due, without a run that succeeded. */
  ...members(z.number().optional(), 'goodRuns', 'runs', 'emptyRuns', 'missing'),
  unit: z.enum(['day', 'hour']).optional(),
});
/** How a job did lately, as its answer tells it. */
export type JobHealth = z.output<typeof jobHealth>;

/** How far back runs are counted. */
export const HEALTH_DAYS = 30;

const STATES: Readonly<Record<string, string>> = {
  suspended: 'suspended: no run until it is resumed in the console',
  deleted: 'deleted in the console',
  computing: 'a run is under way',
  // The notes say once for all jobs what that does not mean.
  completed: 'over',
};

/** The meaning of a job's state for its files. */
function stateWords(job: JobRecord): string {
  if (isActive(job)) return isOnce(job) ? 'waits for its run' : 'runs on schedule';
  return STATES[lower(job.state)] ?? job.state ?? 'unknown';
}

/** Explanations of states whose word is not clear by itself; empty where none needs one. */
export function stateNotes(jobs: readonly JobRecord[]): string[] {
  const isAny = (wanted: string) => jobs.some(({ state }) => lower(state) === wanted);
  const said = present(
    isAny('completed') && 'COMPLETED is over, whether its run succeeded or not',
    isAny('computing') && 'COMPUTING has a run under way',
  );
  return said.length > 0 ? [`${said.join('; ')}.`] : [];
}

/** Part of a day or hour by which a run may begin late and still be that day's or hour's. */
const LATE_SHARE = 0.75;

/** Days or hours without a good run between the first of these runs and what is due by now; a run belongs to the slot in which it began. */
function missingOf(
  job: JobRecord,
  runs: readonly { readonly atMs: number; readonly state: string }[],
  nowMs: number,
): Pick<JobHealth, 'missing' | 'unit'> {
  const [first] = runs;
  if (!first) return {};
  const isHourly = lower(job.frequency) === 'hourly';
  const periodMs = isHourly ? HOUR_MS : DAY_MS;
  const nextMs = Date.parse(job.nextRunTime ?? '');
  const isTimed = !Number.isNaN(nextMs);
  const slotOf = (atMs: number) => Math.floor((atMs - (isTimed ? nextMs : first.atMs)) / periodMs + 1 - LATE_SHARE);
  // A suspended job was due until its suspension: no run is expected after that.
  const lastMs = runs.at(-1)?.atMs ?? first.atMs;
  // Without a schedule the latest run may still come late.
  const dueSlot = isSuspended(job) ? slotOf(lastMs) : slotOf(isTimed ? nextMs : nowMs) - 1;
  const done = runs.filter(({ state }) => state === 'success' || UNDER_WAY.has(state));
  const good = new Set(done.map(({ atMs }) => slotOf(atMs)));
  const goodAndDue = [...good].filter((slot) => slot <= dueSlot).length;
  return { missing: Math.max(0, dueSlot - slotOf(first.atMs) + 1 - goodAndDue), unit: isHourly ? 'hour' : 'day' };
}

/** How a job did in the last 30 days by the runs that are listed for it; of a once job only what its record shows. */
export function healthOf(job: JobRecord, listed: readonly ListedRun[], nowMs: number): JobHealth {
  const id = job.filters?.deviceId ?? undefined;
  const base = { jobId: job.jobId, device: id === undefined ? id : (DEVICES[id] ?? `device ${id}`), stateWords: stateWords(job) };
  if (listed.length === 0) return base;
  const runs = listed
    .map(({ startDate, state }) => ({ atMs: Date.parse(startDate ?? ''), state: lower(state) }))
    .filter(({ atMs }) => !Number.isNaN(atMs))
    .toSorted((a, b) => a.atMs - b.atMs);
  const lastRunState = runs.at(-1)?.state;
  if (isOnce(job)) return { ...base, lastRunState };
  const recent = runs.filter(({ atMs }) => atMs > nowMs - HEALTH_DAYS * DAY_MS);
  const ended = recent.filter(({ state }) => !UNDER_WAY.has(state));
  return {
    ...base,
    lastRunState,
    runs: ended.length,
    goodRuns: ended.filter(({ state }) => state === 'success').length,
    ...missingOf(job, recent, nowMs),
  };
}

/** That jobs are suspended, by whom and when they were last changed, as far as records say it; empty where none is. */
export function suspendedWords(jobs: readonly JobRecord[]): string[] {
  const suspended = jobs.filter(isSuspended);
  if (suspended.length === 0) return [];
  const named = suspended.map(({ jobId, updatedAt, lastUpdatorId }) => {
    const at = updatedAt ? `last changed ${updatedAt.slice(0, 10)}` : 'not said when it was changed';
    return `${jobId} (${at}${lastUpdatorId ? ` by user ${lastUpdatorId}` : ''})`;
  });
  return [`Suspended: ${firstOf(named, 3)}. The interface does not say why.`];
}

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

const named = (ids: readonly (number | string)[]) => firstOf(ids, MOST_NAMED);

/** The jobs of a page, those that recur, are under way or ended without files first; others keep their order behind them. */
export function mattersFirst({ jobs, once }: Pick<JobsRead, 'jobs' | 'once'>): JobRecord[] {
  const empty = new Set(once.filter(({ hasFiles }) => hasFiles === false).map(({ jobId }) => jobId));
  const isDone = (job: JobRecord) => Number(isOnce(job) && isCompleted(job) && !empty.has(job.jobId));
  return jobs.toSorted((a, b) => isDone(a) - isDone(b));
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
  const active = all.filter((job) => !isOnce(job) && isActive(job));
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
