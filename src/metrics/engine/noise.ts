import { nth, nthDouble, nthUnsigned } from '../../lib/nth.ts';
import { inverseOf } from '../../statistics/elimination.ts';
import { kept, lastResults } from '../../statistics/kept-fits.ts';
import { median } from '../../statistics/order.ts';
import { MEDIAN_OF_NORMAL } from '../../statistics/robust-scale.ts';
import { dot, numbersOf, project, subtract, sumsOf, total } from '../../statistics/vectors.ts';
import { type Whitener, whitenerOf } from '../../statistics/whitening.ts';
import { basisOf, type Interval, type Nuisance, nuisanceOf, weighCarryAndDrift } from './drift-grid.ts';
import { isCounted, type MetricKind, type Series, WEEK } from './series.ts';
import { scatterOfWeekdays } from './weekday-scatter.ts';

/** The usual scatter of a series, estimated from the learning days. */
export interface Noise {
  /** Variance by sampling, for each day of the whole series. */
  readonly sampling: Float64Array;
  /** That of a day of average traffic over what its series says, and the variance that each weekday has beyond it. */
  readonly factor: number;
  readonly weekdays: Float64Array;
  /** Variance of the shocks that days have beyond sampling. */
  readonly shock: number;
  /** Autocorrelation of these shocks. */
  readonly carry: number;
  /** Prior standard deviation of slow drift over the series. */
  readonly drift: number;
  /** Prior standard deviation of weekdays. */
  readonly weekdaySd: number;
  /** Degrees of freedom of the estimate. */
  readonly freedom: number;
}

/**
 * Limits in standard deviations beyond which days count less (Huber 1964), and the factor by which that lowers the variance of normal days.
 */
const FAR = { counted: 2.5, summed: 3.5 };
const LOSS = { counted: 0.9665, summed: 0.9985 };
const USUAL_DRIFT = 0.03;
/** Standard deviations of weekdays before anything is known, worth one of the seven weekdays. */
const WEEKDAY_SD: Readonly<Record<MetricKind, number>> = { count: 0.15, amount: 0.15, share: 0.05, average: 0.05 };
/** A special day between others shares their effect, so that it teaches nothing of the noise: by how much its variance counts here. */
const UNTAUGHT = 100;
/** Days below which nothing is said. */
const LEAST_DAYS = 8;

/** Prior variance of weekdays by empirical Bayes: their scatter less that of their estimates. */
function weekdayVariance({ weekdayFactors, kind }: Series, variance: number, learned: number): number {
  const usual = WEEKDAY_SD[kind] ** 2;
  if (weekdayFactors.every((factor) => factor === 1)) return usual;
  let squares = 0;
  for (const factor of weekdayFactors) squares += Math.log(factor) ** 2;
  // A median needs π / 2 times the days of a mean.
  const chance = ((Math.PI / 2) * variance * WEEK) / learned;
  return ((WEEK - 1) * Math.max(0, squares / (WEEK - 1) - chance) + usual) / WEEK;
}

interface Forgiven {
  readonly sampling: Float64Array;
  readonly lost: number;
}

/** What level, weekdays and the slowest drift leave of days whose shocks hardly carry on, each over its standard deviation. */
function roughResiduals(times: Float64Array, nuisance: Nuisance, sampling: Float64Array, shock: number): Float64Array {
  const whitener = whitenerOf(times, { sampling, shock, carry: 0.1 });
  const rough = { ...nuisance, drift: nuisance.drift.slice(0, 2) };
  return project(whitener.apply(nuisance.values.slice()), basisOf(rough, USUAL_DRIFT, whitener)).subarray(0, sampling.length);
}

/**
 * Sampling with more variance for days that lie far off, so that they do not teach that such days are usual, and the number of days that
 * this takes away. Twice, because far days disturb what the others are measured by.
 */
function forgiving(
  sampling: Float64Array,
  shock: number,
  farthest: number,
  residualsAt: (sampling: Float64Array) => Float64Array,
): Forgiven {
  let forgiven: Forgiven = { sampling, lost: 0 };
  for (let turn = 0; turn < 2; turn += 1) {
    const residuals = residualsAt(forgiven.sampling);
    // As far off as they would be without forgiveness.
    const distances = residuals.map((residual, at) => {
      return Math.abs(residual) * Math.sqrt((nthDouble(forgiven.sampling, at) + shock) / (nthDouble(sampling, at) + shock));
    });
    const scale = median(distances) / MEDIAN_OF_NORMAL || 1;
    const factors = distances.map((distance) => Math.max(1, distance / (farthest * scale)) ** 4);
    forgiven = {
      sampling: sampling.map((variance, at) => variance + ((factors[at] ?? 1) - 1) * (variance + shock)),
      lost: factors.reduce((sum, factor) => sum + 1 - 1 / factor, 0),
    };
  }
  return forgiven;
}

/** Mean square of what is left of the days, over the degrees of freedom that the estimates leave. */
function residualsOf(nuisance: Nuisance, driftSd: number, whitener: Whitener, lost: number): { squares: number; freedom: number } {
  const basis = basisOf(nuisance, driftSd, whitener);
  const residuals = project(whitener.apply(nuisance.values.slice()), basis);
  const { days } = nuisance;
  const spent = basis.reduce((sum, direction) => sum + dot(direction, direction, 0, days), 0);
  const freedom = Math.max(2, days - lost - spent);
  return { squares: dot(residuals, residuals, 0, days) / freedom, freedom };
}

/**
 * Learns the noise of a series from the days before the first one that is judged, `known` changes left out. Carry and drift are weighed
 * means over a grid; the variance is what their fit leaves, never below sampling where sampling is known. Undefined with too few days.
 */
export function estimateNoise(series: Series, known: readonly Interval[]): Noise | undefined {
  const past = known.filter(({ from }) => from < series.learned).map(({ from, to }) => ({ from, to }));
  return learnNoise(series, past);
}

/** Variance of each day by sampling in a series, also of days behind those that taught its noise. */
export const samplingOf = ({ sampling, doubt, weekdays }: Series, noise: Pick<Noise, 'factor' | 'weekdays'>) =>
  sampling.map((own, at) => own * noise.factor + nthDouble(noise.weekdays, nthUnsigned(weekdays, at)) + nthDouble(doubt, at));

const learnNoise = kept('noise', (series: Series, past: readonly Interval[]): Noise | undefined => {
  const { learned, kind, sampling } = series;
  if (learned < LEAST_DAYS) return undefined;
  const counted = isCounted(kind);
  const chance = counted ? total(sampling, 0, learned) / learned : 0;
  const rough = Math.max(series.roughVariance, chance);
  const weekdaySd = Math.sqrt(weekdayVariance(series, rough, learned));
  // Of amounts, half of the noise is taken to be sampling: their days are weighed between equally and by their traffic.
  const shock = counted ? Math.max(rough - chance, 0.05 * rough) : rough / 2;
  const chanceOfDay = counted ? sampling : sampling.map((factor) => (factor * rough) / 2);
  const unsure = series.doubt.map((own, at, all) => own * (all[at - 1] && all[at + 1] ? UNTAUGHT : 1));
  const doubtful = chanceOfDay.map((variance, at) => variance + nthDouble(unsure, at));
  const times = series.times.subarray(0, learned);
  const nuisance = nuisanceOf(series, learned, past, weekdaySd);
  const residualsAt = (variances: Float64Array) => roughResiduals(times, nuisance, variances, shock);
  const residuals = residualsAt(doubtful.subarray(0, learned));
  const scatter = scatterOfWeekdays(residuals, series.weekdays.subarray(0, learned));
  const wide = Float64Array.from(series.weekdays, (weekday) => (nth(scatter, weekday) - 1) * rough);
  const expected = doubtful.map((variance, at) => variance + nthDouble(wide, at)).subarray(0, learned);
  const own = forgiving(expected, shock, FAR[counted ? 'counted' : 'summed'], (variances) =>
    // Most weekdays scatter alike.
    variances === expected && scatter.every((factor) => factor === 1) ? residuals : residualsAt(variances),
  );
  // A day whose own effect is unknown says as little of the noise.
  const unknown = expected.reduce((sum, variance, at) => sum + nthDouble(unsure, at) / (variance + shock), 0);
  const forgiven = { ...own, lost: own.lost + unknown, shock };
  const { carry, drift } = weighCarryAndDrift(times, nuisance, forgiven, kind);
  const left = residualsOf(nuisance, drift, whitenerOf(times, { ...forgiven, carry }), forgiven.lost);
  const factor = left.squares / LOSS[counted ? 'counted' : 'summed'];
  const scale = {
    factor: counted ? 1 : (factor * rough) / 2,
    weekdays: Float64Array.from(scatter, (more) => (more - 1) * rough * factor),
  };
  return {
    ...scale,
    sampling: samplingOf(series, scale),
    shock: counted ? Math.max(0, factor * (chance + shock) - chance) : shock * factor,
    carry,
    drift,
    weekdaySd,
    freedom: left.freedom,
  };
});

/**
 * The information of the data on a change over the days c of a series, all else taken out (generalised least squares in information form):
 * its effect is estimated as c's / c'Gc with variance 1 / c'Gc. G = P − DD', where P is the precision of the noise and D has a column for
 * each direction that is taken out.
 */
export interface Information {
  /** Number of days. */
  readonly size: number;
  readonly whitener: Whitener;
  readonly score: Float64Array;
  readonly directions: readonly Float64Array[];
  /** Sums over the days before. */
  readonly scoreSums: Float64Array;
  /** Those of the first `width` directions, day by day, as a search reads them. */
  readonly directionSums: Float64Array;
  readonly width: number;
  /** Those of the further ones. */
  readonly furtherSums: readonly Float64Array[];
}

/** Sums over the days before of several columns, those of a day beside each other. */
function sumsByDay(columns: readonly Float64Array[], size: number): Float64Array {
  const width = columns.length;
  const sums = new Float64Array((size + 1) * width);
  for (const [index, column] of columns.entries())
    for (let at = 0, cell = index; at < size; at += 1, cell += width) sums[cell + width] = nthDouble(sums, cell) + nthDouble(column, at);
  return sums;
}

/** A computation that begins anew asks for the same information again, and so do several questions about one series. */
const lately = lastResults<Noise, Information>();

/** Information on all days of a series, with level, weekdays and drift taken out; a noise is that of one series. */
export function informationOf(series: Series, noise: Noise): Information {
  const known = lately.get(noise) ?? learnInformation(series, noise);
  lately.set(noise, known);
  return known;
}

function learnInformation(series: Series, noise: Noise): Information {
  const size = series.times.length;
  const whitener = whitenerOf(series.times, noise);
  const { apply, applyTransposed } = whitener;
  const nuisance = nuisanceOf(series, size, [], noise.weekdaySd);
  const basis = basisOf(nuisance, noise.drift, whitener);
  const score = applyTransposed(project(apply(nuisance.values), basis)).subarray(0, size);
  const directions = basis.map((direction) => applyTransposed(direction).subarray(0, size));
  return {
    size,
    whitener,
    score,
    directions,
    scoreSums: sumsOf(score),
    directionSums: sumsByDay(directions, size),
    width: directions.length,
    furtherSums: [],
  };
}

/** How much the data know of an effect on an interval, 1 / its variance, and the effect times that. */
export function knownOf(information: Information, { from, to }: Interval): { weight: number; score: number } {
  const { scoreSums } = information;
  return { weight: weightOf(information, from, to), score: nthDouble(scoreSums, to) - nthDouble(scoreSums, from) };
}

/** The first of these, for searches, which ask for thousands. */
export function weightOf({ whitener, directionSums, width, furtherSums }: Information, from: number, to: number): number {
  let weight = nthDouble(whitener.precisionsFrom(from), to - from);
  for (let left = from * width, right = to * width, end = left + width; left < end; left += 1, right += 1)
    weight -= (nthDouble(directionSums, right) - nthDouble(directionSums, left)) ** 2;
  for (const sums of furtherSums) weight -= (nthDouble(sums, to) - nthDouble(sums, from)) ** 2;
  return weight;
}

/** G times a column that is 1 on an interval: its sum over another one is what the data know of both together. */
function responseOf({ size, whitener, directions }: Information, { from, to }: Interval): Float64Array {
  const response = whitener.applyTransposed(whitener.apply(new Float64Array(size).fill(1, from, to)));
  for (const direction of directions) subtract(response, direction, total(direction, from, to));
  return response;
}

/** The information that is left when an effect on an interval is taken out too. */
export function without(information: Information, interval: Interval): Information {
  const { size, whitener, directions, directionSums, width, furtherSums } = information;
  const known = knownOf(information, interval);
  const direction = responseOf(information, interval);
  const score = information.score.slice();
  subtract(score, direction, known.score / known.weight);
  const scaled = direction.map((value) => value / Math.sqrt(known.weight));
  return {
    size,
    whitener,
    score,
    directions: [...directions, scaled],
    scoreSums: sumsOf(score),
    directionSums,
    width,
    furtherSums: [...furtherSums, sumsOf(scaled)],
  };
}

/** Effects on several intervals at once, each with the others taken out, and their standard errors. */
export function effectsOf(information: Information, intervals: readonly Interval[]): { effect: number; error: number }[] {
  const known = intervals.map((own) => {
    const response = responseOf(information, own);
    return numbersOf(intervals, ({ from, to }) => total(response, from, to));
  });
  const scores = numbersOf(intervals, ({ from, to }) => total(information.score, from, to));
  return inverseOf(known).map((row, at) => ({ effect: dot(row, scores), error: Math.sqrt(nthDouble(row, at)) }));
}
