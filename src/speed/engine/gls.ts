import { grouped } from '../../lib/grouped.ts';
import { nthDouble, nthPlace } from '../../lib/nth.ts';
import { eliminate, leastSquares } from '../../statistics/elimination.ts';
import { dot, orthonormalise, project } from '../../statistics/vectors.ts';
import { type Weights, weightsOf, whiten } from '../../statistics/whitening.ts';

/** How runs scatter around their level: autoregressive noise of first order. */
export interface Noise {
  /** Correlation of a run's deviation with that of the run before, 0 to 0.97. */
  readonly phi: number;
  /** Standard deviation of what each run adds of its own, log scale. */
  readonly sigma: number;
}

/** Highest autocorrelation that is estimated: above it a level and noise look alike. */
const HIGHEST_PHI = 0.97;

/** One element of the course of a level: places count runs, `to` is the first run after it; a step lasts to the end, a line is all. */
export interface Part {
  readonly kind: 'step' | 'bump' | 'line';
  readonly from: number;
  readonly to: number;
}

/** A series freed of its cycle. */
export interface Runs {
  readonly x: Float64Array;
  /** Time of each run, centred. */
  readonly days: Float64Array;
  /** Distance of each run from the one before, in units of the usual one. */
  readonly gaps: Float64Array;
  /** Least standard deviation, log scale. */
  readonly floor: number;
}

/**
 * A whitened series and line: after whitening, deviations are independent with standard deviation `sigma`. `squares` and `products` are the
 * product of the whitened step at each place with itself, and with any earlier one; that of a step past the end is 0.
 */
export type Frame = ReturnType<typeof frameOf>;

/** Whitens a series. */
export function frameOf(runs: Runs, { phi, sigma }: Noise) {
  const weights = weightsOf(runs.gaps, phi);
  const { own, kept } = weights;
  const products = stepProducts(kept, weights);
  const squares = products.slice();
  for (let place = 0; place < own.length; place += 1) {
    const weight = nthDouble(own, place);
    squares[place] = nthDouble(products, place) + weight * (weight - nthDouble(kept, place));
  }
  return { runs, sigma, weights, series: whiten(runs.x, weights), line: whiten(runs.days, weights), squares, products };
}

/** The columns of a level and some parts. */
function columnsOf({ x, days }: Runs, parts: readonly Part[]): Float64Array[] {
  const level = new Float64Array(x.length).fill(1);
  return [level, ...parts.map(({ kind, from, to }) => (kind === 'line' ? days : new Float64Array(x.length).fill(1, from, to)))];
}

const whitened = ({ runs, weights }: Frame, parts: readonly Part[]) => columnsOf(runs, parts).map((column) => whiten(column, weights));

/** A whitened step has the run's own weight at its first run and what is left of a constant after it. */
function stepProducts(vector: Float64Array, { own, kept }: Weights): Float64Array {
  const products = new Float64Array(vector.length + 1);
  let later = 0;
  for (let place = vector.length - 1; place >= 0; place -= 1) {
    const value = nthDouble(vector, place);
    products[place] = nthDouble(own, place) * value + later;
    later += nthDouble(kept, place) * value;
  }
  return products;
}

/** The rest of the series once the level and some parts are fitted by generalised least squares, with a basis of what is fitted. */
type Fit = ReturnType<typeof fitParts>;

/** Fits a level and the parts; the order of the parts does not matter. */
export function fitParts(frame: Frame, parts: readonly Part[]) {
  const vectors = orthonormalise(whitened(frame, parts));
  return { frame, residual: project(frame.series.slice(), vectors), vectors };
}

/**
 * A fit on top of which steps and bumps are looked for, with the scalar products of the rest, and of the basis, with the whitened steps at
 * all places; that of a step past the end is 0.
 */
type Search = ReturnType<typeof searchOn>;

/** Prepares a search on top of some parts. */
export function searchOn(frame: Frame, parts: readonly Part[]) {
  const fit = fitParts(frame, parts);
  const basis = fit.vectors.map((vector) => stepProducts(vector, frame.weights));
  return { fit, rest: stepProducts(fit.residual, frame.weights), basis };
}

/** The square of the standard score that a step at `from`, undone at `to` (the length of the series: never), would have on top of a fit. */
export function gainOf({ fit: { frame }, rest, basis }: Search, from: number, to: number): number {
  const { squares, products, sigma } = frame;
  const whole = nthDouble(squares, from) + nthDouble(squares, to) - 2 * nthDouble(products, to);
  let own = whole;
  for (let index = 0; index < basis.length; index += 1) {
    const vector = basis[index] ?? rest;
    const product = nthDouble(vector, from) - nthDouble(vector, to);
    own -= product * product;
  }
  // A part that the others can make up says nothing new.
  return own < 1e-6 * whole ? 0 : (nthDouble(rest, from) - nthDouble(rest, to)) ** 2 / (own * sigma * sigma);
}

/** The same of the line. */
export function gainOfLine({ frame: { line, sigma }, residual, vectors }: Fit): number {
  const whole = dot(line, line);
  const own = vectors.reduce((sum, vector) => sum - dot(line, vector) ** 2, whole);
  return own < 1e-6 * whole ? 0 : dot(line, residual) ** 2 / (own * sigma * sigma);
}

/** Heights of the parts on the log scale, in their order, by generalised least squares; the level of runs without any comes first. */
export const heightsOf = (frame: Frame, parts: readonly Part[]) => leastSquares(whitened(frame, parts), frame.series).heights;

/** Parts with the noise that makes them likeliest, and −2 × the logarithm of the likelihood, up to a constant. */
type Likelihood = ReturnType<typeof likelihoodOf>;

const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** The golden section leaves 0.97 × 0.618¹² = 0.003 of the range, far below the standard error of an autocorrelation. */
const ROUNDS = 12;

/** Sums of products of pairs of columns, of their lower half, over the runs that follow another at one distance. */
interface GapSums {
  readonly gap: number;
  readonly runs: number;
  /** Three for each pair: of both runs, of the later with the earlier and the reverse, and of the earlier alone. */
  readonly sums: Float64Array;
}

function pairSums(sums: Float64Array, cell: number, a: Float64Array, b: Float64Array, places: Int32Array): void {
  let [ofBoth, crossed, ofEarlier] = [0, 0, 0];
  for (let index = 0; index < places.length; index += 1) {
    const place = nthPlace(places, index);
    const past = place > 0 ? place - 1 : 0;
    const one = nthDouble(a, place);
    const other = nthDouble(b, place);
    const pastOne = nthDouble(a, past);
    const pastOther = nthDouble(b, past);
    ofBoth += one * other;
    crossed += one * pastOther + pastOne * other;
    ofEarlier += pastOne * pastOther;
  }
  sums[cell] = ofBoth;
  sums[cell + 1] = crossed;
  sums[cell + 2] = ofEarlier;
}

/** All that the likelihood depends on, whatever the autocorrelation. Nothing foretells the first run. */
function sumsOf(columns: readonly Float64Array[], gaps: Float64Array): GapSums[] {
  // Almost all runs have the usual distance.
  const usual = new Int32Array(gaps.length);
  let count = 0;
  const others: number[] = [];
  for (let run = 1; run < gaps.length; run += 1) {
    if (gaps[run] === 1) {
      usual[count] = run;
      count += 1;
    } else others.push(run);
  }
  function sumsAt(gap: number, places: Int32Array): GapSums {
    const sums = new Float64Array(3 * ((columns.length * (columns.length + 1)) / 2));
    let cell = 0;
    for (const [row, a] of columns.entries())
      for (let column = 0; column <= row; column += 1, cell += 3) pairSums(sums, cell, a, columns[column] ?? a, places);
    return { gap, runs: places.length, sums };
  }
  const byGap = grouped(others, (run) => nthDouble(gaps, run));
  return [
    sumsAt(Number.POSITIVE_INFINITY, new Int32Array(1)),
    sumsAt(1, usual.subarray(0, count)),
    ...Array.from(byGap, ([gap, own]) => sumsAt(gap, Int32Array.from(own))),
  ];
}

/**
 * The autocorrelation by restricted maximum likelihood (Patterson and Thompson 1971), which takes into account what the levels have
 * been fitted to, and the likelihood at it.
 */
export function likelihoodOf(runs: Runs, parts: readonly Part[], highestPhi = HIGHEST_PHI) {
  const columns = [...columnsOf(runs, parts), runs.x];
  const n = runs.x.length;
  const byGap = sumsOf(columns, runs.gaps);
  const [least, free] = [runs.floor ** 2, Math.max(1, n - columns.length + 1)];
  const gram = columns.map((_, row) => new Float64Array(row + 1));
  const at = (phi: number) => {
    let ofWeights = 0;
    for (const line of gram) line.fill(0);
    for (const { gap, runs: many, sums } of byGap) {
      const rho = phi ** gap;
      const weight = (1 - phi * phi) / (1 - rho * rho);
      ofWeights -= many * Math.log(weight);
      let cell = 0;
      for (const line of gram)
        for (let column = 0; column < line.length; column += 1, cell += 3)
          line[column] =
            nthDouble(line, column) +
            weight * (nthDouble(sums, cell) - rho * nthDouble(sums, cell + 1) + rho * rho * nthDouble(sums, cell + 2));
    }
    const logDeterminant = eliminate(gram);
    const squares = Math.max(0, gram.at(-1)?.at(-1) ?? 0);
    return {
      phi,
      squares,
      restricted: free * Math.log(Math.max(least, squares / free)) + logDeterminant + ofWeights,
      deviance: n * Math.log(Math.max(least, squares / n)) + ofWeights,
    };
  };
  let [low, high] = [0, Math.min(HIGHEST_PHI, highestPhi)];
  let [left, right] = [at(high - GOLDEN * (high - low)), at(low + GOLDEN * (high - low))];
  for (let round = 0; round < ROUNDS; round += 1) {
    if (left.restricted < right.restricted) {
      high = right.phi;
      right = left;
      left = at(high - GOLDEN * (high - low));
    } else {
      low = left.phi;
      left = right;
      right = at(low + GOLDEN * (high - low));
    }
  }
  const { phi, squares, deviance } = left.restricted < right.restricted ? left : right;
  return { noise: { phi, sigma: Math.sqrt(Math.max(least, squares / free)) }, deviance };
}

/**
 * By how much a part lowers the deviance. Without it the autocorrelation is estimated anew, because slow waves and changes of level
 * explain each other, but no higher than the series with the part leaves possible: a confidence set for the nuisance parameter, as in
 * Berger and Boos (1994).
 */
export function gainOfPart(runs: Runs, parts: readonly Part[], part: Part, whole: Likelihood) {
  const { phi } = whole.noise;
  const n = runs.x.length;
  const others = parts.filter((other) => other !== part);
  // Standard errors that the autocorrelation may be higher by: three in long series, more where it is known badly.
  const errors = Math.max(3, 300 / n);
  const without = likelihoodOf(runs, others, phi + errors * Math.sqrt((1 - phi * phi) / n));
  return { gain: without.deviance - whole.deviance, phi: without.noise.phi };
}
