import type { InputOf } from '../../../api/operation.ts';
import type { createExportJob } from '../../../api/operations/data-export.ts';
import { DAY_MS, HOUR_MS, isoTime, MINUTE_MS } from '../../../lib/clock.ts';
import { app, content, type Project, shop } from '../../credentials.ts';
import { hash, type Origin } from '../random.ts';
import { dayNumberOf } from '../sessions/index.ts';

/** A job as its creation request describes it. */
export type JobInput = InputOf<typeof createExportJob>;
/** One chosen column, as the request names it. */
export type FieldSelector = JobInput['fields'][number];

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
  readonly range?: { readonly fromMs: number; readonly toMs: number } | undefined;
  readonly fields: readonly FieldSelector[];
  readonly device: JobInput['deviceLabel'];
  readonly segmentId?: number | undefined;
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

/**
 * When jobs run, and for how long a time each: daily ones at 02:10 UTC for the day before, hourly ones 12 minutes after the hour for the
 * hour before, and those that run once at any instant for the range that they name.
 */
const cadences = {
  once: { periodMs: 1, offsetMs: 0, most: 1 },
  hourly: { periodMs: HOUR_MS, offsetMs: 12 * MINUTE_MS, most: Number.POSITIVE_INFINITY },
  daily: { periodMs: DAY_MS, offsetMs: 130 * MINUTE_MS, most: Number.POSITIVE_INFINITY },
};

/** Run ids of a job follow one another. */
const RUNS_A_JOB = 100_000;

type RunState = 'CREATED' | 'RUNNABLE' | 'RUNNING' | 'SUCCESS' | 'FAILURE';

function firstStartMs({ frequency, createdMs }: ExportJob): number {
  const { periodMs, offsetMs } = cadences[frequency];
  return Math.ceil((createdMs + START_AFTER_MS - offsetMs) / periodMs) * periodMs + offsetMs;
}

/** One execution of a job: the range that it extracts and the instants at which its state changes. */
export type Run = NonNullable<ReturnType<typeof runAt>>;

/** The run with this index; undefined where there is none, or where it was never started. */
function runAt(job: ExportJob, index: number) {
  const { periodMs, offsetMs, most } = cadences[job.frequency];
  const startMs = firstStartMs(job) + index * periodMs;
  const createdMs = startMs - START_AFTER_MS;
  if (index < 0 || index >= most || createdMs >= (job.suspendedMs ?? Number.POSITIVE_INFINITY)) return undefined;
  const toMs = startMs - offsetMs;
  const range = job.range ?? { fromMs: toMs - periodMs, toMs };
  const incident = job.incidents?.find(({ fromMs }) => fromMs === range.fromMs)?.kind;
  if (incident === 'missing') return undefined;
  const fails = job.alwaysFails === true || incident === 'failed';
  const endMs = startMs + Math.round(job.computeMs * (fails ? 0.4 : 1));
  // An empty one succeeds without a file, because there was nothing to export.
  return { job, runId: job.jobId * RUNS_A_JOB + index + 1, ...range, createdMs, startMs, endMs, fails, isEmpty: incident === 'empty' };
}

/** Number of runs that exist at `nowMs`. */
function runCount(job: ExportJob, nowMs: number): number {
  const { periodMs, most } = cadences[job.frequency];
  const lastMs = Math.min(nowMs, (job.suspendedMs ?? Number.POSITIVE_INFINITY) - 1);
  return Math.max(0, Math.min(most, Math.floor((lastMs + START_AFTER_MS - firstStartMs(job)) / periodMs) + 1));
}

/** Runs of jobs that will have no other, kept because lists of all runs come by again and again. */
const settled = new WeakMap<ExportJob, Run[]>();

/** The runs of a job that exist at `nowMs`, oldest first. */
export function runsOf(job: ExportJob, nowMs: number): readonly Run[] {
  const known = settled.get(job);
  if (known) return known;
  const runs = Array.from({ length: runCount(job, nowMs) }, (_, index) => runAt(job, index)).filter((run) => run !== undefined);
  if (job.suspendedMs !== undefined && job.suspendedMs <= nowMs) settled.set(job, runs);
  return runs;
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
export function jobStatus(job: ExportJob, nowMs: number) {
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

const FIRST_JOB_ID = 3101;
const OWNERS = [7001, 7002, 7005] as const;
const WEEKLY_JOBS = 26;

/** The daily export of the shop in which one day is missing. */
export const DAILY_JOB_NAME = 'Daily sessions';
const VIEWS_JOB_NAME = 'Daily views';
const HOURLY_JOB_NAME = 'Hourly sessions';

/** UTC day number of the day whose run failed; within the last 14 days before the clock's start. */
export function missingDay({ seed, startMs }: Origin): number {
  return dayNumberOf(startMs) - 2 - (hash(seed, 9001) % 12);
}

/** Faults of single runs of the shop's jobs, by the name of the job. */
export function incidentsOf(origin: Origin): Readonly<Record<string, readonly Incident[]>> {
  const { seed, startMs } = origin;
  const day = (back: number): number => (dayNumberOf(startMs) - back) * DAY_MS;
  // The days of the views lie apart; the hours follow one another, two of them never started.
  const [empty, missing] = [2 + (hash(seed, 9002) % 5), 9 + (hash(seed, 9003) % 6)];
  const hourMs = day(3) + (hash(seed, 9004) % 20) * HOUR_MS;
  return {
    [DAILY_JOB_NAME]: [{ kind: 'failed', fromMs: missingDay(origin) * DAY_MS }],
    [VIEWS_JOB_NAME]: [
      { kind: 'missing', fromMs: day(missing) },
      { kind: 'empty', fromMs: day(empty) },
    ],
    [HOURLY_JOB_NAME]: [
      { kind: 'failed', fromMs: hourMs },
      { kind: 'missing', fromMs: hourMs + HOUR_MS },
      { kind: 'missing', fromMs: hourMs + 2 * HOUR_MS },
    ],
  };
}

function select(...names: string[]): FieldSelector[] {
  return names.map((fieldName) => ({ fieldName }));
}

const keys = ['project_id', 'user_id', 'session_id', 'session_number'];
const facts = ['session_number_of_views', 'session_duration_msec', 'session_number_of_transactions', 'session_transactions_revenue_cents'];
const origins = ['device_id', 'country_code', 'language', 'browser_name', 'browser_version', 'platform_name', 'referer_url'];
const plan: FieldSelector = { fieldName: 'custom_var', customVarPosition: 1, aliasName: 'plan' };
const items = ['id', 'sku', 'quantity', 'revenue_cents'].map((name) => `session_transaction_items.${name}`);
const events = ['event_name', 'event_time', 'event_type'].map((name) => `app_events.${name}`);
const viewFacts = ['view_number', 'view_time', 'view_duration_msec', 'path', 'is_first', 'is_last', 'scroll_rate', 'frustration_score'];
const trouble = ['rage_click_all_targets_ind', 'any_js_error_ind', 'any_api_error_ind', 'errors.message', 'fully_loaded'];

type Template = Partial<JobDraft> & Pick<JobDraft, 'name' | 'createdMs' | 'fields'>;

function once(fromMs: number, days: number): Pick<JobDraft, 'frequency' | 'range'> {
  return { frequency: 'once', range: { fromMs, toMs: fromMs + days * DAY_MS } };
}

/** The export of each of the last weeks as a job of its own. */
function weeklyJobs(mondayMs: number, fields: readonly FieldSelector[]): Template[] {
  return Array.from({ length: WEEKLY_JOBS }, (_, index) => {
    const fromMs = mondayMs - (index + 1) * 7 * DAY_MS;
    return {
      name: `Weekly sessions ${isoTime(fromMs).slice(0, 10)}`,
      createdMs: fromMs + 7 * DAY_MS + 6.5 * HOUR_MS,
      fields,
      format: index % 2 ? 'CSV' : 'JSONL',
      ...once(fromMs, 7),
    };
  });
}

const USUAL = { format: 'JSONL', scope: 'sessions', frequency: 'daily', device: 'all', computeMs: COMPUTE_MS } as const;

/** All jobs that exist when the clock starts, project by project. */
function templates(origin: Origin): readonly (readonly [Project, Template])[] {
  const { startMs } = origin;
  const todayMs = dayNumberOf(startMs) * DAY_MS;
  const before = (days: number, hours = 8): number => todayMs - days * DAY_MS + hours * HOUR_MS;
  const mondayMs = todayMs - ((dayNumberOf(startMs) + 3) % 7) * DAY_MS;
  const sessions = select(...keys, 'session_time', ...facts);
  const rich = [
    ...select(...keys, 'session_date', 'session_time', ...facts, ...origins, 'city', 'is_excludable', ...items),
    plan,
    { fieldName: 'dynamic_var', dynamicVarKey: 'search_term' },
  ];
  const views = select(...keys, ...viewFacts, ...trouble);
  const shopJobs: Template[] = [
    { name: 'Legacy warehouse feed', createdMs: before(380), format: 'PARQUET', fields: sessions, suspendedMs: before(380, 9) },
    { name: 'Daily sessions mobile', createdMs: before(120), format: 'CSV', fields: sessions, device: 'mobile', suspendedMs: before(30) },
    { name: DAILY_JOB_NAME, createdMs: before(47), fields: rich },
    { name: VIEWS_JOB_NAME, createdMs: before(20), format: 'CSV', scope: 'views', fields: views },
    { name: HOURLY_JOB_NAME, createdMs: before(12), frequency: 'hourly', fields: [...sessions, plan] },
    ...weeklyJobs(mondayMs, sessions),
    {
      name: 'Tablet sessions, failed',
      createdMs: before(9),
      fields: sessions,
      device: 'tablet',
      alwaysFails: true,
      ...once(before(14, 0), 5),
    },
    {
      name: 'Views of the last days',
      createdMs: startMs - HOUR_MS / 6,
      scope: 'views',
      fields: views,
      computeMs: HOUR_MS,
      ...once(before(7, 0), 7),
    },
    { name: 'Sessions of yesterday', createdMs: startMs - 5000, fields: [...sessions, plan], ...once(before(1, 0), 1) },
  ];
  const appJobs: Template[] = [
    { name: 'Daily app sessions', createdMs: before(33), fields: select(...keys, 'session_time', ...facts, 'app_version', ...events) },
    { name: 'Daily app views', createdMs: before(60), scope: 'views', fields: select(...keys, ...viewFacts), suspendedMs: before(25) },
    { name: 'App sessions of a day', createdMs: before(3), format: 'CSV', fields: sessions, ...once(before(5, 0), 1) },
  ];
  const contentJobs: Template[] = [
    { name: 'Daily readers', createdMs: before(41), format: 'CSV', fields: select(...keys, 'session_time', ...facts, ...origins) },
    { name: 'Article views', createdMs: before(2), scope: 'views', fields: select(...keys, ...viewFacts), ...once(before(6, 0), 2) },
  ];
  const incidents = incidentsOf(origin);
  return [
    ...shopJobs.map((job) => [shop, { ...job, incidents: incidents[job.name] ?? [] }] as const),
    ...appJobs.map((job) => [app, job] as const),
    ...contentJobs.map((job) => [content, job] as const),
  ];
}

/** The jobs that exist when the clock starts; ids follow the order of creation over all projects. */
export function seededJobs(origin: Origin): ExportJob[] {
  const drafts = templates(origin).map(([project, template]): JobDraft => {
    const ownerId = OWNERS[hash(origin.seed, template.name.length, project.id) % OWNERS.length] ?? OWNERS[0];
    return { ...USUAL, projectId: project.id, ownerId, ...template };
  });
  return drafts.toSorted((a, b) => a.createdMs - b.createdMs).map((draft, index) => ({ ...draft, jobId: FIRST_JOB_ID + index }));
}
