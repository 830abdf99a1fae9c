import { nth, nthDouble } from '../../lib/nth.ts';
import { eliminate } from '../../statistics/elimination.ts';
import { dots, orthonormalise } from '../../statistics/vectors.ts';
import { type Whitener, whitenerOf } from '../../statistics/whitening.ts';
import { isSum, type MetricKind, type Series, WEEK } from './series.ts';

/** Days from index `from` to index `to` − 1 of a series that lie higher or lower than the others; up to its end: a step. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Regressors that move a series without being news: its level, weekdays, slow drift, and changes that are known already. */
export type Nuisance = ReturnType<typeof nuisanceOf>;

/** Prior standard deviations of the waves, against that of the slope over the whole series; wave j has the period of 2 / j series. */
const WAVES = [0.4, 0.14, 0.077, 0.05, 0.036];
const PRIORS = WEEK + WAVES.length + 1;

/** The first `days` of a series; `weekdaySd` is the prior relative standard deviation of weekdays. */
export function nuisanceOf(series: Series, days: number, known: readonly Interval[], weekdaySd: number) {
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
  const first = nthDouble(times, block);
  const span = Math.max(1, nthDouble(times, times.length - 1) - first + 1);
  const positions = times.map((time) => Math.max(0, (time - first + 0.5) / span));
  const levels = [...(block > 0 ? [{ from: 0, to: block }] : []), ...known];
  const calendar = regressors.map(({ column: own, sd }, index) => {
    const result = column((at) => nthDouble(own, at));
    result[days + PRIORS + index] = 1 / sd;
    return result;
  });
  const values = new Float64Array(rows);
  for (const [index, { mean, sd }] of regressors.entries()) values[days + PRIORS + index] = mean / sd;
  values.set(series.deviations.subarray(0, days));
  for (let weekday = 0; weekday < WEEK; weekday += 1) values[days + weekday] = -Math.log(series.weekdayFactors[weekday] ?? 1) / weekdaySd;
  return {
    /** Number of days, which come first; the rows below them hold the priors of the weekdays, of drift and of the calendar. */
    days,
    /** How many of `fixed` have no prior: level and known changes. */
    free: 1 + levels.length,
    /** Level, known changes, weekdays and what moves by the calendar. */
    fixed: [column(() => 1), ...levels.map(({ from, to }) => column((at) => (at >= from && at < to ? 1 : 0))), ...weekdays, ...calendar],
    /** A slope and slow waves, by their prior standard deviations relative to each other. */
    drift: [
      column((at) => nthDouble(positions, at) - 0.5),
      ...WAVES.map((sd, wave) => column((at) => sd * Math.cos(Math.PI * (wave + 1) * nthDouble(positions, at)))),
    ],
    /** The deviations, and what the rows of the priors should be: the weekday factors that deviations leave out. */
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

/** Restricted log-likelihoods (Patterson and Thompson 1971), the scale of the noise at its best, and the prior of the point. */
function pointsOf(times: Float64Array, nuisance: Nuisance, sampling: Float64Array, shock: number, kind: MetricKind, freedom: number) {
  const columns = [...nuisance.fixed, ...nuisance.drift, nuisance.values];
  const [first, last] = [nuisance.fixed.length, columns.length - 1];
  const priors = DRIFT_PRIORS[isSum(kind) ? 'total' : 'rate'];
  // Written anew for each point of the grid.
  const white = columns.map((column) => column.slice());
  const products = columns.map((_, row) => new Float64Array(row + 1));
  const own = products.map((row) => row.slice());
  return CARRIES.flatMap((carry, index) => {
    const { apply, logDeterminant } = whitenerOf(times, { sampling, shock, carry });
    for (const [row, column] of white.entries()) {
      column.set(columns[row] ?? column);
      apply(column);
      dots(column, white, 0, row + 1, products[row] ?? column);
    }
    const base = logDeterminant + eliminate(products, 0, first);
    return DRIFTS.map((drift, at) => {
      for (const [row, values] of own.entries()) {
        values.set(products[row] ?? values);
        if (row >= first && row < last) values[row] = nthDouble(values, row) + drift ** -2;
      }
      const determinants = base + eliminate(own, first, last) + 2 * (last - first) * Math.log(drift);
      // Of days that the columns fit exactly rounding may leave less than nothing.
      const squares = Math.max(Number.EPSILON, own[last]?.[last] ?? 0);
      const prior = Math.log(nth(CARRY_PRIORS, index) * nth(priors, at));
      return { carry, drift, weight: prior - determinants / 2 - (freedom / 2) * Math.log(squares) };
    });
  });
}

/**
 * Means over the grid, weighed by likelihood and prior, so that nothing jumps at a threshold: of the carry by what a shock adds up to over
 * its life, which errs less on the side of false alarms.
 */
export function weighCarryAndDrift(
  times: Float64Array,
  nuisance: Nuisance,
  noise: { readonly sampling: Float64Array; readonly shock: number; readonly lost: number },
  kind: MetricKind,
): { carry: number; drift: number } {
  const freedom = Math.max(2, nuisance.days - noise.lost - nuisance.free);
  const points = pointsOf(times, nuisance, noise.sampling, noise.shock, kind, freedom);
  const best = Math.max(...points.map(({ weight }) => weight));
  let [weights, lives, drifts] = [0, 0, 0];
  for (const { carry, drift, weight } of points) {
    const own = Math.exp(weight - best);
    weights += own;
    lives += (own * (1 + carry)) / (1 - carry);
    drifts += own * drift;
  }
  return { carry: (lives - weights) / (lives + weights), drift: drifts / weights };
}
