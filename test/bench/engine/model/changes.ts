import { logTail } from '../../../../src/statistics/tails.ts';
import { emptyKnowns, type Fit, type IndexRange, knownFrom, knownOf, knownSteps, knownUntil, withoutInterval } from './fit.ts';
import { clearest, type Quest, type Shape, type ShapeCandidate, scoreAt, scoreOn } from './search.ts';

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
