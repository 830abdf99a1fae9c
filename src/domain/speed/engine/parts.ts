import type { Weights } from './noise.ts';
import { dot, inverseOf, subtract } from './vectors.ts';

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

/** What is left of the series once the level and some parts are fitted by generalised least squares. */
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
