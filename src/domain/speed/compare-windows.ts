import { DAY_MS } from '../../lib/clock.ts';
import { atSameHours, blockTest } from './block-test.ts';
import { changePoints, varianceInflation } from './change-point.ts';
import { ascending, quantile } from './order.ts';
import { adjustForMany, rankTest, smallestP } from './rank-test.ts';
import { type Series, type Window, within } from './runs.ts';

/** Accepted chance of a false call, over all comparisons of one answer; low enough that days which drift stay below one in twenty. */
export const ALPHA = 0.02;
/** Fewer runs than this on a side say nothing. */
const LEAST_RUNS = 3;
/** Shifts of level among runs: hardly any series of 1,500 equal runs reaches this. */
export const SHIFTS_OF_RUNS = { leastZ: 4.5, shortest: 6 };

export type Verdict = 'slower' | 'faster' | 'within noise' | 'not enough data';

/** One side of a comparison. */
export interface SideStats {
  readonly n: number;
  readonly median: number;
  readonly p75: number;
  readonly min: number;
  readonly max: number;
}

/** What two windows of one series say; sides are null where nothing ran. */
export interface Comparison {
  readonly before: SideStats | null;
  readonly after: SideStats | null;
  /** Difference of the medians; null where a side is missing. */
  readonly change: number | null;
  /** Relative to the median before; null where that is 0. */
  readonly relative: number | null;
  /** Two-sided p of the rank test, not adjusted yet; null where there is not enough data for one. */
  readonly p: number | null;
  /** What was ranked. */
  readonly unit: 'days' | 'runs';
}

function sideOf({ values }: Series): SideStats | null {
  const sorted = ascending(values);
  const [min, max] = [sorted[0], sorted.at(-1)];
  if (min === undefined || max === undefined) return null;
  return { n: sorted.length, median: quantile(sorted, 0.5), p75: quantile(sorted, 0.75), min, max };
}

/** The runs that a period shorter than a day is compared with: a morning with mornings, as far as there are any. */
function likeHours(earlier: Series, later: Series, { startMs, endMs }: Window): Series {
  if (endMs - startMs >= DAY_MS - 1) return earlier;
  const same = atSameHours(earlier, later);
  return same.values.length >= LEAST_RUNS ? same : earlier;
}

/** Compares the runs of a period with those of its baseline. */
export function compareWindows(series: Series, windows: { baseline: Window; period: Window }): Comparison {
  const [earlier, later] = [within(series, windows.baseline), within(series, windows.period)];
  const comparable = likeHours(earlier, later, windows.period);
  const [before, after] = [sideOf(comparable), sideOf(later)];
  const change = before && after ? after.median - before.median : null;
  const known = {
    before,
    after,
    change,
    relative: before && change !== null && before.median !== 0 ? change / before.median : null,
  };
  if (!before || !after || Math.min(before.n, after.n) < LEAST_RUNS) return { ...known, p: null, unit: 'runs' };
  const p = blockTest(comparable, later, windows);
  if (p !== undefined) return { ...known, p, unit: 'days' };
  if (smallestP(before.n, after.n) > ALPHA) return { ...known, p: null, unit: 'runs' };
  const all = [...comparable.values, ...later.values];
  const cuts = new Set([...changePoints(all, SHIFTS_OF_RUNS).map(({ index }) => index), comparable.values.length]);
  const widening = varianceInflation(
    all,
    [...cuts].toSorted((a, b) => a - b),
  );
  return { ...known, p: rankTest(comparable.values, later.values, widening), unit: 'runs' };
}

/** The smallest change that counts; see the metric facts. */
interface Effect {
  readonly relative: number;
  readonly absolute: number;
}

function isLarge({ change, relative }: Comparison, least: Effect): boolean {
  return Math.abs(change ?? 0) >= least.absolute && Math.abs(relative ?? Number.POSITIVE_INFINITY) >= least.relative;
}

/** The verdicts of all comparisons of one answer together: certain after adjusting for their number, and large enough to matter. */
export function judge(comparisons: readonly { comparison: Comparison; effect: Effect }[]): { verdict: Verdict; p: number | null }[] {
  const tested = comparisons.filter(({ comparison }) => comparison.p !== null);
  const adjusted = adjustForMany(tested.map(({ comparison }) => comparison.p ?? 1));
  return comparisons.map((each) => {
    const { comparison, effect } = each;
    if (comparison.p === null) return { verdict: 'not enough data', p: null };
    const p = adjusted[tested.indexOf(each)] ?? 1;
    if (p > ALPHA || !isLarge(comparison, effect)) return { verdict: 'within noise', p };
    return { verdict: (comparison.change ?? 0) > 0 ? 'slower' : 'faster', p };
  });
}
