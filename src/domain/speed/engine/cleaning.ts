import { gammaln, quantile } from 'simple-statistics';
import { minus, pick } from './vectors.ts';

/** Turns a median absolute deviation into the standard deviation of a normal distribution. */
const MAD_TO_SD = 1.4826;
/** Runs on each side that a run is held against: a day of hourly runs for outliers that come in clusters, fewer for those that hide in slow waves. */
const REACHES = [12, 6, 3];
/** Deviations from the neighbours, in standard deviations, from which a run is an outlier. */
const OUTLIER = 3;
/** Share of runs up to which they may be outliers. */
const MOST_OUTLIERS = 0.15;
/** Outliers that crowd more than chance does in this share of series are no outliers, but a level of their own. */
const CROWDED = 0.003;
/** A level needs no more outliers than this to be told from a crowd. */
const LONGEST_CROWD = 12;

/** The middle of the neighbourhood of each value, itself included; cut off at the ends. */
function runningMedian(x: Float64Array, reach: number): Float64Array {
  const n = x.length;
  const medians = new Float64Array(n);
  // In order; typed loops, because calls cost more than moving a dozen numbers.
  const window = new Float64Array(2 * reach + 2);
  let size = 0;
  for (let index = -reach; index < n; index += 1) {
    if (index + reach < n) {
      const value = x[index + reach] ?? 0;
      let place = size;
      for (; place > 0 && (window[place - 1] ?? 0) > value; place -= 1) window[place] = window[place - 1] ?? 0;
      window[place] = value;
      size += 1;
    }
    if (index > reach) {
      const value = x[index - reach - 1] ?? 0;
      let place = 0;
      while (place < size - 1 && (window[place] ?? 0) !== value) place += 1;
      size -= 1;
      for (; place < size; place += 1) window[place] = window[place + 1] ?? 0;
    }
    if (index < 0) continue;
    const half = size >> 1;
    medians[index] = size % 2 === 1 ? (window[half] ?? 0) : ((window[half - 1] ?? 0) + (window[half] ?? 0)) / 2;
  }
  return medians;
}

/** Robust standard deviation of values that lie around 0; those at 0, which are medians themselves, say nothing. */
function scaleAroundZero(values: Float64Array): number {
  const sizes: number[] = [];
  for (const value of values) if (value !== 0) sizes.push(Math.abs(value));
  return sizes.length === 0 ? 0 : MAD_TO_SD * quantile(sizes, 0.5);
}

/** Which of the flagged runs do not crowd together: where they do, chance would not put as many among so few neighbours anywhere in the series. */
function alone(flagged: readonly number[], n: number): number[] {
  const crowd = new Set<number>();
  const logShare = Math.log((flagged.length + 1) / (n + 1));
  for (let first = 0; first < flagged.length; first += 1) {
    for (let count = 2; count <= LONGEST_CROWD && first + count <= flagged.length; count += 1) {
      const length = (flagged[first + count - 1] ?? 0) - (flagged[first] ?? 0) + 1;
      const logChoices = gammaln(length + 1) - gammaln(count + 1) - gammaln(length - count + 1);
      if (Math.log(n) + logChoices + count * logShare > Math.log(CROWDED)) continue;
      for (let member = first; member < first + count; member += 1) crowd.add(flagged[member] ?? 0);
    }
  }
  return flagged.filter((index) => !crowd.has(index));
}

/**
 * Places of the values that are no outliers, by the Hampel identifier (Hampel 1974; Pearson 2002) at three widths. A shift of level
 * is none: once more slow runs stand together than outliers do by chance, they are kept. `floor` is the least standard deviation.
 */
export function usualRuns(x: Float64Array, floor: number): Int32Array {
  let places = Int32Array.from(x.keys());
  for (const reach of REACHES) {
    const values = pick(x, places);
    const deviations = minus(values, runningMedian(values, reach));
    const limit = OUTLIER * Math.max(floor, scaleAroundZero(deviations));
    const [above, below]: [number[], number[]] = [[], []];
    for (const [index, deviation] of deviations.entries())
      if (deviation > limit) above.push(index);
      else if (deviation < -limit) below.push(index);
    const dropped = new Set([...alone(above, values.length), ...alone(below, values.length)]);
    if (dropped.size > 0) places = places.filter((_, index) => !dropped.has(index));
  }
  // What so many runs do is no exception: then all count, and the scatter is as wide as they make it.
  return places.length < (1 - MOST_OUTLIERS) * x.length ? Int32Array.from(x.keys()) : places;
}
