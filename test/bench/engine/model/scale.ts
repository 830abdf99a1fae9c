import { nth, nthDouble, nthUnsigned } from '../../../../src/lib/nth.ts';
import { median } from '../../../../src/statistics/order.ts';
import { MEDIAN_OF_NORMAL } from '../../../../src/statistics/robust-scale.ts';

/**
 * The kind of a metric's counts, which decides how little it can scatter: `count` whole events (Poisson or more), `share` events out of as
 * many trials (binomial or more), `amount` a sum of money or time, `average` such a sum over the events that it belongs to.
 */
export type MetricKind = 'count' | 'share' | 'amount' | 'average';

/** The effect of a special day on a value, as a logarithm. */
export interface SpecialEffect {
  readonly mean: number;
  readonly sd: number;
  /** Where no earlier year is known: the only direction in which such days move sites; left out: either. */
  readonly side?: 1 | -1 | undefined;
}

/** One day of a metric, whose value is `numerator / denominator`; a count and an amount have the denominator 1. */
export interface DayValue {
  /** `2026-09-28`. */
  readonly label: string;
  readonly numerator: number;
  readonly denominator: number;
  /** Of an amount: the number of events that it is the sum of, as orders of a revenue; an average has them as its denominator. */
  readonly events?: number;
  /** False for a day that is cut or not final: it takes no part. */
  readonly isWhole: boolean;
  readonly special?: SpecialEffect | undefined;
  /** Logarithm of the smooth level of the same day of last year. */
  readonly season?: number | undefined;
}

/** Days on a scale on which a relative change adds the same to each of them, whatever their traffic. */
export interface DayScale {
  readonly kind: MetricKind;
  readonly labels: readonly string[];
  /** Days since 1970. */
  readonly times: Float64Array;
  /** 0 (Sunday) … 6. */
  readonly weekdays: Uint8Array;
  /** Each numerator if nothing but weekday and special days mattered. */
  readonly expected: Float64Array;
  /** ((y + c) / (μ + c))^power − 1, over the power. */
  readonly x: Float64Array;
  /** From 0, the logarithm, where days scatter little, to ½ where little is counted. */
  readonly power: number;
  /** Variance by sampling alone: a floor for counts and shares; known up to a factor for amounts and averages. */
  readonly sampling: Float64Array;
  readonly special: readonly (SpecialEffect | undefined)[];
  readonly season: readonly (number | undefined)[];
  /** Relative level of each weekday. */
  readonly weekdayFactors: Float64Array;
  /** The events over which an amount or an average was summed, one of which may be very large. */
  readonly events?: Float64Array | undefined;
  /** A first robust guess of the variance of x. */
  readonly roughVariance: number;
  /** Number of days before the first one that is judged: only these teach what is usual. */
  readonly learned: number;
  /** Index of the first day after the last long gap: days before it belong to another season and have a level of their own. */
  readonly block: number;
}

/** Days of a week: the cycle of all daily series. */
export const WEEK = 7;
const DAY_MS = 86_400_000;
/** Anscombe 1948: makes the variance of the square root of a small count the most even. */
export const ANSCOMBE = 3 / 8;
const LEAST_VARIANCE = 1e-10;
/** Variance of days at which the power lies half-way between logarithm and square root, as of twenty events a day. */
const MIDDLE_VARIANCE = 0.05;
/** As good as the logarithm. */
const LEAST_POWER = 1e-3;
/** Days without data from which on two parts of a series belong to different seasons. */
const FAR_DAYS = 35;
/** A weekday is expected at least this much of the others, so that one without events divides nothing by zero. */
const LEAST_FACTOR = 0.02;
/** Of fewer events a day the middle day of a weekday has none or one, which says nothing of its level. */
const FEW_EVENTS = 5;
/** Events of the usual level that the days of a weekday of few events are taken together with (a gamma prior). */
const PRIOR_EVENTS = 10;

/** Whether a kind counts events, so that chance alone makes it scatter by a known amount. */
export const isCounted = (kind: MetricKind): boolean => kind === 'count' || kind === 'share';

/** A deviation back as a relative change: −0.25 for a quarter less. */
export function relativeOf({ power }: Pick<DayScale, 'power'>, deviation: number): number {
  const base = 1 + power * deviation;
  return base <= 0 ? -1 : base ** (1 / power) - 1;
}

/** A deviation that stands for a ratio; the inverse of `relativeOf`. */
export const deviationOf = ({ power }: Pick<DayScale, 'power'>, ratio: number): number => (Math.max(1e-9, ratio) ** power - 1) / power;

/** Factors that the weekdays of all days have, so that their mean is 1. */
function evened(factors: readonly number[]): Float64Array {
  const all = factors.reduce((sum, factor) => sum + factor, 0);
  return Float64Array.from(factors, (factor) => (factor * WEEK) / all);
}

/** The events of each weekday over those of its trials at the usual level. */
function weekdaysOfFewEvents(days: readonly DayValue[], weekdays: Uint8Array): Float64Array {
  const sums = Array.from({ length: WEEK }, () => ({ events: PRIOR_EVENTS, usual: PRIOR_EVENTS }));
  const total = (part: 'numerator' | 'denominator') => days.reduce((sum, day) => sum + day[part], 0);
  const level = total('numerator') / total('denominator');
  for (const [at, { numerator, denominator, special }] of days.entries()) {
    const own = sums[nthUnsigned(weekdays, at)];
    if (!own || special) continue;
    own.events += numerator;
    own.usual += denominator * level;
  }
  return evened(sums.map(({ events, usual }) => events / usual));
}

/** Median of each weekday against the seven days around it; all 1 where there are less than two of a weekday. */
function weekdayFactorsOf(days: readonly DayValue[], times: Float64Array, weekdays: Uint8Array, learned: number): Float64Array {
  const ratios = Array.from({ length: WEEK }, (): number[] => []);
  const values = Float64Array.from(days, ({ numerator, denominator }) => numerator / denominator);
  for (let at = 3; at + 3 < learned; at += 1) {
    if (nthDouble(times, at + 3) - nthDouble(times, at - 3) !== WEEK - 1) continue;
    let sum = 0;
    for (let near = at - 3; near <= at + 3; near += 1) sum += nthDouble(values, near);
    if (sum > 0) ratios[nthUnsigned(weekdays, at)]?.push((nthDouble(values, at) * WEEK) / sum);
  }
  if (ratios.some(({ length }) => length < 2)) return new Float64Array(WEEK).fill(1);
  return evened(ratios.map((group) => Math.max(LEAST_FACTOR, median(group))));
}

/** A first guess of the variance of a day: squares of differences over a week, which know no weekdays and hardly any drift. */
function roughVarianceOf(values: Float64Array, times: Float64Array, learned: number): number {
  const pairs: number[] = [];
  for (let at = WEEK; at < learned; at += 1)
    if (nthDouble(times, at) - nthDouble(times, at - WEEK) === WEEK)
      pairs.push((nthDouble(values, at) - nthDouble(values, at - WEEK)) / Math.SQRT2);
  const own = values.subarray(0, learned);
  const middle = median(own);
  const sample = pairs.length >= WEEK ? pairs : Array.from(own, (value) => value - middle);
  const scale = median(sample.map(Math.abs)) / MEDIAN_OF_NORMAL;
  // Half of the values may be equal where little is counted.
  return Math.max(LEAST_VARIANCE, scale ** 2 || sample.reduce((sum, value) => sum + value ** 2, 0) / Math.max(1, sample.length));
}

const blockOf = (times: Float64Array) =>
  Math.max(
    0,
    times.findLastIndex((time, index) => index > 0 && time - nthDouble(times, index - 1) > FAR_DAYS),
  );

function eventsOf(days: readonly DayValue[], kind: MetricKind): Float64Array | undefined {
  if (kind === 'average') return Float64Array.from(days, ({ denominator }) => denominator);
  const isKnown = kind === 'amount' && days.every(({ events }) => events !== undefined);
  return isKnown ? Float64Array.from(days, ({ events = 0 }) => events) : undefined;
}

/** Whole days in their order; zeros before the first event are no days of the site and teach nothing. */
function countedDays(days: readonly DayValue[]): readonly DayValue[] {
  const whole = days
    .filter(({ isWhole, numerator, denominator }) => isWhole && denominator > 0 && numerator >= 0)
    .toSorted((a, b) => (a.label < b.label ? -1 : 1));
  const first = whole.findIndex(({ numerator }) => numerator > 0);
  return first > 0 ? whole.slice(first) : whole;
}

/** Variance by sampling alone: Poisson, binomial, or of sums inversely to what is expected. */
function samplingOf(days: readonly DayValue[], kind: MetricKind, expected: Float64Array, learned: number): Float64Array {
  const usual = expected.subarray(0, learned).reduce((sum, value) => sum + value, 0) / learned;
  return Float64Array.from(days, ({ denominator }, at) => {
    const mean = nthDouble(expected, at);
    if (kind === 'count') return 1 / (mean + ANSCOMBE);
    return kind === 'share' ? Math.max(0.01, 1 - mean / denominator) / (mean + ANSCOMBE) : usual / mean;
  });
}

/**
 * Brings whole days in order onto the relative scale: a power of y / μ (Box and Cox 1964) between the logarithm, on which shocks add, and
 * the square root, which stabilises the variance of small counts. `judgedFrom` is the label of the first day that does not teach. Undefined
 * where nothing was counted.
 */
export function scaleDays(all: readonly DayValue[], kind: MetricKind, judgedFrom: string): DayScale | undefined {
  const days = countedDays(all);
  const learned = days.filter(({ label }) => label < judgedFrom).length;
  const times = Float64Array.from(days, ({ label }) => Math.round(Date.parse(label) / DAY_MS));
  // 1 January 1970 was a Thursday.
  const weekdays = Uint8Array.from(times, (time) => (time + 4) % WEEK);
  const taught = days.slice(0, learned);
  const usual = taught.filter(({ special }) => !special);
  const isOfFew = isCounted(kind) && usual.reduce((sum, { numerator }) => sum + numerator, 0) < FEW_EVENTS * usual.length;
  const weekdayFactors = isOfFew ? weekdaysOfFewEvents(taught, weekdays) : weekdayFactorsOf(days, times, weekdays, learned);
  const factorAt = (at: number) => nthDouble(weekdayFactors, nthUnsigned(weekdays, at));
  let [above, below] = [0, 0];
  for (const [at, { numerator, denominator, special }] of taught.entries()) {
    if (special) continue;
    above += numerator;
    below += denominator * factorAt(at);
  }
  if (!(above > 0)) return undefined;
  const expected = Float64Array.from(days, ({ denominator, special }, at) => {
    return denominator * (above / below) * factorAt(at) * Math.exp(special?.mean ?? 0);
  });
  const correction = isCounted(kind) ? ANSCOMBE : 0;
  const ratios = Float64Array.from(days, ({ numerator }, at) => (numerator + correction) / (nthDouble(expected, at) + correction));
  const roughVariance = roughVarianceOf(
    ratios.map((ratio) => 2 * (Math.sqrt(ratio) - 1)),
    times,
    learned,
  );
  const power = Math.max(LEAST_POWER, (0.5 * roughVariance) / (roughVariance + MIDDLE_VARIANCE));
  return {
    kind,
    labels: days.map(({ label }) => label),
    times,
    weekdays,
    expected,
    x: ratios.map((ratio) => (ratio ** power - 1) / power),
    power,
    sampling: samplingOf(days, kind, expected, learned),
    special: days.map(({ special }) => special),
    season: days.map(({ season }) => season),
    weekdayFactors,
    events: eventsOf(days, kind),
    roughVariance,
    learned,
    block: blockOf(times),
  };
}

/** Of the effect of a special day on a contrast of two groups: they hardly differ in it. */
const SPECIAL_CONTRAST: SpecialEffect = { mean: 0, sd: 0.1 };

/** The days of one group over those of another, on the days that both have: the logarithm of the quotient of their relative levels. */
export function contrastOf(own: DayScale, others: DayScale): DayScale | undefined {
  const places = new Map(others.labels.map((label, index) => [label, index]));
  const both = own.labels.flatMap((label, index) => {
    const other = places.get(label);
    return other === undefined ? [] : [{ label, index, other }];
  });
  if (both.length === 0) return undefined;
  const numbers = (of: (index: number, other: number) => number) => Float64Array.from(both, ({ index, other }) => of(index, other));
  const times = numbers((index) => nthDouble(own.times, index));
  const learned = both.filter(({ index }) => index < own.learned).length;
  const x = numbers((index, other) => nthDouble(own.x, index) - nthDouble(others.x, other));
  return {
    kind: isCounted(own.kind) ? 'share' : 'average',
    labels: both.map(({ label }) => label),
    times,
    weekdays: Uint8Array.from(both, ({ index }) => nth(own.weekdays, index)),
    expected: numbers((index) => nthDouble(own.expected, index)),
    x,
    power: LEAST_POWER,
    sampling: numbers((index, other) => nthDouble(own.sampling, index) + nthDouble(others.sampling, other)),
    special: both.map(({ index }) => own.special[index] && SPECIAL_CONTRAST),
    season: both.map(() => undefined),
    weekdayFactors: own.weekdayFactors.map((factor, weekday) => factor / (others.weekdayFactors[weekday] ?? 1)),
    roughVariance: roughVarianceOf(x, times, learned),
    learned,
    block: blockOf(times),
  };
}
