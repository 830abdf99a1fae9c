import { quantile } from 'simple-statistics';

/** How runs scatter around their level: autoregressive noise of first order. */
export interface Noise {
  /** Correlation of a run's deviation with that of the run before, 0 to 0.97. */
  readonly phi: number;
  /** Standard deviation of what each run adds of its own, log scale. */
  readonly sigma: number;
}

export const HIGHEST_PHI = 0.97;
/** Lags of the differences from which the noise is estimated: short ones, of which a shift of level touches few. */
const LAGS = [1, 2, 3, 4, 5];
/** Where differences are cut, in standard deviations, and the share of a normal variance that is left. */
const CUT = 2.5;
const LEFT_BY_CUT = 0.9776;

/** Half the mean square of the differences at a lag, cut so that shifts of level count no more than other large differences. */
function semivariance(x: Float64Array, lag: number): number {
  const squares: number[] = [];
  for (let index = lag; index < x.length; index += 1) squares.push(((x[index] ?? 0) - (x[index - lag] ?? 0)) ** 2);
  const limit = (CUT * 1.4826) ** 2 * quantile(squares, 0.5);
  let sum = 0;
  for (const square of squares) sum += Math.min(square, limit);
  return sum / (2 * LEFT_BY_CUT * squares.length);
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

/** How whitening treats each run: `own` is its weight, `kept` what is left of a constant at it. */
export interface Weights {
  readonly own: Float64Array;
  readonly kept: Float64Array;
}

/**
 * The weights of exact AR(1) likelihood with gaps: a run `gap` places after the one before is foretold by φ to the power of the gap,
 * and is the surer the nearer that is. The gap of the first run is not read.
 */
export function weightsOf(gaps: Float64Array, phi: number): Weights {
  const own = new Float64Array(gaps.length).fill(1);
  const kept = new Float64Array(gaps.length).fill(1 - phi);
  own[0] = Math.sqrt(1 - phi * phi);
  kept[0] = own[0];
  for (let index = 1; index < gaps.length; index += 1) {
    const gap = gaps[index] ?? 1;
    if (gap === 1) continue;
    const rho = phi ** gap;
    own[index] = Math.sqrt((1 - phi * phi) / (1 - rho * rho));
    kept[index] = (own[index] ?? 1) * (1 - rho);
  }
  return { own, kept };
}

/** Takes out of each value what the one before foretells of it. */
export function whiten(x: Float64Array, { own, kept }: Weights): Float64Array {
  const whitened = new Float64Array(x.length);
  let before = 0;
  for (let index = 0; index < x.length; index += 1) {
    const [value, weight] = [x[index] ?? 0, own[index] ?? 0];
    whitened[index] = weight * value - (weight - (kept[index] ?? 0)) * before;
    before = value;
  }
  return whitened;
}

/** Shortest blocks whose sums are looked at, and how many blocks it takes. */
const SHORTEST_BLOCK = 6;
const LEAST_BLOCKS = 12;
/** Standard errors by which the variance of sums may exceed what it should be before it counts. */
const MARGIN = 1;

/**
 * How many times the variance of sums of neighbouring innovations exceeds that of independent ones, at the length of block at which it
 * does so most; 1 where the noise is as the model has it. It is larger where days have a level of their own, or where two kinds of
 * noise mix; what a level costs to be told from noise grows with it (the variance ratio of Lo and MacKinlay 1988, cut for outliers).
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
    const limit = (CUT * 1.4826) ** 2 * quantile(squares, 0.5);
    const ratio = squares.reduce((sum, square) => sum + Math.min(square, limit), 0) / (LEFT_BY_CUT * squares.length);
    most = Math.max(most, ratio / (1 + MARGIN * Math.sqrt((2 * length) / innovations.length)));
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
