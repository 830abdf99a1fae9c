import { median } from 'simple-statistics';
import { basisOf, DRIFT_SIZE, type Interval, type Nuisance, nuisanceOf } from './nuisance.ts';
import { isCounted, type MetricKind, type Series, WEEK } from './series.ts';
import { dot, orthonormalise, project, type Whitener, whitenerOf } from './whiten.ts';

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

/** Carries that are weighed against each other, with what they are thought to be worth before the data speak. */
const CARRIES = [0, 0.2, 0.4, 0.6, 0.8] as const;
const CARRY_PRIORS = [0.7, 0.12, 0.1, 0.06, 0.02] as const;
/** Drifts that are weighed, as relative change over the series, all alike before the data speak. */
const DRIFTS = [0.003, 0.01, 0.03, 0.1, 0.3] as const;
const DRIFT_PRIORS = { rate: [0.35, 0.3, 0.2, 0.1, 0.05], total: [0.1, 0.2, 0.3, 0.25, 0.15] } as const;
/** Days farther off than so many standard deviations count less (Huber 1964), and what the variance of normal days loses by that. */
const FAR = { counted: 2.5, summed: 3.5 };
const LOSS = { counted: 0.9665, summed: 0.9985 };
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

/** Logarithm of the determinant of a small symmetric matrix, and the quadratic form of its inverse (Cholesky). */
function solveSmall(matrix: readonly Float64Array[], vector: Float64Array): { logDeterminant: number; quadratic: number } {
  const size = vector.length;
  const lower = matrix.map((row) => Float64Array.from(row));
  const solved = Float64Array.from(vector);
  let [logDeterminant, quadratic] = [0, 0];
  for (let row = 0; row < size; row += 1) {
    const own = lower[row] ?? solved;
    for (let at = 0; at <= row; at += 1) {
      const other = lower[at] ?? solved;
      const rest = (own[at] ?? 0) - dot(own, other, 0, at);
      own[at] = at === row ? Math.sqrt(rest) : rest / (other[at] ?? 1);
    }
    const pivot = own[row] ?? 1;
    solved[row] = ((solved[row] ?? 0) - dot(own, solved, 0, row)) / pivot;
    logDeterminant += 2 * Math.log(pivot);
    quadratic += (solved[row] ?? 0) ** 2;
  }
  return { logDeterminant, quadratic };
}

interface Forgiven {
  readonly sampling: Float64Array;
  readonly lost: number;
}

/**
 * Sampling with more variance for days that lie far off, so that they do not teach that such days are usual, and the number of days that this
 * takes away. Twice, because far days disturb what the others are measured by.
 */
function forgiving(times: Float64Array, nuisance: Nuisance, sampling: Float64Array, shock: number, farthest: number): Forgiven {
  let forgiven: Forgiven = { sampling, lost: 0 };
  for (let turn = 0; turn < 2; turn += 1) {
    const whitener = whitenerOf(times, { sampling: forgiven.sampling, shock, carry: 0.1 });
    const residuals = project(whitener.apply(nuisance.values.slice()), basisOf(nuisance, 0.03, whitener)).subarray(0, sampling.length);
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
 * Learns the noise of a series from the days before the first one that is judged, `known` changes left out. The carry of shocks and the size
 * of drift are means over a grid, weighed by their restricted likelihood (Patterson and Thompson 1971), so that nothing jumps at a threshold;
 * the variance is what fits at each point of the grid, never below sampling where sampling is known. Undefined with too few days.
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
  const own = counted ? sampling : sampling.map((factor) => (factor * rough) / 2);
  const times = series.times.subarray(0, learned);
  const nuisance = nuisanceOf(series, learned, known.filter(({ from }) => from < learned), weekdaySd); // biome-ignore format: one thought
  const forgiven = forgiving(times, nuisance, own.subarray(0, learned), shock, counted ? FAR.counted : FAR.summed);
  const freedom = Math.max(2, learned - forgiven.lost - (nuisance.fixed.length - WEEK));
  const points = CARRIES.flatMap((carry, index) => {
    const { apply, logDeterminant } = whitenerOf(times, { sampling: forgiven.sampling, shock, carry });
    const white = (column: Float64Array) => apply(column.slice());
    const fixed = orthonormalise(nuisance.fixed.map(white));
    const values = project(white(nuisance.values), fixed.basis);
    const drift = nuisance.drift.map((column) => project(white(column), fixed.basis));
    const total = dot(values, values);
    const seen = Float64Array.from(drift, (column) => dot(column, values));
    const products = drift.map((a) => Float64Array.from(drift, (b) => dot(a, b)));
    return DRIFTS.map((size, row) => {
      for (const [at, line] of products.entries()) line[at] = (line[at] ?? 0) + size ** -2;
      const solved = solveSmall(products, seen);
      for (const [at, line] of products.entries()) line[at] = (line[at] ?? 0) - size ** -2;
      const squares = (total - solved.quadratic) / freedom;
      const determinants = logDeterminant + fixed.logDeterminant + solved.logDeterminant + 2 * DRIFT_SIZE * Math.log(size);
      const weight =
        Math.log((CARRY_PRIORS[index] ?? 0) * (DRIFT_PRIORS[kind === 'count' || kind === 'amount' ? 'total' : 'rate'][row] ?? 0)) -
        determinants / 2 -
        (freedom / 2) * Math.log(squares);
      return { carry, size, weight };
    });
  });
  const best = Math.max(...points.map(({ weight }) => weight));
  const moment = 0.5 + Math.min(0.5, (series.times.length - learned) / 60);
  let [weights, lives, drifts] = [0, 0, 0];
  for (const point of points) {
    const weight = Math.exp(point.weight - best);
    weights += weight;
    // What a shock adds up to over its life: the mean of that errs less on the side of false alarms than the mean carry.
    lives += (weight * (1 + point.carry)) / (1 - point.carry);
    drifts += weight * point.size ** moment;
  }
  const [carry, drift] = [(lives - weights) / (lives + weights), (drifts / weights) ** (1 / moment)];
  const left = residualsOf(nuisance, drift, whitenerOf(times, { sampling: forgiven.sampling, shock, carry }), forgiven.lost);
  const factor = left.squares / (counted ? LOSS.counted : LOSS.summed);
  return {
    sampling: counted ? own : own.map((value) => value * factor),
    shock: counted ? Math.max(0, factor * (chance + shock) - chance) : shock * factor,
    carry,
    drift,
    weekdaySd,
    freedom: left.freedom,
  };
}
