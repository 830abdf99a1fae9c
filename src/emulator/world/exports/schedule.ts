import type { InputOf } from '../../../api/operation.ts';
import type { createExportJob } from '../../../api/operations/data-export.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../lib/clock.ts';
import type { FieldSelector } from './scopes.ts';

/** A job as its creation request describes it. */
export type JobInput = InputOf<typeof createExportJob>;

/** A fault of the run whose range begins at `fromMs`: it fails, is never started, or finds nothing to export. */
export interface Incident {
  readonly kind: 'failed' | 'missing' | 'empty';
  readonly fromMs: number;
}

/** An export job as it is kept; its state, its runs and their files all follow from it and the clock. */
export interface ExportJob {
  readonly jobId: number;
  readonly projectId: number;
  readonly name: string;
  readonly ownerId: number;
  readonly createdMs: number;
  /** `JSONL` or `CSV`; a job of earlier days may carry another that is no longer run. */
  readonly format: string;
  readonly scope: string;
  readonly frequency: JobInput['frequency']['value'];
  /** Only of once jobs. */
  readonly range?: { readonly fromMs: number; readonly toMs: number };
  readonly fields: readonly FieldSelector[];
  readonly device: JobInput['deviceLabel'];
  readonly segmentId?: number;
  /** How long a run computes. */
  readonly computeMs: number;
  readonly suspendedMs?: number;
  /** Every run fails. */
  readonly alwaysFails?: true;
  /** Faults of single runs of a recurring job. */
  readonly incidents?: readonly Incident[];
}

/** A job before it has an id. */
export type JobDraft = Omit<ExportJob, 'jobId'>;

/** How long a run waits in `CREATED`, then in `RUNNABLE`, before it starts. */
const RUNNABLE_AFTER_MS = 10_000;
const START_AFTER_MS = 30_000;
/** How long an ordinary run computes. */
export const COMPUTE_MS = 90_000;

/** Daily runs start at 02:10 UTC for the day before, hourly ones 12 minutes after the hour for the hour before. */
const cadences = { daily: { periodMs: DAY_MS, offsetMs: 130 * MINUTE_MS }, hourly: { periodMs: HOUR_MS, offsetMs: 12 * MINUTE_MS } };

/** Run ids of a job follow one another. */
const RUNS_A_JOB = 100_000;

type RunState = 'CREATED' | 'RUNNABLE' | 'RUNNING' | 'SUCCESS' | 'FAILURE';
type JobState = 'ACTIVE' | 'COMPUTING' | 'COMPLETED' | 'SUSPENDED';

/** One execution of a job: the range that it extracts and the instants at which its state changes. */
export interface Run {
  readonly job: ExportJob;
  readonly runId: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly createdMs: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly fails: boolean;
  /** It succeeds without a file, because there was nothing to export. */
  readonly isEmpty: boolean;
}

/** Start of the run with this index; undefined where there is none. */
function startOf({ frequency, createdMs }: ExportJob, index: number): number | undefined {
  if (index < 0 || (frequency === 'once' && index > 0)) return undefined;
  if (frequency === 'once') return createdMs + START_AFTER_MS;
  const { periodMs, offsetMs } = cadences[frequency];
  const firstMs = Math.ceil((createdMs + START_AFTER_MS - offsetMs) / periodMs) * periodMs + offsetMs;
  return firstMs + index * periodMs;
}

function rangeOf({ frequency, range }: ExportJob, startMs: number, createdMs: number): { fromMs: number; toMs: number } {
  if (frequency === 'once') return range ?? { fromMs: createdMs - DAY_MS, toMs: createdMs };
  const toMs = startMs - cadences[frequency].offsetMs;
  return { fromMs: toMs - cadences[frequency].periodMs, toMs };
}

/** The run with this index; undefined where there is none, or where it was never started. */
function runAt(job: ExportJob, index: number): Run | undefined {
  const startMs = startOf(job, index);
  const createdMs = (startMs ?? 0) - START_AFTER_MS;
  if (startMs === undefined || (job.suspendedMs !== undefined && createdMs >= job.suspendedMs)) return undefined;
  const { fromMs, toMs } = rangeOf(job, startMs, createdMs);
  const incident = job.frequency === 'once' ? undefined : job.incidents?.find((each) => each.fromMs === fromMs)?.kind;
  if (incident === 'missing') return undefined;
  const fails = job.alwaysFails === true || incident === 'failed';
  const endMs = startMs + Math.round(job.computeMs * (fails ? 0.4 : 1));
  return { job, runId: job.jobId * RUNS_A_JOB + index + 1, fromMs, toMs, createdMs, startMs, endMs, fails, isEmpty: incident === 'empty' };
}

/** Number of runs that exist at `nowMs`. */
function runCount(job: ExportJob, nowMs: number): number {
  if (job.frequency === 'once') return nowMs >= job.createdMs ? 1 : 0;
  const lastMs = Math.min(nowMs, job.suspendedMs === undefined ? nowMs : job.suspendedMs - 1);
  const firstMs = startOf(job, 0) ?? 0;
  return Math.max(0, Math.floor((lastMs + START_AFTER_MS - firstMs) / cadences[job.frequency].periodMs) + 1);
}

/** Runs of jobs that will have no other, kept because lists of all runs come by again and again. */
const settled = new WeakMap<ExportJob, Run[]>();

/** The runs of a job that exist at `nowMs`, oldest first. */
export function runsOf(job: ExportJob, nowMs: number): readonly Run[] {
  const known = settled.get(job);
  if (known) return known;
  const runs = allRuns(job, nowMs);
  const isOver = job.suspendedMs !== undefined && job.suspendedMs <= nowMs;
  if (isOver) settled.set(job, runs);
  return runs;
}

function allRuns(job: ExportJob, nowMs: number): Run[] {
  return Array.from({ length: runCount(job, nowMs) }, (_, index) => runAt(job, index)).filter((run) => run !== undefined);
}

/** The run of that id, where it exists at `nowMs`. */
export function runWithId(job: ExportJob, runId: number, nowMs: number): Run | undefined {
  const index = runId - job.jobId * RUNS_A_JOB - 1;
  return index >= 0 && index < runCount(job, nowMs) ? runAt(job, index) : undefined;
}

/** The state of a run at an instant. */
export function runState({ createdMs, startMs, endMs, fails }: Run, nowMs: number): RunState {
  if (nowMs >= endMs) return fails ? 'FAILURE' : 'SUCCESS';
  if (nowMs >= startMs) return 'RUNNING';
  return nowMs >= createdMs + RUNNABLE_AFTER_MS ? 'RUNNABLE' : 'CREATED';
}

/** Percent of the run that is done; a failed one stays where it stopped. */
export function completionRate({ job, startMs, endMs, fails }: Run, nowMs: number): number {
  const doneMs = Math.min(nowMs, endMs) - startMs;
  if (nowMs >= endMs && !fails) return 100;
  return Math.max(0, Math.min(99, Math.floor((100 * doneMs) / job.computeMs)));
}

/** Where a job stands at `nowMs`; the last run is one that has started, the next one that has not. */
export function jobStatus(job: ExportJob, nowMs: number): { state: JobState; last: Run | undefined; next: Run | undefined } {
  const created = runCount(job, nowMs);
  // At most the newest of the created runs is still waiting to start.
  const newest = runAt(job, created - 1);
  const waits = newest !== undefined && newest.startMs > nowMs;
  const last = waits ? runAt(job, created - 2) : newest;
  const next = waits ? newest : runAt(job, created);
  if (last && last.endMs > nowMs) return { state: 'COMPUTING', last, next };
  if (next) return { state: 'ACTIVE', last, next };
  return { state: job.frequency === 'once' ? 'COMPLETED' : 'SUSPENDED', last, next };
}
