import { discoveryLimit, FALSE_DISCOVERY_RATES } from '../../../statistics/discoveries.ts';
import { keptFit } from '../../../statistics/kept-fits.ts';
import { gainOfPart, heightsOf, likelihoodOf, type Part } from './gls.ts';
import { isShort, type JudgeOptions, judgeSeries, NEEDED, SPEED_STATES, type Study, studySeries, type Verdict } from './judge-series.ts';
import { levelIn, type Plateau } from './plateaus.ts';
import type { Effect, Level, Move, RunSeries, Span } from './run-series.ts';
import { chanceOf } from './score-limits.ts';

/** Accepted chance that a series which did not change at the instant is called changed. */
const ALPHA = 0.01;

/** Whether the level changed at a given instant, such as a release. */
export interface SinceInstant {
  readonly state: 'slower' | 'faster' | 'no change';
  /** Of the runs before and since, as far as no other change lies between. */
  readonly before: Level;
  readonly after: Level;
  /** 0.2 for +20 %; freed of cycle and drift. */
  readonly relative: number;
  /** Chance of as large a difference without a change. */
  readonly p: number;
}

const whole = (from: number, to: number): Plateau => ({ from, to, height: 0, beganIn: undefined });

/**
 * Judges a fixed split: a likelihood ratio of a step at the instant, with all other changes of the look-back taken into account. The
 * instant may have been chosen for any reason but these runs; undefined where there are too few of them.
 */
export function judgeSince(series: RunSeries, instantMs: number, options: JudgeOptions): SinceInstant | undefined {
  const { dates } = series;
  const before = dates.filter((date) => date < instantMs).length;
  if (isShort(series, { period: { startMs: instantMs, endMs: Number.POSITIVE_INFINITY } }) || before < NEEDED.inPeriod) return undefined;
  const { effect, timeZone } = options;
  return keptFit('since', [series, instantMs, effect, timeZone], () => splitAt(studySeries(series, options), instantMs, before));
}

function splitAt({ series, course, plateaus, options }: Study, instantMs: number, before: number): SinceInstant {
  const { values } = series;
  const holds = ({ beganIn }: Plateau) => beganIn !== undefined && beganIn.startMs <= instantMs && beganIn.endMs >= instantMs;
  const place = plateaus.findIndex(holds);
  const here = place < 0 ? plateaus.findIndex(({ to }) => to > before) : place;
  const at = plateaus[here] ?? whole(0, values.length);
  const former = plateaus[here - 1];
  const [earlier, later] = place >= 0 && former ? [former, at] : [whole(at.from, before), whole(before, at.to)];
  const levels = { before: levelIn(series, course, [earlier]), after: levelIn(series, course, [later]) };
  const { relative, p } = stepAt(course.kept.findIndex((run) => run >= (place >= 0 ? at.from : before)));
  const counts = Math.abs(relative) >= options.effect.relative && Math.abs(relative) * levels.before.typical >= options.effect.absolute;
  const direction = relative > 0 ? 'slower' : 'faster';
  const state = p > ALPHA || !counts ? 'no change' : direction;
  return { ...levels, state, relative, p };

  function stepAt(from: number): { relative: number; p: number } {
    const isHere = ({ kind, from: begin, to }: Part) => place >= 0 && kind !== 'line' && (begin === from || to === from);
    const n = course.runs.x.length;
    const step: Part = { kind: 'step', from, to: n };
    const found = course.found.map(({ part }) => part);
    // What a bump does beyond the instant stays a part of its own.
    const beyond = found.filter((part) => isHere(part) && part.kind === 'bump');
    const others = beyond.map((bump): Part => ({ kind: 'step', from: bump.from === from ? bump.to : bump.from, to: n }));
    const parts = [...found.filter((part) => !isHere(part)), ...others, step];
    const { gain, phi } = gainOfPart(course.runs, parts, step, likelihoodOf(course.runs, parts));
    const height = heightsOf(course.frame, parts).at(-1) ?? 0;
    return { relative: Math.expm1(height), p: chanceOf('line', gain, n, phi) };
  }
}

/** One of several series that are judged together. */
export interface Tracked<Key> {
  /** The caller's key of the series. */
  readonly key: Key;
  /** Series of one group (a step, a scenario) move for the same reasons. */
  readonly group: string;
  /** How much visitors feel the metric: 0 most. */
  readonly rank: number;
  readonly series: RunSeries;
  readonly effect: Effect;
}

/** The verdict on one of them. */
export interface Judged<Key> extends Omit<Tracked<Key>, 'series' | 'effect'> {
  readonly verdict: Verdict;
  /** How it moved at the instant at which its group did, which alone would not have been certain. */
  readonly movedWith: { readonly state: 'slower' | 'faster'; readonly move: Move } | undefined;
  /** The verdict of the series alone, where something else speaks against it. */
  readonly doubted: Verdict | undefined;
}

/** The period of series that are judged together, and the accepted share of false discoveries. */
export interface TogetherOptions<Key> {
  readonly period: Span;
  readonly timeZone: string;
  /** False for a verdict that something else speaks against: it then makes no other one more credible. All are credible when left out. */
  readonly isCredible?: ((key: Key, verdict: Verdict) => boolean) | undefined;
  /** Expected share of false ones among the changes that are named, however many series are looked at; default that of changes of speed. */
  readonly falseDiscoveryRate?: number | undefined;
}

/**
 * Where all changes are very clear, others of these series need not be as clear: they count where they are this many times rarer than
 * Benjamini and Hochberg ask. With 10 in place of 1,000, short dips before a change are named, and its level before is that of the dip.
 */
const FURTHER = 1000;
/** A chance that was divided by its weight and multiplied again must not fall below itself. */
const ROUNDING = 1 + 1e-9;

/**
 * The chance up to which changes are accepted among `looked` tests: the largest that Benjamini and Hochberg (1995) accept, or a part of
 * their limit, so that a very clear change hides no other clear one; 0 where they accept none.
 */
export function acceptedP(chances: readonly number[], looked: number, rate: number): number {
  const limit = discoveryLimit(chances, rate, looked);
  return Math.max(limit / FURTHER, ...chances.filter((p) => p <= limit));
}

/** Weight of a series by its rank, what visitors feel most first; the last one is that of all further ranks. */
const WEIGHTS = [3, 1.5, 1] as const;

/** How much of the accepted share of false ones each series may claim, 1 on average (Genovese, Roeder and Wasserman 2006). */
function weightsOf(ranks: readonly number[]): number[] {
  const weights = ranks.map((rank) => WEIGHTS[rank] ?? WEIGHTS[2]);
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / Math.max(1, weights.length);
  return weights.map((weight) => weight / mean);
}

/** The move that a verdict is about. */
export const moveIn = (verdict: Verdict): Move | undefined => ('move' in verdict ? verdict.move : undefined);

/** The lasting step that a verdict is about. */
const stepIn = (verdict: Verdict): Move | undefined => (moveIn(verdict)?.shape === 'step' ? moveIn(verdict) : undefined);

const sizeOf = (verdict: Verdict): number => moveIn(verdict)?.relative ?? 0;

function severityOf(verdict: Verdict): number {
  // A drift downwards is good news.
  if (verdict.state === 'drifting' && verdict.move.relative < 0) return SPEED_STATES.indexOf('faster');
  return SPEED_STATES.indexOf(verdict.state);
}

/** Whether a verdict is of the period: its instant may lie there, or may be that of another change whose instant may. */
function isOfPeriod(verdict: Verdict, { startMs }: Span, instants: readonly Span[]): boolean {
  const move = moveIn(verdict);
  if (move?.shape !== 'step') return (move?.untilMs ?? startMs) >= startMs;
  const { began } = move;
  return instants.some((each) => each.endMs >= startMs && each.startMs <= began.endMs && began.startMs <= each.endMs);
}

/** Worst first: what lasts before what is over, the period before what lies before it, then by what visitors feel, then by size. */
function worstFirst<Key>(judged: readonly Judged<Key>[], period: Span): Judged<Key>[] {
  const instants = judged.flatMap(({ verdict }) => stepIn(verdict)?.began ?? []);
  return judged
    .map((each) => ({ each, severity: severityOf(each.verdict), isOfPeriod: isOfPeriod(each.verdict, period, instants) }))
    .toSorted(
      (a, b) =>
        a.severity - b.severity ||
        Number(b.isOfPeriod) - Number(a.isOfPeriod) ||
        a.each.rank - b.each.rank ||
        Math.abs(sizeOf(b.each.verdict)) - Math.abs(sizeOf(a.each.verdict)),
    )
    .map(({ each }) => each);
}

interface Draft<Key> {
  readonly each: Tracked<Key>;
  readonly verdict: Verdict;
}

/** Series that moved at the instant of their group's first credible change, at the same control for the number of them. */
function movedWith<Key>(judged: readonly Draft<Key>[], options: TogetherOptions<Key>): Judged<Key>['movedWith'][] {
  const { isCredible = () => true, falseDiscoveryRate = FALSE_DISCOVERY_RATES.speedChanges } = options;
  const leaders = new Map<string, { rank: number; step: Move }>();
  for (const { each, verdict } of judged) {
    const { key, group, rank } = each;
    const step = stepIn(verdict);
    if (step && rank < (leaders.get(group)?.rank ?? Number.POSITIVE_INFINITY) && isCredible(key, verdict))
      leaders.set(group, { rank, step });
  }
  const tests = judged.map(({ each: { group, series, effect }, verdict }) => {
    const leader = leaders.get(group);
    if (!leader || (verdict.state !== 'steady' && verdict.state !== 'unstable')) return undefined;
    const test = judgeSince(series, leader.step.fromMs, { ...options, effect });
    return test && { ...test, step: leader.step };
  });
  const chances = tests.flatMap((test) => test?.p ?? []);
  const highest = acceptedP(chances, chances.length, falseDiscoveryRate);
  return tests.map((test) => {
    if (!test || test.state === 'no change' || test.p > highest) return undefined;
    const { state, step, before, after, relative } = test;
    return { state, move: { ...step, before, after, relative } };
  });
}

/** Judges series together, metrics of the steps of a scenario or of all scenarios of a site; the one to name first is in front. */
export function judgeTogether<Key>(tracked: readonly Tracked<Key>[], options: TogetherOptions<Key>): Judged<Key>[] {
  const { period, timeZone, falseDiscoveryRate = FALSE_DISCOVERY_RATES.speedChanges, isCredible = () => true } = options;
  const judge = ({ series, effect }: Tracked<Key>, highestP: JudgeOptions['highestP']) =>
    judgeSeries(series, { period, timeZone, effect, highestP });
  const first = tracked.map((each) => ({ each, verdict: judge(each, undefined) }));
  const tested = first.flatMap(({ each, verdict }) => ('p' in verdict ? [each] : []));
  const weights = new Map(weightsOf(tested.map(({ rank }) => rank)).map((weight, index) => [tested[index], weight]));
  const weightOf = (each: Tracked<Key>) => weights.get(each) ?? 1;
  const accepted = (drafts: readonly Draft<Key>[], believes: NonNullable<typeof isCredible>): number => {
    const chances = drafts.flatMap(({ each, verdict }) =>
      'p' in verdict ? [believes(each.key, verdict) ? verdict.p / weightOf(each) : Number.POSITIVE_INFINITY] : [],
    );
    return acceptedP(chances, chances.length, falseDiscoveryRate);
  };
  let highestP = accepted(first, isCredible);
  // What has moved for good counts also where it is one question among all series that were asked (Bonferroni): very clear episodes, as of
  // an outage of all steps, say nothing against it.
  const ofOneQuestion = falseDiscoveryRate / Math.max(1, tested.length);
  const judgedAt = (limit: number, { each, verdict }: Draft<Key>): Verdict => {
    if (!('p' in verdict) || verdict.p === 1) return verdict;
    const share = weightOf(each) * ROUNDING;
    return judge(each, { any: limit * share, onlyLasting: Math.max(limit, ofOneQuestion) * share });
  };
  const judgedAgain = (): Draft<Key>[] => first.map((draft) => ({ each: draft.each, verdict: judgedAt(highestP, draft) }));
  const highestOfAll = accepted(first, () => true);
  const doubted = first.map((draft) => {
    const verdict = judgedAt(highestOfAll, draft);
    return isCredible(draft.each.key, verdict) ? undefined : verdict;
  });
  let second = judgedAgain();
  // A stricter limit may leave other parts of a series, which are not credible; what they supported is then looked at again.
  for (let next = accepted(second, isCredible); next < highestP; next = accepted(second, isCredible)) {
    highestP = next;
    second = judgedAgain();
  }
  const companions = movedWith(second, options);
  return worstFirst(
    second.map(({ each: { key, group, rank }, verdict }, index) => ({
      key,
      group,
      rank,
      verdict,
      movedWith: companions[index],
      doubted: doubted[index],
    })),
    period,
  );
}
