import { logTail, normalOf, Z_99 } from '../../statistics/tails.ts';
import type { Interval } from './drift-grid.ts';
import { effectsOf, type Information, without } from './noise.ts';
import { type Candidate, LONGEST_EPISODE_DAYS, nextChange, type Quest, type Shape, scoreOf, soughtBy, takeOut } from './seek.ts';
import { LEAST_HISTORY_DAYS, type Series, sizeOf, WEEK } from './series.ts';

/** A change that was found: days on which the level differs from that before. */
export interface Change extends Interval {
  readonly shape: Shape;
  /** As a deviation and its standard error, all changes together. */
  readonly effect: number;
  readonly error: number;
  /** Logarithm of the probability of so clear a change of this shape on any of the days looked at, where nothing happened. */
  readonly logP: number;
  /** First and last index on which it may have begun as well. */
  readonly earliest: number;
  readonly latest: number;
}

/**
 * Twice the logarithm of a likelihood ratio within which first days cannot be distinguished at 95 %: that of a break is no chi-squared, its
 * probability is (1 − exp(−x / 2))² (Hansen 2000). With 3.84 in its place 73 to 87 % of the bounds hold the true day.
 */
const CLOSE = -2 * Math.log(1 - Math.sqrt(0.95));
const MOST_CHANGES = 6;
/** A step's first day may be off by this many days when its alternatives are compared. */
const NEAR_START = 3;
/** Twice a logarithm of a likelihood ratio by which an episode that has ended must beat the step: several ends are tried. */
const ENDED = 9;
/** The same for an episode that ended as the step began: it is the rarer of the two. */
const ENDED_BEFORE = 4;
/** The same for one of many weeks, which a slow drift looks like; the days before it are known. */
const ENDED_LONG = 30;
/** The same for a step that began before the days that are asked about. */
const BEGUN_BEFORE = 6;

/** The best of some intervals by what their score gains on that of a step; undefined where none gains more than `least`. */
function gaining(information: Information, found: Candidate, sign: 1 | -1, least: number, intervals: readonly Interval[]) {
  let best: (Candidate & { readonly gain: number }) | undefined;
  for (const interval of intervals) {
    const score = scoreOf(information, interval);
    const gain = score ** 2 - found.score ** 2;
    if (score * found.score * sign > 0 && gain > (best?.gain ?? least)) best = { ...found, ...interval, shape: 'episode', score, gain };
  }
  return best;
}

/**
 * The alternatives to a step that was found, by likelihood, because a step is the easier one to find: an episode whose last days are back,
 * or the end of one before it.
 */
function settledOf(information: Information, found: Candidate): Candidate {
  if (found.shape !== 'step') return found;
  const around = Array.from({ length: 2 * NEAR_START + 1 }, (_, index) => found.from + index - NEAR_START).filter(
    (at) => at >= 1 && at <= information.size,
  );
  const ended = around.flatMap((from) =>
    Array.from({ length: Math.max(0, information.size - from - 2) }, (_, index) => ({ from, to: from + 2 + index })),
  );
  const before = around.flatMap((to) => Array.from({ length: Math.max(0, to - 2) }, (_, index) => ({ from: index + 1, to })));
  const [short, long] = [false, true].map((isLong) => {
    const some = before.filter(
      ({ from, to }) => to - from > LONGEST_EPISODE_DAYS + 1 === isLong && (!isLong || from >= LEAST_HISTORY_DAYS),
    );
    return gaining(information, found, -1, isLong ? ENDED_LONG : ENDED_BEFORE, some);
  });
  const earlier = (long?.gain ?? 0) > (short?.gain ?? 0) ? long : short;
  return gaining(information, found, 1, Math.max(ENDED, earlier?.gain ?? 0), ended) ?? earlier ?? found;
}

/**
 * The same step with an earlier first day, where that is clearly likelier: more is allowed for steps in the days that are asked about, so
 * that one which began before them would be dated anew.
 */
function begunBefore(information: Information, found: Candidate, first: number): Candidate {
  if (found.shape !== 'step') return found;
  let best = found;
  for (let from = first; from < found.from; from += 1) {
    const score = scoreOf(information, { from, to: found.to });
    if (score * found.score > 0 && score ** 2 > Math.max(best.score ** 2, found.score ** 2 + BEGUN_BEFORE))
      best = { ...found, from, score };
  }
  return best;
}

/** First and last start within which the likelihood is close to the best. */
function startsOf(information: Information, { from, to, score }: Candidate): { earliest: number; latest: number } {
  const isClose = (at: number) => {
    const other = scoreOf(information, { from: at, to });
    return other * score > 0 && score ** 2 - other ** 2 <= CLOSE;
  };
  // A day between may by chance be none of them.
  const close = Array.from({ length: to }, (_, at) => at).filter((at) => at >= 1 && isClose(at));
  return { earliest: Math.min(from, ...close), latest: Math.max(from, ...close) };
}

interface Placed extends Candidate {
  readonly earliest: number;
  readonly latest: number;
  /** It is of what the metric is the product of, and no end of an earlier change of the metric. */
  readonly isOfFactor?: true;
}

const placedIn = (information: Information, own: Candidate): Placed => ({
  ...own,
  ...(own.shape === 'outlier' ? { earliest: own.from, latest: own.from } : startsOf(information, own)),
});

/** Logarithm of the probability of so large a score on given days where nothing happened. */
type Chance = (score: number) => number;

/** A change that was found; an episode behind which the level is not the one before it (1 %) as the steps that begin and end it. */
function stepsOf(information: Information, own: Candidate, chanceOf: Chance): Placed[] {
  const { from, to, logP } = own;
  const { size } = information;
  const [begun, ended] = [
    { from, to: size },
    { from: to, to: size },
  ];
  if (own.shape !== 'episode' || Math.abs(scoreOf(without(information, own), ended)) <= Z_99) return [placedIn(information, own)];
  const besides = (other: Interval, step: Interval) => {
    const left = without(information, other);
    const score = scoreOf(left, step);
    return placedIn(left, { shape: 'step', ...step, score, logP: step === begun ? logP : chanceOf(score) });
  };
  return [besides(ended, begun), besides(begun, ended)];
}

const endedShape = (from: number, to: number): Shape => (to - from === 1 ? 'outlier' : 'episode');

/** Days after which a level is the usual one, so that what leaves it is a change of its own. */
export const USUAL_DAYS = 4 * WEEK;
/** Days by which a level may be interrupted, and the standard errors that it may differ by behind them, to be one level. */
const [INTERRUPTED_DAYS, ALIKE] = [2, 2];

/** Reads a level that is left for a day or two and comes back as one change, and the days between as one of their own. */
function uninterrupted(information: Information, found: readonly Placed[]): readonly Placed[] {
  const effects = effectsOf(information, found);
  for (const [at, early] of found.entries()) {
    if (early.shape !== 'episode') continue;
    const next = found.findIndex(({ shape, from }) => shape !== 'outlier' && from > early.to && from <= early.to + INTERRUPTED_DAYS);
    const [late, one, other] = [found[next], effects[at], effects[next]];
    if (!late || !one || !other || one.effect * other.effect <= 0) continue;
    if (Math.abs(one.effect - other.effect) > ALIKE * Math.hypot(one.error, other.error)) continue;
    const whole = { ...early, shape: late.shape, to: late.to, logP: Math.min(early.logP, late.logP) };
    const [from, to] = [early.to, late.from];
    const between = { ...late, shape: endedShape(from, to), from, to, earliest: from, latest: from };
    return uninterrupted(information, [whole, between, ...found.filter((change) => change !== early && change !== late)]);
  }
  return found;
}

/**
 * Reads a level of which an opposite one leaves less than half as the days between them alone, an episode and not two steps without end; of
 * a week or more only where that one does not leave half as much the other way. What the later one is against the days before both, and how
 * clear that is, is less than it is against these. Where more is left and it came within a day or two, the level only began more deeply.
 */
function overtaken(information: Information, all: readonly Placed[], chanceOf: Chance): readonly Placed[] {
  const effectOf = new Map(effectsOf(information, all).map(({ effect }, at) => [all[at], effect]));
  /** The share of a change that an opposite one soon after it leaves; undefined where that is none. */
  const shareLeft = (early: Placed, late: Placed) => {
    const [first, second] = [effectOf.get(early) ?? 0, effectOf.get(late) ?? 0];
    const isWithin = late.to === early.to && late.from > early.from && late.from <= early.from + USUAL_DAYS && !late.isOfFactor;
    return isWithin && first * second < 0 ? Math.expm1(first + second) / Math.expm1(first) : undefined;
  };
  const isOvertaken = (early: Placed, late: Placed) => {
    const share = shareLeft(early, late) ?? 1;
    return share <= 1 / 2 && (share >= -1 / 2 || late.from < early.from + WEEK);
  };
  const isBegun = (early: Placed, late: Placed) => late.from <= early.from + INTERRUPTED_DAYS && (shareLeft(early, late) ?? 0) > 1 / 2;
  const found = all.filter((late) => !all.some((early) => isBegun(early, late)));
  const read = found.map((own) => {
    const late = found.find((other) => isOvertaken(own, other));
    return late ? { ...own, shape: endedShape(own.from, late.from), to: late.from } : own;
  });
  const effects = effectsOf(information, read);
  return read.map((own, at) => {
    const { effect = 0, error = 1 } = effects[at] ?? {};
    const isLate = found.some((other) => isOvertaken(other, found[at] ?? own));
    return isLate ? { ...own, logP: Math.min(0, own.logP + chanceOf(effect / error) - chanceOf(own.score)) } : own;
  });
}

/** The changes of which those before them leave something: days between two levels may have been found as a change already. */
function distinct(information: Information, found: readonly Placed[]): Placed[] {
  const kept: Placed[] = [];
  let left = information;
  for (const change of found) {
    if (scoreOf(left, change) === 0) continue;
    kept.push(change);
    left = without(left, change);
  }
  return kept;
}

/** Changes in order of their first day, and the scores of the days when they are taken out. */
export interface Found {
  readonly changes: readonly Change[];
  readonly left: Float64Array;
}

/**
 * Finds changes one after the other, the clearest first, each taken out before the next search (forward selection after Chen and Liu 1993),
 * and estimates them together; `steps` are the first days of lasting changes of factors.
 */
export function findChangesIn(information: Information, quests: readonly Quest[], freedom: number, steps: readonly number[] = []): Found {
  const found: Placed[] = [];
  const firstStart = Math.min(...quests.filter(({ shape }) => shape === 'step').map(({ from }) => from));
  const sought = quests.map((quest) => soughtBy(information, quest));
  let left = information;
  const chanceOf = (score: number) => logTail(normalOf(score, freedom));
  const take = (own: Placed) => {
    found.push(own);
    left = without(left, own);
    for (const each of sought) takeOut(each, left);
  };
  for (const from of steps) {
    const step = { from, to: information.size };
    const score = scoreOf(left, step);
    if (score !== 0) take({ shape: 'step', ...step, score, logP: chanceOf(score), earliest: from, latest: from, isOfFactor: true });
  }
  while (found.length < MOST_CHANGES) {
    const candidate = nextChange(sought, left, freedom);
    if (!candidate) break;
    for (const own of stepsOf(left, settledOf(left, begunBefore(left, candidate, firstStart)), chanceOf)) take(own);
  }
  const read = distinct(information, overtaken(information, uninterrupted(information, found), chanceOf));
  const effects = effectsOf(information, read);
  const changes = read.map(({ score: _score, isOfFactor: _isOfFactor, ...change }, index): Change => {
    const { effect, error } = effects[index] ?? { effect: 0, error: 0 };
    return { ...change, effect, error };
  });
  return { changes: changes.toSorted((a, b) => a.from - b.from), left: left.score };
}

/** A change in words of days: from `from` to `to`, of which `to` is left out where it goes on. */
export interface DatedChange {
  /** Of `drift`, which begins on no day, `relative` is what it makes over the days that were looked at. */
  readonly shape: Shape | 'drift';
  readonly from: string;
  readonly to?: string;
  /** Days it has lasted for. */
  readonly days: number;
  /** First and last day on which it may have begun as well (95 %). */
  readonly earliest: string;
  readonly latest: string;
  /** Against the days before it: −0.25 for a quarter less; `low` and `high` bound it at 95 %. */
  readonly relative: number;
  readonly low: number;
  readonly high: number;
  readonly pValue: number;
}

/** A change of a series in words of days. */
export function dated(series: Series, change: Change): DatedChange {
  const { labels, isOver } = series;
  const { shape, from, to, effect, error, logP, earliest, latest } = change;
  const label = (at: number) => labels[at] ?? '';
  const goesOn = to === labels.length && !isOver;
  return {
    shape: shape === 'step' && !goesOn ? endedShape(from, to) : shape,
    from: label(from),
    ...(!goesOn && { to: label(to - 1) }),
    days: to - from,
    earliest: label(earliest),
    latest: label(latest),
    ...sizeOf(series, change, effect, error),
    pValue: Math.exp(logP),
  };
}
