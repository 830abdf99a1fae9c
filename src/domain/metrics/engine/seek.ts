import { nthDouble } from '../../../lib/nth.ts';
import { logOfLargest, logTail, normalOf } from '../../../statistics/tails.ts';
import { type Interval } from './drift-grid.ts';
import { type Information, weightOf } from './noise.ts';
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
/** Days of an episode among the days that teach: longer ones are a level of their own. */
export const LONGEST_EPISODE_DAYS = 35;

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

type Seeker = (information: Information, quest: Quest, freedom: number) => Candidate | undefined;

/** The score of a change on some days: its effect over its standard error; 0 where these days are not distinguished from the rest. */
export function scoreOf(information: Information, { from, to }: Interval): number {
  return scoreAt(information, from, to);
}

function scoreAt(information: Information, from: number, to: number): number {
  const { scoreSums, whitener } = information;
  const weight = weightOf(information, from, to);
  const isKnown = weight > LEAST_WEIGHT * whitener.precisionOf(to - 1, to);
  return isKnown ? (nthDouble(scoreSums, to) - nthDouble(scoreSums, from)) / Math.sqrt(weight) : 0;
}

/** Share of the first days of a step that are as good as independent of the day before. */
const FRESH = 0.6;
/** Effective number of independent scores among the steps that begin on so many days (docs/statistics.md). */
export const stepCount = (days: number) => 1 + FRESH * (days - 1);

/** The clearest step. */
const bestStep: Seeker = (information, { from, to }, freedom) => {
  const end = information.size;
  let best: { at: number; score: number } | undefined;
  for (let at = from; at < to; at += 1) {
    const score = scoreOf(information, { from: at, to: end });
    if (!best || Math.abs(score) > Math.abs(best.score)) best = { at, score };
  }
  if (!best) return undefined;
  const limit = Math.abs(normalOf(best.score, freedom));
  return { shape: 'step', from: best.at, to: end, score: best.score, logP: Math.min(0, Math.log(stepCount(to - from)) + logTail(limit)) };
};

/** The clearest single day; never the last one, because it may as well be the first day of a step. */
const bestOutlier: Seeker = (information, { from, to }, freedom) => {
  const end = Math.min(to, information.size - 1);
  let best: Candidate | undefined;
  for (let at = from; at < end; at += 1) {
    const score = scoreOf(information, { from: at, to: at + 1 });
    if (!best || Math.abs(score) > Math.abs(best.score)) best = { shape: 'outlier', from: at, to: at + 1, score, logP: 0 };
  }
  return best && { ...best, logP: logOfLargest(normalOf(best.score, freedom), end - from) };
};

/** The clearest run of two days or more that ends before the last day. */
const bestEpisode: Seeker = (information, { from, to, longest = Infinity }, freedom) => {
  const end = information.size;
  let [first, last, best] = [-1, -1, 0];
  for (let at = from; at < to; at += 1) {
    for (let until = at + 2; until < end && until <= at + longest; until += 1) {
      const score = scoreAt(information, at, until);
      if (first < 0 || Math.abs(score) > Math.abs(best)) [first, last, best] = [at, until, score];
    }
  }
  if (first < 0) return undefined;
  const score = Math.abs(normalOf(best, freedom));
  const logP = Math.min(0, Math.log(episodeCount(end - from, score)) + logTail(score));
  return { shape: 'episode', from: first, to: last, score: best, logP };
};

const seekers = { step: bestStep, outlier: bestOutlier, episode: bestEpisode };

/** The change in the data that is left that lies farthest beyond its allowance; undefined where none does. */
export function nextChange(information: Information, quests: readonly Quest[], freedom: number): Candidate | undefined {
  let best: Candidate | undefined;
  let lead = 0;
  for (const quest of quests) {
    const candidate = seekers[quest.shape](information, quest, freedom);
    const beyond = candidate ? Math.log(quest.level) - candidate.logP : 0;
    if (candidate && beyond > lead) [best, lead] = [candidate, beyond];
  }
  return best;
}
