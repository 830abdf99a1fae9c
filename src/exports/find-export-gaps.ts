import pLimit from 'p-limit';
import { ApiError, onApiError, orUndefined } from '../api/errors.ts';
import type { InputOf } from '../api/operation.ts';
import { type listExportJobs, listExportRuns } from '../api/operations/data-export.ts';
import { DEFAULT_PAGE_SIZE, instantOf, MAX_METRICS_RANGE_MS, MAX_PAGE_SIZE } from '../api/params.ts';
import { DAY_MS, isoTime } from '../lib/clock.ts';
import { rangeName } from '../lib/dates.ts';
import { hint } from '../lib/hint.ts';
import { type Interval, intersect, isSpan, union } from '../lib/intervals.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { counted } from '../lib/number-text.ts';
import { firstOf, present } from '../lib/sentences.ts';
import { fetchMetrics } from '../metrics/fetch-metrics.ts';
import { type AskedDays, rangeOf } from './coverage.ts';
import { availableRuns, deliveriesAmong, emptyRunWords, readRunRows, withEmptyRuns } from './deliveries.ts';
import { allRunsOf, type FileLife, lifeWords, successfulRuns } from './download/run-rows.ts';
import {
  comingRanges,
  type ExportContext,
  type Exports,
  openPlansOf,
  readExports,
  readJobs,
  readVariables,
  runsHere,
} from './export-lists.ts';
import { type BackfillContent, backfillName, contentOf, isBackfillOf } from './gaps/backfill.ts';
import {
  allGapsAnswer,
  type ExportHistory,
  findGaps,
  GAPS,
  type GapStudy,
  gapAnswer,
  gapCounts,
  gapRows,
  joined,
  mostTelling,
  OUTSIDE,
  partsOf,
  type Status,
  type StatusInterval,
  slotsIn,
} from './gaps/find-gaps.ts';
import { HEALTH_DAYS, healthOf, type JobHealth, type OnceJob, stateNotes, suspendedWords } from './gaps/jobs-answer.ts';
import { splitRange } from './plan/job-bodies.ts';
import {
  deviceOf,
  draftJobs,
  isActive,
  isCompleted,
  isOnce,
  isRecurring,
  isRunning,
  type JobRecord,
  jobsWithContent,
  lower,
  numericIds,
} from './plan/similar-jobs.ts';
import { type ExportPlan, requestOf } from './plans.ts';
import { rowsOf } from './store/manifest.ts';

/** Jobs whose runs are asked for at once: as many calls as are in flight by default. */
const LISTED_AT_ONCE = 8;

/** A list of jobs waits no longer for their runs. */
const LIST_PATIENCE_MS = 10_000;

/** The ranges and outcomes of the once jobs among these, from their successful runs and the plans that made them. */
async function onceJobsAmong(jobs: readonly JobRecord[], context: ExportContext): Promise<OnceJob[]> {
  const once = jobs.filter(isOnce);
  if (once.length === 0) return [];
  const plans = await openPlansOf(context);
  const [rows, made] = await Promise.all([readRunRows(numericIds(once), undefined, context.ask), plans.all()]);
  const { runs } = await deliveriesAmong(rows, context);
  return once.map((job) => {
    const own = runs.filter(({ jobId }) => jobId === job.jobId);
    const [range] = [...own.map((run) => run.range).filter(isSpan), ...comingRanges(job, made)];
    return {
      jobId: job.jobId,
      ...(range && { from: isoTime(range.startMs), to: isoTime(range.endMs) }),
      hasFiles: isCompleted(job) ? own.length > 0 : undefined,
      expired: (own.length > 0 && own.every(({ untilMs }) => untilMs <= context.nowMs)) || undefined,
    };
  });
}

/** Of more jobs only those of the page are held against their files, which takes requests. */
const MOST_COUNTED = 50;

/** The once jobs that an answer counts: among all jobs where they are few, else those of the page. */
export async function onceCounted(jobs: readonly JobRecord[], all: readonly JobRecord[] | undefined, context: ExportContext) {
  const countedAll = all !== undefined && all.length <= MOST_COUNTED;
  const once = await onceJobsAmong(countedAll ? all : jobs, context).catch(
    onApiError(({ message }) => context.note(`Ranges and outcomes of once jobs could not be read: ${message}`)),
  );
  return { once: once ?? [], countedAll };
}

/** The latest page of runs of each recurring job, a request each; notes how many were not reached in time or could not be read. */
async function readRuns(jobs: readonly JobRecord[], { ask, clock, note }: ExportContext) {
  const untilMs = clock.now() + LIST_PATIENCE_MS;
  let reason: string | undefined;
  const read = await pLimit(LISTED_AT_ONCE).map(jobs, async (job) => {
    const jobId = Number(job.jobId);
    if (isOnce(job) || !Number.isSafeInteger(jobId)) return [{ job, runs: [] }];
    if (clock.now() >= untilMs) return [];
    const runs = await ask(listExportRuns, { jobId, limit: MAX_PAGE_SIZE }).catch(onApiError(({ message }) => void (reason ??= message)));
    return runs ? [{ job, runs }] : [];
  });
  const found = read.flat();
  const left = jobs.length - found.length;
  if (left > 0) note(`The runs of ${left} of ${jobs.length} jobs are not counted: ${reason ?? 'time ran out'}.`);
  return found;
}

/** How the jobs of a page do; where their runs cannot be read, which is noted, none. */
export async function healthAmong(jobs: readonly JobRecord[], context: ExportContext): Promise<JobHealth[]> {
  const { nowMs, note } = context;
  const read = await readRuns(jobs, context);
  const active = read.filter(({ job, runs }) => isActive(job) && runs.length > 0);
  const ids = active.map(({ job }) => Number(job.jobId));
  const listed = await successfulRuns(context.ask, ids).catch(orUndefined);
  const empty = active.flatMap(({ job, runs }) => (listed ? withEmptyRuns(job, runs, listed, [nowMs - HEALTH_DAYS * DAY_MS, nowMs]) : []));
  const emptyOf = new Map(empty.map(({ jobId, days }) => [jobId, { emptyRuns: days.length }]));
  const health = read.map(({ job, runs }) => ({ ...healthOf(job, runs, nowMs), ...emptyOf.get(job.jobId) }));
  if (health.some(({ runs }) => runs !== undefined))
    note(
      'goodRuns, missing: last 30 days (hourly jobs: latest 100 runs)' +
        hint('find_export_gaps', '; find_export_gaps says which days') +
        '.',
    );
  for (const sentence of [...emptyRunWords(empty), ...stateNotes(jobs), ...suspendedWords(jobs)]) note(sentence);
  // Of a job of all devices that is over its state says as much.
  return health.filter(({ stateWords, device = 'all devices' }) => stateWords !== 'over' || device !== 'all devices');
}

/**
 * The jobs that these filters let through, with those of the page. Undefined where all cannot be listed, and for a caller who turns pages
 * or takes the largest: the list is not read again for each of them.
 */
export async function jobsThatFit(
  { page, limit = DEFAULT_PAGE_SIZE, ...wanted }: InputOf<typeof listExportJobs>,
  shown: readonly JobRecord[],
  { ask }: ExportContext,
): Promise<readonly JobRecord[] | undefined> {
  if (page !== undefined) return undefined;
  if (shown.length < limit) return shown;
  if (limit >= MAX_PAGE_SIZE) return undefined;
  const members = ['state', 'scope', 'frequency', 'format'] as const;
  const jobs = await readJobs(ask).catch(orUndefined);
  const isLike = (job: JobRecord) => members.every((each) => wanted[each] === undefined || lower(job[each]) === lower(wanted[each]));
  return jobs?.filter(isLike);
}

/** An instant of the interface in ms; undefined where there is none. */
function msOf(text: string | null | undefined): number | undefined {
  const ms = instantOf(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** The once jobs that fill gaps of a job: made by a plan for it, or called as such. */
function backfillsOf(job: JobRecord, { jobs, plans }: Exports): JobRecord[] {
  const made = new Set(plans.filter(({ fills }) => fills === job.jobId).flatMap(({ parts }) => parts.map(({ jobId }) => jobId)));
  return jobs.filter((each) => made.has(each.jobId) || (each.scope === job.scope && isBackfillOf(job, each)));
}

/** Everything that shows what a job has delivered. */
async function readHistory(job: JobRecord, exports: Exports, context: ExportContext) {
  const { ask } = context;
  // Before the list of successful runs: a run that ends in between is then in both.
  const runs = await allRunsOf(Number(job.jobId), ask);
  context.progress(1, 2, `${runs.length} runs of the job listed`);
  const backfills = backfillsOf(job, exports);
  const { runs: listed, life } = await deliveriesAmong(await readRunRows(numericIds([job, ...backfills]), undefined, ask), context);
  const frequency = lower(job.frequency);
  // Files without a row hold no more than no files; a once job has only their range.
  const kept = isOnce(job) ? [] : await runsHere(context);
  const withoutRows = new Set(kept.filter((run) => rowsOf(run) === 0).map(({ runId }) => runId));
  const known = listed.filter(({ range }) => isSpan(range)).toSorted((a, b) => a.range.startMs - b.range.startMs);
  const next = rangeOf({ from: job.nextFrom, to: job.nextTo });
  return {
    life,
    frequency,
    state: lower(job.state),
    next: isSpan(next) ? next : undefined,
    nextRunMs: msOf(job.nextRunTime),
    createdMs: msOf(job.createdAt),
    runs: runs.map(({ jobRunId: runId, startDate, state }) => ({
      runId: runId ?? 'unknown id',
      state: lower(state),
      startedMs: msOf(startDate),
    })),
    covering: known.filter(({ jobId, runId }) => jobId === job.jobId && !withoutRows.has(runId)),
    backfilled: known.filter(({ jobId }) => jobId !== job.jobId),
    filling: backfills
      .filter(isRunning)
      .flatMap((each) => comingRanges(each, exports.plans).map((range) => ({ ...range, jobId: each.jobId }))),
  };
}

function study(
  job: JobRecord,
  history: ExportHistory,
  plans: readonly ExportPlan[],
  { startDate, endDate }: AskedDays,
  { timeZone, nowMs }: ExportContext,
): GapStudy {
  const asked = { startMs: msOf(startDate), endMs: msOf(endDate), timeZone, nowMs };
  if (history.frequency !== 'once') return findGaps(history, asked);
  // No run follows it, so its range comes from its run, from a plan, or from the caller.
  const own = history.covering[0]?.range ?? comingRanges(job, plans)[0];
  const [startMs, endMs] = [asked.startMs ?? own?.startMs, asked.endMs ?? own?.endMs];
  if (startMs === undefined || endMs === undefined) {
    const [run] = history.runs;
    const fate = run ? `: its run ${run.runId} is in state ${run.state} and has no files` : ` and has no run yet (state ${history.state})`;
    throw new ApiError(
      'invalid',
      `Job ${job.jobId} "${job.name ?? ''}" runs once${fate}. The interface does not show the range of a once job without files: ` +
        'give startDate and endDate to plan the export again.',
    );
  }
  return findGaps({ ...history, next: undefined }, { ...asked, startMs, endMs });
}

/** The days of an interval without data, or its hours together, each with the visits that the platform counts for it. */
function weighed(interval: StatusInterval, visits: ReadonlyMap<number, unknown>, found: GapStudy): StatusInterval[] {
  const slots = found.unit === 'day' ? slotsIn(interval, found) : [interval];
  return slots.map(({ startMs, endMs }, index) => {
    // A day whose visits are not known stays as it was found.
    const count = Number(visits.get(startMs) ?? 0);
    const by = interval.by.length === slots.length ? interval.by.slice(index, index + 1) : interval.by;
    const own = { startMs, endMs, by };
    return count > 0 ? { ...own, status: 'suspicious', visits: count } : { ...own, status: 'empty' };
  });
}

/** Holds runs that succeeded without rows against the visits of their days: where there were some, the data are missing all the same. */
async function checkEmptyRuns(
  found: GapStudy,
  { device, segmentId }: Pick<BackfillContent, 'device' | 'segmentId'>,
  context: ExportContext,
): Promise<GapStudy> {
  const empty = found.intervals.filter(({ status }) => status === 'empty');
  const last = empty.at(-1);
  if (!last) return found;
  // Of days all that fit into one request, of hours the latest ones, because visits come by day or as a sum.
  const isAsked = (each: Interval) => (found.unit === 'hour' ? each === last : last.endMs - each.startMs <= MAX_METRICS_RANGE_MS);
  const { startMs: fromMs } = empty.find(isAsked) ?? last;
  const grid = {
    metrics: ['visits'],
    ranges: [{ startMs: fromMs, endMs: last.endMs - 1 }],
    daily: found.unit === 'day',
    devices: [device],
    segmentSets: [segmentId === undefined ? [] : [segmentId]],
  };
  const read = await fetchMetrics(grid, { ...context, timeZone: found.timeZone }).catch(
    onApiError(({ message }) => context.note(`Whether the days of empty runs had visits could not be found out: ${message}`)),
  );
  if (!read) return found;
  const visits = new Map(read.rows.map(({ interval, values }) => [interval.startMs, values['visits']]));
  if (empty.some(({ startMs }) => startMs < fromMs))
    context.note('Earlier empty runs were not held against visits, for which one request has no room: startDate and endDate choose them.');
  return {
    ...found,
    intervals: joined(found.intervals.flatMap((each) => (each.status === 'empty' ? weighed(each, visits, found) : [each]))),
  };
}

/** The once job that delivers what a job did, and what of that is not known. */
async function contentFor(job: JobRecord, plans: readonly ExportPlan[], { ask, note }: ExportContext) {
  return contentOf(job, requestOf(job.jobId, plans), await readVariables(ask, note));
}

/** Studies what a job has delivered and lacks; runs without rows are compared with the visits of their days. */
async function studyJob(job: JobRecord, exports: Exports, asked: AskedDays, context: ExportContext) {
  const { life, ...history } = await readHistory(job, exports, context);
  const found = study(job, history, exports.plans, asked, context);
  const hasEmpty = found.intervals.some(({ status }) => status === 'empty');
  return { life, found: hasEmpty ? await checkEmptyRuns(found, await contentFor(job, exports.plans, context), context) : found };
}

/** Jobs that are named, the newest first, and ranges of each. */
const MOST_HOLDERS = 3;
const MOST_RANGES = 6;
/** Jobs whose runs are looked for, those with the highest ids: they lie on few pages of the list. */
const MOST_SEARCHED = 20;

/** Which other jobs with all columns of a job have files, here or on the platform, of what it lacks: a sentence each. */
async function otherHolders(job: JobRecord, found: GapStudy, jobs: readonly JobRecord[], context: ExportContext) {
  const lost = union(partsOf(found, [...GAPS, 'expired']));
  const [first] = lost;
  const [device, columns] = [deviceOf(job), job.fields ?? []];
  // A record does not show which variable a column without a name of its own holds.
  const isUnknown = columns.some(({ fieldName, aliasName }) => (fieldName ?? '').endsWith('_var') && !aliasName);
  if (!first || !device || columns.length === 0 || isUnknown) return [];
  const alike = jobsWithContent(jobs, { scope: job.scope ?? '', device, columns }).filter(({ jobId }) => jobId !== job.jobId);
  const others = alike.slice(0, MOST_SEARCHED);
  const there = await availableRuns(others, first.startMs, context);
  const sentences = others.flatMap(({ jobId, name }) => {
    const ranges = there.flatMap((run) => (run.jobId === jobId ? run.range : []));
    const held = intersect(lost, ranges).map((range) => rangeName(range, found.timeZone));
    return held.length === 0 ? [] : [`Job ${jobId} "${name ?? ''}" has all these columns and files of ${firstOf(held, MOST_RANGES)}.`];
  });
  if (sentences.length === 0) return [];
  return [...sentences.slice(0, MOST_HOLDERS), 'Whether another job has the same segment is not shown by the interface.'];
}

/** How far the rows can be relied on. */
function gapNotes(found: GapStudy, life: FileLife): string[] {
  const has = (status: Status) => partsOf(found, [status]).length > 0;
  return present(
    found.isInferred && 'Inferred: which range a run without files was for (from its start time; the interface does not show the range).',
    has('suspicious') &&
      'Suspicious: the run succeeded without rows although the visits metric counts visits there (a segment of the job is not shown).',
    has('expired') && `Expired: the platform deletes files ${lifeWords(life)}.`,
    found.cutToDays !== undefined && `The job has run longer; these are the last ${found.cutToDays} days. Pass startDate for more.`,
  );
}

/** Keeps a plan that fills all intervals of these statuses; undefined where there is none. */
async function planBackfill(
  job: JobRecord,
  found: GapStudy,
  statuses: readonly Status[],
  { content, jobs, store, note, nowMs }: Pick<Exports, 'jobs' | 'store'> & ExportContext & { content: BackfillContent },
) {
  const { timeZone } = found;
  // Neighbours together, none longer than a job takes.
  const ranges = union(partsOf(found, statuses)).flatMap((range) => splitRange(range, timeZone));
  if (ranges.length === 0 || content.columns.length === 0) return undefined;
  const other = hint('plan_export', ' plan_export with fields of your choice makes one.');
  const draft = await draftJobs({ ...content, frequency: 'once', ranges }, jobs, { timeZone, base: backfillName(job) }).catch(
    onApiError(({ message }) => note(`No backfill can be planned from what the job shows: ${message}${other}`)),
  );
  if (!draft) return undefined;
  const { planId } = await store.add({ ...draft, fills: job.jobId, nowMs });
  return { planId, words: counted(draft.bodies.length, 'once job') };
}

/** Plans the jobs that fill what is missing, and apart from them those that export again what expired. */
async function planGaps(job: JobRecord, found: GapStudy, toFill: readonly Status[], exports: Exports, context: ExportContext) {
  const { note } = context;
  const content = await contentFor(job, exports.plans, context);
  const parts = { ...exports, ...context, content };
  const backfill = await planBackfill(job, found, toFill, parts);
  const expired = await planBackfill(job, found, ['expired'], parts);
  for (const sentence of content.doubts) note(sentence);
  if (backfill)
    note(
      ofAnswer(
        `planId ${partsOf(found, GAPS).length > 0 ? 'fills what is missing' : 'exports what the job did not'} with ${backfill.words}` +
          `${hint('apply_export_plan', `: apply_export_plan {"planId":"${backfill.planId}"} shows them first`)}.`,
      ),
    );
  if (expired)
    note(
      ofAnswer(`expiredPlanId exports again what expired, with ${expired.words}; not needed where the files were fetched by other means.`),
    );
  return { planId: backfill?.planId, expiredPlanId: expired?.planId };
}

/** Rows that an answer holds. */
const MOST_ROWS = 40;

/** Reports what a job has delivered and why the rest is missing, and plans the jobs that fill the gaps. */
export async function findExportGaps(asked: AskedDays & { readonly jobId: number }, context: ExportContext) {
  const { note } = context;
  const exports = await readExports(context);
  const { jobs } = exports;
  const job = jobs.find(({ jobId }) => jobId === asked.jobId);
  if (!job) throw new ApiError('missing', `There is no export job ${asked.jobId} in this project.`);
  const { found, life } = await studyJob(job, exports, asked, context);
  const { range, unit } = found;
  if (isSpan(range)) context.covers(range.startMs, range.endMs);
  const all = gapRows(found);
  const rows = context.whole ? all : mostTelling(all, MOST_ROWS);
  if (rows.length < all.length) note(`${rows.length} of ${all.length} rows, gaps first; narrow with startDate and endDate.`);
  for (const sentence of [...(await otherHolders(job, found, jobs, context)), ...gapNotes(found, life)]) note(sentence);
  // Beside gaps of a job that ran, the time in which it did not is planned only where somebody asks for it.
  const isAsked = asked.startDate !== undefined || asked.endDate !== undefined;
  const toFill = isAsked || partsOf(found, GAPS).length === 0 ? [...GAPS, ...OUTSIDE] : GAPS;
  return {
    answer: gapAnswer(found, job.name ?? String(job.jobId)),
    columns: ['range', `${unit}s`, 'status', 'cause'],
    rows: rows.map((row) => [row.range, row.slots, row.status, row.cause]),
    ...(partsOf(found, [...toFill, 'expired']).length > 0 && (await planGaps(job, found, toFill, exports, context))),
  };
}

/** Jobs that are studied at once. */
const AT_ONCE = 4;
/** After this no further job is begun, so that the call can end in its time. */
const PATIENCE_MS = 25_000;
/** Jobs that a note names. */
const MOST_NAMED = 10;

/** Reports what each recurring job that runs has not delivered: a line a job, those that lack most first. */
export async function findAllGaps(asked: AskedDays, context: ExportContext) {
  const { clock, note, progress, whole } = context;
  const exports = await readExports(context);
  const recurring = exports.jobs.filter(isRecurring);
  const due = recurring.filter(isRunning);
  const untilMs = clock.now() + PATIENCE_MS;
  const left: { readonly job: JobRecord; readonly why: string }[] = [];
  let done = 0;
  // One note for all instead of one a job.
  const quiet = { ...context, note: () => undefined, progress: () => undefined };
  const studied = await pLimit(AT_ONCE).map(due, async (job) => {
    const leave = (why: string) => void left.push({ job, why });
    const found =
      clock.now() < untilMs
        ? await studyJob(job, exports, asked, quiet).catch(onApiError(({ message }) => leave(message)))
        : leave('time ran out; name one by jobId.');
    if (!found) return [];
    progress((done += 1), due.length, `${done} of ${due.length} jobs looked at`);
    return [{ job, name: job.name ?? String(job.jobId), ...gapCounts(found.found) }];
  });
  const counts = studied.flat().toSorted((a, b) => b.lost / b.total - a.lost / a.total);
  const rows = whole ? counts : counts.slice(0, MOST_ROWS);
  if (rows.length < counts.length) note(`${rows.length} of ${counts.length} jobs, those that lack most first.`);
  const named = (jobs: readonly JobRecord[]) =>
    `${jobs.length} (${firstOf(
      jobs.map(({ jobId }) => jobId),
      MOST_NAMED,
    )})`;
  if (left.length > 0) note(`Jobs that were not looked at: ${named(left.map(({ job }) => job))}: ${left[0]?.why ?? ''}`);
  const resting = recurring.filter((job) => !due.includes(job));
  if (resting.length > 0) note(`Recurring jobs that do not run were not looked at: ${named(resting)}. Name one by jobId.`);
  const one = hint('find_export_gaps', ' With jobId: causes, and a plan that fills the gaps.');
  note(`Without startDate: the last 92 days of daily jobs, 14 of hourly ones.${one}`);
  return {
    answer: allGapsAnswer(counts),
    columns: ['jobId', 'job', 'since', 'lacks', 'of', 'unit', 'ranges', 'expired'],
    rows: rows.map(({ job, name, since, lost, total, unit, ranges, expired }) => {
      return [job.jobId, name, since, lost, total, `${unit}s`, ranges, expired];
    }),
  };
}
