import { median, ranksOf } from './order.ts';

/** The first value after a shift of level, and how sure it is. */
export interface ChangePoint {
  readonly index: number;
  /** Standardised rank sum of what lies before, within its segment; negative where the values rise. */
  readonly z: number;
}

/** The split of a series at which the rank sums of both parts differ most, measured in standard deviations. */
function strongestSplit(values: readonly number[], shortest: number): ChangePoint | undefined {
  const n = values.length;
  const ranks = ranksOf(values);
  let best: ChangePoint | undefined;
  let sum = 0;
  for (let index = 1; index <= n - shortest; index += 1) {
    sum += ranks[index - 1] ?? 0;
    if (index < shortest) continue;
    const z = (sum - (index * (n + 1)) / 2) / Math.sqrt((index * (n - index) * (n + 1)) / 12);
    if (!best || Math.abs(z) > Math.abs(best.z)) best = { index, z };
  }
  return best;
}

/** Moves a split to where the absolute deviations from the medians of both parts are least: ranks alone may miss it by some runs. */
function refineSplit(values: readonly number[], index: number, shortest: number): number {
  const [before, after] = [median(values.slice(0, index)), median(values.slice(index))];
  let [best, bestCost, cost] = [index, 0, 0];
  const visit = (at: number) => {
    if (cost >= bestCost) return;
    bestCost = cost;
    best = at;
  };
  const gain = (at: number) => Math.abs((values[at] ?? 0) - before) - Math.abs((values[at] ?? 0) - after);
  for (let at = index; at < values.length - shortest; at += 1) {
    cost += gain(at);
    visit(at + 1);
  }
  cost = 0;
  for (let at = index - 1; at >= shortest; at -= 1) {
    cost -= gain(at);
    visit(at);
  }
  return best;
}

interface Search {
  /** A split counts from this standardised rank sum on. */
  readonly leastZ: number;
  /** Values that a level must last for. */
  readonly shortest: number;
}

/**
 * The shifts of level in a series, in order. Binary segmentation (Scott and Knott 1974; Vostrikova 1981) with the largest
 * standardised Mann–Whitney statistic as the criterion (Pettitt 1979; Hawkins and Deng 2010), which asks for no distribution
 * and lets single outliers count no more than their rank.
 */
export function changePoints(values: readonly number[], { leastZ, shortest }: Search): ChangePoint[] {
  const found: ChangePoint[] = [];
  function search(from: number, to: number): void {
    if (to - from < 2 * shortest) return;
    const segment = values.slice(from, to);
    const split = strongestSplit(segment, shortest);
    if (!split || Math.abs(split.z) < leastZ) return;
    const index = from + refineSplit(segment, split.index, shortest);
    search(from, index);
    found.push({ index, z: split.z });
    search(index, to);
  }
  search(0, values.length);
  return found;
}

/** Lag-1 autocorrelation of a series about the medians of its segments, so that a shift of level is not taken for one. */
function autocorrelation(series: readonly number[], cuts: readonly number[]): number {
  const bounds = [0, ...cuts, series.length];
  const residuals = bounds.slice(1).flatMap((to, place) => {
    const segment = series.slice(bounds[place], to);
    const middle = median(segment);
    return segment.map((value) => value - middle);
  });
  let [products, squares] = [0, 0];
  for (const [index, residual] of residuals.entries()) {
    squares += residual ** 2;
    products += residual * (residuals[index - 1] ?? 0);
  }
  return squares > 0 ? products / squares : 0;
}

/** Shorter series say too little of their autocorrelation for a correction. */
const LEAST_FOR_BIAS = 20;

/**
 * How many times the variance of a rank sum grows because neighbouring values resemble each other: (1 + r) / (1 − r) for a
 * series of lag-1 autocorrelation r (Yue and Wang 2002 for this test), with r freed of the bias that short series give it
 * (Kendall 1954); 1 where r is not above 0.
 */
export function varianceInflation(series: readonly number[], cuts: readonly number[]): number {
  const n = series.length;
  const raw = autocorrelation(series, cuts);
  const r = Math.min(0.9, Math.max(0, n < LEAST_FOR_BIAS ? raw : (n * raw + 1) / (n - 4)));
  return (1 + r) / (1 - r);
}
