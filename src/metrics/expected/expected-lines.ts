import { type CalendarSlot, daysFrom, type Interval, slotsOf } from '../../lib/calendar.ts';
import { todayIn } from '../../lib/dates.ts';
import { grouped, runsOf } from '../../lib/grouped.ts';
import { Z_95 } from '../../statistics/tails.ts';
import { isOfSpecialDays, type KnownDays } from '../calendar/known-days.ts';
import { type Expected, type ExpectedRow, expectationsOf, isNewAt, LEAST_LEVEL_DAYS, laterDay, verdictsOf } from '../engine/expectation.ts';
import { LAST } from '../engine/scan.ts';
import { type DailyPoint, isSum, type MetricKind, sumOf } from '../engine/series.ts';
import { orderCause } from '../findings.ts';
import { isOfMetric } from '../metric-names.ts';
import { dayPoints, figuresOf, kindOf } from '../read/day-points.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import type { Selection } from '../read/metric-grid.ts';
import { askedOf, isOfDays, isOfLongRows, type MetricQuery, timeUnitOf } from '../read/metric-query.ts';
import type { ExpectedCell, QueryLine } from '../read/query-table.ts';
import { calendarCause } from '../season.ts';
import { goesAlong, isOn, keyOf, type SiteChange, type Visits } from '../site-changes.ts';

/** Days that a forecast reaches beyond the last complete one. */
export const FORECAST_DAYS = 28;
/** Days of rows that are learned of together, from all days before them. */
export const TURN_DAYS = 7;
/** Days before a row that teach, at most. */
const MOST_HISTORY = 184;

/** The input of expectations. */
export interface ExpectedInput {
  readonly query: MetricQuery;
  readonly lines: readonly QueryLine[];
  /** Days of each selection, those before the rows first, up to the last complete one. */
  readonly days: readonly MetricRow[];
  readonly known: KnownDays;
  readonly timeZone: string;
}

/** The visits of one selection of a query. */
export type QueryVisits = Visits & Selection;

/** A change in one selection of a query. */
export interface FoundChange extends SiteChange<QueryVisits> {
  /** The goal that the metric counts, where it is another than that of the metrics beside it. */
  readonly goal?: string | undefined;
}

type Slot = Interval & Partial<CalendarSlot>;

/** The whole days of a slot; without one the days behind the last complete one, which are not over. */
function labelsOf(slot: Interval, timeZone: string, last: string): string[] {
  const days = slotsOf('day', slot, timeZone);
  const whole = days.filter(({ isPart }) => !isPart);
  return (whole.length > 0 ? whole : days.filter(({ label }) => label > last)).map(({ label }) => label);
}

/** An expectation before the false discovery rate over all rows makes its verdict; undefined where it needs no verdict by score. */
interface Open {
  readonly cell: ExpectedCell;
  readonly score?: number;
}

const UNKNOWN: ExpectedCell = { expected: null, low: null, high: null, verdict: 'not enough data' };
const NOTHING: ExpectedCell = { ...UNKNOWN, verdict: null };

/** Whether a change is of a metric or of what it is made of. */
export const isChangeOf = (change: Pick<SiteChange, 'metric' | 'reading'>, metric: string) =>
  isOfMetric(change.metric, metric, change.reading);

/** Whether a change is of some of these days. */
const isOnSome =
  (labels: readonly string[]) =>
  ({ change }: SiteChange) =>
    labels.some((label) => isOn(change, { first: label, last: label }));

/** The changes that the season alone could have made of some days. */
const seasonalOf = (changes: readonly FoundChange[], points: readonly DailyPoint[]) =>
  new Set(changes.filter(({ metric, change }) => calendarCause(metric, points, change).some(({ kind }) => kind === 'season')));

/** The expectation of one metric of one selection in each slot; `told` are the changes of the selection. */
function expectationsIn(
  metric: string,
  rows: readonly MetricRow[],
  slots: readonly Slot[],
  { query, known, timeZone }: ExpectedInput,
  told: readonly FoundChange[],
): Open[] {
  const kind = kindOf(metric);
  const points = dayPoints(
    rows.map((row) => ({ ...row, known })),
    metric,
  );
  if (points.length === 0 && rows.length > 0) return slots.map(() => ({ cell: NOTHING }));
  const counted = new Map(points.map((point) => [point.label, point]));
  const last = rows.at(-1)?.interval.label ?? '';
  const asked = slots.map((slot) => labelsOf(slot, timeZone, last));
  const dayAt = (label: string) => counted.get(label) ?? { ...laterDay(points, label), ...known.of(metric, label) };
  const isOver = (labels: readonly string[]) => labels.every((label) => label <= last);
  const [over, ahead] = [asked.filter(isOver), asked.filter((labels) => !isOver(labels))];
  // Of weeks and longer rows there are few enough to hold each against all days before it.
  const lasting = told.filter((each) => isChangeOf(each, metric) && each.change.to === undefined);
  const steps = lasting.map(({ change }) => change.from);
  const from = todayIn(timeZone, query.interval.startMs);
  const ofSeason = seasonalOf(told, points);
  const found = blocksOf(over, isOfLongRows(query.breakdown)).flatMap((block) => {
    const [first = ''] = block.flat();
    // Their level is not usual on the first day that was asked for, or was the season's before the first of these: it teaches nothing.
    const news = told.filter((each) => isNewAt(ofSeason.has(each) ? first : from, each.change));
    // Nor do the days of what is over.
    const taught = told.filter((each) => isChangeOf(each, metric) && (news.includes(each) || (each.change.to ?? LAST) < first));
    const before = points.filter(({ label }) => label < first && !taught.some(isOnSome([label]))).slice(-MOST_HISTORY);
    const expect = (some: readonly ExpectedRow[]) => expectationsOf(kind, before, some, { least: LEAST_LEVEL_DAYS, steps });
    const turn = block.map((labels): ExpectedRow => ({ days: labels.map(dayAt) }));
    const expected = expect(turn);
    return turn.map((own, at) => {
      const row = expected?.rows[at];
      const since = lasting.find((each) => each.change.from < first && !news.includes(each))?.change.from;
      const unseen = row && isOfSpecialDays(metric) ? unseenIn(own, row, (rest) => expect([rest])?.rows[0]) : [];
      return row && { ...row, isRare: expected.isRare, news, since, unseen };
    });
  });
  // Days ahead are learned of from all that are over; those of their row that are over count as they are.
  const forecast = expectationsOf(
    kind,
    points,
    ahead.map((labels): ExpectedRow => ({ days: labels.filter((label) => label > last).map(dayAt) })),
    { steps },
  );
  return asked.map((labels): Open => {
    if (!isOver(labels)) {
      const later = forecast?.rows[ahead.indexOf(labels)];
      if (!later) return { cell: UNKNOWN };
      const figures = figuresOf(metric, later, withCounted(kind, labels.map(dayAt), last));
      return { cell: { ...figures, since: steps.toSorted().at(-1), verdict: 'forecast' } };
    }
    const row = found[over.indexOf(labels)];
    if (!row) return { cell: UNKNOWN };
    const alone = orderCause(metric, points, labels[0] ?? '', labels.at(-1));
    const { unseen, since } = row;
    const cell = { ...figuresOf(metric, row), unseen, since, alone, news: row.news.filter(isOnSome(labels)) };
    if (row.isRare || labels.some((label) => !counted.has(label))) return { cell: { ...cell, verdict: 'not enough data' } };
    return openOf(metric, cell, row);
  });
}

/**
 * The verdict of a row by its own bounds where a known change or special days moved it: it is no draw of many then; else its score for that
 * of all rows together.
 */
function openOf(metric: string, cell: Omit<ExpectedCell, 'verdict'>, { score, distance }: Expected): Open {
  const isMoved = cell.news?.some((each) => isChangeOf(each, metric) && goesAlong(each.change.relative, distance));
  const isOwn = isMoved || (cell.unseen ?? []).length > 0;
  if (isOwn && Math.abs(score) > Z_95) return { cell: { ...cell, verdict: score > 0 ? 'high' : 'low' } };
  return { cell: { ...cell, verdict: 'normal' }, ...(!isOwn && { score }) };
}

/**
 * Names of the special days without which a row would lie nearer by half to what was expected: no earlier year shows their effect, so that
 * they are held against ordinary days.
 */
function unseenIn({ days }: ExpectedRow, { score, distance }: Expected, expect: (rest: ExpectedRow) => Expected | undefined) {
  const isUnseen = ({ unseen, special }: ExpectedRow['days'][number]) => unseen !== undefined && special?.mean === 0;
  const names = days.filter(isUnseen).flatMap(({ unseen = [] }) => unseen);
  if (names.length === 0 || Math.abs(score) <= Z_95) return [];
  const rest = expect({ days: days.filter((day) => !isUnseen(day)) });
  return rest && goesAlong(rest.distance, distance) ? [] : [...new Set(names)];
}

/**
 * Rows in turns of at most a week: each turn is learned of from all days before it, so that a day is held against about the same days in
 * every question. Row by row each is a turn of its own, so that what happened in one is known to the next.
 */
const blocksOf = (rows: readonly (readonly string[])[], rowByRow: boolean) =>
  runsOf(rows, (run, row) => {
    const [first, last] = [run[0]?.[0], row.at(-1)];
    return !rowByRow && first !== undefined && last !== undefined && daysFrom(first, last) < TURN_DAYS;
  });

/** The value of a row of which some days are over and others lie ahead, by that of the latter. */
function withCounted(kind: MetricKind, days: ExpectedRow['days'], last: string): (value: number) => number {
  const [over, ahead] = [days.filter(({ label }) => label <= last), days.filter(({ label }) => label > last)];
  const counted = sumOf(over, 'numerator');
  if (isSum(kind)) return (value) => counted + value;
  const [known, expected] = [sumOf(over, 'denominator'), sumOf(ahead, 'denominator')];
  return (value) => (counted + value * expected) / (known + expected);
}

/** Verdicts by the scores of all rows and metrics of a table together. */
function judged(cells: readonly Open[]): ExpectedCell[] {
  const scored: Pick<Expected, 'score'>[] = cells.flatMap(({ score }) => (score === undefined ? [] : [{ score }]));
  const verdicts = verdictsOf(scored);
  let next = 0;
  return cells.map(({ cell, score }) => (score === undefined ? cell : { ...cell, verdict: verdicts[next++] ?? 'normal' }));
}

/** The lines of a query with what was to be expected beside the changes that are told, and lines of a forecast, in order of time. */
export function withExpected(input: ExpectedInput, told: readonly FoundChange[] = []): QueryLine[] {
  const { query, lines, days, timeZone } = input;
  const unit = timeUnitOf(query.breakdown);
  if (unit === 'hour' || isOfDays(unit)) return [...lines];
  const slots: readonly Slot[] = unit === undefined ? [query.interval] : slotsOf(unit, query.interval, timeZone);
  const asked = askedOf(query);
  const placeOf = (slot: Slot) => (unit === undefined ? 0 : slot.startMs);
  const made = [...grouped(days, ({ selection }) => keyOf(selection)).values()].flatMap((rows) => {
    const [row] = rows;
    if (!row) return [];
    const toldHere = told.filter(({ reading }) => keyOf(reading) === keyOf(row.selection));
    const byMetric = asked.map((metric) => expectationsIn(metric, rows, slots, input, toldHere));
    return slots.map((slot, at) => {
      const own = lines.find((line) => !line.isOther && keyOf(line.selection) === keyOf(row.selection) && line.order === placeOf(slot));
      const values = Object.fromEntries(query.metrics.map((metric) => [metric, null]));
      // A row of which a part is over is expected as a whole.
      const interval = { ...(own?.interval ?? slot), endMs: slot.endMs };
      const line: QueryLine = { selection: row.selection, range: 0, values, order: placeOf(slot), ...own, interval };
      return { line, own, cells: byMetric.flatMap((cells) => cells[at] ?? []) };
    });
  });
  const verdicts = judged(made.flatMap(({ cells }) => cells));
  const expected = made.map(({ line, own }, index) => ({
    own,
    line: { ...line, expected: Object.fromEntries(asked.map((metric, at) => [metric, verdicts[index * asked.length + at] ?? UNKNOWN])) },
  }));
  const replaced = new Map(expected.map(({ own, line }) => [own, line]));
  const kept = lines.map((line) => replaced.get(line) ?? line);
  const ahead = expected.flatMap(({ own, line }) => (own ? [] : [line]));
  return query.order ? [...kept, ...ahead] : [...kept, ...ahead].toSorted((a, b) => (a.order === b.order ? 0 : a.order - b.order));
}
