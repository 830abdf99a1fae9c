import { mean, median } from 'simple-statistics';
import type { DayPoint } from './days.ts';

/** What days before a period teach of how a metric scatters when nothing happens. */
export interface NoiseModel {
  /** By weekday, 1 on average; all 1 where the weekdays do not differ. */
  readonly weekdayFactors: readonly number[];
  /** Whether they were told apart. */
  readonly isByWeekday: boolean;
  /** Numerator per denominator of these days. */
  readonly level: number;
  /** Variance of a day's numerator for each unit of its denominator, at this level. */
  readonly variance: number;
  /** Variance of the logarithm of the level from week to week, beyond what days explain. */
  readonly weeklyDrift: number;
  /** Drift goes on in one direction, as seasons do, instead of straying. */
  readonly trends: boolean;
  readonly degreesOfFreedom: number;
}

const WEEK = 7;
/** Days below which nothing is said. */
const LEAST_DAYS = 5;
/** Weekdays are told apart where their means differ so much: F for 6 and 42 to 50 degrees of freedom at 1 %. */
const LEAST_F = 3.2;
/** Medians of squares against their means: chi-squared with 6 and with 1 degree of freedom. */
const MEDIAN_OF_SIX = 0.891;
const MEDIAN_OF_ONE = 0.4549;
/** A median holds about so much of the knowledge of a mean. */
const EFFICIENCY = 0.64;
/** Weekly levels differ by more than their days explain from this ratio on; rates drift less than counts do. */
const LEAST_DRIFT = { rate: 2.5, count: 1.5 };
/** Days never scatter less than independent visitors make them: keeps a lucky estimate from making everything significant. */
const LEAST_SHARE_OF_BINOMIAL = 1;

const EQUAL: readonly number[] = Array.from({ length: WEEK }, () => 1);

/** Numerators per denominator, the weekdays taken out. */
function levelOf(days: readonly DayPoint[], factors: readonly number[]): number {
  const above = days.reduce((sum, { numerator }) => sum + numerator, 0);
  return above / weightOf(days, factors);
}

/** The denominators that the level refers to. */
function weightOf(days: readonly DayPoint[], factors: readonly number[]): number {
  return days.reduce((sum, { denominator, weekday }) => sum + denominator * (factors[weekday] ?? 1), 0);
}

/** Blocks of seven days that end with the last one; what is left at the beginning is dropped. */
function weeksOf(days: readonly DayPoint[]): DayPoint[][] {
  const count = Math.floor(days.length / WEEK);
  const rest = days.length - count * WEEK;
  return Array.from({ length: count }, (_, index) => days.slice(rest + index * WEEK, rest + (index + 1) * WEEK));
}

/** Each day against the level of its week, by weekday. */
function ratiosByWeekday(weeks: readonly DayPoint[][]): number[][] {
  const ratios = EQUAL.map((): number[] => []);
  for (const week of weeks) {
    const level = levelOf(week, EQUAL);
    if (level <= 0) continue;
    for (const { weekday, numerator, denominator } of week) ratios[weekday]?.push(numerator / denominator / level);
  }
  return ratios;
}

function weekdayFactorsOf(weeks: readonly DayPoint[][]): readonly number[] | undefined {
  const groups = ratiosByWeekday(weeks);
  if (weeks.length < 2 || groups.some(({ length }) => length < 2)) return undefined;
  const means = groups.map((group) => mean(group));
  const all = groups.reduce((sum, { length }) => sum + length, 0);
  const between = groups.reduce((sum, { length }, at) => sum + length * ((means[at] ?? 1) - 1) ** 2, 0) / (WEEK - 1);
  const within =
    groups.flatMap((group, at) => group.map((ratio) => (ratio - (means[at] ?? 1)) ** 2)).reduce((sum, square) => sum + square, 0) /
    (all - WEEK);
  if (between < LEAST_F * within) return undefined;
  const middles = groups.map((group) => median(group));
  const middle = mean(middles);
  return middles.some((value) => value <= 0) ? undefined : middles.map((value) => value / middle);
}

/** Squared distances from the level of these days, per denominator and degree of freedom. */
function varianceWithin(days: readonly DayPoint[], factors: readonly number[]): number {
  const level = levelOf(days, factors);
  const squares = days.map(({ numerator, denominator, weekday }) => {
    const expected = denominator * (factors[weekday] ?? 1);
    return (numerator - level * expected) ** 2 / expected;
  });
  return squares.reduce((sum, square) => sum + square, 0) / (days.length - 1);
}

/** How much the levels of neighbouring weeks differ beyond their own scatter; the median forgives single shifts. */
function driftOf(weeks: readonly DayPoint[][], factors: readonly number[], variance: number, leastRatio: number): number {
  const levels = weeks.map((week) => levelOf(week, factors));
  const steps = levels.slice(1).flatMap((level, index) => {
    const before = levels[index] ?? 0;
    return level > 0 && before > 0 ? [Math.log(level / before) ** 2] : [];
  });
  if (steps.length < 3) return 0;
  const level = mean(levels);
  const expected = 2 * mean(weeks.map((week) => variance / weightOf(week, factors) / level ** 2));
  const seen = median(steps) / MEDIAN_OF_ONE;
  return seen > leastRatio * expected ? seen - expected : 0;
}

/**
 * Learns the scatter of days: weekday factors from the median of each weekday against its week, where an F-test tells the weekdays apart;
 * day-to-day variance within weeks, its median over the weeks, so that one that broke in two does not count; drift from week to week.
 * A `share` is a percentage of independent decisions. Undefined where there are too few days.
 */
export function estimateNoise(days: readonly DayPoint[], kind: 'share' | 'average' | 'count'): NoiseModel | undefined {
  if (days.length < LEAST_DAYS || days.every(({ numerator }) => numerator === 0)) return undefined;
  const weeks = weeksOf(days);
  const factors = weekdayFactorsOf(weeks);
  const used = factors ?? EQUAL;
  const level = levelOf(days, used);
  const [only] = weeks;
  const blocks = weeks.length < 3 || !only ? [days] : weeks;
  const freedoms = blocks.length === 1 ? days.length - 1 : EFFICIENCY * (WEEK - 1) * blocks.length;
  const estimate =
    blocks.length === 1 ? varianceWithin(days, used) : median(blocks.map((block) => varianceWithin(block, used))) / MEDIAN_OF_SIX;
  // Shares are in percent, hence 100.
  const binomial = kind === 'share' ? level * (100 - level) : 0;
  const variance = Math.max(estimate, LEAST_SHARE_OF_BINOMIAL * binomial);
  return {
    weekdayFactors: used,
    isByWeekday: factors !== undefined,
    level,
    variance,
    weeklyDrift: driftOf(weeks, used, variance, LEAST_DRIFT[kind === 'count' ? 'count' : 'rate']),
    trends: kind === 'count',
    degreesOfFreedom: Math.max(2, freedoms),
  };
}

export type Verdict = 'up' | 'down' | 'within noise' | 'not enough data';

/** What is known of one side of a comparison. */
export interface Side {
  /** Its whole days. */
  readonly days: readonly DayPoint[];
  /** All of it, parts of days included; left out where only whole days can be compared. */
  readonly total?: { readonly numerator: number; readonly denominator: number } | undefined;
}

/** Whether a change stands out. */
export interface Judgement {
  readonly verdict: Verdict;
  /** A change of the level up to this size, either way, happens by chance in 99 of 100 unchanged comparisons. */
  readonly noise: number | null;
  /** Difference over its standard error. */
  readonly score: number;
  readonly before: number;
  readonly after: number;
}

/** Two-sided 1 % of the normal distribution; metrics are judged in threes, so that all three together stay below 5 %. */
const Z_OF_ONE_PERCENT = 2.5758;
/** Weeks after which drift is no longer counted on: seasons come back. */
const LONGEST_DRIFT = 4;

/** The quantile of Student's t for a normal quantile (Wallace 1959, solved for t). */
function studentQuantile(z: number, freedom: number): number {
  const scaled = (z * (8 * freedom + 3)) / (8 * freedom + 1);
  return Math.sqrt(freedom * Math.expm1(scaled ** 2 / freedom));
}

/** Two-sided 1 % of Student's t. */
export function quantileOfOnePercent(freedom: number): number {
  return studentQuantile(Z_OF_ONE_PERCENT, freedom);
}

/** Level of a side with the weekdays taken out, and the denominators behind it. */
function measured({ days, total }: Side, factors: readonly number[]): { level: number; weight: number } | undefined {
  if (!total) return days.length > 0 ? { level: levelOf(days, factors), weight: weightOf(days, factors) } : undefined;
  const plain = days.reduce((sum, { denominator }) => sum + denominator, 0);
  const factor = plain > 0 ? weightOf(days, factors) / plain : 1;
  return { level: total.numerator / (total.denominator * factor), weight: total.denominator * factor };
}

/**
 * Judges a change by the scatter of days: difference of the levels, weekdays taken out, over the standard error that day-to-day variance
 * (quasi-Poisson: it grows with the level) and weekly drift over `weeksApart` give it; Student's t at 1 %.
 */
export function judge(before: Side, after: Side, scatter: NoiseModel | undefined, weeksApart: number): Judgement {
  const factors = scatter?.weekdayFactors ?? [];
  const [first, second] = [measured(before, factors), measured(after, factors)];
  const unknown = { noise: null, score: 0, before: first?.level ?? Number.NaN, after: second?.level ?? Number.NaN };
  if (!scatter || !first || !second) return { verdict: 'not enough data', ...unknown };
  const pooled = (first.level * first.weight + second.level * second.weight) / (first.weight + second.weight);
  const perDay = (scatter.variance * pooled) / scatter.level;
  const drift = scatter.weeklyDrift * Math.min(LONGEST_DRIFT, weeksApart) ** (scatter.trends ? 2 : 1) * pooled ** 2;
  const error = Math.sqrt(perDay * (1 / first.weight + 1 / second.weight) + drift);
  if (!(error > 0)) return { verdict: 'not enough data', ...unknown };
  const difference = second.level - first.level;
  const noise = quantileOfOnePercent(scatter.degreesOfFreedom) * error;
  const verdict = Math.abs(difference) <= noise ? 'within noise' : difference > 0 ? 'up' : 'down';
  return { verdict, noise, score: difference / error, before: first.level, after: second.level };
}

/** The first day of a new level, and the days that cannot be told from it. */
export interface StartDay {
  readonly day: string;
  readonly earliest: string;
  readonly latest: string;
}

/** Days that a level must last for. */
const SHORTEST = 2;
/** Twice the logarithm of a likelihood ratio within which days cannot be told apart: chi-squared with one degree of freedom at 5 %. */
const CLOSE = 3.84;

/**
 * The day on which a change in a given direction began: the split of the days into two levels, weekdays taken out, with the largest
 * likelihood ratio (least squares in the weights of the days: Hinkley 1970; Bai 1997). Undefined where no split goes that way.
 */
export function changePoint(
  days: readonly DayPoint[],
  { weekdayFactors, variance }: NoiseModel,
  direction: 'up' | 'down',
): StartDay | undefined {
  const splits = days.slice(SHORTEST, days.length - SHORTEST + 1).map((day, index) => {
    const [before, after] = [days.slice(0, index + SHORTEST), days.slice(index + SHORTEST)];
    const step = levelOf(after, weekdayFactors) - levelOf(before, weekdayFactors);
    const [first, second] = [weightOf(before, weekdayFactors), weightOf(after, weekdayFactors)];
    const gain = step > 0 === (direction === 'up') ? ((first * second) / (first + second)) * step ** 2 : 0;
    return { label: day.label, gain };
  });
  const best = splits.reduce((top, split) => (split.gain > top.gain ? split : top), { label: '', gain: 0 });
  if (best.gain <= 0) return undefined;
  const close = splits.filter(({ gain }) => best.gain - gain <= CLOSE * variance).map(({ label }) => label);
  return { day: best.label, earliest: close[0] ?? best.label, latest: close.at(-1) ?? best.label };
}
