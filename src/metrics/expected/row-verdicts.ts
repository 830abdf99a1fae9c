import { linearRegression, mean, sampleVariance, sum } from 'simple-statistics';
import { dayAfter } from '../../lib/calendar.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { grouped } from '../../lib/grouped.ts';
import { nth } from '../../lib/nth.ts';
import { counted, formatPercent } from '../../lib/number-text.ts';
import { capital, lowered } from '../../lib/sentences.ts';
import { slopeError } from '../../statistics/carry.ts';
import { trimmedMean } from '../../statistics/order.ts';
import { normalOf, studentOf, tailOf, Z_95, Z_99 } from '../../statistics/tails.ts';
import type { Sums } from '../engine/decompose.ts';
import { isCount } from '../metric-definitions.ts';
import { nameOf } from '../metric-names.ts';
import { sumsOf } from '../read/combine.ts';
import { isWholeDay } from '../read/day-points.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import { askedOf, isOfDays, type MetricQuery, timeUnitOf } from '../read/metric-query.ts';
import { type QueryLine, WEEKDAYS, weekdayOf } from '../read/query-table.ts';
import { endsOf } from '../read/row-ends.ts';
import { keyOf } from '../site-changes.ts';
import { type FoundChange, isChangeOf } from './expected-lines.ts';

/** A relative difference or growth with its bounds at 95 %, and whether it lies beyond what chance makes of it once in a hundred times. */
type Estimate = ReturnType<typeof estimateOf>;

/** An estimate of a logarithm and its standard error. */
function estimateOf(effect: number, error: number, freedom: number, count: number) {
  const at = (z: number) => studentOf(z, freedom) * error;
  return {
    relative: Math.expm1(effect),
    low: Math.expm1(effect - at(Z_95)),
    high: Math.expm1(effect + at(Z_95)),
    isClear: Math.abs(effect) > at(Z_99),
    /** Weeks, or periods of the table, that it was estimated from. */
    count,
  };
}

/** A relative change as `-5.2%`; of what grew tenfold and more tenths say nothing. */
const signed = (share: number) => formatPercent(100 * share, { digits: Math.abs(share) < 10 ? 1 : 0, group: true, sign: true });

const sizeOf = (share: number) => signed(Math.abs(share)).replace('+', '');

/** The bounds of an estimate in brackets. */
const boundsText = ({ low, high }: Estimate): string => `(95%: ${signed(low)} to ${signed(high)})`;

/** The doubt about an estimate, at 1 % while its bounds are at 95 %; empty where there is none. */
function doubtText({ isClear, low, high }: Estimate): string {
  if (isClear) return '';
  return low * high > 0 ? ', likely but not certain' : ', not significant';
}

const LEAST_PERIODS = 6;

/** The growth of positive values from period to period, at the places of these. */
export function trendEstimate(values: readonly number[], places: readonly number[] = [...values.keys()]): Estimate | undefined {
  if (values.length < LEAST_PERIODS || values.some((value) => !(value > 0))) return undefined;
  const logs = values.map(Math.log);
  const line = linearRegression(logs.map((value, index) => [nth(places, index), value]));
  const residuals = logs.map((value, index) => value - line.b - line.m * nth(places, index));
  return estimateOf(line.m, slopeError(residuals, places), logs.length - 2, values.length);
}

/** One sentence: `Visits: a fall of 1.2% a week (…) over these 12 weeks, the season included.` */
export function trendSentence(name: string, unit: string, trend: Estimate): string {
  const per = `a ${unit}`;
  const over = `over these ${trend.count} ${unit}s, the season included`;
  const size = `${formatPercent(Math.abs(100 * trend.relative), { digits: 1 })} ${per} ${boundsText(trend)}`;
  if (trend.low * trend.high > 0)
    return `${capital(name)}: a ${trend.relative < 0 ? 'fall' : 'rise'} of ${size} ${over}${doubtText(trend)}.`;
  return `${capital(name)}: no significant trend ${over} (${signed(trend.relative)} ${per}).`;
}

/** The words of a course, and what is left out of it. */
interface Course {
  readonly name: string;
  readonly unit: 'week' | 'month';
  readonly isShare: boolean;
  readonly isUnusual: (day: string) => boolean;
}

/** A sentence on the trend of a metric over weeks or months; empty for too few. */
function courseOf(lines: readonly QueryLine[], metric: string, { name: of, unit, isShare, isUnusual }: Course): string {
  const all = lines.filter(isWholeDay).toSorted((a, b) => a.order - b.order);
  // A week or month with an unusual day in seven would be the end of a fall.
  const whole = all.filter(({ interval: { label = '', startMs, endMs } }) => {
    const days = Array.from({ length: Math.round((endMs - startMs) / DAY_MS) }, (_, day) => dayAfter(`${label}-01`.slice(0, 10), day));
    return 7 * days.filter(isUnusual).length < days.length;
  });
  const name = whole.length < all.length ? `${of} in usual ${unit}s` : of;
  // Amounts are those for a day.
  const values = whole.map((line) => {
    const value = (isShare ? line.shares?.[metric] : line.values[metric]) ?? 0;
    return isCount(metric) && !isShare ? (value / (line.interval.endMs + 1 - line.interval.startMs)) * DAY_MS : value;
  });
  const places = whole.map((line) => all.indexOf(line));
  const trend = trendEstimate(values, places);
  return trend ? trendSentence(name, unit, trend) : '';
}

const LEAST_WEEKS = 4;

/** How often chance alone may make a weekday the highest or the lowest. */
const LEVEL = 0.01;

const EACH_DAY = [...WEEKDAYS.keys()];

const weekdayAt = ({ interval }: MetricRow) => weekdayOf(interval.label ?? '');

/** The sums that make a metric on each day of a week, Monday first. */
type Week = readonly Sums[];

const levelOf = (days: readonly (Sums | undefined)[]) =>
  sum(days.map((day) => day?.numerator ?? 0)) / sum(days.map((day) => day?.denominator ?? 0));

/** Seven days each, from the first on, whatever weekday that is. */
function wholeWeeks(days: readonly MetricRow[]): MetricRow[][] {
  const all = days.filter(isWholeDay);
  const firstMs = Math.min(...all.map(({ interval }) => Date.parse(interval.label ?? '')));
  const weekOf = ({ interval: { label = '' } }: MetricRow) => Math.floor((Date.parse(label) - firstMs) / (7 * DAY_MS));
  return [...grouped(all, weekOf).values()].filter((week) => week.length === 7);
}

/** The whole weeks with a value on each day. */
function weeksOf(metric: string, days: readonly MetricRow[]): Week[] {
  return wholeWeeks(days).flatMap((week) => {
    const sums = week.toSorted((a, b) => weekdayAt(a) - weekdayAt(b)).flatMap(({ values }) => sumsOf(metric, values) ?? []);
    return sums.length === 7 && sums.every(({ denominator }) => denominator > 0) && levelOf(sums) > 0 ? [sums] : [];
  });
}

/** The level of some weekdays, as the rows of a table have it. */
const levelIn = (metric: string, days: readonly MetricRow[], some: readonly number[]) =>
  levelOf(days.filter((row) => isWholeDay(row) && some.includes(weekdayAt(row))).map(({ values }) => sumsOf(metric, values)));

/** The level of some weekdays beside that of others, week by week. */
const ratiosOf = (weeks: readonly Week[], some: readonly number[], others: readonly number[]) =>
  weeks.map((week) => levelOf(some.map((day) => week[day])) / levelOf(others.map((day) => week[day])));

const WEEKEND = [EACH_DAY.slice(5), EACH_DAY.slice(0, 5)] as const;

/** Weekends over the days from Monday to Friday. */
const weekendRatio = (metric: string, days: readonly MetricRow[]) => levelIn(metric, days, WEEKEND[0]) / levelIn(metric, days, WEEKEND[1]);

/** The same by the scatter of the whole weeks, whose noise none hands on; undefined with fewer than four. */
export function weekendEstimate(metric: string, days: readonly MetricRow[]): Estimate | undefined {
  const logs = ratiosOf(weeksOf(metric, days), ...WEEKEND)
    .map(Math.log)
    .filter(Number.isFinite);
  if (logs.length < LEAST_WEEKS) return undefined;
  const error = Math.sqrt(sampleVariance(logs) / logs.length);
  return estimateOf(Math.log(weekendRatio(metric, days)), error, logs.length - 1, logs.length);
}

/** One sentence on weekends, whose figure is that of the table; empty without a whole week. */
function weekendSentence(name: string, metric: string, days: readonly MetricRow[]): string {
  const { length } = weeksOf(metric, days);
  const estimate = weekendEstimate(metric, days);
  const share = weekendRatio(metric, days) - 1;
  const size = (bounds: string) =>
    `${name} at weekends: ${sizeOf(share)} ${share < 0 ? 'lower' : 'higher'}${bounds} than from Monday to Friday`;
  if (estimate) return `${size(` ${boundsText(estimate)}`)}${doubtText(estimate)}, over ${estimate.count} weeks.`;
  return length === 0 ? '' : `${size('')}; that cannot be judged over so few weeks (${counted(length, 'whole week')}).`;
}

/** Weekdays over the mean of some days of their weeks, by the scatter that they share, in which an unusual week does not count. */
function weekdayLevels(weeks: readonly Week[], days: readonly number[]) {
  const levels = days.map((day) => trimmedMean(ratiosOf(weeks, [day], days)));
  const shared = mean(levels.map(({ variance }) => variance));
  const freedom = (days.length - 1) * mean(levels.map((level) => level.freedom));
  // Few visits scatter more.
  return {
    freedom,
    levels: levels.map(({ middle, variance }, at) => ({ day: nth(days, at), middle, variance: Math.max(shared, variance) })),
  };
}

const weekdayScores = (weeks: readonly Week[]) => (among: readonly { readonly day: number }[]) => {
  const { levels, freedom } = weekdayLevels(
    weeks,
    among.map(({ day }) => day),
  );
  return levels.map(({ middle, variance }) => normalOf((middle - 1) / Math.sqrt(variance), freedom));
};

/** Pairs of weekdays, of which the one that lies farthest apart is looked at. */
const PAIRS = (7 * 6) / 2;

/**
 * One sentence on which weekday of the table is highest or lowest, by its figures, as far as more than chance says so; empty without a
 * whole week.
 */
export function weekdaySentence(name: string, metric: string, days: readonly MetricRow[]): string {
  const weeks = weeksOf(metric, days);
  if (weeks.length === 0) return '';
  const seen = `(${counted(weeks.length, 'whole week')})`;
  if (weeks.length < LEAST_WEEKS) return `Weekdays cannot be compared over so few weeks ${seen}.`;
  const { levels, freedom } = weekdayLevels(weeks, EACH_DAY);
  const rank = levels.map((level) => ({ ...level, value: levelIn(metric, days, [level.day]) })).toSorted((a, b) => b.value - a.value);
  const ends = endsOf(rank, weekdayScores(weeks), LEVEL);
  const [top, bottom] = [rank[0], rank.at(-1)];
  if (!top || !bottom) return '';
  const [isHighest, isLowest] = [ends.highest === top, ends.lowest === bottom];
  const nameAt = ({ day }: typeof top) => WEEKDAYS[day] ?? '';
  const above = `${sizeOf(top.value / bottom.value - 1)} above ${nameAt(bottom)}`;
  if (!isHighest && !isLowest) {
    const score = normalOf((top.middle - bottom.middle) / Math.hypot(Math.sqrt(top.variance), Math.sqrt(bottom.variance)), freedom);
    const pair = `${nameAt(top)} lies ${above}`;
    return PAIRS * tailOf(score) < LEVEL
      ? `${name}: weekdays differ, though none stands out alone; ${pair} ${seen}.`
      : `${name}: no weekday stands out; ${pair}, which is not significant ${seen}.`;
  }
  const [end, word, beside] = isHighest ? [top, 'highest', 'above'] : [bottom, 'lowest', 'below'];
  const others = levelIn(
    metric,
    days,
    EACH_DAY.filter((day) => day !== end.day),
  );
  const size = isHighest && isLowest ? `${above}, the lowest` : `${sizeOf(end.value / others - 1)} ${beside} the other days`;
  return `${name}: ${word} on ${nameAt(end)}, ${size} ${seen}.`;
}

/** The days on which a metric may be unusual. */
interface UnusualDays {
  /** The changes among the days: those of a lasting one are the side of it that has fewer. */
  readonly found: readonly FoundChange[];
  readonly isSpecial: (day: string) => boolean;
}

/** Tells the unusual days of one selection apart, for some metrics together. */
function unusualAmong(own: readonly MetricRow[], metrics: readonly string[], { found, isSpecial }: UnusualDays) {
  const [row] = own;
  const key = row && keyOf(row.selection);
  const changes = found.flatMap((each) =>
    metrics.some((metric) => isChangeOf(each, metric)) && keyOf(each.reading) === key ? [each.change] : [],
  );
  const usualSide = (from: string) => 2 * own.filter(({ interval: { label = '' } }) => label < from).length > own.length;
  const isOn = (day: string, { from, to }: FoundChange['change']) =>
    to === undefined ? day < from !== usualSide(from) : from <= day && day <= to;
  return { changes, isUnusual: (day: string) => isSpecial(day) || changes.some((change) => isOn(day, change)) };
}

/** The whole weeks of usual days of one selection; all days where each is usual. */
function usualDays(own: readonly MetricRow[], metrics: readonly string[], unusual: UnusualDays): readonly MetricRow[] {
  const { isUnusual } = unusualAmong(own, metrics, unusual);
  const usual = own.filter(({ interval: { label = '' } }) => !isUnusual(label));
  return usual.length === own.length ? own : wholeWeeks(usual).flat();
}

const bySelection = <Row extends MetricRow>(rows: readonly Row[]) => [...grouped(rows, ({ selection }) => keyOf(selection)).values()];

/** The days that words on weekdays are about, for each selection; all of one that has no usual week. */
export const usualRows = (rows: readonly MetricRow[], metrics: readonly string[], unusual: UnusualDays): MetricRow[] =>
  bySelection(rows).flatMap((own) => {
    const usual = usualDays(own, metrics, unusual);
    return [...(usual.length > 0 ? usual : own)];
  });

/**
 * Verdicts in words about the rows of a table: the highest weekday, weekends against the other days, the trend over weeks, and that of
 * shares over months too; empty where rows are of something else or too few. `days` are the rows that were read; a metric with a lasting
 * change has no trend.
 */
export function rowVerdicts(
  query: MetricQuery,
  lines: readonly QueryLine[],
  days: readonly MetricRow[],
  { nameOf: nameOfSelection, ...unusual }: UnusualDays & { readonly nameOf: (row: MetricRow) => string },
): string {
  const unit = timeUnitOf(query.breakdown);
  if ((query.order && !isOfDays(unit)) || query.zoneIds.length > 0) return '';
  const rows = isOfDays(unit)
    ? days.map((row): QueryLine => ({ ...row, order: 0 }))
    : lines.filter(({ order, isOther }) => Number.isFinite(order) && !isOther);
  const sentenceOf = (metric: string, own: readonly QueryLine[]): string => {
    const where = own.slice(0, 1).map(nameOfSelection).join('');
    const name = `${nameOf(metric)}${where === '' ? '' : ` (${where})`}`;
    if (isOfDays(unit)) {
      const usual = usualDays(own, [metric], unusual);
      const sentence = unit === 'weekday' ? weekdaySentence : weekendSentence;
      return sentence(usual === own ? name : `${name} without special days and changes`, metric, usual);
    }
    const { changes, isUnusual } = unusualAmong(own, [metric], unusual);
    if ((unit !== 'week' && unit !== 'month') || changes.some(({ to }) => to === undefined)) return '';
    const isShare = query.shares && isCount(metric) && own.some(({ shares }) => (shares?.[metric] ?? 100) < 100);
    // Over the months of a year a trend is the season.
    if (unit === 'month' && !isShare) return '';
    return courseOf(own, metric, { name: isShare ? `the share of ${lowered(name)}` : name, unit, isShare, isUnusual });
  };
  const groups = bySelection(rows);
  const said = askedOf(query).flatMap((metric) => groups.map((own) => sentenceOf(metric, own)));
  return [...new Set(said.filter((text) => text !== ''))].join(' ');
}
