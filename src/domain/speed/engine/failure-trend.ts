import { mean } from 'simple-statistics';
import type { Interval } from '../../../lib/calendar.ts';
import { DAY_MS } from '../../../lib/clock.ts';
import { nth } from '../../../lib/nth.ts';
import { wilson } from '../../../statistics/proportions.ts';
import { cutMean } from './noise.ts';
import { chanceOf } from './score-limits.ts';

/** A smaller difference of two shares is none that matters. */
const LEAST_DIFFERENCE = 0.02;
/** Runs that a side of a comparison needs. */
const NEEDED = 5;
/** Failures come in series (an outage), so that more is asked of a difference than 0.05. */
const ALPHA = 0.01;
/**
 * The chance that is asked of a change that began in the period and is felt to its end: of these there are fewer. At most about 3 % of
 * scenarios without a change are told, with outages too: docs/speed-statistics.md.
 */
const FRESH_ALPHA = 0.15;

/** A share with its 95 % interval (Wilson 1927), which is never empty and never leaves 0 to 1. */
export interface Share {
  /** Null where nothing ran. */
  readonly share: number | null;
  readonly failed: number;
  readonly runs: number;
  readonly low: number;
  readonly high: number;
}

/** A share of some runs. */
type KnownShare = Share & { readonly share: number };

/** A share that changed once, with the first run after the change: its place among the runs, and its instant. */
export interface ShareChange {
  readonly at: number;
  readonly atMs: number;
  readonly before: KnownShare;
  readonly since: KnownShare;
}

/** Runs and whether each failed, oldest first. */
interface RunResults {
  readonly dates: readonly number[];
  readonly failed: readonly boolean[];
}

/** The share of `failed` among `runs`. */
export function shareOf(failed: number, runs: number): Share {
  return runs > 0 ? knownShare(failed, runs) : { failed, runs, share: null, low: 0, high: 1 };
}

function knownShare(failed: number, runs: number): KnownShare {
  const [low, high] = wilson(failed / runs, runs);
  return { failed, runs, share: failed / runs, low, high };
}

/**
 * Pearson's statistic of the days against the share on their side of a change, per degree of freedom (Rao and Scott 1992 for clustered
 * counts): a day's outage in a short period is no change of the share, so that the days are compared with the days without one.
 */
function dispersionOf({ dates, failed }: RunResults, { at, before, since }: ShareChange, average: typeof mean): number {
  const days = new Map<number, { difference: number; variance: number }>();
  for (const [index, date] of dates.entries()) {
    const key = Math.floor(date / DAY_MS);
    const { share } = index < at ? before : since;
    const { difference, variance } = days.get(key) ?? { difference: 0, variance: 0 };
    days.set(key, { difference: difference + Number(failed[index]) - share, variance: variance + share * (1 - share) });
  }
  const parts = [...days.values()].filter(({ variance }) => variance > 0).map(({ difference, variance }) => difference ** 2 / variance);
  return parts.length < 3 ? 1 : Math.max(1, average(parts));
}

const logLikelihood = (failed: number, runs: number) =>
  (failed > 0 ? failed * Math.log(failed / runs) : 0) + (failed < runs ? (runs - failed) * Math.log(1 - failed / runs) : 0);

/**
 * A change of the share of hits among runs that come one by one, at the run of a place or later, with this chance of one where the share
 * stays; undefined without one. `average` says how much single days count.
 */
export function shareChangeIn(results: RunResults, alpha: number, from = 0, average = mean): ShareChange | undefined {
  const { dates, failed } = results;
  const runs = failed.length;
  const total = failed.filter(Boolean).length;
  const none = logLikelihood(total, runs);
  let best = { gain: 0, at: 0, failed: 0 };
  for (let at = 1, before = 0; at <= runs - NEEDED; at += 1) {
    before += Number(failed[at - 1]);
    if (at < Math.max(from, NEEDED)) continue;
    // Twice by how much the likelihoods of two shares exceed that of one.
    const gain = 2 * (logLikelihood(before, at) + logLikelihood(total - before, runs - at) - none);
    if (gain > best.gain) best = { gain, at, failed: before };
  }
  const { gain, at } = best;
  if (at === 0) return undefined;
  const change = { at, atMs: nth(dates, at), before: knownShare(best.failed, at), since: knownShare(total - best.failed, runs - at) };
  const isRare = chanceOf('step', gain / dispersionOf(results, change, average), runs, 0) <= alpha;
  return isRare && Math.abs(change.since.share - change.before.share) >= LEAST_DIFFERENCE ? change : undefined;
}

/** Whether the later half of the runs since a change still fails as its share says, and not as before. */
function isFeltToTheEnd({ failed }: RunResults, { at, before, since }: ShareChange): boolean {
  const late = failed.slice(at + Math.floor((failed.length - at) / 2));
  const share = late.filter(Boolean).length / late.length;
  return Math.abs(share - since.share) < Math.abs(share - before.share);
}

/** The course of the share of failed runs. */
export const FAILURE_STATES = ['fails more often', 'fails less often', 'no change', 'not enough data'] as const;

/** The trend of the share of failed runs. */
export interface FailureTrend {
  readonly before: Share;
  readonly period: Share;
  readonly state: (typeof FAILURE_STATES)[number];
  /** The change in the period that lasts to its end; else where the share changed before, beyond chance. */
  readonly change: ShareChange | undefined;
}

/** The share of failed runs before and in a period, whether it changed, and when. */
export function judgeFailures(results: RunResults, { startMs, endMs }: Interval): FailureTrend {
  const { dates, failed } = results;
  const shareIn = (isIn: (date: number) => boolean) => {
    const own = failed.filter((_, index) => isIn(nth(dates, index)));
    return shareOf(own.filter(Boolean).length, own.length);
  };
  const before = shareIn((date) => date < startMs);
  const period = shareIn((date) => date >= startMs && date <= endMs);
  if (Math.min(before.runs, period.runs) < NEEDED) return { before, period, state: 'not enough data', change: undefined };
  // An outage is no reason to overlook a change of all days.
  const fresh = shareChangeIn(results, FRESH_ALPHA, before.runs, cutMean);
  const isLasting = fresh !== undefined && isFeltToTheEnd(results, fresh);
  const change = isLasting ? fresh : shareChangeIn(results, ALPHA);
  const isMore = change !== undefined && change.since.share > change.before.share;
  if (isMore) return { before, period, change, state: isLasting ? 'fails more often' : 'no change' };
  return { before, period, change, state: change ? 'fails less often' : 'no change' };
}
