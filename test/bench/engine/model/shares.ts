import { nth } from '../../../../src/lib/nth.ts';
import { ascending, median, quantile } from '../../../../src/statistics/order.ts';
import { fisherTest, wilson } from '../../../../src/statistics/proportions.ts';
import { MEDIAN_OF_NORMAL } from '../../../../src/statistics/robust-scale.ts';
import { tailOf } from '../../../../src/statistics/tails.ts';
import type { Course } from './course.ts';
import { levelAt, type RunLevel } from './levels.ts';
import { logOfStep } from './limits.ts';

/** Trials and whether each was a hit, oldest first, with the day of each. */
export interface Hits {
  readonly isHit: ArrayLike<number | boolean>;
  readonly days: ArrayLike<number>;
}

/** A share with its 95 % interval (Wilson 1927), which is never empty and never leaves 0 to 1; null where nothing was tried. */
export interface Share {
  readonly share: number | null;
  readonly hits: number;
  readonly of: number;
  readonly low: number;
  readonly high: number;
}

/** The trials before a place among them, and those from it on. */
export interface Split {
  readonly at: number;
  readonly before: Share;
  readonly since: Share;
}

/** A smaller difference of two shares is none that matters. */
const LEAST_DIFFERENCE = 0.02;
/** Trials that a side of a comparison needs. */
const NEEDED = 5;
const LEAST_DAYS = 3;

/** The share of hits among trials. */
export function shareOf(hits: number, of: number): Share {
  if (of === 0) return { share: null, hits, of, low: 0, high: 1 };
  const [low, high] = wilson(hits / of, of);
  return { share: hits / of, hits, of, low, high };
}

/** The chance of as large a difference without a change: by Fisher's exact test, and by a normal test where days scatter by more. */
export function chanceOfDifference(before: Share, since: Share, dispersion: number): number {
  const exact = fisherTest(before, since);
  const pooled = (before.hits + since.hits) / (before.of + since.of);
  const variance = dispersion * pooled * (1 - pooled) * (1 / before.of + 1 / since.of);
  return Math.max(exact, variance > 0 ? tailOf(((since.share ?? 0) - (before.share ?? 0)) / Math.sqrt(variance)) : 1);
}

/**
 * By how much the hits of days scatter more than independent trials (Pearson's statistic per degree of freedom; Rao and Scott 1992), at
 * least 1: where they come in outages, days are compared with days.
 */
export function dispersionOf({ isHit, days }: Hits, shareAt: (index: number) => number): number {
  const sums = new Map<number, { hits: number; expected: number; variance: number }>();
  for (let index = 0; index < isHit.length; index += 1) {
    const [share, key] = [shareAt(index), nth(days, index)];
    const day = sums.get(key) ?? { hits: 0, expected: 0, variance: 0 };
    day.hits += Number(isHit[index]);
    day.expected += share;
    day.variance += share * (1 - share);
    sums.set(key, day);
  }
  const parts = [...sums.values()].filter(({ variance }) => variance > 0).map((day) => (day.hits - day.expected) ** 2 / day.variance);
  return parts.length < LEAST_DAYS ? 1 : Math.max(1, parts.reduce((sum, part) => sum + part, 0) / (parts.length - 1));
}

const logLikelihood = (hits: number, of: number) =>
  (hits > 0 ? hits * Math.log(hits / of) : 0) + (hits < of ? (of - hits) * Math.log(1 - hits / of) : 0);

/** The split from a place on at which two shares are likeliest, and twice the logarithm of their likelihood over that of one. */
function likeliestSplit({ isHit }: Hits, first = 0): { readonly split: Split; readonly gain: number } | undefined {
  const of = isHit.length;
  let total = 0;
  for (let at = 0; at < of; at += 1) total += Number(isHit[at]);
  const none = logLikelihood(total, of);
  let [place, most, hits] = [0, 0, 0];
  for (let at = 1, before = 0; at < of; at += 1) {
    before += Number(isHit[at - 1]);
    if (at < Math.max(first, NEEDED) || of - at < NEEDED) continue;
    const gain = 2 * (logLikelihood(before, at) + logLikelihood(total - before, of - at) - none);
    if (gain > most) [place, most, hits] = [at, gain, before];
  }
  if (place === 0) return undefined;
  return { gain: most, split: { at: place, before: shareOf(hits, place), since: shareOf(total - hits, of - place) } };
}

/** How little neighbouring splits of so many independent trials have in common: 1 less the correlation of their scores, exactly. */
function splitDeltas(of: number): Float64Array {
  return Float64Array.from({ length: Math.max(0, of - 2 * NEEDED) }, (_, index) => {
    const at = index + NEEDED;
    return 1 - Math.sqrt((at * (of - at - 1)) / ((at + 1) * (of - at)));
  });
}

/** A share that changed once, with the chance of as clear a split anywhere where it stays; days that scatter make it less clear. */
export function shareChange(hits: Hits, alpha: number): (Split & { readonly p: number }) | undefined {
  const likeliest = likeliestSplit(hits);
  if (!likeliest) return undefined;
  const { gain, split } = likeliest;
  // Without the change, days scatter by what they do on each side of it.
  const dispersion = dispersionOf(hits, (index) => (index < split.at ? split.before : split.since).share ?? 0);
  const p = Math.exp(logOfStep(Math.sqrt(gain / dispersion), splitDeltas(hits.isHit.length), hits.isHit.length));
  return p <= alpha && Math.abs((split.since.share ?? 0) - (split.before.share ?? 0)) >= LEAST_DIFFERENCE ? { ...split, p } : undefined;
}

/** Accepted chance that a share which did not change is called changed; small, because every series is asked in both ways. */
const ALPHA = 2e-4;
/** Robust standard deviations from the median at which a run counts as moved. */
const MOVED = 2.5;
/** Two levels lie further apart than this many standard deviations, and than this on the log scale. */
const APART = { deviations: 3, log: Math.log(1.15) } as const;
/** Share of runs that moved: fewer may be outliers, more are a change of the level itself. */
const [LEAST_MORE, MOST] = [0.08, 0.8];
/** The runs that did not move keep their level to within this part of the distance. */
const KEPT = 0.25;
/** All runs scatter more, which is no second level, where so many moved to the other side too, or the middle half of the rest widens. */
const WIDER = { mirrored: 1 / 3, errors: 3 } as const;
/** Relative standard error of the interquartile range of one normal run: 1.573 / 1.349. */
const ERROR_OF_MIDDLE = 1.17;
/** Part of the changes between the two kinds of runs that independent runs would show; fewer are stretches, such as slow days. */
const MIXED = 0.5;
const LEAST_SD = 0.01;

/** Runs that take one of two levels since a place, as in an A/B test or with one slow machine among several. */
export interface TwoLevels extends Split {
  /** Level of the runs that did not move, and of those that did, since then. */
  readonly usual: RunLevel;
  readonly moved: RunLevel;
}

/** Runs that moved to one side (`sign` 1: upwards) since a place, while the others kept their level. */
function movedTo(course: Course, sign: 1 | -1): TwoLevels | undefined {
  const { scale, cycle } = course;
  const logs = scale.logs.map((log, at) => log - nth(cycle, at));
  const middle = median(logs);
  const sd = Math.max(LEAST_SD, median(logs.map((log) => Math.abs(log - middle))) / MEDIAN_OF_NORMAL);
  const beyond = (side: number) => Uint8Array.from(logs, (log) => Number(side * (log - middle) > MOVED * sd));
  const [isHit, isOpposite] = [beyond(sign), beyond(-sign)];
  const change = shareChange({ isHit, days: scale.local.day }, ALPHA);
  if (!change || change.since.share === null || change.before.share === null) return undefined;
  const { at, since, before } = change;
  const { share } = change.since;
  const rise = share - change.before.share;
  if (rise < LEAST_MORE || share > MOST) return undefined;
  const meanOf = (some: Uint8Array) => some.reduce((sum, value) => sum + value, 0) / Math.max(1, some.length);
  if (meanOf(isOpposite.subarray(at)) - meanOf(isOpposite.subarray(0, at)) > WIDER.mirrored * rise) return undefined;
  const places = (of: 0 | 1, from: number, to: number) =>
    Array.from({ length: to - from }, (_, index) => from + index).filter((place) => isHit[place] === of);
  const [usual, moved, former] = [places(0, at, logs.length), places(1, at, logs.length), places(0, 0, at)];
  if (Math.min(usual.length, moved.length, former.length) === 0) return undefined;
  const sorted = (some: readonly number[]) => ascending(some.map((place) => nth(logs, place)));
  const [own, other, past] = [sorted(usual), sorted(moved), sorted(former)];
  const rangeOf = (some: Float64Array) => quantile(some, 0.75) - quantile(some, 0.25);
  const apart = sign * (median(other) - median(own));
  const changes = isHit.subarray(at).filter((hit, index) => index > 0 && hit !== isHit[at + index - 1]).length;
  const isApart = apart >= Math.max(APART.deviations * sd, APART.log);
  const isKept = Math.abs(median(own) - median(past)) <= KEPT * apart;
  const isMixed = changes >= MIXED * 2 * (logs.length - at) * share * (1 - share);
  const isWider = rangeOf(own) > rangeOf(past) * (1 + (WIDER.errors * ERROR_OF_MIDDLE) / Math.sqrt(usual.length));
  if (!isApart || !isKept || !isMixed || isWider) return undefined;
  return { at, before, since, usual: levelAt(course, usual), moved: levelAt(course, moved) };
}

/** Whether part of the runs moved to another level while the others kept theirs; undefined where that is not beyond chance. */
export const twoLevelsIn = (course: Course): TwoLevels | undefined => movedTo(course, 1) ?? movedTo(course, -1);
