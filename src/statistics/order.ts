import { sampleCorrelation, sampleVariance } from 'simple-statistics';
import { Z_95 } from './tails.ts';

/** The mean; NaN where there is none. */
export const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The values in ascending order; typed, because that sorts several times faster. */
export function ascending(values: ArrayLike<number>): Float64Array {
  const sorted = new Float64Array(values);
  sorted.sort();
  return sorted;
}

/** The value that a share of the sorted values does not exceed, interpolated between neighbours; NaN where there is none. */
export function quantile(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return low + (high - low) * (at - Math.floor(at));
}

/** The middle value; NaN where there is none. */
export function median(values: ArrayLike<number>): number {
  return quantile(ascending(values), 0.5);
}

/** Share of the values at either end that do not count in a trimmed mean. */
const TRIMMED = 0.2;

/**
 * The mean without the lowest and the highest fifth of the values, with its variance and degrees of freedom (Yuen 1974): one week of a
 * campaign is no pattern. `inward` has all values in turn, those left out moved to the nearest that counts.
 */
export function trimmedMean(values: readonly number[]) {
  const cut = Math.floor(TRIMMED * values.length);
  const sorted = ascending(values);
  const left = sorted.subarray(cut, sorted.length - cut);
  const [low = Number.NaN, high = Number.NaN] = [left[0], left.at(-1)];
  const inward = values.map((value) => Math.min(high, Math.max(low, value)));
  const freedom = left.length - 1;
  const squares = sampleVariance(inward) * (values.length - 1);
  return { middle: meanOf(Array.from(left)), variance: squares / left.length / freedom, freedom, inward };
}

/** Fewer values say nothing of how much neighbours resemble each other. */
const LEAST_FOR_CORRELATION = 15;

/** How many times the variance of a middle grows because neighbours resemble each other; 1 where they do not, or are too few. */
export function varianceInflation(values: readonly number[]): number {
  if (values.length < LEAST_FOR_CORRELATION) return 1;
  const correlation = sampleCorrelation(values.slice(1), values.slice(0, -1));
  const r = Number.isFinite(correlation) ? Math.min(0.9, Math.max(0, correlation)) : 0;
  return (1 + r) / (1 - r);
}

/** The median of values in the order of time with the 95 % interval of its order statistics. */
export function medianWithin(values: readonly number[]): { middle: number; low: number; high: number } {
  const sorted = ascending(values);
  const half = (Z_95 / 2) * Math.sqrt(varianceInflation(values) / values.length);
  const at = (share: number) => quantile(sorted, Math.min(1, Math.max(0, share)));
  return { middle: at(0.5), low: at(0.5 - half), high: at(0.5 + half) };
}
