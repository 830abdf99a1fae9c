import { DAY_MS } from '../../lib/clock.ts';
import { nthDouble, nthUnsigned } from '../../lib/nth.ts';
import { kept } from '../../statistics/kept-fits.ts';
import { meanOf, median } from '../../statistics/order.ts';
import { MEDIAN_OF_NORMAL } from '../../statistics/robust-scale.ts';
import { Z_95 } from '../../statistics/tails.ts';
import { numbersOf, sumsOf, total } from '../../statistics/vectors.ts';
import { monthCycle, type Regressor, seasonOf, specialRuns } from './regressors.ts';

/**
 * The kind of a metric's counts, which decides how little it can scatter: `count` whole events (Poisson or more), `share` events out of as
 * many trials (binomial or more), `amount` a sum of money or time, `average` such a sum over the events that it belongs to.
 */
export type MetricKind = 'count' | 'share' | 'amount' | 'average';

/** One day of a metric, whose value is `numerator / denominator`; a count and an amount have the denominator 1. */
export interface DailyPoint {
  /** `2026-09-28`. */
  readonly label: string;
  readonly numerator: number;
  readonly denominator: number;
  /** Of an amount: the number of events that it is the sum of, as orders of a revenue; an average has them as its denominator. */
  readonly events?: number;
  /** False for a day that is cut or not final: it takes no part. */
  readonly isWhole: boolean;
  /** Of a public holiday, Black Friday and the like: what it is expected to do to the day, as a logarithm, and how sure that is. */
  readonly special?: Expected | undefined;
  /** Its name, where no earlier year shows what it does. */
  readonly unseen?: string | undefined;
  /** Logarithm of the smooth level of the same day of last year. */
  readonly season?: number | undefined;
}

/** A logarithmic effect that is expected, with its standard deviation. */
export interface Expected {
  readonly mean: number;
  readonly sd: number;
}

/** Days on a scale on which a relative change adds the same to each of them, whatever their traffic. */
export interface Series {
  readonly kind: MetricKind;
  readonly labels: readonly string[];
  /** Days since 1970. */
  readonly times: Float64Array;
  /** 0 (Sunday) … 6. */
  readonly weekdays: Uint8Array;
  /** Each numerator if nothing but the weekday mattered. */
  readonly expected: Float64Array;
  /** Relative distance from `expected`: ((y / μ)^power − 1) / power. */
  readonly deviations: Float64Array;
  /** From 0, the logarithm, where days scatter little, to ½ where little is counted. */
  readonly power: number;
  /** Variance of a deviation by sampling alone: a floor for counts and shares; known up to a factor for amounts and averages. */
  readonly sampling: Float64Array;
  /** Variance that special days have beyond that of others, because their effect is known in part only. */
  readonly doubt: Float64Array;
  /** The calendar's regressors beside weekdays: the cycle of a month, the season of last year. */
  readonly regressors: readonly Regressor[];
  /** Relative level of each weekday. */
  readonly weekdayFactors: Float64Array;
  /**
   * The events over which an amount or an average was summed, one of which may be very large; left out where they are not known or cannot
   * be large.
   */
  readonly events?: Float64Array;
  /** A first robust guess of the variance of a deviation. */
  readonly roughVariance: number;
  /** Number of days before the first one that is judged: only these teach what is usual. */
  readonly learned: number;
  /** Index of the first day after the last long gap: days before it belong to another season and have a level of their own. */
  readonly block: number;
  /** Whether it ended before the days that are known, as a segment of a campaign: nothing of it goes on. A single day may be cut. */
  readonly isOver: boolean;
}

/** A special day of which no year says what it does, as the ordinary day that it is held against: what it does is then told of it. */
export const asOrdinary = <Day extends Pick<DailyPoint, 'special' | 'unseen'>>({ special, ...day }: Day) =>
  special === undefined || (day.unseen !== undefined && special.mean === 0) ? day : { ...day, special };

/** The sum of one part of some days. */
export const sumOf = (points: readonly Partial<DailyPoint>[], part: 'numerator' | 'denominator' | 'events') =>
  points.reduce((sum, { [part]: own = 0 }) => sum + own, 0);
/** The value of some days together: of a count or an amount that of one of them. */
export const valueOf = (points: readonly DailyPoint[]): number => sumOf(points, 'numerator') / sumOf(points, 'denominator');

/** Days that must be known before a verdict: less than three of each weekday say nothing of how weeks differ. */
export const LEAST_HISTORY_DAYS = 21;
/** Days of a week: the cycle of all daily series. */
export const WEEK = 7;
/** Anscombe 1948: makes the variance of the square root of a small count the most even. */
export const ANSCOMBE = 3 / 8;
const LEAST_VARIANCE = 1e-10;
/** Variance of days at which the power lies half-way between logarithm and square root, as of twenty events a day. */
const MIDDLE_VARIANCE = 0.05;
/** As good as the logarithm. */
const LEAST_POWER = 1e-3;
/** Days without data from which on two parts of a series belong to different seasons. */
export const FAR_DAYS = 35;
/** Of the effect of a special day on a contrast of two groups: they hardly differ in it. */
const DOUBT_OF_CONTRAST = 0.1 ** 2;
/** A weekday is expected at least this much of the others, so that one without events divides nothing by zero. */
const LEAST_FACTOR = 0.02;
/** Of fewer events a day the middle day of a weekday has none or one, which says nothing of its level. */
const FEW_EVENTS = 5;
/** Events of the usual level that the days of a weekday of few events are taken together with (a gamma prior). */
const PRIOR_EVENTS = 10;

/** Whether a kind counts events, so that chance alone makes it scatter by a known amount. */
export function isCounted(kind: MetricKind): boolean {
  return kind === 'count' || kind === 'share';
}

/** Whether days of a kind add up, as counts and amounts do. */
export const isSum = (kind: MetricKind): boolean => kind === 'count' || kind === 'amount';

/** A deviation back as a relative change: −0.25 for a quarter less. */
export function relativeOf({ power }: Pick<Series, 'power'>, deviation: number): number {
  const base = 1 + power * deviation;
  return base <= 0 ? -1 : base ** (1 / power) - 1;
}

/** The share of what was expected of a day that was counted. */
export function shareSeen(series: Series, at: number): number {
  const [expected, correction] = [nthDouble(series.expected, at), isCounted(series.kind) ? ANSCOMBE : 0];
  return ((1 + relativeOf(series, nthDouble(series.deviations, at))) * (expected + correction) - correction) / expected;
}

/** A relative change with its bounds at 95 %. */
export interface Sized {
  /** −0.25 for a quarter less. */
  readonly relative: number;
  readonly low: number;
  readonly high: number;
}

/** Events that were to be expected where none at all has a chance of 2.5 % (Poisson). */
const UNSEEN = -Math.log(0.025);
/** Shares of a day below this are none, but for the precision of numbers. */
const NONE = 1e-9;

/** The size of a deviation on some days: where nothing was counted nothing is left, however little was to be expected. */
export function sizeOf(series: Series, { from, to }: { readonly from: number; readonly to: number }, effect: number, error: number): Sized {
  const { expected, events, kind, learned } = series;
  const [low, relative, high] = [-Z_95, 0, Z_95].map((z) => relativeOf(series, effect + z * error)) as [number, number, number];
  for (let at = from; at < to; at += 1) if (shareSeen(series, at) > NONE) return { relative, low, high };
  const each = isCounted(kind) || !events ? 1 : total(events, 0, learned) / total(expected, 0, learned);
  return { relative: -1, low: -1, high: Math.min(0, Math.max(high, UNSEEN / each / total(expected, from, to) - 1)) };
}

/** Factors that the weekdays of all days have, so that their mean is 1. */
function evened(factors: readonly number[]): Float64Array {
  const all = factors.reduce((sum, factor) => sum + factor, 0);
  return numbersOf(factors, (factor) => (factor * WEEK) / all);
}

/** The events of each weekday over those of its trials at the usual level. */
function weekdaysOfFewEvents(points: readonly DailyPoint[], weekdays: Uint8Array): Float64Array {
  const sums = Array.from({ length: WEEK }, () => ({ events: PRIOR_EVENTS, usual: PRIOR_EVENTS }));
  const level = valueOf(points);
  for (const [at, { numerator, denominator, special }] of points.entries()) {
    const own = sums[nthUnsigned(weekdays, at)];
    if (!own || special) continue;
    own.events += numerator;
    own.usual += denominator * level;
  }
  return evened(sums.map(({ events, usual }) => events / usual));
}

/** Median of each weekday against the seven days around it; all 1 where there are less than two of a weekday. */
function weekdayFactorsOf(points: readonly DailyPoint[], times: Float64Array, weekdays: Uint8Array): Float64Array {
  const ratios = Array.from({ length: WEEK }, (): number[] => []);
  const values = numbersOf(points, ({ numerator, denominator }) => numerator / denominator);
  const sums = sumsOf(values);
  for (let at = 3; at + 3 < points.length; at += 1) {
    if (nthDouble(times, at + 3) - nthDouble(times, at - 3) !== WEEK - 1) continue;
    const sum = nthDouble(sums, at + 4) - nthDouble(sums, at - 3);
    if (sum > 0) ratios[nthUnsigned(weekdays, at)]?.push((nthDouble(values, at) * WEEK) / sum);
  }
  if (ratios.some(({ length }) => length < 2)) return new Float64Array(WEEK).fill(1);
  return evened(ratios.map((group) => Math.max(LEAST_FACTOR, median(group))));
}

function eventsOf(points: readonly DailyPoint[], kind: MetricKind): Float64Array | undefined {
  if (kind === 'average') return numbersOf(points, ({ denominator }) => denominator);
  const isKnown = kind === 'amount' && points.every(({ events }) => events !== undefined);
  return isKnown ? numbersOf(points, ({ events = 0 }) => events) : undefined;
}

/** A first guess of the relative variance of a day: squares of differences over a week, which know no weekdays and hardly any drift. */
function roughVarianceOf(values: Float64Array, times: Float64Array, learned: number): number {
  const pairs: number[] = [];
  for (let at = WEEK; at < learned; at += 1) {
    if (nthDouble(times, at) - nthDouble(times, at - WEEK) === WEEK)
      pairs.push((nthDouble(values, at) - nthDouble(values, at - WEEK)) / Math.SQRT2);
  }
  const own = values.subarray(0, learned);
  const middle = median(own);
  const sample = pairs.length >= WEEK ? pairs : Array.from(own, (value) => value - middle);
  const scale = median(sample.map(Math.abs)) / MEDIAN_OF_NORMAL;
  // Half of the values may be equal where little is counted.
  return scale ** 2 || meanOf(sample.map((value) => value ** 2));
}

/** The days that lie where they should; the very same list where all do, so that it is known again. */
export function daysIn(days: readonly DailyPoint[], isIn: (label: string) => boolean): readonly DailyPoint[] {
  return days.every(({ label }) => isIn(label)) ? days : days.filter(({ label }) => isIn(label));
}

/** Index of the first day after the last long gap. */
function blockOf(times: Float64Array): number {
  const at = times.findLastIndex((time, index) => index > 0 && time - nthDouble(times, index - 1) > FAR_DAYS);
  return Math.max(0, at);
}

/** Zeros before the first event are no days of the site and teach nothing; of what is over, as a campaign, it went back to them. */
function begunOf(days: readonly DailyPoint[]): readonly DailyPoint[] {
  const isOver = days.slice(-WEEK).every(({ numerator }) => numerator === 0);
  return isOver ? days : days.slice(days.findIndex(({ numerator }) => numerator > 0));
}

/** The level of days if nothing but the weekday mattered. */
function levelOf(points: readonly DailyPoint[], weekdays: Uint8Array, factors: Float64Array): number {
  let [above, below] = [0, 0];
  for (const [at, { numerator, denominator, special }] of points.entries()) {
    if (special) continue;
    above += numerator;
    below += denominator * (factors[nthUnsigned(weekdays, at)] ?? 1);
  }
  return above / below;
}

/**
 * Brings whole days in order onto the relative scale: a power of y / μ (Box and Cox 1964) between the logarithm, on which shocks add, and
 * the square root, which stabilises the variance of small counts. `judgedFrom` is the label of the first day that does not teach. Undefined
 * where nothing was counted.
 */
export const seriesOf = kept('series', (days: readonly DailyPoint[], kind: MetricKind, judgedFrom: string): Series | undefined => {
  const whole = days
    .filter(({ isWhole, numerator, denominator }) => isWhole && denominator > 0 && numerator >= 0)
    .toSorted((a, b) => (a.label < b.label ? -1 : 1));
  const points = begunOf(whole);
  const learned = points.filter(({ label }) => label < judgedFrom).length;
  const times = numbersOf(points, ({ label }) => Math.round(Date.parse(label) / DAY_MS));
  // 1 January 1970 was a Thursday.
  const weekdays = Uint8Array.from(times, (time) => (time + 4) % WEEK);
  // Days before anything was counted say nothing of weekdays: those on which nothing was counted yet would have none.
  const begun = points.findIndex(({ numerator }) => numerator > 0);
  const alive = points.slice(begun, learned);
  const values = alive.map((point) => valueOf([point]));
  const middle = median(values);
  // Of an average that is one and the same on most days, as of single taps, nothing says how it scatters.
  if (kind === 'average' && 2 * values.filter((value) => value === middle).length > values.length) return undefined;
  const usualDays = alive.filter(({ special }) => !special);
  const isOfFew = isCounted(kind) && sumOf(usualDays, 'numerator') < FEW_EVENTS * usualDays.length;
  const weekdayFactors = isOfFew
    ? weekdaysOfFewEvents(alive, weekdays.subarray(begun))
    : weekdayFactorsOf(alive, times.subarray(begun), weekdays.subarray(begun));
  const level = levelOf(points.slice(0, learned), weekdays, weekdayFactors);
  if (!(level > 0)) return undefined;
  const correction = isCounted(kind) ? ANSCOMBE : 0;
  const expected = numbersOf(points, ({ denominator, special }, at) => {
    return denominator * level * (weekdayFactors[nthUnsigned(weekdays, at)] ?? 1) * Math.exp(special?.mean ?? 0);
  });
  const events = eventsOf(points, kind);
  const usual = total(expected) / expected.length;
  const ratios = numbersOf(points, ({ numerator }, at) => (numerator + correction) / (nthDouble(expected, at) + correction));
  const roots = ratios.map((ratio) => 2 * (Math.sqrt(ratio) - 1));
  const roughVariance = Math.max(roughVarianceOf(roots, times, learned), LEAST_VARIANCE);
  const power = Math.max(LEAST_POWER, (0.5 * roughVariance) / (roughVariance + MIDDLE_VARIANCE));
  const deviations = ratios.map((ratio) => (ratio ** power - 1) / power);
  const doubts = numbersOf(points, ({ special }) => (special?.sd ?? 0) ** 2);
  const runs = specialRuns(doubts);
  const doubt = doubts.map((own, at) => runs.reduce((left, { column }) => left - nthDouble(column, at) ** 2, own));
  const season = seasonOf(points.map((point) => point.season));
  return {
    kind,
    labels: points.map(({ label }) => label),
    times,
    weekdays,
    expected,
    deviations,
    power,
    doubt,
    regressors: [...(season ? [season] : []), ...runs, ...monthCycle(times, deviations.subarray(0, learned), doubt)],
    sampling: numbersOf(points, ({ denominator }, at) => {
      const mean = nthDouble(expected, at);
      if (kind === 'count') return 1 / (mean + ANSCOMBE);
      if (kind === 'share') return Math.max(0.01, 1 - mean / denominator) / (mean + ANSCOMBE);
      return usual / mean;
    }),
    weekdayFactors,
    ...(events && { events }),
    roughVariance,
    learned,
    block: blockOf(times),
    isOver: days.slice(-2).every(({ isWhole }) => !isWhole),
  };
});

/** The days of one series relative to another on the days that both have: its deviations are the differences of theirs. */
export const contrastOf = kept('contrast', (own: Series, others: Series): Series | undefined => {
  const at = new Map(others.labels.map((label, index) => [label, index]));
  const both = own.labels.flatMap((label, index) => {
    const other = at.get(label);
    return other === undefined ? [] : [{ label, index, other }];
  });
  const [first] = both;
  if (!first) return undefined;
  const numbers = (of: (index: number, other: number) => number) => numbersOf(both, ({ index, other }) => of(index, other));
  const times = numbers((index) => nthDouble(own.times, index));
  const learned = both.filter(({ index }) => index < own.learned).length;
  const deviations = numbers((index, other) => nthDouble(own.deviations, index) - nthDouble(others.deviations, other));
  return {
    kind: isCounted(own.kind) ? 'share' : 'average',
    labels: both.map(({ label }) => label),
    times,
    weekdays: Uint8Array.from(both, ({ index }) => nthUnsigned(own.weekdays, index)),
    expected: numbers((index) => nthDouble(own.expected, index)),
    deviations,
    power: LEAST_POWER,
    doubt: numbers((index) => (nthDouble(own.doubt, index) > 0 ? DOUBT_OF_CONTRAST : 0)),
    regressors: [],
    sampling: numbers((index, other) => nthDouble(own.sampling, index) + nthDouble(others.sampling, other)),
    weekdayFactors: own.weekdayFactors.map((factor, weekday) => factor / (others.weekdayFactors[weekday] ?? 1)),
    roughVariance: Math.max(roughVarianceOf(deviations, times, learned), LEAST_VARIANCE),
    learned,
    block: blockOf(times),
    isOver: own.isOver,
  };
});
