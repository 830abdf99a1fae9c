import { type JudgeOptions, judgeSeries, type Verdict } from './judge-series.ts';
import type { Effect, RunSeries, Span } from './run-series.ts';
import { judgeSince, type SinceInstant } from './since-instant.ts';

/** One of several series that are judged together. */
export interface Tracked<Key> {
  /** What the caller knows it by. */
  readonly key: Key;
  /** Series of one group (a step, a scenario) move for the same reasons. */
  readonly group: string;
  /** How much visitors feel the metric: 0 most. */
  readonly rank: number;
  readonly series: RunSeries;
  readonly effect: Effect;
  readonly threshold?: number | undefined;
}

/** The verdict on one of them. */
export interface Judged<Key> extends Omit<Tracked<Key>, 'series' | 'effect' | 'threshold'> {
  readonly verdict: Verdict;
  /** Moved at the instant at which its group did, which alone would not have been certain. */
  readonly movedWith: SinceInstant | undefined;
}

export interface TogetherOptions<Key> {
  readonly period: Span;
  readonly timeZone: string;
  /** False for a verdict that something else speaks against: it then makes no other one more credible. All are credible when left out. */
  readonly isCredible?: ((key: Key, verdict: Verdict) => boolean) | undefined;
  /** Expected share of false ones among the changes that are named, however many series are looked at; default `FALSE_DISCOVERY_RATE`. */
  readonly falseDiscoveryRate?: number | undefined;
}

/** All verdicts, the one to name first in front. */
export interface Together<Key> {
  readonly judged: readonly Judged<Key>[];
  /** The first one, where it is no steady one and has enough data. */
  readonly headline: Judged<Key> | undefined;
  /** Series that had enough runs to be judged. */
  readonly looked: number;
  /** Chance above which a change was not named, because of the number looked at. */
  readonly highestP: number;
}

/** Expected share of false ones among the changes that one answer names. */
export const FALSE_DISCOVERY_RATE = 0.03;
/** All states, the worst first. */
export const SEVERITY = [
  'slower',
  'drifting',
  'was slower',
  'unstable',
  'faster',
  'was faster',
  'steady',
  'not enough data',
] as const satisfies readonly Verdict['state'][];

/**
 * Where all changes are very clear, others of these series need not be as clear: they count where they are so many times rarer than
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
  const sorted = chances.toSorted((a, b) => a - b);
  const last = sorted.findLastIndex((p, index) => p <= (rate * (index + 1)) / looked);
  return Math.max(sorted[last] ?? 0, (rate * (last + 1)) / Math.max(1, looked) / FURTHER);
}

/** Weight of a series by its rank, what visitors feel most first; the last one is that of all further ranks. */
const WEIGHTS = [3, 1.5, 1] as const;

/** How much of the accepted share of false ones each series may claim, 1 on average (Genovese, Roeder and Wasserman 2006). */
function weightsOf(ranks: readonly number[]): number[] {
  const weights = ranks.map((rank) => WEIGHTS[rank] ?? WEIGHTS[2]);
  const mean = weights.reduce((sum, weight) => sum + weight, 0) / Math.max(1, weights.length);
  return weights.map((weight) => weight / mean);
}

/** Size of what a verdict says; negative where values fall. */
function sizeOf(verdict: Verdict): number {
  if ('change' in verdict) return verdict.change.relative;
  if ('episode' in verdict) return verdict.episode.relative;
  return 'relativePer30Days' in verdict ? verdict.relativePer30Days : 0;
}

function severityOf(verdict: Verdict): number {
  // A drift downwards is good news.
  if (verdict.state === 'drifting' && verdict.relativePer30Days < 0) return SEVERITY.indexOf('faster');
  return SEVERITY.indexOf(verdict.state);
}

/** Whether a verdict is of the period: its instant may lie there, or may be that of another change whose instant may. */
function isOfPeriod(verdict: Verdict, { startMs }: Span, instants: readonly Span[]): boolean {
  if (!('change' in verdict)) return 'episode' in verdict ? verdict.episode.toMs >= startMs : true;
  const { range } = verdict.change;
  return instants.some((each) => each.endMs >= startMs && each.startMs <= range.endMs && range.startMs <= each.endMs);
}

/** Worst first: what lasts before what is over, the period before what lies before it, then by what visitors feel, then by size. */
function worstFirst<Key>(judged: readonly Judged<Key>[], period: Span): Judged<Key>[] {
  const instants = judged.flatMap(({ verdict }) => ('change' in verdict ? [verdict.change.range] : []));
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

/** Series that moved at the instant of their group's first change, at the same control for the number of them. */
function movedWith<Key>(judged: readonly Draft<Key>[], options: TogetherOptions<Key>): (SinceInstant | undefined)[] {
  const instants = new Map<string, { rank: number; atMs: number }>();
  for (const { each, verdict } of judged) {
    const { group, rank } = each;
    if (!('change' in verdict) || rank >= (instants.get(group)?.rank ?? Number.POSITIVE_INFINITY)) continue;
    instants.set(group, { rank, atMs: verdict.change.atMs });
  }
  const tests = judged.map(({ each: { group, series, effect }, verdict }) => {
    const instant = instants.get(group);
    if (!instant || (verdict.state !== 'steady' && verdict.state !== 'unstable')) return undefined;
    const test = judgeSince(series, instant.atMs, { ...options, effect });
    return test.state === 'not enough data' ? undefined : test;
  });
  const chances = tests.flatMap((test) => (test ? [test.p] : []));
  const highest = acceptedP(chances, chances.length, options.falseDiscoveryRate ?? FALSE_DISCOVERY_RATE);
  return tests.map((test) => (test && test.state !== 'no change' && test.p <= highest ? test : undefined));
}

/** Judges series together: metrics of the steps of a scenario, or of all scenarios of a site. */
export function judgeTogether<Key>(tracked: readonly Tracked<Key>[], options: TogetherOptions<Key>): Together<Key> {
  const { period, timeZone, falseDiscoveryRate = FALSE_DISCOVERY_RATE, isCredible = () => true } = options;
  const judge = ({ series, effect, threshold }: Tracked<Key>, highestP: JudgeOptions['highestP']) =>
    judgeSeries(series, { period, timeZone, effect, threshold, highestP });
  const first = tracked.map((each) => ({ each, verdict: judge(each, undefined) }));
  const tested = first.flatMap(({ each, verdict }) => ('p' in verdict ? [each] : []));
  const weights = new Map(weightsOf(tested.map(({ rank }) => rank)).map((weight, index) => [tested[index], weight]));
  const weightOf = (each: Tracked<Key>) => weights.get(each) ?? 1;
  const accepted = (drafts: readonly Draft<Key>[]): number => {
    const chances = drafts.flatMap(({ each, verdict }) =>
      'p' in verdict ? [isCredible(each.key, verdict) ? verdict.p / weightOf(each) : Number.POSITIVE_INFINITY] : [],
    );
    return acceptedP(chances, chances.length, falseDiscoveryRate);
  };
  let highestP = accepted(first);
  const judgedAgain = (): Draft<Key>[] =>
    first.map(({ each, verdict }) => ({
      each,
      verdict: 'p' in verdict && verdict.p < 1 ? judge(each, highestP * weightOf(each) * ROUNDING) : verdict,
    }));
  let second = judgedAgain();
  // A stricter limit may leave other parts of a series, which are not credible; what they supported is then looked at again.
  for (let next = accepted(second); next < highestP; next = accepted(second)) {
    highestP = next;
    second = judgedAgain();
  }
  const companions = movedWith(second, options);
  const judged = worstFirst(
    second.map(({ each: { key, group, rank }, verdict }, index) => ({ key, group, rank, verdict, movedWith: companions[index] })),
    period,
  );
  const worst = judged[0];
  const says = worst && worst.verdict.state !== 'steady' && worst.verdict.state !== 'not enough data';
  return { judged, headline: says ? worst : undefined, looked: tested.length, highestP };
}
