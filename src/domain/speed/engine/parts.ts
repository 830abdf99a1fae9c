import { quantile } from 'simple-statistics';
import { inverseOf } from '../../statistics/elimination.ts';
import { MAD_TO_SD } from '../../statistics/robust-scale.ts';
import { dot, subtract } from '../../statistics/vectors.ts';
import type { Weights } from '../../statistics/whitening.ts';

/** How runs scatter around their level: autoregressive noise of first order. */
export interface Noise {
  /** Correlation of a run's deviation with that of the run before, 0 to 0.97. */
  readonly phi: number;
  /** Standard deviation of what each run adds of its own, log scale. */
  readonly sigma: number;
}

/** Highest autocorrelation that is estimated: above it a level and noise look alike. */
export const HIGHEST_PHI = 0.97;
/** Lags of the differences from which the noise is estimated: short ones, of which a shift of level touches few. */
const LAGS = [1, 2, 3, 4, 5];
/** Where differences are cut, in standard deviations, and the share of a normal variance that is left. */
const CUT = 2.5;
const LEFT_BY_CUT = 0.9776;

/** The mean of squares, each cut, so that shifts of level count no more than other large ones. */
export function cutMean(squares: readonly number[]): number {
  const limit = (CUT * MAD_TO_SD) ** 2 * quantile(squares, 0.5);
  let sum = 0;
  for (const square of squares) sum += Math.min(square, limit);
  return sum / (LEFT_BY_CUT * squares.length);
}

/** Half the mean square of the differences at a lag. */
function semivariance(x: Float64Array, lag: number): number {
  const squares: number[] = [];
  for (let index = lag; index < x.length; index += 1) squares.push(((x[index] ?? 0) - (x[index - lag] ?? 0)) ** 2);
  return cutMean(squares) / 2;
}

/**
 * The noise of a series with shifts of level in it, from differences of runs 1 to 5 apart: their variance grows with the distance
 * as 1 − φᵏ, whatever the levels are (Chakar et al. 2017; Romano et al. 2022 estimate so).
 */
export function noiseFromDifferences(x: Float64Array, floor: number): Noise {
  const lags = LAGS.filter((lag) => lag === 1 || x.length - lag >= 8);
  const logs = lags.map((lag) => Math.log(Math.max(semivariance(x, lag), floor * floor)));
  let best = { phi: 0, misfit: Number.POSITIVE_INFINITY, level: 2 * Math.log(floor) };
  for (let phi = 0; phi <= HIGHEST_PHI; phi += 0.01) {
    const rests = logs.map((log, place) => log - Math.log(1 - phi ** (lags[place] ?? 1)));
    const weights = lags.map((lag) => 1 / lag);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const level = rests.reduce((sum, rest, place) => sum + rest * (weights[place] ?? 0), 0) / total;
    const misfit = rests.reduce((sum, rest, place) => sum + (weights[place] ?? 0) * (rest - level) ** 2, 0);
    if (misfit < best.misfit) best = { phi, misfit, level };
  }
  return { phi: best.phi, sigma: Math.max(floor, Math.sqrt(Math.exp(best.level) * (1 - best.phi ** 2))) };
}

/** Shortest blocks whose sums are looked at, and how many blocks it takes. */
const SHORTEST_BLOCK = 6;
const LEAST_BLOCKS = 12;
/** Standard errors by which the variance of sums may exceed what it should be before it counts. */
const MARGIN = 1;

/**
 * The factor by which the variance of sums of neighbouring innovations exceeds that of independent ones, at the block length where it is
 * largest; 1 where the noise is as the model has it. It is larger where days have a level of their own, or where two kinds of noise mix;
 * the threshold of a level grows with it (the variance ratio of Lo and MacKinlay 1988, cut for outliers).
 */
export function slowVariance(innovations: Float64Array, sigma: number): number {
  let most = 1;
  for (let length = SHORTEST_BLOCK; length * LEAST_BLOCKS <= innovations.length; length *= 2) {
    const squares: number[] = [];
    // Blocks overlap by half, which makes the most of a short series.
    for (let from = 0; from + length <= innovations.length; from += length / 2) {
      let sum = 0;
      for (let index = from; index < from + length; index += 1) sum += innovations[index] ?? 0;
      squares.push((sum * sum) / (length * sigma * sigma));
    }
    most = Math.max(most, cutMean(squares) / (1 + MARGIN * Math.sqrt((2 * length) / innovations.length)));
  }
  return most;
}

/** How far innovations are from a normal distribution; both are 0 for one, and no innovation counts for more than 5 standard deviations. */
export interface Tails {
  readonly skewness: number;
  /** Beyond that of a normal distribution; never negative. */
  readonly kurtosis: number;
}

const WIDEST = 5;

/** Skewness and kurtosis of the innovations, each cut off at a width so that single ones do not decide; 0 where there is no scatter. */
export function tailsOf(innovations: Float64Array): Tails {
  const n = innovations.length;
  const sigma = Math.sqrt(innovations.reduce((sum, value) => sum + value * value, 0) / n);
  if (sigma === 0) return { skewness: 0, kurtosis: 0 };
  let [cubes, fourths] = [0, 0];
  for (const innovation of innovations) {
    const value = Math.max(-WIDEST, Math.min(WIDEST, innovation / sigma));
    cubes += value ** 3;
    fourths += value ** 4;
  }
  return { skewness: cubes / n, kurtosis: Math.max(0, fourths / n - 3) };
}

/** One element of the course of a level: places count runs from 0; `to` is the first run after a bump; a line runs through all. */
export type Part =
  | { readonly kind: 'step'; readonly from: number }
  | { readonly kind: 'bump'; readonly from: number; readonly to: number }
  | { readonly kind: 'line' };

/** A whitened series: after whitening, deviations are independent with standard deviation `sigma`. */
export interface Frame {
  readonly sigma: number;
  readonly weights: Weights;
  /** The series, whitened. */
  readonly series: Float64Array;
  /** Time of each run in days, centred and whitened. */
  readonly line: Float64Array;
  /** Squares of what is left of a constant, summed from each run to the end. */
  readonly later: Float64Array;
}

/** Scalar products of one whitened vector with the whitened steps at all places; that of a step past the end is 0. */
type StepProducts = Float64Array;

/** The rest of the series once the level and some parts are fitted by generalised least squares. */
export interface Fit {
  readonly frame: Frame;
  readonly rest: StepProducts;
  /** Products of the orthonormal basis of what is fitted. */
  readonly basis: readonly StepProducts[];
  /** The rest itself. */
  readonly residual: Float64Array;
  readonly vectors: readonly Float64Array[];
}

/** A whitened step has the run's own weight at its first run and what is left of a constant after it. */
function stepProducts(vector: Float64Array, { own, kept }: Weights): StepProducts {
  const n = vector.length;
  const products = new Float64Array(n + 1);
  let later = 0;
  for (let place = n - 1; place >= 0; place -= 1) {
    const value = vector[place] ?? 0;
    products[place] = (own[place] ?? 0) * value + later;
    later += (kept[place] ?? 0) * value;
  }
  return products;
}

/** The product of two whitened steps, at places from 1 on. */
function stepGram(first: number, second: number, { weights: { own, kept }, later }: Frame): number {
  if (second >= own.length) return 0;
  const weight = own[second] ?? 0;
  return (first === second ? weight : (kept[second] ?? 0)) * weight + (later[second + 1] ?? 0);
}

function columnOf(part: Part, { weights: { own, kept }, line }: Frame): Float64Array {
  if (part.kind === 'line') return line;
  const column = new Float64Array(own.length);
  const to = part.kind === 'bump' ? part.to : own.length;
  column.set(kept.subarray(part.from, to), part.from);
  column[part.from] = own[part.from] ?? 0;
  if (to < own.length) column[to] = (kept[to] ?? 0) - (own[to] ?? 0);
  return column;
}

/** Fits a level and the parts; the order of the parts does not matter. */
export function fitParts(frame: Frame, parts: readonly Part[]): Fit {
  const { weights, series } = frame;
  const vectors: Float64Array[] = [];
  const residual = series.slice();
  for (const column of [weights.kept, ...parts.map((part) => columnOf(part, frame))]) {
    const vector = column.slice();
    for (const other of vectors) subtract(vector, other, dot(vector, other));
    const length = Math.sqrt(dot(vector, vector));
    if (length < 1e-9) continue;
    subtract(vector, vector, 1 - 1 / length);
    subtract(residual, vector, dot(residual, vector));
    vectors.push(vector);
  }
  let rest: StepProducts | undefined;
  let basis: StepProducts[] | undefined;
  // Many a fit is asked for its residual alone.
  return {
    frame,
    residual,
    vectors,
    get rest() {
      return (rest ??= stepProducts(residual, weights));
    },
    get basis() {
      return (basis ??= vectors.map((vector) => stepProducts(vector, weights)));
    },
  };
}

/** The square of the standard score that a step at `from`, undone at `to` (the length of the series: never), would have on top of a fit. */
export function gainOf({ frame, rest, basis }: Fit, from: number, to: number): number {
  let own = stepGram(from, from, frame) + stepGram(to, to, frame) - 2 * stepGram(from, to, frame);
  const whole = own;
  for (const products of basis) own -= ((products[from] ?? 0) - (products[to] ?? 0)) ** 2;
  // A part that the others can make up says nothing new.
  if (own < 1e-6 * whole) return 0;
  return ((rest[from] ?? 0) - (rest[to] ?? 0)) ** 2 / (own * frame.sigma * frame.sigma);
}

/** The same of the line. */
export function gainOfLine({ frame, residual, vectors }: Fit): number {
  const { line, sigma } = frame;
  const whole = dot(line, line);
  const own = vectors.reduce((sum, vector) => sum - dot(line, vector) ** 2, whole);
  return own < 1e-6 * whole ? 0 : dot(line, residual) ** 2 / (own * sigma * sigma);
}

/** How the score of a part on top of a fit is made up of the runs: its sign, and how much of their skewness and kurtosis is left in it. */
export function makeUpOf({ frame, residual, vectors }: Fit, part: Part): { sign: number; ofSkewness: number; ofKurtosis: number } {
  const own = columnOf(part, frame).slice();
  for (const other of vectors) subtract(own, other, dot(own, other));
  let [squares, cubes, fourths] = [0, 0, 0];
  for (const weight of own) {
    squares += weight * weight;
    cubes += weight ** 3;
    fourths += weight ** 4;
  }
  if (squares === 0) return { sign: 1, ofSkewness: 0, ofKurtosis: 0 };
  return { sign: Math.sign(dot(own, residual)) || 1, ofSkewness: cubes / squares ** 1.5, ofKurtosis: fourths / squares ** 2 };
}

/** Heights of the parts on the log scale, in their order, by generalised least squares; the level of runs without any comes first. */
export function heightsOf(frame: Frame, parts: readonly Part[]): number[] {
  const columns = [frame.weights.kept, ...parts.map((part) => columnOf(part, frame))];
  const inverse = inverseOf(columns.map((column) => Float64Array.from(columns, (other) => dot(column, other))));
  const right = columns.map((column) => dot(column, frame.series));
  return inverse.map((row) => row.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0));
}
