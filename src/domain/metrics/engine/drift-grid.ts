import { type MetricKind, type Series, WEEK } from './series.ts';

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

/** Days from index `from` to index `to` − 1 of a series that lie higher or lower than the others; up to its end: a step. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Regressors that move a series without being news: its level, weekdays, slow drift, and changes that are known already. */
export interface Nuisance {
  /** Number of days, which come first; the rows below them hold the priors of the weekdays, of drift and of the calendar. */
  readonly days: number;
  /** How many of `fixed` have no prior: level and known changes. */
  readonly free: number;
  /** Level, known changes, weekdays and what moves by the calendar. */
  readonly fixed: readonly Float64Array[];
  /** A slope and slow waves, by their prior standard deviations relative to each other. */
  readonly drift: readonly Float64Array[];
  /** The deviations, and what the rows of the priors should be: the weekday factors that deviations leave out. */
  readonly values: Float64Array;
}

/** Prior standard deviations of the waves, against that of the slope over the whole series; wave j has the period of 2 / j series. */
const WAVES = [0.4, 0.14, 0.077, 0.05, 0.036];
const PRIORS = WEEK + WAVES.length + 1;

/** The first `days` of a series; `weekdaySd` is the prior relative standard deviation of weekdays. */
export function nuisanceOf(series: Series, days: number, known: readonly Interval[], weekdaySd: number): Nuisance {
  const { regressors } = series;
  const rows = days + PRIORS + regressors.length;
  const column = (of: (at: number) => number) => {
    const values = new Float64Array(rows);
    for (let at = 0; at < days; at += 1) values[at] = of(at);
    return values;
  };
  const weekdays = Array.from({ length: WEEK }, (_, weekday) => {
    const values = column((at) => (series.weekdays[at] === weekday ? 1 : 0));
    values[days + weekday] = 1 / weekdaySd;
    return values;
  });
  const { times, block } = series;
  const first = times[block] ?? 0;
  const span = Math.max(1, (times[times.length - 1] ?? 0) - first + 1);
  const positions = times.map((time) => Math.max(0, (time - first + 0.5) / span));
  const levels = [...(block > 0 ? [{ from: 0, to: block }] : []), ...known];
  const calendar = regressors.map(({ column: own, sd }, index) => {
    const result = column((at) => own[at] ?? 0);
    result[days + PRIORS + index] = 1 / sd;
    return result;
  });
  const values = new Float64Array(rows);
  for (const [index, { mean, sd }] of regressors.entries()) values[days + PRIORS + index] = mean / sd;
  values.set(series.deviations.subarray(0, days));
  for (let weekday = 0; weekday < WEEK; weekday += 1) values[days + weekday] = -Math.log(series.weekdayFactors[weekday] ?? 1) / weekdaySd;
  return {
    days,
    free: 1 + levels.length,
    fixed: [column(() => 1), ...levels.map(({ from, to }) => column((at) => (at >= from && at < to ? 1 : 0))), ...weekdays, ...calendar],
    drift: [
      column((at) => (positions[at] ?? 0) - 0.5),
      ...WAVES.map((sd, wave) => column((at) => sd * Math.cos(Math.PI * (wave + 1) * (positions[at] ?? 0)))),
    ],
    values,
  };
}

/** All columns in their order, drift with this prior standard deviation of its slope. */
export function orderedColumns({ days, fixed, drift }: Nuisance, driftSd: number): Float64Array[] {
  const loose = drift.map((column, index) => {
    const own = column.slice();
    own[days + WEEK + index] = 1 / driftSd;
    return own;
  });
  return [...fixed, ...loose];
}

/** Everything whitened and made orthonormal, drift with this prior standard deviation of its slope. */
export function basisOf(nuisance: Nuisance, driftSd: number, { apply }: Whitener): Float64Array[] {
  return orthonormalise(orderedColumns(nuisance, driftSd).map((column) => apply(column.slice())));
}

/** Carries of shocks that are weighed against each other, with what they are thought to be worth before the data speak. */
const CARRIES = [0, 0.2, 0.4, 0.6, 0.8] as const;
const CARRY_PRIORS = [0.8, 0.1, 0.06, 0.03, 0.01] as const;
/** Drifts that are weighed, as relative change over the series: totals follow the seasons more than rates do. */
const DRIFTS = [0.003, 0.01, 0.03, 0.1, 0.3] as const;
const DRIFT_PRIORS = { rate: [0.55, 0.25, 0.12, 0.05, 0.03], total: [0.13, 0.23, 0.31, 0.21, 0.12] } as const;

/** Eliminates the pivot rows from a symmetric matrix, of which the lower triangle counts; returns the logarithm of their determinant. */
function eliminate(matrix: readonly Float64Array[], from: number, to: number): number {
  let logDeterminant = 0;
  for (let pivot = from; pivot < to; pivot += 1) {
    const diagonal = matrix[pivot]?.[pivot] ?? 0;
    if (!(diagonal > 0)) continue;
    logDeterminant += Math.log(diagonal);
    for (let row = pivot + 1; row < matrix.length; row += 1) {
      const own = matrix[row];
      const factor = (own?.[pivot] ?? 0) / diagonal;
      if (!own || factor === 0) continue;
      for (let column = pivot + 1; column <= row; column += 1) own[column] = (own[column] ?? 0) - factor * (matrix[column]?.[pivot] ?? 0);
    }
  }
  return logDeterminant;
}

/** How the noise of days is made, and how probable that is, as a logarithm up to a constant. */
interface Point {
  readonly carry: number;
  readonly drift: number;
  readonly weight: number;
}

/** Restricted log-likelihoods (Patterson and Thompson 1971), the scale of the noise at its best, and the prior of the point. */
function pointsOf(
  times: Float64Array,
  nuisance: Nuisance,
  sampling: Float64Array,
  shock: number,
  kind: MetricKind,
  freedom: number,
): Point[] {
  const columns = [...nuisance.fixed, ...nuisance.drift, nuisance.values];
  const [first, last] = [nuisance.fixed.length, columns.length - 1];
  const priors = DRIFT_PRIORS[kind === 'count' || kind === 'amount' ? 'total' : 'rate'];
  return CARRIES.flatMap((carry, index) => {
    const { apply, logDeterminant } = whitenerOf(times, { sampling, shock, carry });
    const white = columns.map((column) => apply(column.slice()));
    const products = white.map((column, row) => {
      const own = new Float64Array(row + 1);
      for (let at = 0; at <= row; at += 1) own[at] = dot(column, white[at] ?? column);
      return own;
    });
    const base = logDeterminant + eliminate(products, 0, first);
    return DRIFTS.map((drift, at) => {
      const own = products.map((row) => row.slice());
      for (let row = first; row < last; row += 1) {
        const values = own[row];
        if (values) values[row] = (values[row] ?? 0) + drift ** -2;
      }
      const determinants = base + eliminate(own, first, last) + 2 * (last - first) * Math.log(drift);
      const squares = own[last]?.[last] ?? 0;
      const prior = Math.log((CARRY_PRIORS[index] ?? 0) * (priors[at] ?? 0));
      return { carry, drift, weight: prior - determinants / 2 - (freedom / 2) * Math.log(squares) };
    });
  });
}

/** The moment of drift that is taken, at least, and how much it rises up to a long period: the higher, the more large drift counts. */
const MOMENT = { least: 0.45, rise: 0.8 };
const LONG_DAYS = 30;

/**
 * Means over the grid, weighed by likelihood and prior, so that nothing jumps at a threshold: of the carry by what a shock adds up to over
 * its life, which errs less on the side of false alarms; of drift by a moment that rises with the days ahead, over which drift goes on.
 */
export function weighCarryAndDrift(
  times: Float64Array,
  nuisance: Nuisance,
  noise: { readonly sampling: Float64Array; readonly shock: number; readonly lost: number },
  kind: MetricKind,
  daysAhead: number,
): { carry: number; drift: number } {
  const freedom = Math.max(2, nuisance.days - noise.lost - nuisance.free);
  const points = pointsOf(times, nuisance, noise.sampling, noise.shock, kind, freedom);
  const best = Math.max(...points.map(({ weight }) => weight));
  const moment = MOMENT.least + MOMENT.rise * Math.min(1, daysAhead / LONG_DAYS);
  let [weights, lives, drifts] = [0, 0, 0];
  for (const { carry, drift, weight } of points) {
    const own = Math.exp(weight - best);
    weights += own;
    lives += (own * (1 + carry)) / (1 - carry);
    drifts += own * drift ** moment;
  }
  return { carry: (lives - weights) / (lives + weights), drift: (drifts / weights) ** (1 / moment) };
}
