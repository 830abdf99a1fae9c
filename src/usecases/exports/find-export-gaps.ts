import { checkInput } from '../../api/check-input.ts';
import { ApiError } from '../../api/errors.ts';
import { createExportJob } from '../../api/operations/data-export.ts';
import { MAX_METRICS_RANGE_MS } from '../../api/params.ts';
import { type BackfillContent, backfillName, backfillRanges, contentOf } from '../../domain/exports/gaps/backfill.ts';
import { slotsIn } from '../../domain/exports/gaps/cadence.ts';
import { findGaps, type GapStudy, joined } from '../../domain/exports/gaps/find-gaps.ts';
import { GAPS, gapAnswer, gapRows, mostTelling, OUTSIDE } from '../../domain/exports/gaps/gap-words.ts';
import type { ExportHistory, Status, StatusInterval } from '../../domain/exports/gaps/run-coverage.ts';
import { bodiesOf, type ExportRange } from '../../domain/exports/plan/job-bodies.ts';
import { idsOfEqual, type JobRecord } from '../../domain/exports/plan/similar-jobs.ts';
import { hint } from '../../lib/hint.ts';
import { ofAnswer } from '../../lib/note-mark.ts';
import { type FileLife, lifeWords } from '../../workspace/download/file-life.ts';
import type { ExportPlan, PlanStore } from '../../workspace/plans.ts';
import type { Context } from '../context.ts';
import { fetchMetrics } from '../metrics/fetch-metrics.ts';
import { msOf, readHistory } from './export-history.ts';
import { coverageOf, openPlansOf, readJobs, readVariables } from './export-lists.ts';
import { otherHolders } from './other-holders.ts';

type EmptyRunsContext = Pick<Context, 'ask' | 'note' | 'progress' | 'signal'>;

/** The range that is asked for: of days all that fit into one request, of hours the latest ones, because visits come by day or as a sum. */
function rangeToAsk(empty: readonly StatusInterval[], unit: GapStudy['unit']): ExportRange | undefined {
  const [first, last] = [empty[0], empty.at(-1)];
  if (!first || !last) return undefined;
  if (unit === 'hour') return { fromMs: last.fromMs, toMs: last.toMs };
  const within = empty.find(({ fromMs }) => last.toMs - fromMs <= MAX_METRICS_RANGE_MS) ?? last;
  return { fromMs: within.fromMs, toMs: last.toMs };
}

/** Visits by the instant at which their day, or the range, begins. */
async function visitsIn(
  { fromMs, toMs }: ExportRange,
  { unit, timeZone }: GapStudy,
  { device, segmentId }: Pick<BackfillContent, 'device' | 'segmentId'>,
  context: EmptyRunsContext,
): Promise<Map<number, number>> {
  const grid = {
    metrics: ['visits'],
    ranges: [{ startMs: fromMs, endMs: toMs - 1 }],
    daily: unit === 'day',
    devices: [device],
    segmentSets: [segmentId === undefined ? [] : [segmentId]],
  };
  const { rows } = await fetchMetrics(grid, { ...context, timeZone });
  return new Map(
    rows.flatMap(({ interval, values }) => (typeof values['visits'] === 'number' ? [[interval.startMs, values['visits']]] : [])),
  );
}

/** The days of an interval without data, or its hours together, each with the visits that the platform counts for it. */
function weighed(interval: StatusInterval, visits: ReadonlyMap<number, number>, { unit, timeZone }: GapStudy): StatusInterval[] {
  const slots = unit === 'day' ? slotsIn(interval, { unit, timeZone }) : [interval];
  return slots.map(({ fromMs, toMs }, index) => {
    // A day whose visits are not known stays as it was found.
    const count = visits.get(fromMs);
    const run = interval.by.length === slots.length ? interval.by.slice(index, index + 1) : interval.by;
    const own = { fromMs, toMs, slots: interval.slots / slots.length, by: run };
    return count !== undefined && count > 0
      ? { ...own, status: 'suspicious' as const, visits: count }
      : { ...own, status: 'empty' as const };
  });
}

/** Holds runs that succeeded without rows against the visits of their days: where there were some, the data are missing all the same. */
async function checkEmptyRuns(
  found: GapStudy,
  content: Pick<BackfillContent, 'device' | 'segmentId'>,
  context: EmptyRunsContext,
): Promise<GapStudy> {
  const empty = found.intervals.filter(({ status }) => status === 'empty');
  const range = rangeToAsk(empty, found.unit);
  if (!range) return found;
  try {
    const visits = await visitsIn(range, found, content, context);
    const intervals = found.intervals.flatMap((each) => (each.status === 'empty' ? weighed(each, visits, found) : [each]));
    if (empty.some(({ fromMs }) => fromMs < range.fromMs))
      context.note(
        'Earlier empty runs were not held against visits, for which one request has no room: startDate and endDate choose them.',
      );
    return { ...found, intervals: joined(intervals) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    context.note(`Whether the days of empty runs had visits could not be found out: ${error.message}`);
    return found;
  }
}

/** The parts of the call that a study of gaps takes. */
export type GapsContext = Pick<
  Context,
  'ask' | 'clock' | 'covers' | 'note' | 'progress' | 'signal' | 'whole' | 'workspace' | 'timeZone' | 'nowMs'
>;

/** The days that are asked about. */
export interface AskedDays {
  readonly startDate?: string | undefined;
  /** The instant at which the range ends. */
  readonly endDate?: string | undefined;
}

interface AskedGaps extends AskedDays {
  readonly jobId: number;
}

/** The fate of a once job without files, in one sentence. */
function onceWords({ jobId, name }: JobRecord, { runs, state }: ExportHistory): string {
  const job = `Job ${jobId} "${name ?? ''}" runs once`;
  const [run] = runs;
  return run ? `${job}: its run ${run.runId} is in state ${run.state} and has no files.` : `${job} and has no run yet (state ${state}).`;
}

/** The range of a once job: no run follows it, so it must come from its run, from a plan, or from the caller. */
function onceRange(job: JobRecord, history: ExportHistory, plans: readonly ExportPlan[]): ExportRange | undefined {
  return history.covering[0] ?? coverageOf([job], [], plans)(job.jobId)[0];
}

function study(
  job: JobRecord,
  history: ExportHistory,
  plans: readonly ExportPlan[],
  { startDate, endDate }: AskedDays,
  context: GapsContext,
): GapStudy {
  const { timeZone, nowMs } = context;
  const asked = { startMs: msOf(startDate), endMs: msOf(endDate), timeZone, nowMs };
  if (history.frequency !== 'once') return findGaps(history, asked);
  const own = onceRange(job, history, plans);
  const [startMs, endMs] = [asked.startMs ?? own?.fromMs, asked.endMs ?? own?.toMs];
  if (startMs === undefined || endMs === undefined)
    throw new ApiError(
      'invalid',
      `${onceWords(job, history)} The interface does not show the range of a once job without files: give startDate and endDate to ` +
        'plan the export again.',
    );
  const { next: _, ...rest } = history;
  return findGaps(rest, { ...asked, startMs, endMs: Math.min(endMs, nowMs) });
}

/** Keeps a plan that fills all intervals of these statuses; undefined where there is none. */
async function planBackfill(job: JobRecord, found: GapStudy, statuses: readonly Status[], parts: Backfilling) {
  const ranges = backfillRanges(found.intervals, statuses, found.timeZone);
  const { columns, ...content } = parts.content;
  if (ranges.length === 0 || columns.length === 0) return undefined;
  const order = { ...content, columns, frequency: 'once' as const, ranges };
  const bodies = bodiesOf(order, {
    timeZone: found.timeZone,
    taken: new Set(parts.jobs.map(({ name }) => name ?? '')),
    base: backfillName(job),
  });
  try {
    for (const body of bodies) checkInput(createExportJob, body);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    parts.note(
      `No backfill can be planned from what the job shows: ${error.message}` +
        hint('plan_export', ' plan_export with fields of your choice makes one.'),
    );
    return undefined;
  }
  const { planId } = await parts.store.add({ bodies, known: idsOfEqual(parts.jobs, bodies), fills: job.jobId, nowMs: parts.nowMs });
  return { planId, jobs: bodies.length };
}

interface Backfilling {
  readonly content: ReturnType<typeof contentOf>;
  readonly store: PlanStore;
  /** Those that exist. */
  readonly jobs: readonly JobRecord[];
  readonly nowMs: number;
  readonly note: GapsContext['note'];
}

async function contentFor(job: JobRecord, plans: readonly ExportPlan[], { ask, note }: GapsContext) {
  const made = plans.flatMap(({ parts }) => parts).find(({ jobId }) => jobId === job.jobId)?.body;
  return contentOf(job, made, await readVariables(ask, note));
}

/** Studies what a job has delivered and lacks; runs without rows are compared with the visits of their days. */
export async function studyJob(
  job: JobRecord,
  { jobs, plans }: { jobs: readonly JobRecord[]; plans: readonly ExportPlan[] },
  asked: AskedDays,
  context: GapsContext,
): Promise<{ found: GapStudy; life: FileLife }> {
  const history = await readHistory(job, jobs, plans, context);
  const studied = study(job, history, plans, asked, context);
  const isEmpty = studied.intervals.some(({ status }) => status === 'empty');
  return { found: isEmpty ? await checkEmptyRuns(studied, await contentFor(job, plans, context), context) : studied, life: history.life };
}

/** How far the rows can be relied on. */
function gapNotes({ isInferred, intervals, cutToDays }: GapStudy, life: FileLife): string[] {
  const has = (wanted: Status) => intervals.some(({ status }) => status === wanted);
  return [
    ...(isInferred
      ? ['Inferred: which range a run without files was for (from its start time; the interface does not show the range).']
      : []),
    ...(has('suspicious')
      ? ['Suspicious: the run succeeded without rows although the visits metric counts visits there (a segment of the job is not shown).']
      : []),
    ...(has('expired') ? [`Expired: the platform deletes files ${lifeWords(life)}.`] : []),
    ...(cutToDays === undefined ? [] : [`The job has run longer; these are the last ${cutToDays} days. Pass startDate for more.`]),
  ];
}

const jobsWord = (count: number) => `${count} once ${count === 1 ? 'job' : 'jobs'}`;

/** Plans the jobs that fill what is missing, and apart from them those that export again what expired. */
async function planGaps(job: JobRecord, found: GapStudy, toFill: readonly Status[], parts: Backfilling) {
  const { note, content } = parts;
  const backfill = await planBackfill(job, found, toFill, parts);
  const expired = await planBackfill(job, found, ['expired'], parts);
  for (const sentence of content.doubts) note(sentence);
  const isGap = found.intervals.some(({ status }) => GAPS.includes(status));
  if (backfill)
    note(
      ofAnswer(
        `planId ${isGap ? 'fills what is missing' : 'exports what the job did not'} with ${jobsWord(backfill.jobs)}` +
          `${hint('apply_export_plan', `: apply_export_plan {"planId":"${backfill.planId}"} shows them first`)}.`,
      ),
    );
  if (expired)
    note(
      ofAnswer(
        `expiredPlanId exports again what expired, with ${jobsWord(expired.jobs)}; not needed where the files were fetched by other means.`,
      ),
    );
  return { ...(backfill && { planId: backfill.planId }), ...(expired && { expiredPlanId: expired.planId }) };
}

/** Rows that an answer holds. */
const MOST_ROWS = 40;

/** Reports what a job has delivered and why the rest is missing, and plans the jobs that fill the gaps. */
export async function findExportGaps(asked: AskedGaps, context: GapsContext) {
  const { ask, note, nowMs } = context;
  const store = await openPlansOf(context);
  const [jobs, plans] = await Promise.all([readJobs(ask), store.all()]);
  const job = jobs.find(({ jobId }) => jobId === asked.jobId);
  if (!job) throw new ApiError('missing', `There is no export job ${asked.jobId} in this project.`);
  const { found, life } = await studyJob(job, { jobs, plans }, asked, context);
  const { range, unit, intervals } = found;
  if (range.fromMs < range.toMs) context.covers(range.fromMs, range.toMs);
  const all = gapRows(found);
  const rows = context.whole ? all : mostTelling(all, MOST_ROWS);
  if (rows.length < all.length) note(`${rows.length} of ${all.length} rows, gaps first; narrow with startDate and endDate.`);
  for (const sentence of await otherHolders(job, found, { jobs, life }, context)) note(sentence);
  const answer = {
    answer: gapAnswer(found, job.name ?? String(job.jobId)),
    columns: ['range', `${unit}s`, 'status', 'cause'],
    rows: rows.map((row) => [row.range, row.slots, row.status, row.cause]),
  };
  for (const sentence of gapNotes(found, life)) note(sentence);

  const isAsked = asked.startDate !== undefined || asked.endDate !== undefined;
  const isGap = intervals.some(({ status }) => GAPS.includes(status));
  // Beside gaps of a job that ran, the time in which it did not is planned only where somebody asks for it.
  const toFill = isAsked || !isGap ? [...GAPS, ...OUTSIDE] : GAPS;
  if (!intervals.some(({ status }) => toFill.includes(status) || status === 'expired')) return answer;
  const content = await contentFor(job, plans, context);
  return { ...answer, ...(await planGaps(job, found, toFill, { content, store, jobs, nowMs, note })) };
}
