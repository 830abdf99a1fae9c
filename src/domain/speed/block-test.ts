import { errorFunction, mean } from 'simple-statistics';
import { DAY_MS, HOUR_MS } from '../../lib/clock.ts';
import { varianceInflation } from './change-point.ts';
import { median, ranksOf } from './order.ts';
import type { Series, Window } from './runs.ts';

/** The values of 24 hours. */
export interface Block {
  readonly startMs: number;
  readonly values: readonly number[];
}

/** Values by the 24 hours that are counted from `originMs` on, forward and back; days without a run are left out. */
export function dailyBlocks({ dates, values }: Series, originMs: number): Block[] {
  const blocks: { startMs: number; values: number[] }[] = [];
  for (const [index, value] of values.entries()) {
    const startMs = originMs + Math.floor(((dates[index] ?? 0) - originMs) / DAY_MS) * DAY_MS;
    const last = blocks.at(-1);
    if (last?.startMs === startMs) last.values.push(value);
    else blocks.push({ startMs, values: [value] });
  }
  return blocks;
}

/**
 * The days that may stand for a day: those that lie in the window as a whole and have at least half as many runs as usual.
 * A window shorter than a day is one.
 */
function fullBlocks(blocks: readonly Block[], { startMs, endMs }: Window): Block[] {
  if (endMs - startMs < DAY_MS - 1) return [...blocks];
  const whole = blocks.filter((block) => block.startMs >= startMs && block.startMs + DAY_MS <= endMs + 1);
  if (whole.length === 0) return [];
  const usual = median(whole.map(({ values }) => values.length));
  return whole.filter(({ values }) => values.length >= usual / 2);
}

/** One value for each 24 hours from the first block to the last; null where nothing ran. */
export function dailyMedians(blocks: readonly Block[]): (number | null)[] {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (!first || !last) return [];
  const days = Math.round((last.startMs - first.startMs) / DAY_MS) + 1;
  const medians: (number | null)[] = Array.from({ length: days }, () => null);
  for (const block of blocks) medians[Math.round((block.startMs - first.startMs) / DAY_MS)] = median(block.values);
  return medians;
}

/** Runs at those times of day, to the hour, at which the other series has any: so that a morning is compared with mornings. */
export function atSameHours({ dates, values }: Series, other: Series): Series {
  const hourOf = (date: number) => Math.floor((date % DAY_MS) / HOUR_MS);
  const hours = new Set(other.dates.map(hourOf));
  const same = (_: number, index: number) => hours.has(hourOf(dates[index] ?? 0));
  return { dates: dates.filter(same), values: values.filter(same) };
}

interface Split {
  readonly index: number;
  readonly t: number;
}

/** The split of a series whose two means lie farthest apart, measured by Student's t. */
function widestSplit(values: readonly number[], shortest: number): Split | undefined {
  const n = values.length;
  const total = values.reduce((sum, value) => sum + value, 0);
  const level = total / n;
  const squares = values.reduce((sum, value) => sum + (value - level) ** 2, 0);
  let best: Split | undefined;
  let sum = 0;
  for (let index = 1; index <= n - shortest; index += 1) {
    sum += (values[index - 1] ?? 0) - level;
    if (index < shortest) continue;
    const between = (sum * sum * n) / (index * (n - index));
    const t = Math.sqrt((between * (n - 2)) / Math.max(squares - between, Number.MIN_VALUE));
    if (!best || t > best.t) best = { index, t };
  }
  return best;
}

/**
 * Where the mean of a series shifts by far more than it scatters, in order: binary segmentation by least squares (Scott and
 * Knott 1974). For short series, in which ranks cannot distinguish a step from a drift.
 */
export function meanShifts(values: readonly number[], { leastT, shortest }: { leastT: number; shortest: number }): number[] {
  const split = values.length >= 2 * shortest ? widestSplit(values, shortest) : undefined;
  if (!split || split.t < leastT) return [];
  const { index } = split;
  const options = { leastT, shortest };
  return [...meanShifts(values.slice(0, index), options), index, ...meanShifts(values.slice(index), options).map((at) => index + at)];
}

/** Days that at least one side needs, so that their scatter is known. */
const LEAST_DAYS = 5;
/** Steps among days: no 40 equal days reach this, nor do days that drift a little. */
const STEPS = { leastT: 7, shortest: 2 };

/** Mean ranks of the whole days of a window. */
function scoresOf(ranks: Series, window: Window, originMs: number): number[] {
  return fullBlocks(dailyBlocks(ranks, originMs), window).map((block) => mean([...block.values]));
}

/** Squares of the distances from the means of the intervals between the cuts. */
function scatter(scores: readonly number[], cuts: readonly number[]): number {
  const bounds = [0, ...cuts, scores.length];
  return bounds.slice(1).reduce((sum, to, place) => {
    const interval = scores.slice(bounds[place], to);
    const middle = interval.length > 0 ? mean(interval) : 0;
    return interval.reduce((squares, score) => squares + (score - middle) ** 2, sum);
  }, 0);
}

/** Two-sided p of Student's t through the normal distribution (Wallace 1959); good to three digits from five degrees of freedom on. */
function pOfT(t: number, degreesOfFreedom: number): number {
  const z =
    ((8 * degreesOfFreedom + 1) / (8 * degreesOfFreedom + 3)) * Math.sqrt(degreesOfFreedom * Math.log1p((t * t) / degreesOfFreedom));
  // The approximation of the error function is good to 1e-7.
  return Math.min(1, Math.max(1e-7, 1 - errorFunction(z / Math.SQRT2)));
}

/**
 * Two-sided p of a rank test whose unit is the day, because runs of one day resemble each other and follow its hours: all
 * runs are ranked, and the mean ranks of the days are compared by their own scatter (rank transformation: Conover and Iman
 * 1981; clusters: Rosner, Glynn and Lee 2003). The scatter is taken between shifts of level, and widened where days resemble
 * their neighbours. Undefined where there are too few days.
 */
export function blockTest(before: Series, after: Series, windows: { baseline: Window; period: Window }): number | undefined {
  const ranks = ranksOf([...before.values, ...after.values]);
  const split = before.values.length;
  const { baseline, period } = windows;
  const first = scoresOf({ dates: before.dates, values: ranks.slice(0, split) }, baseline, baseline.endMs + 1);
  const second = scoresOf({ dates: after.dates, values: ranks.slice(split) }, period, period.startMs);
  if (Math.max(first.length, second.length) < LEAST_DAYS || Math.min(first.length, second.length) === 0) return undefined;
  const all = [...first, ...second];
  const cuts = [...new Set([...meanShifts(all, STEPS), first.length])].toSorted((a, b) => a - b);
  const degreesOfFreedom = all.length - cuts.length - 1;
  const variance = (scatter(all, cuts) / degreesOfFreedom) * (1 / first.length + 1 / second.length);
  const difference = mean(second) - mean(first);
  if (difference === 0) return 1;
  return pOfT(difference / Math.sqrt(variance * varianceInflation(all, cuts)), degreesOfFreedom);
}
