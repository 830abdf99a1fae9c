import { DAY_MS } from '../../../lib/clock.ts';
import { nth } from '../../../lib/nth.ts';
import { fisherTest, wilson } from '../../../statistics/proportions.ts';
import { tailOf } from '../../../statistics/tails.ts';
import { chanceOf } from './score-limits.ts';

/** A smaller difference of two shares is none that matters. */
export const LEAST_DIFFERENCE = 0.02;
/** Runs that a side of a comparison needs. */
export const NEEDED = 5;

/** A share with its 95 % interval (Wilson 1927), which is never empty and never leaves 0 to 1. */
export interface Share {
  /** Null where nothing ran. */
  readonly share: number | null;
  readonly failed: number;
  readonly runs: number;
  readonly low: number;
  readonly high: number;
}

/** The runs before a place among them, and those from it on. */
export interface Split {
  readonly at: number;
  readonly before: Share;
  readonly since: Share;
}

/** A share that changed once, with the first run after the change. */
export interface ShareChange extends Split {
  readonly atMs: number;
}

/** Runs and whether each failed, oldest first. */
export interface RunResults {
  readonly dates: readonly number[];
  readonly failed: readonly boolean[];
}

/** The share of `failed` among `runs`. */
export function shareOf(failed: number, runs: number): Share {
  if (runs === 0) return { failed, runs, share: null, low: 0, high: 1 };
  const [low, high] = wilson(failed / runs, runs);
  return { failed, runs, share: failed / runs, low, high };
}

/** Both sides of a place among the runs. */
export function splitAt({ failed }: RunResults, at: number): Split {
  const count = (side: readonly boolean[]) => shareOf(side.filter(Boolean).length, side.length);
  return { at, before: count(failed.slice(0, at)), since: count(failed.slice(at)) };
}

const sampleOf = ({ failed, runs }: Share) => ({ hits: failed, of: runs });

/** The chance of as large a difference without a change: by Fisher's exact test, and by a normal test where days scatter by more. */
export function chanceOfDifference(before: Share, since: Share, dispersion: number): number {
  const exact = fisherTest(sampleOf(before), sampleOf(since));
  const pooled = (before.failed + since.failed) / (before.runs + since.runs);
  const variance = dispersion * pooled * (1 - pooled) * (1 / before.runs + 1 / since.runs);
  const difference = (since.share ?? 0) - (before.share ?? 0);
  return Math.max(exact, variance > 0 ? tailOf(difference / Math.sqrt(variance)) : 1);
}

/**
 * Pearson's statistic of the days against the share of all runs, per degree of freedom (Rao and Scott 1992 for clustered counts): a day's
 * outage in a short period is no change of the share, so that the days are compared with the days without one.
 */
export function dispersionOf({ dates, failed }: RunResults, shareAt: (index: number) => number): number {
  const days = new Map<number, { runs: number; failed: number; expected: number; variance: number }>();
  for (const [index, date] of dates.entries()) {
    const key = Math.floor(date / DAY_MS);
    const share = shareAt(index);
    const day = days.get(key) ?? { runs: 0, failed: 0, expected: 0, variance: 0 };
    day.runs += 1;
    day.failed += failed[index] ? 1 : 0;
    day.expected += share;
    day.variance += share * (1 - share);
    days.set(key, day);
  }
  const parts = [...days.values()].filter(({ variance }) => variance > 0).map((day) => (day.failed - day.expected) ** 2 / day.variance);
  return parts.length < 3 ? 1 : Math.max(1, parts.reduce((sum, part) => sum + part, 0) / (parts.length - 1));
}

const logLikelihood = ({ failed, runs }: Share) =>
  (failed > 0 ? failed * Math.log(failed / runs) : 0) + (failed < runs ? (runs - failed) * Math.log(1 - failed / runs) : 0);

/** A change of the share of hits among runs that come one by one, with this chance of one where the share stays; undefined without one. */
export function shareChangeIn(results: RunResults, alpha: number): ShareChange | undefined {
  const first = changeIn(results, 1, alpha);
  // Without the change, days scatter by what they do on each side of it.
  return (
    first &&
    changeIn(
      results,
      dispersionOf(results, (index) => (index < first.at ? first.before : first.since).share ?? 0),
      alpha,
    )
  );
}

/** The split from this place on at which the likelihoods of two shares exceed that of one by most, and twice by how much. */
export function likeliestSplit({ failed }: RunResults, from = 0): { readonly split: Split; readonly gain: number } | undefined {
  const runs = failed.length;
  const total = failed.filter(Boolean).length;
  const none = logLikelihood(shareOf(total, runs));
  let best = { gain: 0, at: 0, failed: 0 };
  for (let at = 1, before = 0; at < runs; at += 1) {
    before += failed[at - 1] ? 1 : 0;
    if (at < Math.max(from, NEEDED) || runs - at < NEEDED) continue;
    const gain = 2 * (logLikelihood(shareOf(before, at)) + logLikelihood(shareOf(total - before, runs - at)) - none);
    if (gain > best.gain) best = { gain, at, failed: before };
  }
  const { gain, at } = best;
  if (at === 0) return undefined;
  return { gain, split: { at, before: shareOf(best.failed, at), since: shareOf(total - best.failed, runs - at) } };
}

/** The likeliest split where it is beyond chance for as many splits. */
function changeIn(results: RunResults, dispersion: number, alpha: number): ShareChange | undefined {
  const { dates } = results;
  const likeliest = likeliestSplit(results);
  if (!likeliest || chanceOf('step', likeliest.gain / dispersion, dates.length, 0) > alpha) return undefined;
  const { at, before, since } = likeliest.split;
  if (Math.abs((since.share ?? 0) - (before.share ?? 0)) < LEAST_DIFFERENCE) return undefined;
  return { atMs: nth(dates, at), at, before, since };
}
