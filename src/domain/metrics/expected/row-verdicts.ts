import { linearRegression, mean, sum } from 'simple-statistics';
import { listed } from '../../../findings/wording.ts';
import { dayAfter, type Interval } from '../../../lib/calendar.ts';
import { DAY_MS } from '../../../lib/clock.ts';
import { grouped } from '../../../lib/grouped.ts';
import { nth } from '../../../lib/nth.ts';
import { counted, formatPercent } from '../../../lib/number-text.ts';
import { capital } from '../../../lib/sentences.ts';
import { carryFactor, slopeError } from '../../../statistics/carry.ts';
import { meanOf, trimmedMean } from '../../../statistics/order.ts';
import { logTail, normalOf, studentOf, tailOf, Z_95, Z_99 } from '../../../statistics/tails.ts';
import { isCount } from '../metric-definitions.ts';
import { nameOf } from '../metric-names.ts';
import { combined } from '../read/combine.ts';
import { isWholeDay } from '../read/day-points.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import { askedOf, isOfDays, type MetricQuery, timeUnitOf } from '../read/metric-query.ts';
import { type QueryLine, WEEKDAYS, weekdayOf } from '../read/query-table.ts';
import { isChangeOf } from './expected-lines.ts';

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

/** An estimate of the middle of values in turn. */
function middleEstimate(values: readonly number[], count = values.length): Estimate {
  const { middle, variance, freedom, inward } = trimmedMean(values);
  return estimateOf(middle, Math.sqrt(variance) * carryFactor(inward.map((value) => value - middle)), freedom, count);
}

/** The slope of a line through values at some places, and what it leaves of them. */
function lineOf(values: readonly number[], places: readonly number[] = [...values.keys()]) {
  const { m: slope, b: start } = linearRegression(values.map((value, at) => [nth(places, at), value]));
  return { slope, residuals: values.map((value, at) => value - start - slope * nth(places, at)), places };
}

/** A relative change as `-5.2%`; of what grew tenfold and more tenths say nothing. */
const signed = (share: number) => formatPercent(100 * share, { digits: Math.abs(share) < 10 ? 1 : 0, group: true, sign: true });

/** The same in words: `5.2% lower`. */
const directed = (share: number) => `${signed(Math.abs(share)).replace('+', '')} ${share < 0 ? 'lower' : 'higher'}`;

/** The bounds of an estimate in brackets. */
const boundsText = ({ low, high }: Estimate): string => `(95%: ${signed(low)} to ${signed(high)})`;

/** The verdict on an estimate, which is at 1 % while its bounds are at 95 %. */
function verdictText({ isClear, low, high }: Estimate): string {
  if (isClear) return 'significant';
  return low * high > 0 ? 'likely but not certain' : 'not significant';
}

const LEAST_PERIODS = 6;
/** Months of two years, from which on each is held against the same of the year before. */
const YEAR_MONTHS = 12;

/** A growth from period to period, and whether the season was taken out by the year before. */
interface Trend extends Estimate {
  readonly isSeasonal: boolean;
}

/** The growth of positive values at the places of their periods; of 24 months and more that against the year before, a year. */
export function trendEstimate(values: readonly number[], isMonthly: boolean, at?: readonly number[]): Trend | undefined {
  if (values.length < LEAST_PERIODS || values.some((value) => !(value > 0))) return undefined;
  const logs = values.map(Math.log);
  if (isMonthly && logs.length >= 2 * YEAR_MONTHS) {
    const grown = logs.slice(YEAR_MONTHS).map((value, month) => value - nth(logs, month));
    return { ...middleEstimate(grown, values.length), isSeasonal: true };
  }
  const { slope, residuals, places } = lineOf(logs, at);
  return { ...estimateOf(slope, slopeError(residuals, places), logs.length - 2, values.length), isSeasonal: false };
}

/** A level that holds from some period on, against that of the periods before. */
interface LevelStep extends Estimate {
  /** Index of its first period. */
  readonly from: number;
}

/** Fewer periods before a step do not show what is usual; one behind it may be the latest. */
const LEAST_BEFORE = 3;
/** Chance at which a step is told instead of a line, over all first periods that it may have, and at which it is clear. */
const [TOLD, CLEAR] = [0.05, 0.01];
/** A step must leave over at most this share of the squares that a line leaves. */
const BETTER = 0.5;

const squaresOf = (values: readonly number[]) => {
  const middle = meanOf(values);
  return sum(values.map((value) => (value - middle) ** 2));
};

/** The step that positive values in turn make, where it fits them far better than a line: a line through a break is the rate of nothing. */
export function stepEstimate(values: readonly number[]): LevelStep | undefined {
  if (values.length < LEAST_PERIODS || values.some((value) => !(value > 0))) return undefined;
  const logs = values.map(Math.log);
  const ofLine = sum(lineOf(logs).residuals.map((value) => value ** 2));
  const splits = logs.slice(LEAST_BEFORE).map((_, index) => {
    const from = index + LEAST_BEFORE;
    return { from, squares: squaresOf(logs.slice(0, from)) + squaresOf(logs.slice(from)) };
  });
  const [best] = splits.toSorted((a, b) => a.squares - b.squares);
  if (!best || best.squares > BETTER * ofLine) return undefined;
  const [before, after] = [logs.slice(0, best.from), logs.slice(best.from)];
  // Two levels and the first period of the second.
  const freedom = logs.length - 3;
  const error = Math.sqrt((best.squares / freedom) * (1 / before.length + 1 / after.length));
  const effect = mean(after) - mean(before);
  const chance = splits.length * Math.exp(logTail(normalOf(effect / error, freedom)));
  if (!(chance < TOLD)) return undefined;
  return { ...estimateOf(effect, error, freedom, logs.length), isClear: chance < CLEAR, from: best.from };
}

/** One sentence: `Conversion rate is 36.4% lower (…) from the week of 2026-11-09 on, and there is no trend beside that step.` */
export function stepSentence(name: string, unit: string, step: LevelStep, first: string): string {
  const size = `${directed(step.relative)} ${boundsText(step)}`;
  const since = step.from === step.count - 1 ? `in the last ${unit}` : `from the ${unit} of ${first} on`;
  const told = step.isClear ? '' : `, ${verdictText(step)}`;
  return `${capital(name)}: ${size} ${since} than before${told}, with no trend beside that step.`;
}

/** One sentence: `Visits: a fall of 1.2% a week (…) over these 12 weeks, the season included.` */
export function trendSentence(name: string, unit: string, trend: Trend): string {
  const per = trend.isSeasonal ? 'a year, each month against the same of the year before' : `a ${unit}`;
  const over = `over these ${trend.count} ${unit}s${trend.isSeasonal ? '' : ', the season included'}`;
  const size = `${formatPercent(Math.abs(100 * trend.relative), { digits: 1 })} ${per} ${boundsText(trend)}`;
  const doubt = trend.isClear ? '' : `, ${verdictText(trend)}`;
  if (trend.low * trend.high > 0) return `${capital(name)}: a ${trend.relative < 0 ? 'fall' : 'rise'} of ${size} ${over}${doubt}.`;
  return `${capital(name)}: no significant trend ${over} (${signed(trend.relative)} ${per}).`;
}

/** The words of a course, and what is left out of it. */
interface Course {
  readonly name: string;
  readonly unit: 'week' | 'month';
  readonly isShare: boolean;
  readonly isSpecial: (day: string) => boolean;
}

const daysOf = ({ startMs, endMs }: Interval) => Math.max(1, Math.round((endMs + 1 - startMs) / DAY_MS));

/** Values of whole weeks or months in order, amounts for a day; of shares as they are. */
const valuesOf = (lines: readonly QueryLine[], metric: string, isShare: boolean) =>
  lines.map(({ values, shares, interval }) => {
    const value = (isShare ? shares?.[metric] : values[metric]) ?? 0;
    return isCount(metric) && !isShare ? value / daysOf(interval) : value;
  });

/** Whether a week has a special day: it is no part of a trend, in which it would be the end of a fall. */
const isSpecialWeek = ({ interval: { label = '' } }: QueryLine, isSpecial: (day: string) => boolean) =>
  WEEKDAYS.some((_, day) => isSpecial(dayAfter(label, day)));

/** A sentence on the way of a metric over weeks or months: its trend, or the step that fits far better; undefined for too few. */
function courseOf(
  lines: readonly QueryLine[],
  metric: string,
  { name: of, unit, isShare, isSpecial }: Course,
): { readonly text: string; readonly isClear: boolean } | undefined {
  const all = lines.filter(isWholeDay).toSorted((a, b) => a.order - b.order);
  const whole = unit === 'week' ? all.filter((line) => !isSpecialWeek(line, isSpecial)) : all;
  const name = whole.length < all.length ? `${of} in usual weeks` : of;
  const values = valuesOf(whole, metric, isShare);
  const places = whole.map((line) => all.indexOf(line));
  const trend = trendEstimate(values, unit === 'month', places);
  if (!trend) return undefined;
  const step = trend.isSeasonal ? undefined : stepEstimate(values);
  if (!step) return { text: trendSentence(name, unit, trend), isClear: trend.isClear };
  return { text: stepSentence(name, unit, step, whole[step.from]?.interval.label ?? ''), isClear: step.isClear };
}

const LEAST_WEEKS = 4;
/** More metrics and selections are not put into words. */
const MOST_SENTENCES = 4;

const WEEK = WEEKDAYS.length;
const PAIRS = (WEEK * (WEEK - 1)) / 2;
/** How often chance alone may make the largest of all differences stand out. */
const LEVEL = 0.01;
/** More weekdays are counted instead of named. */
const MOST_NAMED = 2;

const weekdayAt = ({ interval }: MetricRow) => weekdayOf(interval.label ?? '');

const mondayOf = ({ interval: { label = '' } }: MetricRow) => Date.parse(label) - weekdayOf(label) * DAY_MS;

/** The value of a metric over some days, of counts and amounts that of one of them. */
function dayValue(metric: string, days: readonly MetricRow[]): number | null {
  const value = combined(
    days.map(({ values }) => values),
    metric,
  );
  return value === null ? null : value / (isCount(metric) ? days.length : 1);
}

/** Weekends against the days from Monday to Friday of the same weeks (paired t-test over whole weeks); undefined with fewer than four. */
export function weekendEstimate(metric: string, days: readonly MetricRow[]): Estimate | undefined {
  const ratios = [...grouped(days.filter(isWholeDay), mondayOf).values()].flatMap((week) => {
    if (week.length < WEEK) return [];
    const valueOn = (isWeekend: boolean) =>
      dayValue(
        metric,
        week.filter((row) => weekdayAt(row) > 4 === isWeekend),
      ) ?? 0;
    const [weekend, rest] = [valueOn(true), valueOn(false)];
    return weekend > 0 && rest > 0 ? [Math.log(weekend / rest)] : [];
  });
  if (ratios.length < LEAST_WEEKS) return undefined;
  return middleEstimate(ratios);
}

function weekendSentence(name: string, estimate: Estimate): string {
  const size = `${directed(estimate.relative)} ${boundsText(estimate)}`;
  const told = estimate.isClear ? '' : `, ${verdictText(estimate)}`;
  return `${name} at weekends: ${size} than from Monday to Friday${told}, over ${estimate.count} weeks.`;
}

/** The days of whole weeks, Monday first, each as a multiple of the mean of its week; weeks without a value on each day are left out. */
function weeksOf(metric: string, days: readonly MetricRow[]): number[][] {
  return [...grouped(days, mondayOf).values()].flatMap((week) => {
    const values = week.toSorted((a, b) => weekdayAt(a) - weekdayAt(b)).flatMap(({ values: { [metric]: value } }) => value ?? []);
    const middle = values.length === WEEK ? mean(values) : 0;
    return middle > 0 ? [values.map((value) => value / middle)] : [];
  });
}

/** Whether two weekdays differ by more than the largest of all differences does by chance once in a hundred ranges of so many weeks. */
function differsBetween(weeks: readonly (readonly number[])[]): (one: number, other: number) => boolean {
  const columns = WEEKDAYS.map((_, day) => trimmedMean(weeks.map((week) => nth(week, day))));
  const pooled = mean(columns.map(({ variance }) => variance));
  const freedom = (WEEK - 1) * mean(columns.map((column) => column.freedom));
  const carry = carryFactor(weeks.flatMap((_, week) => columns.map(({ inward, middle }) => nth(inward, week) - middle)));
  return (one, other) => {
    const [own, beside] = [columns[one], columns[other]];
    if (!own || !beside) return false;
    // Days with few visits scatter more than the others.
    const error = Math.sqrt(Math.max(2 * pooled, own.variance + beside.variance)) * carry;
    const t = (own.middle - beside.middle) / error;
    return PAIRS * tailOf(normalOf(t, freedom)) < LEVEL;
  };
}

/** One sentence on which weekday is highest, as far as more than chance says so; empty where fewer than two have a value. */
export function weekdaySentence(name: string, metric: string, days: readonly MetricRow[]): string {
  const whole = days.filter(isWholeDay);
  const levels = [...grouped(whole, weekdayAt)].flatMap(([day, own]) => {
    const value = dayValue(metric, own);
    return value === null ? [] : [{ day, value }];
  });
  const ranked = levels.toSorted((a, b) => b.value - a.value || a.day - b.day);
  const [highest, lowest] = [ranked[0], ranked.at(-1)];
  if (!highest || !lowest || highest === lowest || lowest.value < 0) return '';
  const weeks = weeksOf(metric, whole);
  const seen = `(${weeks.length} whole week${weeks.length === 1 ? '' : 's'})`;
  const nameAt = ({ day }: { readonly day: number }) => WEEKDAYS[day] ?? '';
  if (weeks.length < LEAST_WEEKS) return `Weekdays cannot be compared over so few weeks ${seen}.`;
  const above = lowest.value > 0 ? `${formatPercent(100 * (highest.value / lowest.value - 1), { digits: 1 })} above` : 'above';
  const differs = differsBetween(weeks);
  if (!differs(highest.day, lowest.day))
    return `${name}: no weekday stands out; ${nameAt(highest)} lies ${above} ${nameAt(lowest)}, which is not significant ${seen}.`;
  const alike = ranked.slice(1).filter(({ day }) => !differs(highest.day, day));
  const others = alike.length > MOST_NAMED ? `${alike.length} other days` : listed(alike.map(nameAt));
  const more = alike.length === 0 ? '' : `; ${others} ${alike.length === 1 ? 'is' : 'are'} about as high`;
  return `${name}: highest on ${nameAt(highest)}, ${above} ${nameAt(lowest)}, the lowest ${seen}${more}.`;
}

/** A sentence; of a trend or step whether it is clear. */
interface Said {
  readonly text: string;
  readonly isClear?: boolean;
}

/** The sentences, each once: of too many those that are clear, and what is left out. */
function inFew(sentences: readonly Said[]): string {
  const said = [...new Map(sentences.map((each) => [each.text, each])).values()];
  const ranked = said.length > MOST_SENTENCES ? said.toSorted((a, b) => Number(b.isClear ?? false) - Number(a.isClear ?? false)) : said;
  const left = ranked.slice(MOST_SENTENCES).filter(({ isClear }) => isClear !== undefined);
  const isCalm = left.every(({ isClear }) => !isClear);
  const trends = counted(left.length, 'further trend');
  const more = isCalm ? `${trends} ${left.length === 1 ? 'is' : 'are'} not significant.` : `Not put into words: ${trends}.`;
  return [...ranked.slice(0, MOST_SENTENCES).map(({ text }) => text), ...(left.length > 0 ? [more] : [])].join(' ');
}

/**
 * Verdicts in words about the rows of a table: the highest weekday, weekends against the other days, the trend over weeks or months, and
 * that of shares; empty where rows are of something else or too few. `days` are the rows that were read; `told` has the changes that are
 * told beside them, and a metric with one no trend.
 */
export function rowVerdicts(
  query: MetricQuery,
  lines: readonly QueryLine[],
  days: readonly MetricRow[],
  {
    nameOf: nameOfSelection,
    told,
    isSpecial,
  }: {
    readonly nameOf: (row: MetricRow) => string;
    readonly told: readonly Parameters<typeof isChangeOf>[0][];
    /** Days that are no usual ones of their weekday. */
    readonly isSpecial: (day: string) => boolean;
  },
): string {
  const unit = timeUnitOf(query.breakdown);
  if ((query.order && !isOfDays(unit)) || query.zoneIds.length > 0) return '';
  const named = (metric: string, row: MetricRow | undefined, of = '') => {
    const where = row ? nameOfSelection(row) : '';
    return `${of}${of === '' ? nameOf(metric) : nameOf(metric).toLowerCase()}${where === '' ? '' : ` (${where})`}`;
  };
  const usual = days.filter(({ interval: { label = '' } }) => !isSpecial(label));
  const beside = usual.length < days.length ? ' without special days' : '';
  const sentences = askedOf(query).flatMap((metric): Said[] => {
    if (isOfDays(unit))
      return [...grouped(usual, ({ selection }) => selection).values()].flatMap((own): Said[] => {
        const name = `${named(metric, own[0])}${beside}`;
        if (unit === 'weekday') return [weekdaySentence(name, metric, own)].flatMap((text) => (text ? [{ text }] : []));
        const estimate = weekendEstimate(metric, own);
        return estimate ? [{ text: weekendSentence(name, estimate) }] : [];
      });
    if ((unit !== 'week' && unit !== 'month') || told.some((change) => isChangeOf(change, metric))) return [];
    const timed = lines.filter(({ order, isOther }) => Number.isFinite(order) && !isOther);
    return [...grouped(timed, ({ selection }) => JSON.stringify(selection)).values()].flatMap((own) => {
      const isShare = query.shares && isCount(metric) && own.some(({ shares }) => (shares?.[metric] ?? 100) < 100);
      const name = named(metric, own[0], isShare ? 'the share of ' : '');
      const uncapped = isShare ? name : `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
      return courseOf(own, metric, { name: uncapped, unit, isShare, isSpecial }) ?? [];
    });
  });
  return inFew(sentences);
}
