import { nthDouble, nthPlace } from '../../lib/nth.ts';
import { logOfLargest, logTail, normalOf } from '../../statistics/tails.ts';
import type { Interval } from './drift-grid.ts';
import { type Information, knownOf, weightOf } from './noise.ts';
import { type Series, WEEK } from './series.ts';

/** How changes may look; a change that goes on to the last day is a step. */
export type Shape = 'step' | 'episode' | 'outlier';

/**
 * Effective number of independent scores among all intervals of two days or more within `days` (fitted to a simulation,
 * docs/statistics.md).
 */
function episodeCount(days: number, limit: number): number {
  if (days < 3) return 1;
  const all = ((days - 1) * (days - 2)) / 2;
  return Math.max(1, Math.min(all, 0.065 * limit ** 2 * days * Math.log(days)));
}

/** A shape to look for on some days: those that it may begin on, as indices of the series, the last one not included. */
export interface Quest {
  readonly shape: Shape;
  readonly from: number;
  readonly to: number;
  /** Probability of finding one where nothing happened. */
  readonly level: number;
  /** Most days of an episode; left out: any number. */
  readonly longest?: number;
}

/** Intervals of which the data know less than this share of a single day are not distinguished from level, weekdays and drift. */
const LEAST_WEIGHT = 0.02;

/** Error of what is found among the days that teach. */
export const HISTORY = 0.0002;
/** Days of an episode, as a summer sale: of longer ones a slow drift looks like one, or they are a level of their own. */
export const LONGEST_EPISODE_DAYS = 49;

/** Steps, episodes and outlier days that begin on some days, at one level; `longest` limits episodes. */
export function allShapes(from: number, to: number, level: number, longest = Infinity): Quest[] {
  return from < to ? (['step', 'episode', 'outlier'] as const).map((shape) => ({ shape, from, to, level, longest })) : [];
}

/** Changes of every shape among the days that teach, where only very clear ones are believed, and among those behind them at `level`. */
export const pastAndPresent = ({ block, learned, labels }: Series, level: number): Quest[] => [
  ...allShapes(block + WEEK, learned, HISTORY, LONGEST_EPISODE_DAYS),
  ...allShapes(learned, labels.length, level),
];

/** Days that may be a change, and how clear a one. */
export interface Candidate extends Interval {
  readonly shape: Shape;
  readonly score: number;
  readonly logP: number;
}

/** The score of a change on some days: its effect over its standard error; 0 where these days are not distinguished from the rest. */
export function scoreOf(information: Information, interval: Interval): number {
  const { weight, score } = knownOf(information, interval);
  return weight > leastOf(information, interval.to) ? score / Math.sqrt(weight) : 0;
}

/** The least that must be known of an interval that ends before a day. */
const leastOf = ({ whitener }: Information, to: number) => LEAST_WEIGHT * nthDouble(whitener.precisionsFrom(to - 1), 1);

/** The intervals that a quest looks at, and how much the data know of an effect on each. */
type Sought = ReturnType<typeof soughtBy>;

/** First and last end of changes that begin on a day; a single last day may as well be the first one of a step. */
function endsOf({ shape, longest = Infinity }: Quest, at: number, size: number): readonly [number, number] {
  if (shape === 'step') return [size, size];
  return shape === 'outlier' ? [at + 1, Math.min(at + 1, size - 1)] : [at + 2, Math.min(at + longest, size - 1)];
}

/** The intervals of a quest, before anything is taken out. */
export function soughtBy(information: Information, quest: Quest) {
  const { size } = information;
  let count = 0;
  for (let from = quest.from; from < quest.to; from += 1) {
    const [first, last] = endsOf(quest, from, size);
    count += Math.max(0, last + 1 - first);
  }
  const sought = { quest, from: new Int32Array(count), to: new Int32Array(count), weights: new Float64Array(count) };
  let at = 0;
  for (let from = quest.from; from < quest.to; from += 1) {
    const [first, last] = endsOf(quest, from, size);
    for (let to = first; to <= last; to += 1, at += 1) {
      sought.from[at] = from;
      sought.to[at] = to;
      sought.weights[at] = weightOf(information, from, to);
    }
  }
  return sought;
}

/** Takes what was taken out of some information last out of the intervals of a quest too. */
export function takeOut({ from, to, weights }: Sought, { furtherSums }: Information): void {
  const sums = furtherSums.at(-1) ?? new Float64Array();
  for (let at = 0; at < weights.length; at += 1)
    weights[at] = nthDouble(weights, at) - (nthDouble(sums, nthPlace(to, at)) - nthDouble(sums, nthPlace(from, at))) ** 2;
}

/** The place of the interval with the clearest effect. */
function clearestOf({ from, to, weights }: Sought, information: Information): number {
  const { scoreSums: sums } = information;
  let [best, most] = [0, 0];
  for (let at = 0; at < weights.length; at += 1) {
    const weight = nthDouble(weights, at);
    const square = (nthDouble(sums, nthPlace(to, at)) - nthDouble(sums, nthPlace(from, at))) ** 2;
    if (square > most * weight && weight > leastOf(information, nthPlace(to, at))) [best, most] = [at, square / weight];
  }
  return best;
}

/** Share of the first days of a step that are as good as independent of the day before. */
const FRESH = 0.6;
/** Effective number of independent scores among the steps that begin on so many days (docs/statistics.md). */
export const stepCount = (days: number) => 1 + FRESH * (days - 1);

/** Logarithm of the probability of so large a score on any of the intervals of a quest. */
function logOf({ quest: { shape, from }, weights }: Sought, score: number, size: number): number {
  if (shape === 'outlier') return logOfLargest(score, weights.length);
  const count = shape === 'step' ? stepCount(weights.length) : episodeCount(size - from, score);
  return Math.min(0, Math.log(count) + logTail(score));
}

/** The change in the data that is left that lies farthest beyond its allowance; undefined where none does. */
export function nextChange(all: readonly Sought[], information: Information, freedom: number): Candidate | undefined {
  let best: Candidate | undefined;
  let lead = 0;
  for (const sought of all) {
    if (sought.weights.length === 0) continue;
    const at = clearestOf(sought, information);
    const interval = { from: nthPlace(sought.from, at), to: nthPlace(sought.to, at) };
    const score = scoreOf(information, interval);
    const logP = logOf(sought, Math.abs(normalOf(score, freedom)), information.size);
    const beyond = Math.log(sought.quest.level) - logP;
    if (beyond > lead) [best, lead] = [{ shape: sought.quest.shape, ...interval, score, logP }, beyond];
  }
  return best;
}
