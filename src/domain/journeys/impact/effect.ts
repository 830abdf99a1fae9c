import { wilson } from '../../../statistics/proportions.ts';

/** An estimate with its 95 % interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** The effect of a condition on the sessions that met it, against sessions like them; shares from 0 to 1, money in cents. */
export interface ConditionEffect {
  /** Sessions with the condition at their first view of the page. */
  readonly sessions: number;
  /** Those of them that have sessions like them without it. All figures below are of these. */
  readonly comparable: number;
  readonly withShare: number;
  /** The share of the same sessions had they not met it. */
  readonly withoutShare: number;
  /** With less without. */
  readonly difference: Estimate;
  /** Positive where less was sold. */
  readonly lostRevenue: Estimate;
  /** Standard normal score of the difference, negative where there are fewer conversions. */
  readonly score: number;
  /** The same for revenue. */
  readonly revenueScore: number;
  /** As many equally weighted sessions without the condition would say as much. */
  readonly effectiveControls: number;
  /** The difference where nothing is weighed; undefined where one side is empty. */
  readonly plain: number | undefined;
  /** With less without of the share that met each other finding of the answer. */
  readonly metMore: readonly number[];
}

/** A share and the number of trials that would scatter as much. */
interface Share {
  readonly share: number;
  readonly trials: number;
}

/** The interval of a difference from those of its two sides (Newcombe 1998, method 10): right also with few conversions. */
export function differenceOf(one: Share, other: Share): Estimate {
  const [ownLow, ownHigh] = wilson(one.share, one.trials);
  const [otherLow, otherHigh] = wilson(other.share, other.trials);
  const value = one.share - other.share;
  return {
    value,
    low: value - Math.hypot(one.share - ownLow, otherHigh - other.share),
    high: value + Math.hypot(ownHigh - one.share, other.share - otherLow),
  };
}

/** How far a share lies from another one, by the signed root of the likelihood ratio, which stays near the normal with few conversions. */
export function scoreOfDifference(one: Share, other: Share): number {
  const expected = Math.min(1 - 1e-9, Math.max(1e-9, other.share));
  const part = (seen: number, usual: number) => (seen > 0 ? seen * Math.log(seen / usual) : 0);
  const deviance = 2 * one.trials * (part(one.share, expected) + part(1 - one.share, 1 - expected));
  const [own, theirs] = [1 / one.trials, 1 / Math.max(other.trials, 1e-9)];
  return Math.sign(one.share - other.share) * Math.sqrt(Math.max(0, deviance) * (own / (own + theirs)));
}

/**
 * Sums over strata of sessions that were alike until their first view of a page: of those with the condition, and of those without it, who
 * are weighed so that each stratum has as many of both; of strata that have both, unless said otherwise. Money in cents.
 */
export interface StrataSums {
  /** Of all strata, with it and without it. */
  readonly sessions: number;
  readonly conversions: number;
  readonly others: number;
  readonly otherConversions: number;
  readonly comparable: number;
  readonly observed: number;
  readonly expected: number;
  /** Of the weights. */
  readonly squares: number;
  /** Of the two sums of conversions, by the scatter within strata. */
  readonly variance: number;
  readonly expectedVariance: number;
  readonly revenue: number;
  readonly expectedRevenue: number;
  readonly revenueVariance: number;
  readonly expectedRevenueVariance: number;
  /** Of all sessions at the page, and of its squares. */
  readonly allRevenue: number;
  readonly allRevenueSquares: number;
  /** How many more with the condition than without it met each other finding. */
  readonly met: readonly number[];
}

/** The least part of the plain variance that is counted on: strata that foresee everything have seen it. */
const LEAST_LEFT = 0.85;

/** A sum over sessions as a share of them, with the trials that scatter as its variance does. */
function shareOf(sum: number, variance: number, sessions: number, plainTrials: number): Share {
  const share = Math.min(1, Math.max(0, sum / sessions));
  const trials = variance > 0 ? (share * (1 - share) * sessions ** 2) / variance : 0;
  return { share, trials: Math.max(1, trials > 0 ? Math.min(plainTrials / LEAST_LEFT, trials) : plainTrials) };
}

/** The share with a condition less that without it, where nothing is weighed; undefined where one side is empty. */
function plainDifference({ sessions, conversions, others, otherConversions }: StrataSums): number | undefined {
  return sessions > 0 && others > 0 ? conversions / sessions - otherConversions / others : undefined;
}

/** The effect of a condition on the sessions that met it: observed less what those without it in the same strata had. */
export function effectOf(sums: StrataSums): ConditionEffect {
  const { sessions, comparable, squares } = sums;
  const plain = plainDifference(sums);
  if (comparable === 0) {
    const nothing = { value: 0, low: 0, high: 0 };
    const shares = { withShare: 0, withoutShare: 0, difference: nothing, lostRevenue: nothing, plain };
    return { ...shares, sessions, comparable, score: 0, revenueScore: 0, effectiveControls: 0, metMore: sums.met.map(() => 0) };
  }
  const effectiveControls = comparable ** 2 / squares;
  const one = shareOf(sums.observed, sums.variance, comparable, comparable);
  const other = shareOf(sums.expected, sums.expectedVariance, comparable, effectiveControls);
  // Revenue as a count of baskets of the usual size, so that the intervals of shares hold for it as well.
  const size = sums.allRevenue > 0 ? sums.allRevenueSquares / sums.allRevenue : 1;
  const scale = comparable * size;
  const money = shareOf(sums.revenue, sums.revenueVariance, scale, comparable);
  const otherMoney = shareOf(sums.expectedRevenue, sums.expectedRevenueVariance, scale, effectiveControls);
  const perSession = differenceOf(money, otherMoney);
  return {
    sessions,
    comparable,
    plain,
    withShare: one.share,
    withoutShare: other.share,
    difference: differenceOf(one, other),
    lostRevenue: { value: -perSession.value * scale, low: -perSession.high * scale, high: -perSession.low * scale },
    score: scoreOfDifference(one, other),
    revenueScore: scoreOfDifference(money, otherMoney),
    effectiveControls,
    metMore: sums.met.map((more) => more / comparable),
  };
}
