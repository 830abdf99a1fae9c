import { nthDouble } from '../../../../src/lib/nth.ts';
import { logOfLargest, logTail, normalOf } from '../../../../src/statistics/tails.ts';
import { emptyKnowns, type Fit, type IndexRange, type Knowns, knownFrom, knownSteps, singleWeights } from './fit.ts';

/** The distribution function of the standard normal, at least 0. */
const belowOf = (x: number) => 1 - Math.exp(logTail(x)) / 2;

/**
 * The overshoot of a walk of normal steps over a limit, as a factor of the rate at which it crosses it (Siegmund 1985, in the form
 * of Siegmund and Yakir 2007, error about 0.01).
 */
export function overshoot(x: number): number {
  if (x < 1e-6) return 1;
  const [half, density] = [x / 2, Math.exp(-(x * x) / 8) / Math.sqrt(2 * Math.PI)];
  return ((2 / x) * (belowOf(half) - 0.5)) / (half * belowOf(half) + density);
}

/** The part of a score that is new beside its neighbour: at most all of it, `delta` being 1 less the correlation of the two. */
const freshOf = (square: number, delta: number) =>
  Math.min(1, square * Math.max(0, delta) * overshoot(Math.sqrt(2 * square * Math.max(0, delta))));

/** 1 less the correlation of two effects, by what is known of each and of their difference. */
function deltaOf(one: number, other: number, difference: number): number {
  if (!(one > 0) || !(other > 0)) return 1;
  return Math.min(1, 1 - (one + other - difference) / 2 / Math.sqrt(one * other));
}

/** For each beginning of a step from one place on but the last, how little it has in common with the next one. */
export function stepDeltas(fit: Fit, from: number, to: number): Float64Array {
  const { weights } = knownSteps(fit, emptyKnowns(fit.size));
  const singles = singleWeights(fit);
  return Float64Array.from({ length: Math.max(0, to - from - 1) }, (_, index) => {
    const at = from + index;
    return deltaOf(nthDouble(weights, at), nthDouble(weights, at + 1), nthDouble(singles, at));
  });
}

/**
 * Logarithm of the probability that any of some steps lies as far out where nothing happened: that of one, times the number of steps that
 * are as good as new (Siegmund and Yakir 2007).
 */
export function logOfStep(score: number, deltas: Float64Array, freedom: number): number {
  const z = Math.abs(normalOf(score, freedom));
  let count = 1;
  for (let at = 0; at < deltas.length; at += 1) count += freshOf(z * z, nthDouble(deltas, at));
  return Math.min(0, Math.log(count) + logTail(z));
}

/** Logarithm of the probability that any of so many single values lies as far out. */
export const logOfPoint = (score: number, count: number, freedom: number): number => logOfLargest(normalOf(score, freedom), count);

/** Lengths of bumps that are told apart grow by this factor. */
const GROWTH = 1.4;

/** First lengths of the classes of bumps from a shortest to a longest one, and the length after the last class. */
export function bumpLengths(shortest: number, longest: number): number[] {
  const lengths: number[] = [];
  for (let length = shortest; length <= longest; length = Math.max(length + 1, Math.floor(length * GROWTH))) lengths.push(length);
  return [...lengths, longest + 1];
}

/** Beginnings at which the neighbours of a bump are looked at. */
const SAMPLES = 3;

/** How little a bump of some length has in common with those that begin and that end one place later, on the mean of some places. */
export function bumpDeltas(fit: Fit, places: IndexRange, length: number, singles: Float64Array, into: Knowns): readonly [number, number] {
  const count = Math.min(SAMPLES, places.to - places.from);
  let [first, last] = [0, 0];
  for (let sample = 0; sample < count; sample += 1) {
    const from = places.from + Math.floor(((sample + 0.5) * (places.to - places.from)) / count);
    const to = Math.min(fit.size - 1, from + length);
    const { weights } = knownFrom(fit, from, to + 1, into);
    const [own, longer] = [nthDouble(weights, to), nthDouble(weights, to + 1)];
    const later = nthDouble(knownFrom(fit, from + 1, to, into).weights, to);
    first += deltaOf(own, later, nthDouble(singles, from)) / count;
    last += deltaOf(own, longer, nthDouble(singles, to)) / count;
  }
  return [first, last];
}

/**
 * Logarithm of the probability that any bump of a class of lengths lies as far out, one of `classes` that are looked for: both edges move,
 * so the number of new scores is the product of both (Siegmund and Yakir 2007).
 */
export function logOfBump(score: number, count: number, deltas: readonly [number, number], classes: number, freedom: number): number {
  const z = Math.abs(normalOf(score, freedom));
  const fresh = freshOf(z * z, deltas[0]) * freshOf(z * z, deltas[1]);
  return Math.min(0, Math.log(classes * Math.max(1, count * fresh)) + logTail(z));
}
