import { errorFunction, mean } from 'simple-statistics';
import { dailyBlocks, fullBlocks } from './blocks.ts';
import { wideningOf } from './change-point.ts';
import { meanShifts } from './mean-shifts.ts';
import { ranksOf } from './order.ts';
import type { Series, Window } from './runs.ts';

/** Days that at least one side needs, so that their scatter is known. */
const LEAST_DAYS = 5;
/** Steps among days: no 40 equal days reach this, nor do days that drift a little. */
const STEPS = { leastT: 7, shortest: 2 };

/** Mean ranks of the whole days of a window. */
function scoresOf(ranks: Series, window: Window, originMs: number): number[] {
  return fullBlocks(dailyBlocks(ranks, originMs), window).map((block) => mean([...block.values]));
}

/** Squares of the distances from the means of the stretches between the cuts. */
function scatter(scores: readonly number[], cuts: readonly number[]): number {
  const bounds = [0, ...cuts, scores.length];
  return bounds.slice(1).reduce((sum, to, place) => {
    const stretch = scores.slice(bounds[place], to);
    const middle = stretch.length > 0 ? mean(stretch) : 0;
    return stretch.reduce((squares, score) => squares + (score - middle) ** 2, sum);
  }, 0);
}

/** Two-sided p of Student's t through the normal distribution (Wallace 1959); good to three digits from five degrees of freedom on. */
function pOfT(t: number, freedom: number): number {
  const z = ((8 * freedom + 1) / (8 * freedom + 3)) * Math.sqrt(freedom * Math.log1p((t * t) / freedom));
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
  const freedom = all.length - cuts.length - 1;
  const variance = (scatter(all, cuts) / freedom) * (1 / first.length + 1 / second.length);
  const difference = mean(second) - mean(first);
  if (difference === 0) return 1;
  return pOfT(difference / Math.sqrt(variance * wideningOf(all, cuts)), freedom);
}
