import { nth, nthDouble } from '../../../../src/lib/nth.ts';
import { emptyKnowns, type Fit, type IndexRange, type Knowns, knownFrom, knownOf, knownSteps, knownUntil, singleWeights } from './fit.ts';
import { bumpDeltas, bumpLengths, logOfBump, logOfPoint, logOfStep, stepDeltas } from './limits.ts';

/** How changes may look; one that goes on to the last value is a step, a single value a point. */
export type Shape = 'step' | 'bump' | 'point';

/** A shape to look for at some places: those that it may begin at, the last one not included. */
export interface Quest {
  readonly shape: Shape;
  readonly from: number;
  readonly to: number;
  /** Probability of finding one where nothing happened. */
  readonly level: number;
  /** Least and most values of a bump; left out: two, and any number. */
  readonly shortest?: number;
  readonly longest?: number;
  /** Of bumps only one length a class, at beginnings as far apart as a fifth of it, is tried before the edges are moved. */
  readonly isCoarse?: boolean;
  /** 1 at places where no change may begin or end, because that would leave a level shorter than allowed. */
  readonly closed?: Uint8Array;
}

/** Values that may be a change, and how clear a one. */
export interface ShapeCandidate extends IndexRange {
  readonly shape: Shape;
  readonly score: number;
  /** Logarithm of the probability of so clear a change of this shape at any of the places looked at, where nothing happened. */
  readonly logP: number;
}

/** Intervals of which the values know less than this share of a single value are not distinguished from what moves them anyway. */
const LEAST_WEIGHT = 0.02;

/** The score of a change: its effect over its standard error; 0 where its values are not distinguished from the rest. */
const scoreOf = ({ unit }: Fit, weight: number, score: number) => (weight > LEAST_WEIGHT * unit ? score / Math.sqrt(weight) : 0);

/** The score of the interval that differs from others by one place. */
export const scoreAt = (fit: Fit, { weights, scores }: Knowns, at: number) => scoreOf(fit, nthDouble(weights, at), nthDouble(scores, at));

/** The score of a change on an interval. */
export function scoreOn(fit: Fit, interval: IndexRange): number {
  const { weight, score } = knownOf(fit, interval);
  return scoreOf(fit, weight, score);
}

type Seeker = (fit: Fit, quest: Quest, freedom: number) => ShapeCandidate | undefined;

/** The clearest step. */
const bestStep: Seeker = (fit, { from, to, closed }, freedom) => {
  const known = knownSteps(fit, emptyKnowns(fit.size));
  let [place, best] = [from, 0];
  for (let at = from; at < to; at += 1) {
    if (closed?.[at]) continue;
    const score = scoreAt(fit, known, at);
    if (Math.abs(score) > Math.abs(best)) [place, best] = [at, score];
  }
  if (best === 0) return undefined;
  return { shape: 'step', from: place, to: fit.size, score: best, logP: logOfStep(best, stepDeltas(fit, from, to), freedom) };
};

/** The clearest single value; never the last one, because it may as well be the first of a step. */
const bestPoint: Seeker = (fit, { from, to }, freedom) => {
  const end = Math.min(to, fit.size - 1);
  const weights = singleWeights(fit);
  let [place, best] = [from, 0];
  for (let at = from; at < end; at += 1) {
    const score = scoreOf(fit, nthDouble(weights, at), nthDouble(fit.score, at));
    if (Math.abs(score) > Math.abs(best)) [place, best] = [at, score];
  }
  if (best === 0) return undefined;
  return { shape: 'point', from: place, to: place + 1, score: best, logP: logOfPoint(best, end - from, freedom) };
};

interface Best extends IndexRange {
  readonly score: number;
}

/** The clearest bump of each class of lengths. */
function bumpsByClass(fit: Fit, { from, to, isCoarse = false, closed }: Quest, lengths: readonly number[]): (Best | undefined)[] {
  const best: (Best | undefined)[] = lengths.slice(1).map(() => undefined);
  const known = emptyKnowns(fit.size);
  // Of coarse classes only the first length is tried, at beginnings that are a fifth of it apart.
  const classes = best.map((_, index) => {
    const length = nth(lengths, index);
    return {
      index,
      length,
      last: isCoarse ? length : nth(lengths, index + 1) - 1,
      spacing: isCoarse ? Math.max(1, Math.floor(length / 5)) : 1,
    };
  });
  for (let at = from; at < to; at += 1) {
    if (closed?.[at]) continue;
    const tried = classes.filter(({ spacing }) => (at - from) % spacing === 0);
    const last = Math.min(fit.size - 1, at + (tried.at(-1)?.last ?? 0));
    knownFrom(fit, at, last, known);
    for (const { index, length, last: longest } of tried)
      for (let until = at + length; until <= Math.min(last, at + longest); until += 1) {
        const score = closed?.[until] ? 0 : scoreAt(fit, known, until);
        if (Math.abs(score) > Math.abs(best[index]?.score ?? 0)) best[index] = { from: at, to: until, score };
      }
  }
  return best;
}

/** Moves the edges of a bump to their best places, one after the other, none farther than its length. */
export function moveEdges(fit: Fit, { from, to, score }: Best, places: Quest, shortest: number): Best {
  const reach = to - from;
  let best: Best = { from, to, score };
  const known = knownUntil(fit, to, emptyKnowns(fit.size));
  for (let begin = Math.max(places.from, from - reach); begin < places.to && begin <= to - shortest; begin += 1) {
    if (places.closed?.[begin]) continue;
    const own = scoreAt(fit, known, begin);
    if (own * score > 0 && Math.abs(own) > Math.abs(best.score)) best = { from: begin, to, score: own };
  }
  const first = best.from;
  const last = Math.min(fit.size - 1, to + reach);
  knownFrom(fit, first, last, known);
  for (let until = first + shortest; until <= last; until += 1) {
    if (places.closed?.[until]) continue;
    const own = scoreAt(fit, known, until);
    if (own * score > 0 && Math.abs(own) > Math.abs(best.score)) best = { from: first, to: until, score: own };
  }
  return best;
}

/** The bump of two values or more, ending before the last one, that chance explains least. */
const bestBump: Seeker = (fit, quest, freedom) => {
  const { from, shortest = 2, longest = fit.size } = quest;
  const to = Math.min(quest.to, fit.size - shortest);
  const lengths = bumpLengths(shortest, Math.min(longest, fit.size - 1 - from));
  const [singles, known] = [singleWeights(fit), emptyKnowns(fit.size)];
  let best: ShapeCandidate | undefined;
  for (const [index, found] of bumpsByClass(fit, { ...quest, to }, lengths).entries()) {
    if (!found || found.score === 0) continue;
    const moved = quest.isCoarse ? moveEdges(fit, found, { ...quest, to }, shortest) : found;
    const length = nth(lengths, index);
    const places = { from, to: Math.max(from + 1, Math.min(to, fit.size - length)) };
    const count = (places.to - places.from) * (nth(lengths, index + 1) - length);
    const logP = logOfBump(moved.score, count, bumpDeltas(fit, places, length, singles, known), lengths.length - 1, freedom);
    if (!best || logP < best.logP) best = { shape: 'bump', ...moved, logP };
  }
  return best;
};

const SEEKERS: Readonly<Record<Shape, Seeker>> = { step: bestStep, bump: bestBump, point: bestPoint };

/** The change of a shape that chance explains least; undefined where there is none. */
export const clearest = (fit: Fit, quest: Quest, freedom: number): ShapeCandidate | undefined => SEEKERS[quest.shape](fit, quest, freedom);
