import { nth, nthDouble } from '../../../lib/nth.ts';
import { eliminate, inverseOf } from '../../../statistics/elimination.ts';
import { dot, orthonormalise, project } from '../../../statistics/vectors.ts';
import { type Weights, weightsOf, whiten } from '../../../statistics/whitening.ts';

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

/** A whitened series: after whitening, deviations are independent with standard deviation `sigma`. */
export interface Frame {
  readonly runs: Runs;
  readonly sigma: number;
  readonly weights: Weights;
  /** The series and the line, whitened. */
  readonly series: Float64Array;
  readonly line: Float64Array;
  /** Squares of what is left of a constant, summed from each run to the end. */
  readonly later: Float64Array;
}

/** Whitens a series. */
export function frameOf(runs: Runs, { phi, sigma }: Noise): Frame {
  const weights = weightsOf(runs.gaps, phi);
  const later = new Float64Array(runs.x.length + 2);
  for (let place = runs.x.length - 1; place >= 0; place -= 1)
    later[place] = nthDouble(later, place + 1) + nthDouble(weights.kept, place) ** 2;
  return { runs, sigma, weights, series: whiten(runs.x, weights), line: whiten(runs.days, weights), later };
}

/** The columns of a level and some parts. */
function columnsOf({ x, days }: Runs, parts: readonly Part[]): Float64Array[] {
  const level = new Float64Array(x.length).fill(1);
  return [level, ...parts.map(({ kind, from, to }) => (kind === 'line' ? days : new Float64Array(x.length).fill(1, from, to)))];
}

const whitened = ({ runs, weights }: Frame, parts: readonly Part[]) => columnsOf(runs, parts).map((column) => whiten(column, weights));

/** The rest of the series once the level and some parts are fitted by generalised least squares. */
export interface Fit {
  readonly frame: Frame;
  readonly residual: Float64Array;
  /** An orthonormal basis of what is fitted. */
  readonly vectors: readonly Float64Array[];
  /** Scalar products of the rest, and of the basis, with the whitened steps at all places; that of a step past the end is 0. */
  readonly rest: Float64Array;
  readonly basis: readonly Float64Array[];
}

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

/** The product of two whitened steps, at places from 1 on. */
function stepGram(first: number, second: number, { weights: { own, kept }, later }: Frame): number {
  if (second >= own.length) return 0;
  const weight = nthDouble(own, second);
  return (first === second ? weight : nthDouble(kept, second)) * weight + nthDouble(later, second + 1);
}

/** Fits a level and the parts; the order of the parts does not matter. */
export function fitParts(frame: Frame, parts: readonly Part[]): Fit {
  const vectors = orthonormalise(whitened(frame, parts));
  const residual = project(frame.series.slice(), vectors);
  let rest: Float64Array | undefined;
  let basis: Float64Array[] | undefined;
  // Many a fit is asked for its residual alone.
  return {
    frame,
    residual,
    vectors,
    get rest() {
      return (rest ??= stepProducts(residual, frame.weights));
    },
    get basis() {
      return (basis ??= vectors.map((vector) => stepProducts(vector, frame.weights)));
    },
  };
}

/** The square of the standard score that a step at `from`, undone at `to` (the length of the series: never), would have on top of a fit. */
export function gainOf({ frame, rest, basis }: Fit, from: number, to: number): number {
  let own = stepGram(from, from, frame) + stepGram(to, to, frame) - 2 * stepGram(from, to, frame);
  const whole = own;
  for (const products of basis) own -= (nthDouble(products, from) - nthDouble(products, to)) ** 2;
  // A part that the others can make up says nothing new.
  return own < 1e-6 * whole ? 0 : (nthDouble(rest, from) - nthDouble(rest, to)) ** 2 / (own * frame.sigma * frame.sigma);
}

/** The same of the line. */
export function gainOfLine({ frame: { line, sigma }, residual, vectors }: Fit): number {
  const whole = dot(line, line);
  const own = vectors.reduce((sum, vector) => sum - dot(line, vector) ** 2, whole);
  return own < 1e-6 * whole ? 0 : dot(line, residual) ** 2 / (own * sigma * sigma);
}

/** Heights of the parts on the log scale, in their order, by generalised least squares; the level of runs without any comes first. */
export function heightsOf(frame: Frame, parts: readonly Part[]): number[] {
  const columns = whitened(frame, parts);
  const inverse = inverseOf(columns.map((column) => Float64Array.from(columns, (other) => dot(column, other))));
  const right = columns.map((column) => dot(column, frame.series));
  return inverse.map((row) => row.reduce((sum, value, index) => sum + value * nth(right, index), 0));
}

/** Parts with the noise that makes them likeliest. */
export interface Likelihood {
  readonly noise: Noise;
  /** −2 × the logarithm of the likelihood, up to a constant. */
  readonly deviance: number;
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;
/** The golden section leaves 0.97 × 0.618¹² = 0.003 of the range, far below the standard error of an autocorrelation. */
const ROUNDS = 12;

/** Sums of products of columns, of their lower half, over the runs that follow another at one distance. */
interface GapSums {
  readonly gap: number;
  runs: number;
  /** Of both runs, of the later with the earlier and the reverse, and of the earlier alone. */
  readonly later: Float64Array;
  readonly mixed: Float64Array;
  readonly earlier: Float64Array;
}

/** All that the likelihood depends on, whatever the autocorrelation. Nothing foretells the first run. */
function sumsOf(columns: readonly Float64Array[], gaps: Float64Array): GapSums[] {
  const size = columns.length;
  const byGap = new Map<number, GapSums>();
  const none = () => new Float64Array(size * size);
  const now = new Float64Array(size);
  const before = new Float64Array(size);
  let sums: GapSums | undefined;
  for (let run = 0; run < gaps.length; run += 1) {
    const gap = run === 0 ? Number.POSITIVE_INFINITY : nthDouble(gaps, run);
    // Almost all runs have the usual distance.
    if (sums?.gap !== gap) sums = byGap.get(gap) ?? { gap, runs: 0, later: none(), mixed: none(), earlier: none() };
    if (sums.runs === 0) byGap.set(gap, sums);
    sums.runs += 1;
    const { later, mixed, earlier } = sums;
    before.set(now);
    for (let row = 0; row < size; row += 1) {
      const mine = nthDouble(columns[row] ?? now, run);
      const past = nthDouble(before, row);
      now[row] = mine;
      for (let column = 0, cell = row * size; column <= row; column += 1, cell += 1) {
        const other = nthDouble(now, column);
        const otherPast = nthDouble(before, column);
        later[cell] = nthDouble(later, cell) + mine * other;
        mixed[cell] = nthDouble(mixed, cell) + mine * otherPast + past * other;
        earlier[cell] = nthDouble(earlier, cell) + past * otherPast;
      }
    }
  }
  return [...byGap.values()];
}

/**
 * The autocorrelation by restricted maximum likelihood (Patterson and Thompson 1971), which takes into account what the levels have
 * been fitted to, and the likelihood at it.
 */
export function likelihoodOf(runs: Runs, parts: readonly Part[], highestPhi = HIGHEST_PHI): Likelihood {
  const columns = [...columnsOf(runs, parts), runs.x];
  const n = runs.x.length;
  const [least, free] = [runs.floor ** 2, Math.max(1, n - columns.length + 1)];
  const byGap = sumsOf(columns, runs.gaps);
  const size = columns.length;
  const at = (phi: number) => {
    const gram = columns.map((_, row) => new Float64Array(row + 1));
    let ofWeights = 0;
    for (const { gap, runs: many, later, mixed, earlier } of byGap) {
      const rho = phi ** gap;
      const weight = (1 - phi * phi) / (1 - rho * rho);
      ofWeights -= many * Math.log(weight);
      for (const [row, line] of gram.entries())
        for (let column = 0, cell = row * size; column <= row; column += 1, cell += 1)
          line[column] =
            nthDouble(line, column) +
            weight * (nthDouble(later, cell) - rho * nthDouble(mixed, cell) + rho * rho * nthDouble(earlier, cell));
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

/** Standard errors that the autocorrelation may be higher by: three in long series, more where it is known badly. */
const phiErrors = (runs: number) => Math.max(3, 300 / runs);

/**
 * By how much a part lowers the deviance. Without it the autocorrelation is estimated anew, because slow waves and changes of level
 * explain each other, but no higher than the series with the part leaves possible: a confidence set for the nuisance parameter, as in
 * Berger and Boos (1994).
 */
export function gainOfPart(runs: Runs, parts: readonly Part[], part: Part, whole: Likelihood): { gain: number; phi: number } {
  const { phi } = whole.noise;
  const n = runs.x.length;
  const others = parts.filter((other) => other !== part);
  const without = likelihoodOf(runs, others, phi + phiErrors(n) * Math.sqrt((1 - phi * phi) / n));
  return { gain: without.deviance - whole.deviance, phi: without.noise.phi };
}
