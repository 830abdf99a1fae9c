import { nthDouble } from '../../../../src/lib/nth.ts';
import { type Filter, filterOf, type NoiseShape, type StepEnergies, stepEnergies, type Timing, whiten, whitenBack } from './kalman.ts';
import { backwards, dotOf, factorise, forwards, productsOf, sumsBefore } from './linear.ts';

/** A column that moves a series without being news, and what is known of its coefficient beforehand; an infinite `sd`: nothing. */
export interface Regressor {
  readonly of: 'level' | 'weekday' | 'slope' | 'month' | 'season' | 'change';
  readonly values: Float64Array;
  readonly mean: number;
  readonly sd: number;
}

/** Values from index `from` to index `to` − 1 of a series that lie higher or lower than the others; up to its end: a step. */
export interface IndexRange {
  readonly from: number;
  readonly to: number;
}

/** The values of an interval as a column. */
export const stepColumn = (size: number, { from, to }: IndexRange): Float64Array => new Float64Array(size).fill(1, from, to);

/** A level that some values have of their own, as a column without prior. */
export const changeColumn = (size: number, interval: IndexRange): Regressor => ({
  of: 'change',
  values: stepColumn(size, interval),
  mean: 0,
  sd: Number.POSITIVE_INFINITY,
});

/**
 * The information of a series on changes beside its columns (generalised least squares in information form): with P = W'W,
 * A = C'PC + Λ, G = P − PC A⁻¹ C'P and s = G x, an effect on an interval c is estimated as c's / c'Gc with variance 1 / c'Gc.
 * G = P − DD' with the `directions` as D. Plain arrays, so that it can be sent to another thread.
 */
export interface Fit {
  readonly size: number;
  readonly filter: Filter;
  readonly energies: StepEnergies;
  readonly score: Float64Array;
  readonly scoreSums: Float64Array;
  readonly directions: readonly Float64Array[];
  readonly directionSums: readonly Float64Array[];
  /** Of the columns, in their order, and the Cholesky factor of A. */
  readonly coefficients: Float64Array;
  readonly factor: Float64Array;
  /** 1 / the variance of a single value: what it would know of its level, were nothing else known. */
  readonly unit: number;
}

/** Adds what is known of the coefficients beforehand to the lower half of their products, and to the right side in its last row. */
export function addPriors(products: Float64Array, columns: readonly Regressor[], width: number): void {
  for (const [at, { mean, sd }] of columns.entries()) {
    if (sd === Number.POSITIVE_INFINITY) continue;
    products[at * width + at] = nthDouble(products, at * width + at) + sd ** -2;
    if (width > columns.length) {
      const right = columns.length * width + at;
      products[right] = nthDouble(products, right) + mean / sd ** 2;
      const corner = columns.length * width + columns.length;
      products[corner] = nthDouble(products, corner) + (mean / sd) ** 2;
    }
  }
}

/** Fits columns to the first `size` values of a series under some noise. */
export function fitOf(x: Float64Array, timing: Timing, columns: readonly Regressor[], noise: NoiseShape, size = x.length): Fit {
  const filter = filterOf(timing, noise, size);
  const count = columns.length;
  const white = [...columns.map(({ values }) => values), x].map((column) => {
    const own = new Float64Array(size);
    whiten(filter, column, own);
    return own;
  });
  const products = productsOf(white, size, new Float64Array((count + 1) ** 2));
  addPriors(products, columns, count + 1);
  factorise(products, count, count + 1);
  const factor = new Float64Array(count * count);
  const right = new Float64Array(count);
  for (let row = 0; row < count; row += 1) {
    factor.set(products.subarray(row * (count + 1), row * (count + 1) + row + 1), row * count);
    right[row] = nthDouble(products, count * (count + 1) + row);
  }
  for (const column of white) whitenBack(filter, column, column);
  const score = white[count] ?? new Float64Array(size);
  const directions = white.slice(0, count);
  for (const [row, direction] of directions.entries()) {
    for (let at = 0; at < row; at += 1) takeFrom(direction, directions[at] ?? direction, nthDouble(factor, row * count + at), size);
    const scale = nthDouble(factor, row * count + row);
    for (let at = 0; at < size; at += 1) direction[at] = nthDouble(direction, at) / scale;
    takeFrom(score, direction, nthDouble(right, row), size);
  }
  return {
    size,
    filter,
    energies: stepEnergies(filter),
    score,
    scoreSums: sumsBefore(score, size),
    directions,
    directionSums: directions.map((direction) => sumsBefore(direction, size)),
    coefficients: backwards(factor, count, right.slice()),
    factor,
    unit: 1 / (noise.shock + noise.slow * timing.first + meanOfFinite(noise.sampling)),
  };
}

/** Mean of the variances of the values that are there. */
function meanOfFinite(variances: Float64Array): number {
  const finite = variances.filter((value) => value < Number.POSITIVE_INFINITY);
  return finite.reduce((sum, value) => sum + value, 0) / Math.max(1, finite.length);
}

function takeFrom(column: Float64Array, other: Float64Array, factor: number, size: number): void {
  for (let at = 0; at < size; at += 1) column[at] = nthDouble(column, at) - factor * nthDouble(other, at);
}

/** Covariance of two sums of coefficients with these factors: a' A⁻¹ b. */
export function covarianceOf({ factor, coefficients: { length } }: Fit, a: Float64Array, b: Float64Array): number {
  const own = forwards(factor, length, a.slice());
  return dotOf(own, a === b ? own : forwards(factor, length, b.slice()));
}

/** How much the values know of an effect on an interval, 1 / its variance, and the effect times that. */
export interface Known {
  readonly weight: number;
  readonly score: number;
}

/** All that is known of several intervals, by the place at which they differ. */
export interface Knowns {
  readonly weights: Float64Array;
  readonly scores: Float64Array;
}

/** Room for what is known of as many intervals as a series has values. */
export const emptyKnowns = (size: number): Knowns => ({ weights: new Float64Array(size + 1), scores: new Float64Array(size + 1) });

/** Takes what the columns know of the intervals between a fixed place and others from their weights. */
function beside({ directionSums }: Fit, weights: Float64Array, fixed: number, from: number, to: number): void {
  for (const sums of directionSums) {
    const own = nthDouble(sums, fixed);
    for (let at = from; at < to; at += 1) {
      const shared = nthDouble(sums, at) - own;
      weights[at] = nthDouble(weights, at) - shared * shared;
    }
  }
}

/**
 * Fills in the intervals that begin at one place, by their ends up to `last`: the square of the whitened interval follows from those of
 * the two steps and from what the filter expects at the end of the interval.
 */
export function knownFrom(fit: Fit, from: number, last: number, into: Knowns): Knowns {
  const { filter, energies, scoreSums } = fit;
  const { shockGain, slowGain, shockKept, slowKept } = filter;
  const { own, byShock, bySlow } = energies;
  const { weights, scores } = into;
  const [energy, sum] = [nthDouble(own, from), nthDouble(scoreSums, from)];
  let [shock, slow] = [0, 0];
  for (let to = from + 1; to <= last; to += 1) {
    const left = 1 - shock - slow;
    shock = nthDouble(shockKept, to - 1) * (shock + nthDouble(shockGain, to - 1) * left);
    slow = nthDouble(slowKept, to - 1) * (slow + nthDouble(slowGain, to - 1) * left);
    weights[to] = energy - nthDouble(own, to) - 2 * (nthDouble(byShock, to) * shock + nthDouble(bySlow, to) * slow);
    scores[to] = nthDouble(scoreSums, to) - sum;
  }
  beside(fit, weights, from, from + 1, last + 1);
  return into;
}

/** Fills in the steps that begin at each place and last to the end. */
export function knownSteps(fit: Fit, into: Knowns): Knowns {
  const { size, energies, scoreSums } = fit;
  into.weights.set(energies.own);
  const all = nthDouble(scoreSums, size);
  for (let at = 0; at <= size; at += 1) into.scores[at] = all - nthDouble(scoreSums, at);
  beside(fit, into.weights, size, 0, size);
  return into;
}

/** Fills in the intervals that end at one place, for each place before it at which they may begin. */
export function knownUntil(fit: Fit, to: number, into: Knowns): Knowns {
  const { size, scoreSums } = fit;
  knownSteps(fit, into);
  if (to === size) return into;
  const { weights, scores } = into;
  const shared = informationOn(fit, stepColumn(size, { from: to, to: size }));
  const [later, end] = [nthDouble(weights, to), nthDouble(scoreSums, to)];
  let both = 0;
  for (let at = size - 1; at >= 0; at -= 1) {
    both += nthDouble(shared, at);
    if (at >= to) continue;
    weights[at] = nthDouble(weights, at) + later - 2 * both;
    scores[at] = end - nthDouble(scoreSums, at);
  }
  return into;
}

/** The weight and score of an effect on one interval. */
export function knownOf(fit: Fit, { from, to }: IndexRange): Known {
  const { weights, scores } = knownFrom(fit, from, to, emptyKnowns(fit.size));
  return { weight: nthDouble(weights, to), score: nthDouble(scores, to) };
}

/** How much the values know of single ones, each by itself. */
export function singleWeights({ size, energies: { own, byShock, bySlow }, filter, directions }: Fit): Float64Array {
  const { shockGain, slowGain, shockKept, slowKept } = filter;
  const weights = new Float64Array(size);
  for (let at = 0; at < size; at += 1) {
    const shock = nthDouble(shockKept, at) * nthDouble(shockGain, at);
    const slow = nthDouble(slowKept, at) * nthDouble(slowGain, at);
    const carried = nthDouble(byShock, at + 1) * shock + nthDouble(bySlow, at + 1) * slow;
    weights[at] = nthDouble(own, at) - nthDouble(own, at + 1) - 2 * carried;
  }
  for (const direction of directions)
    for (let at = 0; at < size; at += 1) weights[at] = nthDouble(weights, at) - nthDouble(direction, at) ** 2;
  return weights;
}

/** G times a column. */
export function informationOn({ size, filter, directions }: Fit, column: Float64Array): Float64Array {
  const result = new Float64Array(size);
  whiten(filter, column, result);
  whitenBack(filter, result, result);
  const products = directions.map((direction) => dotOf(direction, column, size));
  for (const [at, direction] of directions.entries()) takeFrom(result, direction, products[at] ?? 0, size);
  return result;
}

/** An effect whose weight is below this share of what is was before anything was taken out is made up by the rest. */
const LEAST_LEFT = 1e-6;

/** The information that is left when an effect on a column is taken out too; coefficients and factor stay those of the columns before. */
export function without(fit: Fit, column: Float64Array): Fit {
  const { size, filter, score, directions, directionSums } = fit;
  const direction = informationOn(fit, column);
  const weight = dotOf(direction, column, size);
  const whole = new Float64Array(size);
  whiten(filter, column, whole);
  if (!(weight > LEAST_LEFT * dotOf(whole, whole))) return fit;
  const root = Math.sqrt(weight);
  const effect = dotOf(score, column, size) / weight;
  const left = score.slice();
  takeFrom(left, direction, effect, size);
  for (let at = 0; at < size; at += 1) direction[at] = nthDouble(direction, at) / root;
  return {
    ...fit,
    score: left,
    scoreSums: sumsBefore(left, size),
    directions: [...directions, direction],
    directionSums: [...directionSums, sumsBefore(direction, size)],
  };
}

/** The same for the values of an interval. */
export const withoutInterval = (fit: Fit, interval: IndexRange): Fit => without(fit, stepColumn(fit.size, interval));

/**
 * How far each value lies from what all others foretell of it, in the standard deviations that it would have if `added`, variance that was
 * given to it because it lay far off, were not there (the deleted residual of Cook and Weisberg 1982); 0 where a value is missing.
 */
export function deletedResiduals(fit: Fit, added: ArrayLike<number> = []): Float64Array {
  const { filter, score } = fit;
  return singleWeights(fit).map((weight, at) => {
    if (filter.scale[at] === 0) return 0;
    const variance = 1 / Math.max(weight, Number.MIN_VALUE);
    return (nthDouble(score, at) * variance) / Math.sqrt(Math.max(variance * 1e-9, variance - (added[at] ?? 0)));
  });
}
