import { nthDouble } from '../../lib/nth.ts';
import { meanOf, median } from '../../statistics/order.ts';
import { MAD_TO_SD } from '../../statistics/robust-scale.ts';
import { dot } from '../../statistics/vectors.ts';

/** Where values are cut, in standard deviations, and the share of a normal variance that is left. */
const CUT = 2.5;
const LEFT_BY_CUT = 0.9776;

/** The mean of squares, each cut, so that shifts of level count no more than other large ones. */
export function cutMean(squares: readonly number[]): number {
  const limit = (CUT * MAD_TO_SD) ** 2 * median(squares);
  return meanOf(squares.map((square) => Math.min(square, limit))) / LEFT_BY_CUT;
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
      for (let index = from; index < from + length; index += 1) sum += nthDouble(innovations, index);
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
  const sigma = Math.sqrt(dot(innovations, innovations) / innovations.length);
  const cubes = innovations.reduce((sum, value) => sum + Math.max(-WIDEST, Math.min(WIDEST, value / sigma)) ** 3, 0);
  return sigma > 0 ? cubes / innovations.length : 0;
}
