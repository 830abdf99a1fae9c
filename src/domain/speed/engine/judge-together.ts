import { nth } from '../../../lib/nth.ts';
import { discoveryLimit, FALSE_DISCOVERY_RATES } from '../../../statistics/discoveries.ts';
import { type JudgeOptions, judgeSeries, SPEED_STATES, type Verdict } from './judge-series.ts';
import type { Effect, RunSeries, Span } from './run-series.ts';

/** One of several series that are judged together. */
export interface Tracked {
  /** Series of one group (a step, a scenario) move for the same reasons. */
  readonly group: string;
  /** How much visitors feel the metric: 0 most. */
  readonly rank: number;
  readonly series: RunSeries;
  readonly effect: Effect;
}

/** One of them with its verdict. */
export type Judged<Each> = Each & { readonly verdict: Verdict };

/** The period of series that are judged together, and the accepted share of false discoveries. */
export interface TogetherOptions {
  readonly period: Span;
  readonly timeZone: string;
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

function severityOf({ state, move }: Verdict): number {
  // A drift downwards is good news.
  return SPEED_STATES.indexOf(state === 'drifting' && move && move.relative < 0 ? 'faster' : state);
}

/** Whether a verdict is of the period: its instant may lie there, or may be that of another change whose instant may. */
function isOfPeriod({ move }: Verdict, { startMs }: Span, instants: readonly Span[]): boolean {
  if (move?.shape !== 'step') return (move?.untilMs ?? startMs) >= startMs;
  const { began } = move;
  return instants.some((each) => each.endMs >= startMs && each.startMs <= began.endMs && began.startMs <= each.endMs);
}

/** Worst first: what lasts before what is over, the period before what lies before it, then by what visitors feel, then by size. */
function worstFirst<Each extends Judged<Tracked>>(judged: readonly Each[], period: Span): Each[] {
  const instants = judged.flatMap(({ verdict: { move } }) => (move?.shape === 'step' ? [move.began] : []));
  const sizeOf = ({ move }: Verdict) => Math.abs(move?.relative ?? 0);
  return judged
    .map((each) => ({ each, severity: severityOf(each.verdict), isOfPeriod: isOfPeriod(each.verdict, period, instants) }))
    .toSorted(
      (a, b) =>
        a.severity - b.severity ||
        Number(b.isOfPeriod) - Number(a.isOfPeriod) ||
        a.each.rank - b.each.rank ||
        sizeOf(b.each.verdict) - sizeOf(a.each.verdict),
    )
    .map(({ each }) => each);
}

/** Judges series together, metrics of the steps of a scenario or of all scenarios of a site; the one to name first is in front. */
export function judgeTogether<Each extends Tracked>(tracked: readonly Each[], options: TogetherOptions): Judged<Each>[] {
  const { period, timeZone, falseDiscoveryRate = FALSE_DISCOVERY_RATES.speedChanges } = options;
  const judge = ({ series, effect }: Each, highestP?: JudgeOptions['highestP']) =>
    judgeSeries(series, { period, timeZone, effect, highestP });
  const first = tracked.map((each) => ({ ...each, verdict: judge(each) }));
  const tested = first.filter(({ verdict }) => verdict.p !== undefined);
  const weights = weightsOf(tested.map(({ rank }) => rank));
  const shareOf = new Map(tested.map((each, index) => [each, nth(weights, index)]));
  const chances = tested.map(({ verdict: { p = 1 } }, index) => p / nth(weights, index));
  const highestP = acceptedP(chances, chances.length, falseDiscoveryRate);
  // What has moved for good counts also where it is one question among all series that were asked (Bonferroni): very clear episodes, as of
  // an outage of all steps, say nothing against it.
  const ofOneQuestion = falseDiscoveryRate / Math.max(1, tested.length);
  return worstFirst(
    first.map((each) => {
      const { p = 1 } = each.verdict;
      const share = (shareOf.get(each) ?? 1) * ROUNDING;
      const limits = { any: highestP * share, onlyLasting: Math.max(highestP, ofOneQuestion) * share };
      return p === 1 ? each : { ...each, verdict: judge(each, limits) };
    }),
    period,
  );
}
