import { mean, median } from 'simple-statistics';
import type { DayPoint } from './days.ts';

/** What days before a period teach of how a metric scatters when nothing happens. */
export interface Scatter {
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
  readonly freedom: number;
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
export function levelOf(days: readonly DayPoint[], factors: readonly number[]): number {
  const above = days.reduce((sum, { numerator }) => sum + numerator, 0);
  return above / weightOf(days, factors);
}

/** The denominators that the level refers to. */
export function weightOf(days: readonly DayPoint[], factors: readonly number[]): number {
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
  const within = groups.flatMap((group, at) => group.map((ratio) => (ratio - (means[at] ?? 1)) ** 2)).reduce((sum, square) => sum + square, 0) / (all - WEEK); // biome-ignore format: one thought
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
export function learnScatter(days: readonly DayPoint[], kind: 'share' | 'average' | 'count'): Scatter | undefined {
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
    freedom: Math.max(2, freedoms),
  };
}
