import type { Interval } from '../../../lib/calendar.ts';
import { discoveryLimit, FALSE_DISCOVERY_RATES } from '../../../statistics/discoveries.ts';
import { meanOf } from '../../../statistics/order.ts';
import { type HighestP, type JudgeOptions, judgeSeries, SPEED_STATES, type SpeedSeries, type Verdict } from './judge-series.ts';

/** One of several series that are judged together. */
export interface Tracked extends SpeedSeries {
  /** Series of one group (a step, a scenario) move for the same reasons. */
  readonly group: string;
  /** How much visitors feel the metric: 0 most. */
  readonly rank: number;
}

/** The period of series that are judged together, and the accepted share of false discoveries. */
export interface TogetherOptions extends JudgeOptions {
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

/** Weight of a series by its rank, what visitors feel most first; the last one is that of all further ranks. */
const WEIGHTS = [3, 1.5, 1] as const;
const weightOf = ({ rank }: Tracked) => WEIGHTS[rank] ?? WEIGHTS[2];

/**
 * The chances up to which parts of each series count among all of them: the largest that Benjamini and Hochberg (1995) accept, or a part of
 * their limit, so that a very clear change hides no other clear one. Each series may claim more or less of the accepted share of false
 * ones, 1 on average (Genovese, Roeder and Wasserman 2006).
 */
function limitsFor(tested: readonly (Tracked & Verdict)[], rate: number): (each: Tracked) => HighestP {
  const mean = meanOf(tested.map(weightOf));
  const chances = tested.map((each) => ((each.p ?? 1) * mean) / weightOf(each));
  const limit = discoveryLimit(chances, rate);
  const highest = Math.max(limit / FURTHER, ...chances.filter((p) => p <= limit));
  // What has moved for good counts also where it is one question among all series that were asked (Bonferroni): very clear episodes, as of
  // an outage of all steps, say nothing against it.
  const ofOneQuestion = rate / Math.max(1, tested.length);
  return (each) => {
    const share = (weightOf(each) / mean) * ROUNDING;
    return { any: highest * share, onlyLasting: Math.max(highest, ofOneQuestion) * share };
  };
}

function severityOf({ state, move }: Verdict): number {
  // A drift downwards is good news.
  return SPEED_STATES.indexOf(state === 'drifting' && move && move.relative < 0 ? 'faster' : state);
}

/** Whether a verdict is of the period: its instant may lie there, or may be that of another change whose instant may. */
function isOfPeriod({ move }: Verdict, { startMs }: Interval, instants: readonly Interval[]): boolean {
  if (move?.shape !== 'step') return (move?.untilMs ?? startMs) >= startMs;
  const { began } = move;
  return instants.some((each) => each.endMs >= startMs && each.startMs <= began.endMs && began.startMs <= each.endMs);
}

/** Worst first: what lasts before what is over, the period before what lies before it, then by what visitors feel, then by size. */
function worstFirst<Each extends Tracked & Verdict>(judged: readonly Each[], period: Interval): Each[] {
  const instants = judged.flatMap(({ move }) => (move?.shape === 'step' ? [move.began] : []));
  const sizeOf = ({ move }: Verdict) => Math.abs(move?.relative ?? 0);
  return judged
    .map((each) => ({ each, severity: severityOf(each), isIn: Number(isOfPeriod(each, period, instants)) }))
    .toSorted((a, b) => a.severity - b.severity || b.isIn - a.isIn || a.each.rank - b.each.rank || sizeOf(b.each) - sizeOf(a.each))
    .map(({ each }) => each);
}

/** Judges series together, metrics of the steps of a scenario or of all scenarios of a site; the one to name first is in front. */
export function judgeTogether<Each extends Tracked>(
  tracked: readonly Each[],
  { falseDiscoveryRate = FALSE_DISCOVERY_RATES.speedChanges, ...options }: TogetherOptions,
): (Each & Verdict)[] {
  const first = tracked.map((each) => ({ ...each, ...judgeSeries(each, options) }));
  const highestP = limitsFor(
    first.filter(({ p }) => p !== undefined),
    falseDiscoveryRate,
  );
  return worstFirst(
    first.map((each) => (each.p === 1 ? each : { ...each, ...judgeSeries(each, options, highestP(each)) })),
    options.period,
  );
}
