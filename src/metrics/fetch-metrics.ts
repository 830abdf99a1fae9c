import { ApiError, onApiError, reworded } from '../api/errors.ts';
import { getSiteVisits } from '../api/operations/metrics.ts';
import { MAX_METRICS_RANGE_MS } from '../api/params.ts';
import { type Interval, slotsOf } from '../lib/calendar.ts';
import { DAY_MS } from '../lib/clock.ts';
import { isoAt } from '../lib/dates.ts';
import { hint } from '../lib/hint.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import type { Context, Lists } from '../names/context.ts';
import { otherGoalsOf } from './commerce-goal.ts';
import type { Windows } from './compare/comparison-windows.ts';
import { APP_ZONES, definitionOf } from './metric-definitions.ts';
import type { MetricValue } from './metric-table.ts';
import { assemble, bySlot, type MetricAnswers, type MetricRow, otherBoundsOf, type SlotAnswer } from './read/metric-answers.ts';
import { inputOf, MAX_CALLS, type MetricGrid, oneByOne, type PlannedCall, planGrid } from './read/metric-grid.ts';
import { commerceMetrics, commerceNote } from './read/query-notes.ts';

interface Fetching extends Pick<Context, 'ask' | 'progress' | 'signal' | 'timeZone'> {
  /** Calls beyond this are not sent where the days of the platform have to be asked for one by one. */
  readonly maxCalls?: number;
}

/**
 * Asks for a grid of metrics in as few calls as the interface allows, all at once (the limiter bounds them), and joins the answers.
 * Where some calls fail or time runs out, the rest is answered and `missing` says what is not; throws where all fail.
 */
export async function fetchMetrics(
  grid: MetricGrid,
  { ask, progress, signal, timeZone, maxCalls = MAX_CALLS }: Fetching,
): Promise<MetricAnswers> {
  const plan = planGrid(grid, timeZone);
  const currencies = new Set<string>();
  const failures: unknown[] = [];
  let otherBounds: string | undefined;
  let calls = 0;
  let done = 0;

  async function send(call: PlannedCall): Promise<readonly MetricValue[]> {
    calls += 1;
    const { values } = await ask(call.endpoint.operation, inputOf(call, timeZone));
    for (const { currency } of values) if (currency) currencies.add(currency);
    return values;
  }

  async function answered(call: PlannedCall): Promise<SlotAnswer[]> {
    const values = await send(call);
    const slots = bySlot(values, call);
    if (!slots) return dayByDay(call);
    otherBounds ??= otherBoundsOf(values, call);
    return slots.map((each) => ({ values: each }));
  }

  const answer = (call: PlannedCall) =>
    answered(call).catch(
      onApiError((error): SlotAnswer[] => {
        // No range that is asked for here is too long.
        const failure = isOutOfBounds(error.message)
          ? reworded(error, `The platform does not keep days of so long ago: ${error.message}`, { saysWayOn: true })
          : error;
        failures.push(failure);
        return call.slots.map(() => ({ failure: failure.message }));
      }),
    );

  /** The days of this platform are not those of the zone, so each is asked for by itself. */
  async function dayByDay(call: PlannedCall): Promise<SlotAnswer[]> {
    if (calls + call.slots.length > maxCalls) {
      const failure =
        `the days of the platform do not begin at midnight in ${timeZone}, and so many days cannot be asked for one by ` +
        `one; ask for fewer`;
      return call.slots.map(() => ({ failure }));
    }
    return (await Promise.all(oneByOne(call).map(answer))).flat();
  }

  const all = plan.calls.map(async (call) => {
    const slots = await answer(call);
    done += 1;
    if (plan.calls.length > 1) progress(done, plan.calls.length, `${done} of ${plan.calls.length} calls for metrics`);
    return slots;
  });
  const [otherGoals, answers] = await Promise.all([otherGoalsOf(grid, { ask }), Promise.all(all)]);
  signal.throwIfAborted();
  if (calls > 0 && failures.length === calls) throw withWayOn(failures[0]);
  const [currency] = currencies;
  return {
    ...assemble(grid, plan, answers, otherGoals),
    ...(currency !== undefined && currencies.size === 1 && { currency }),
    calls,
    ...(otherBounds !== undefined && { otherBounds }),
  };
}

/** Names what answers in place of a refused call of metrics, where the refusal itself cannot know it. */
export function withWayOn(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.saysWayOn) return error;
  const { kind, message } = error;
  if (kind === 'invalid' && /only for e-?commerce projects/i.test(message))
    return new ApiError('missing', commerceNote(), { cause: error, saysWayOn: true });
  if (kind === 'missing' && message.includes('/metrics/zone/')) {
    const elsewhere = hint('list_zones', ' Of an app, list_zones has those there are; pass its projectId where it is another project.');
    return reworded(error, `${message} ${APP_ZONES}${elsewhere}`, { saysWayOn: true });
  }
  return kind === 'invalid' && message.includes('at most 92 days')
    ? reworded(error, `${message}${hint('query_metrics', ' query_metrics answers longer ranges as one.')}`)
    : error;
}

/** Says that metrics need a goal, in which parameter, and which goals the project has, where they can be had. */
export async function goalWords(metrics: readonly string[], parameter: 'goalId' | 'goalIds', lists: Lists): Promise<string> {
  const goals = await lists.of('goal').catch(() => []);
  const listed = goals.map(({ id, path }) => `${id} "${path.join(' / ')}"`).join(', ');
  const need = metrics.length === 1 ? 'needs' : 'need';
  return (
    `${metrics.join(' and ')} ${need} a goal in this project: pass ` +
    `${parameter}.${listed === '' ? hint('list_goals', ' list_goals lists them.') : ` Goals: ${listed}.`}`
  );
}

/** Says that no visit lies in all of several segments, and what has them side by side; undefined where that is not so, or not known. */
export function apartSentence(
  segmentIds: readonly number[],
  rows: readonly { readonly values: Readonly<Record<string, unknown>> }[],
  lists: Pick<Lists, 'nameOf'>,
  sideBySide = 'compareSegments puts them side by side',
): string | undefined {
  if (segmentIds.length < 2 || rows.length === 0 || rows.some(({ values }) => values['visits'] !== 0)) return undefined;
  const names = segmentIds.map((id) => `"${lists.nameOf('segment', id)}"`);
  const last = names.pop() ?? '';
  const all = names.length === 1 ? `both ${names[0]}` : `all of ${names.join(', ')}`;
  return `No visit is in ${all} and ${last}: segmentIds keeps visits in each of them, ${sideBySide}.`;
}

/**
 * Says in notes which metrics of a comparison have no value because the project has no e-commerce goal, or is no e-commerce project;
 * throws where nothing else was asked for.
 */
export async function goalNotes(metrics: readonly string[], rows: readonly MetricRow[], lists: Lists): Promise<readonly string[]> {
  const isEmpty = (metric: string) => rows.every(({ values }) => typeof values[metric] !== 'number');
  if (isEmpty('visits') || rows.every(({ values }) => !values['visits'])) return ['There are no visits in this selection on either side.'];
  const commerce = metrics.filter((metric) => commerceMetrics.has(metric) && isEmpty(metric));
  const notes = commerce.length > 0 ? [commerceNote(commerce)] : [];
  const perGoal = metrics.filter((metric) => definitionOf(metric)?.perGoal && isEmpty(metric));
  if (perGoal.length === 0) return notes;
  const words = await goalWords(perGoal, 'goalId', lists);
  if (perGoal.length === metrics.length) throw new ApiError('invalid', words);
  return [...notes, ofAnswer(words)];
}

type FetchContext = Pick<Context, 'ask' | 'signal' | 'timeZone' | 'note'>;

/** Reads days; where they begin before what the platform keeps, those that are kept, which is noted. Ranges keep their order and number. */
export function fetchKept(grid: MetricGrid, { note, ...context }: FetchContext): Promise<MetricAnswers> {
  const fetching = { ...context, progress: () => undefined };
  const [startMs, endMs] = [Math.min(...grid.ranges.map((range) => range.startMs)), Math.max(...grid.ranges.map((range) => range.endMs))];
  const read = async (kept?: Kept) => {
    if (!kept) return fetchMetrics(grid, fetching);
    note(`The platform keeps data since ${kept.firstDay}: the days from there on teach what is usual.`);
    const parts = grid.ranges.map((range, index) => ({ index, startMs: Math.max(range.startMs, kept.startMs), endMs: range.endMs }));
    const left = parts.filter((range) => range.startMs < range.endMs);
    const { rows, ...answers } = await fetchMetrics({ ...grid, ranges: left }, fetching);
    return { ...answers, rows: rows.map((row) => ({ ...row, range: left[row.range]?.index ?? row.range })) };
  };
  return readKept({ startMs, endMs }, fetching, read, reasonsOf);
}

/** The end of an interval that fits into the calls which its days from an instant on take, one at least. */
function shortened({ startMs, endMs }: Interval, fromMs: number): Interval {
  const calls = Math.ceil((endMs + 1 - fromMs) / MAX_METRICS_RANGE_MS);
  return { startMs: Math.max(startMs, endMs + 1 - calls * MAX_METRICS_RANGE_MS), endMs };
}

/**
 * The days of history, baseline and period (`range` 0, 1 and 2), between the last two (3) and after the period (4); where they follow each
 * other, in one run of days, which takes fewer calls. `isShort` reads of the history no more than fits into the calls that the rest takes.
 */
export async function readDays(
  grid: Omit<MetricGrid, 'ranges'>,
  { history, baseline, period, between, later }: Pick<Windows, 'history' | 'baseline' | 'period' | 'between' | 'later'>,
  context: FetchContext,
  isShort = false,
): Promise<readonly MetricRow[]> {
  const isOneRun = followEachOther({ history, baseline, period });
  const apart = [history, baseline, period, between, later];
  const ranges = isOneRun ? [{ startMs: history.startMs, endMs: (later ?? period).endMs }] : apart.filter((range) => range !== undefined);
  const [first = period, ...others] = ranges;
  const read = isShort ? [shortened(first, isOneRun ? baseline.startMs : first.endMs), ...others] : ranges;
  const { rows, missing } = await fetchKept({ ...grid, ranges: read, daily: true }, context);
  for (const { reason } of missing) context.note(`Some days could not be read and teach nothing of the noise: ${reason}`);
  // A day that a baseline ends within is whole here, and lies between.
  const isIn = ({ interval }: MetricRow, range: Interval | undefined) =>
    range !== undefined && range.startMs <= interval.startMs && interval.endMs <= range.endMs;
  const rangeOf = (row: MetricRow) => {
    const at = apart.findIndex((range) => isIn(row, range));
    return at === -1 ? BETWEEN : at;
  };
  return rows.map((row) => ({ ...row, range: rangeOf(row) }));
}

/** The place of the days between among the ranges. */
const BETWEEN = 3;
/** Most days between a baseline and a period that are one run of days with both. */
const MOST_BETWEEN = 7;

/** Whether history, baseline and period are one run of days, up to a few days between and hours by which a baseline is cut. */
function followEachOther({ history, baseline, period }: Pick<Windows, 'history' | 'baseline' | 'period'>): boolean {
  const gapMs = period.startMs - baseline.endMs;
  return history.endMs + 1 === baseline.startMs && gapMs > 0 && gapMs <= MOST_BETWEEN * DAY_MS;
}

/** The same; none where they cannot be read, which the verdicts then say. */
export function readDaysOrNone(grid: Omit<MetricGrid, 'ranges'>, windows: Windows, context: FetchContext): Promise<readonly MetricRow[]> {
  return readDays(grid, windows, context).catch(
    onApiError(({ message }) => {
      context.note(`Days could not be read, so a change cannot be distinguished from noise: ${message}`);
      return [];
    }),
  );
}

/** Whether the platform refused a range because it reaches beyond what is kept; its words are all that says so. */
const isOutOfBounds = (reason: string) => /out of bounds/i.test(reason);

/** Why parts of what was asked for are missing. */
export const reasonsOf = ({ missing }: Pick<MetricAnswers, 'missing'>): string[] => missing.map(({ reason }) => reason);

/** Whether a part of what was asked for lies beyond what is kept. */
export const reachesBeyond = (reasons: readonly string[]): boolean => reasons.some(isOutOfBounds);

/** The part of an interval that the platform keeps. */
export type Kept = Interval & { readonly firstDay: string };

/** Reads an interval; where parts of it are missing because it begins before what the platform keeps, reads again from there on. */
export async function readKept<Read>(
  interval: Interval,
  context: Pick<Context, 'ask' | 'timeZone'>,
  read: (kept?: Kept) => Promise<Read>,
  reasonsIn: (read: Read) => readonly string[],
): Promise<Read> {
  const first = await orOutOfBounds(read());
  const isError = first instanceof ApiError;
  const kept = isError || reachesBeyond(reasonsIn(first)) ? await keptPartOf(interval, context) : undefined;
  if (kept) return read(kept);
  if (isError) throw first;
  return first;
}

/** The answer that was read, or the error by which the platform refused a range that reaches beyond what is kept. */
const orOutOfBounds = <Read>(read: Promise<Read>): Promise<Read | ApiError> =>
  read.catch(
    onApiError((error) => {
      if (isOutOfBounds(error.message)) return error;
      throw error;
    }),
  );

/**
 * The part of an interval that the platform keeps, from the first whole day on: it is found by halving, because no answer of the interface
 * says it. Undefined where all of it is kept, or not even its last day.
 */
export async function keptPartOf(interval: Interval, { ask, timeZone }: Pick<Context, 'ask' | 'timeZone'>): Promise<Kept | undefined> {
  const days = slotsOf('day', interval, timeZone);
  const isKept = async (index: number) => {
    const day = days[index];
    if (!day) return false;
    const visits = ask(getSiteVisits, { startDate: isoAt(day.startMs, timeZone), endDate: isoAt(day.endMs, timeZone), device: 'all' });
    return !((await orOutOfBounds(visits)) instanceof ApiError);
  };
  let [lost, kept] = [-1, days.length - 1];
  if (!(await isKept(kept))) return undefined;
  while (kept - lost > 1) {
    const middle = Math.floor((lost + kept) / 2);
    if (await isKept(middle)) kept = middle;
    else lost = middle;
  }
  const first = days[kept];
  return first && kept > 0 ? { startMs: first.startMs, endMs: interval.endMs, firstDay: first.label } : undefined;
}
