import type { Nuisance } from './information.ts';
import { type MetricKind, WEEK } from './series.ts';
import { dot, whitenerOf } from './whiten.ts';

/** Carries of shocks that are weighed against each other, with what they are thought to be worth before the data speak. */
const CARRIES = [0, 0.2, 0.4, 0.6, 0.8] as const;
const CARRY_PRIORS = [0.7, 0.12, 0.1, 0.06, 0.02] as const;
/** Drifts that are weighed, as relative change over the series: totals follow the seasons more than rates do. */
const DRIFTS = [0.003, 0.01, 0.03, 0.1, 0.3] as const;
const DRIFT_PRIORS = { rate: [0.35, 0.3, 0.2, 0.1, 0.05], total: [0.1, 0.2, 0.3, 0.25, 0.15] } as const;

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

/** Days of a period from which on the whole of what drift may be counts, instead of what it most likely is. */
const LONG_DAYS = 30;

/**
 * Means over the grid, weighed by likelihood and prior, so that nothing jumps at a threshold: of the carry by what a shock adds up to over its
 * life, which errs less on the side of false alarms; of drift by a moment that rises with the days ahead, over which drift goes on.
 */
export function weighCarryAndDrift(
  times: Float64Array,
  nuisance: Nuisance,
  noise: { readonly sampling: Float64Array; readonly shock: number; readonly lost: number },
  kind: MetricKind,
  daysAhead: number,
): { carry: number; drift: number } {
  const freedom = Math.max(2, nuisance.days - noise.lost - (nuisance.fixed.length - WEEK));
  const points = pointsOf(times, nuisance, noise.sampling, noise.shock, kind, freedom);
  const best = Math.max(...points.map(({ weight }) => weight));
  const moment = 0.5 + 0.5 * Math.min(1, daysAhead / LONG_DAYS);
  let [weights, lives, drifts] = [0, 0, 0];
  for (const { carry, drift, weight } of points) {
    const own = Math.exp(weight - best);
    weights += own;
    lives += (own * (1 + carry)) / (1 - carry);
    drifts += own * drift ** moment;
  }
  return { carry: (lives - weights) / (lives + weights), drift: (drifts / weights) ** (1 / moment) };
}
