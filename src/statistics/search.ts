import { nth, nthDouble } from '../lib/nth.ts';
import {
  emptyKnowns,
  type Fit,
  type IndexRange,
  type Knowns,
  knownFrom,
  knownOf,
  knownSteps,
  knownUntil,
  singleWeights,
  withoutInterval,
} from './fit.ts';
import { bumpDeltas, bumpLengths, logOfBump, logOfPoint, logOfStep, stepDeltas } from './limits.ts';
import { logTail } from './tails.ts';

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
const scoreAt = (fit: Fit, { weights, scores }: Knowns, at: number) => scoreOf(fit, nthDouble(weights, at), nthDouble(scores, at));

/** The score of a change on an interval. */
function scoreOn(fit: Fit, interval: IndexRange): number {
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

/** The change in the values that are left that lies farthest beyond its allowance; undefined where none does. */
function nextChange(fit: Fit, quests: readonly Quest[], freedom: number): ShapeCandidate | undefined {
  let best: ShapeCandidate | undefined;
  let lead = 0;
  for (const quest of quests) {
    const candidate = clearest(fit, quest, freedom);
    const beyond = candidate ? Math.log(quest.level) - candidate.logP : 0;
    if (candidate && beyond > lead) [best, lead] = [candidate, beyond];
  }
  return best;
}

/** Twice the logarithm of a likelihood ratio within which places cannot be distinguished: chi-squared with one degree of freedom at 5 %. */
const CLOSE = 3.84;
const MOST_CHANGES = 6;
/** A step's first value may be off by this many when its alternatives are compared. */
const NEAR = 3;
/** Twice a logarithm of a likelihood ratio by which a bump that has ended must beat the step: several ends are tried. */
const ENDED = 9;
/** The same for a bump that ended as the step began: it is the rarer of the two. */
const ENDED_BEFORE = 4;
/** The same for a step that began before the values that are asked about. */
const BEGUN_BEFORE = 6;
/** Values that a bump may have lasted for whose end looks like a step. */
const LONGEST_BEFORE = 35;

/** A bump in place of a step that was found, where that is likelier: one whose last values are back, or the end of one before it. */
function settled(fit: Fit, found: ShapeCandidate): ShapeCandidate {
  if (found.shape !== 'step') return found;
  const square = found.score ** 2;
  const [first, last] = [Math.max(1, found.from - NEAR), Math.min(fit.size, found.from + NEAR)];
  let best = found;
  let most = ENDED_BEFORE;
  const known = emptyKnowns(fit.size);
  const look = (from: number, to: number, score: number, sign: 1 | -1) => {
    const gain = score ** 2 - square;
    if (score * found.score * sign > 0 && gain > most) [best, most] = [{ ...found, shape: 'bump', from, to, score }, gain];
  };
  for (let to = first; to <= last; to += 1) {
    knownUntil(fit, to, known);
    for (let from = Math.max(1, to - LONGEST_BEFORE - 1); from <= to - 2; from += 1) look(from, to, scoreAt(fit, known, from), -1);
  }
  most = Math.max(ENDED, most);
  for (let from = first; from < last; from += 1) {
    knownFrom(fit, from, fit.size - 1, known);
    for (let to = from + 2; to < fit.size; to += 1) look(from, to, scoreAt(fit, known, to), 1);
  }
  return best;
}

/** The same step from an earlier place, where that is clearly likelier: more is allowed for steps at the places that are asked about. */
function begunBefore(fit: Fit, found: ShapeCandidate, first: number): ShapeCandidate {
  if (found.shape !== 'step') return found;
  const known = knownSteps(fit, emptyKnowns(fit.size));
  let best = found;
  for (let from = first; from < found.from; from += 1) {
    const score = scoreAt(fit, known, from);
    if (score * found.score > 0 && score ** 2 > Math.max(best.score ** 2, found.score ** 2 + BEGUN_BEFORE))
      best = { ...found, from, score };
  }
  return best;
}

/** First and last place within which the likelihood of a beginning is close to the best. */
function placesOf(fit: Fit, { from, to, score }: ShapeCandidate, close = CLOSE): Pick<Placed, 'earliest' | 'latest'> {
  const known = knownUntil(fit, to, emptyKnowns(fit.size));
  const isClose = (at: number) => {
    const other = scoreAt(fit, known, at);
    return other * score > 0 && score ** 2 - other ** 2 <= close;
  };
  let [earliest, latest] = [from, from];
  while (earliest > 1 && isClose(earliest - 1)) earliest -= 1;
  while (latest + 1 < to && isClose(latest + 1)) latest += 1;
  return { earliest, latest };
}

/** A candidate with the first and last place at which it may have begun as well. */
export interface Placed extends ShapeCandidate {
  readonly earliest: number;
  readonly latest: number;
}

/** A change that was found, with its effect, all changes together. */
export interface LevelChange extends Placed {
  readonly effect: number;
  readonly error: number;
}

const endedShape = (from: number, to: number): Shape => (to - from === 1 ? 'point' : 'bump');

/** Reads two changes that begin together as one after the other: what changes when the shorter one ends is a change of its own. */
function inTurn(found: readonly Placed[], size: number): Placed[] {
  const result: Placed[] = [];
  for (const change of found) {
    const at = result.findIndex(
      (other) => change.shape !== 'point' && other.shape !== 'point' && Math.abs(other.from - change.from) <= 1 && other.to !== change.to,
    );
    const clearer = result[at];
    if (!clearer) {
      result.push(change);
      continue;
    }
    const [short, long] = clearer.to < change.to ? [clearer, change] : [change, clearer];
    const places = { earliest: Math.min(short.earliest, long.earliest), latest: Math.max(short.latest, long.latest) };
    const [from, to] = [short.to, long.to];
    result[at] = { ...long, from: clearer.from, logP: clearer.logP, ...places };
    result.push({ ...change, shape: to === size ? 'step' : endedShape(from, to), from, to, earliest: from, latest: from });
  }
  return result;
}

/** Effects of several changes at once: each with the others taken out. */
function together(fit: Fit, changes: readonly IndexRange[]): { readonly effect: number; readonly error: number }[] {
  return changes.map((own) => {
    const { weight, score } = knownOf(
      changes.filter((other) => other !== own).reduce((rest, other) => withoutInterval(rest, other), fit),
      own,
    );
    return { effect: score / weight, error: 1 / Math.sqrt(weight) };
  });
}

/** Values by which a level may be interrupted, and the standard errors that it may differ by behind them, to be one level. */
const [INTERRUPTED, ALIKE] = [2, 2];

/** Reads a level that is left for a value or two and comes back as one change, and the values between as one of their own. */
function uninterrupted(fit: Fit, found: readonly Placed[]): readonly Placed[] {
  const effects = together(fit, found);
  for (const [at, early] of found.entries()) {
    if (early.shape !== 'bump') continue;
    const next = found.findIndex(({ shape, from }) => shape !== 'point' && from > early.to && from <= early.to + INTERRUPTED);
    const [late, one, other] = [found[next], effects[at], effects[next]];
    if (!late || !one || !other || one.effect * other.effect <= 0) continue;
    if (Math.abs(one.effect - other.effect) > ALIKE * Math.hypot(one.error, other.error)) continue;
    const whole = { ...early, shape: late.shape, to: late.to, logP: Math.min(early.logP, late.logP) };
    const [from, to] = [early.to, late.from];
    const between = { ...late, shape: endedShape(from, to), from, to, earliest: from, latest: from };
    return uninterrupted(fit, [whole, between, ...found.filter((change) => change !== early && change !== late)]);
  }
  return found;
}

/**
 * Reads a level that an opposite one overtakes within a value or two as those values alone. What the later one is against the values before
 * both, and how clear that is, is less than it is against these.
 */
function overtaken(fit: Fit, found: readonly Placed[]): readonly Placed[] {
  const isOvertaken = (early: Placed, late: Placed) =>
    late.to === early.to && late.score * early.score < 0 && late.from > early.from && late.from <= early.from + INTERRUPTED;
  const read = found.map((own) => {
    const late = found.find((other) => isOvertaken(own, other));
    return late ? { ...own, shape: endedShape(own.from, late.from), to: late.from } : own;
  });
  if (read.every((own, at) => own === found[at])) return found;
  const effects = together(fit, read);
  return read.map((own, at) => {
    const { effect = 0, error = 1 } = effects[at] ?? {};
    const isLate = found.some((other) => isOvertaken(other, found[at] ?? own));
    return isLate ? { ...own, logP: Math.min(0, own.logP + logTail(effect / error) - logTail(own.score)) } : own;
  });
}

/** The changes of which those before them leave something: values between two levels may have been found as a change already. */
function distinct(fit: Fit, found: readonly Placed[]): Placed[] {
  const kept: Placed[] = [];
  let left = fit;
  for (const change of found) {
    if (scoreOn(left, change) === 0) continue;
    kept.push(change);
    left = withoutInterval(left, change);
  }
  return kept;
}

/** Changes in order of their first value, and what the values know when they are taken out. */
export interface FoundChanges {
  readonly changes: readonly LevelChange[];
  readonly left: Fit;
}

/**
 * Finds changes one after the other, the one farthest beyond its allowance first, each taken out before the next search (forward selection
 * after Chen and Liu 1993), and estimates them together.
 */
export function findChanges(fit: Fit, quests: readonly Quest[], freedom: number): FoundChanges {
  const found: Placed[] = [];
  const open = quests.filter(({ from, to }) => from < to);
  const firstStep = Math.min(...open.filter(({ shape }) => shape === 'step').map(({ from }) => from));
  let left = fit;
  while (found.length < MOST_CHANGES) {
    const candidate = nextChange(left, open, freedom);
    if (!candidate) break;
    const own = settled(left, begunBefore(left, candidate, firstStep));
    found.push({ ...own, ...(own.shape === 'point' ? { earliest: own.from, latest: own.from } : placesOf(left, own)) });
    left = withoutInterval(left, own);
  }
  const read = found.length < 2 ? found : distinct(fit, overtaken(fit, uninterrupted(fit, inTurn(found, fit.size))));
  const effects = together(fit, read);
  const changes = read.map((change, at): LevelChange => ({ ...change, ...(effects[at] ?? { effect: 0, error: 0 }) }));
  return { changes: changes.toSorted((a, b) => a.from - b.from), left };
}
