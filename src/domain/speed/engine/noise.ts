import { quantile } from 'simple-statistics';
import { MAD_TO_SD } from '../../statistics/robust-scale.ts';
import { HIGHEST_PHI, type Noise } from './gls.ts';

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

/** Innovations that are further off, in standard deviations, count as if they were as far: single ones do not decide. */
const WIDEST = 5;

/** How lopsided innovations are; 0 for a normal distribution, and where there is no scatter. */
export function skewnessOf(innovations: Float64Array): number {
  const sigma = Math.sqrt(innovations.reduce((sum, value) => sum + value * value, 0) / innovations.length);
  const cubes = innovations.reduce((sum, value) => sum + Math.max(-WIDEST, Math.min(WIDEST, value / sigma)) ** 3, 0);
  return sigma > 0 ? cubes / innovations.length : 0;
}
