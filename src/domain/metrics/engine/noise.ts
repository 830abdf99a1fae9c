import { median } from 'simple-statistics';
import { basisOf, type Interval, type Nuisance, nuisanceOf, weighCarryAndDrift } from './drift-grid.ts';
import { isCounted, type MetricKind, type Series, WEEK } from './series.ts';

/** What the days that teach say of how a series scatters when nothing happens. */
export interface Noise {
  /** Variance by sampling, for each day of the whole series. */
  readonly sampling: Float64Array;
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

/** Days farther off than so many standard deviations count less (Huber 1964), and what the variance of normal days loses by that. */
const FAR = { counted: 2.5, summed: 3.5 };
const LOSS = { counted: 0.9665, summed: 0.9985 };
const USUAL_DRIFT = 0.03;
/** Normal: median of the absolute value. */
const MIDDLE = 0.6745;
/** Standard deviations of weekdays before anything is known, worth one of the seven weekdays. */
const WEEKDAY_SD: Readonly<Record<MetricKind, number>> = { count: 0.15, amount: 0.15, share: 0.05, average: 0.05 };
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

/**
 * Sampling with more variance for days that lie far off, so that they do not teach that such days are usual, and the number of days that
 * this takes away. Twice, because far days disturb what the others are measured by.
 */
function forgiving(times: Float64Array, nuisance: Nuisance, sampling: Float64Array, shock: number, farthest: number): Forgiven {
  const rough = { ...nuisance, drift: nuisance.drift.slice(0, 2) };
  let forgiven: Forgiven = { sampling, lost: 0 };
  for (let turn = 0; turn < 2; turn += 1) {
    const whitener = whitenerOf(times, { sampling: forgiven.sampling, shock, carry: 0.1 });
    const residuals = project(whitener.apply(nuisance.values.slice()), basisOf(rough, USUAL_DRIFT, whitener)).subarray(0, sampling.length);
    // As far off as they would be without forgiveness.
    const distances = residuals.map((residual, at) => {
      return Math.abs(residual) * Math.sqrt(((forgiven.sampling[at] ?? 0) + shock) / ((sampling[at] ?? 0) + shock));
    });
    const scale = median(Array.from(distances)) / MIDDLE || 1;
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
  const { learned, kind, sampling } = series;
  if (learned < LEAST_DAYS) return undefined;
  const counted = isCounted(kind);
  const chance = counted ? sampling.subarray(0, learned).reduce((sum, value) => sum + value, 0) / learned : 0;
  const rough = Math.max(series.roughVariance, chance);
  const weekdaySd = Math.sqrt(weekdayVariance(series, rough, learned));
  // Of amounts, half of the noise is taken to be sampling: their days are weighed between equally and by their traffic.
  const shock = counted ? Math.max(rough - chance, 0.05 * rough) : rough / 2;
  const expected = counted ? sampling : sampling.map((factor) => (factor * rough) / 2);
  const times = series.times.subarray(0, learned);
  const past = known.filter(({ from }) => from < learned);
  const nuisance = nuisanceOf(series, learned, past, weekdaySd);
  const forgiven = { ...forgiving(times, nuisance, expected.subarray(0, learned), shock, FAR[counted ? 'counted' : 'summed']), shock };
  const { carry, drift } = weighCarryAndDrift(times, nuisance, forgiven, kind, series.times.length - learned);
  const left = residualsOf(nuisance, drift, whitenerOf(times, { ...forgiven, carry }), forgiven.lost);
  const factor = left.squares / LOSS[counted ? 'counted' : 'summed'];
  return {
    sampling: counted ? expected : expected.map((value) => value * factor),
    shock: counted ? Math.max(0, factor * (chance + shock) - chance) : shock * factor,
    carry,
    drift,
    weekdaySd,
    freedom: left.freedom,
  };
}

/** Variances of the noise of a series: of sampling by day, of the shocks of days, and how much of a shock the next day keeps. */
export interface NoiseShape {
  /** By day; independent from day to day. */
  readonly sampling: Float64Array;
  readonly shock: number;
  /** Autocorrelation of the shocks from one day to the next, 0 … < 1. */
  readonly carry: number;
}

/**
 * Turns noise of a given shape into independent noise of variance 1: a lower triangular matrix W with W'W the inverse of its covariance.
 */
export interface Whitener {
  /** W times a column, in place; rows after the last day stay. Returns the column. */
  readonly apply: (column: Float64Array) => Float64Array;
  /** W' times a column, in place; rows after the last day stay. Returns the column. */
  readonly applyTransposed: (column: Float64Array) => Float64Array;
  /** Sum of the members of W'W over the rows and columns `from` … `to` − 1, at `from × (size + 1) + to`. */
  readonly intervals: () => Float64Array;
  /** Logarithm of the determinant of the covariance. */
  readonly logDeterminant: number;
}

/** Sum of products of the members `from` … `to` − 1. */
export function dot(a: Float64Array, b: Float64Array, from = 0, to = a.length): number {
  let sum = 0;
  for (let at = from; at < to; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** Adds `factor` × `b` to `a`. */
function addTo(a: Float64Array, b: Float64Array, factor: number): void {
  for (let at = 0; at < a.length; at += 1) a[at] = (a[at] ?? 0) + factor * (b[at] ?? 0);
}

/**
 * The innovations of a scalar Kalman filter over their standard deviations (Harvey 1989, 3.4): the shocks are an autoregression of order 1,
 * seen through the noise of sampling. Days that are missing let the shock decay.
 */
export function whitenerOf(times: Float64Array, { sampling, shock, carry }: NoiseShape): Whitener {
  const size = times.length;
  // What is expected of a day is `kept` × what was expected of the day before + `taken` × its value.
  const scales = new Float64Array(size);
  const kept = new Float64Array(size);
  const taken = new Float64Array(size);
  let variance = shock;
  let logDeterminant = 0;
  for (let at = 0; at < size; at += 1) {
    const total = variance + (sampling[at] ?? 0);
    const gain = variance / total;
    const decay = at + 1 < size ? carry ** ((times[at + 1] ?? 0) - (times[at] ?? 0)) : 0;
    scales[at] = 1 / Math.sqrt(total);
    kept[at] = decay * (1 - gain);
    taken[at] = decay * gain;
    logDeterminant += Math.log(total);
    variance = decay ** 2 * variance * (1 - gain) + shock * (1 - decay ** 2);
  }
  return {
    logDeterminant,
    apply(column) {
      let state = 0;
      for (let at = 0; at < size; at += 1) {
        const value = column[at] ?? 0;
        column[at] = (value - state) * (scales[at] ?? 0);
        state = (kept[at] ?? 0) * state + (taken[at] ?? 0) * value;
      }
      return column;
    },
    applyTransposed(column) {
      let state = 0;
      for (let at = size - 1; at >= 0; at -= 1) {
        const scaled = (column[at] ?? 0) * (scales[at] ?? 0);
        column[at] = scaled + (taken[at] ?? 0) * state;
        state = (kept[at] ?? 0) * state - scaled;
      }
      return column;
    },
    intervals() {
      const width = size + 1;
      const result = new Float64Array(width * width);
      // What a state of 1 on a day adds to the squares of the innovations from there on.
      const energies = new Float64Array(width);
      for (let at = size - 1; at >= 0; at -= 1) energies[at] = (scales[at] ?? 0) ** 2 + (kept[at] ?? 0) ** 2 * (energies[at + 1] ?? 0);
      for (let from = 0; from < size; from += 1) {
        let [state, squares] = [0, 0];
        for (let at = from; at < size; at += 1) {
          squares += ((1 - state) * (scales[at] ?? 0)) ** 2;
          state = (kept[at] ?? 0) * state + (taken[at] ?? 0);
          result[from * width + at + 1] = squares + state ** 2 * (energies[at + 1] ?? 0);
        }
      }
      return result;
    },
  };
}

/** Makes columns orthonormal in place by modified Gram–Schmidt and drops those that depend on the ones before. */
export function orthonormalise(columns: readonly Float64Array[]): Float64Array[] {
  const basis: Float64Array[] = [];
  for (const column of columns) {
    const before = dot(column, column);
    project(column, basis);
    const square = dot(column, column);
    if (square <= 1e-10 * before || square === 0) continue;
    const scale = 1 / Math.sqrt(square);
    for (let at = 0; at < column.length; at += 1) column[at] = (column[at] ?? 0) * scale;
    basis.push(column);
  }
  return basis;
}

/** Takes out of a column what an orthonormal basis explains of it. */
export function project(column: Float64Array, basis: readonly Float64Array[]): Float64Array {
  for (const direction of basis) addTo(column, direction, -dot(column, direction));
  return column;
}
