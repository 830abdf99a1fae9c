import { nth, nthDouble } from '../../../lib/nth.ts';
import { wilson } from '../../../statistics/proportions.ts';
import type { Cells } from './cells.ts';
import type { Basket, PageModel } from './page-model.ts';
import { type Comparison, compareInStrata } from './strata.ts';

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
  readonly effectiveControls: number;
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

interface Sums {
  sessions: number;
  /** Sessions times those that each stands for: a sampled one scatters as all of them do together. */
  squares: number;
  conversions: number;
  revenue: number;
  /** The sum that the model expects of the exposed, and the variance that it leaves. */
  expected: number;
  chanceVariance: number;
  /** Weighted deviations of the others from the model. */
  residual: number;
  residualVariance: number;
  revenueResidual: number;
  revenueVariance: number;
}

function addControls(cells: Cells, cell: number, weight: number, chance: number, basket: Basket, sums: Sums): void {
  const [sessions, conversions, revenue] = [
    nthDouble(cells.sessions, cell),
    nthDouble(cells.conversions, cell),
    nthDouble(cells.revenue, cell),
  ];
  const scatter = weight ** 2 * nthDouble(cells.factor, cell);
  sums.residual += weight * (conversions - sessions * chance);
  sums.residualVariance += scatter * (conversions * (1 - chance) ** 2 + (sessions - conversions) * chance ** 2);
  const usual = chance * basket.mean;
  sums.revenueResidual += weight * (revenue - sessions * usual);
  sums.revenueVariance += scatter * (nthDouble(cells.revenueSquares, cell) - 2 * usual * revenue + sessions * usual ** 2);
}

/** Adds up the exposed sessions and the weighted others with what the outcome model leaves of each. */
function sumsOf({ cells, chances, basket }: PageModel, { exposed, controls, weights }: Comparison): Sums {
  const sums: Sums = {
    sessions: 0,
    squares: 0,
    conversions: 0,
    revenue: 0,
    expected: 0,
    chanceVariance: 0,
    residual: 0,
    residualVariance: 0,
    revenueResidual: 0,
    revenueVariance: 0,
  };
  for (let at = 0; at < controls.length; at += 1) {
    const cell = nth(controls, at);
    addControls(cells, cell, nthDouble(weights, at), nthDouble(chances, cell), basket, sums);
  }
  for (const cell of exposed) {
    const [sessions, chance] = [nth(cells.sessions, cell), nth(chances, cell)];
    sums.sessions += sessions;
    sums.squares += sessions * nth(cells.factor, cell);
    sums.conversions += nth(cells.conversions, cell);
    sums.revenue += nth(cells.revenue, cell);
    sums.expected += sessions * chance;
    sums.chanceVariance += sessions * chance * (1 - chance);
  }
  return sums;
}

/** Trials that scatter as much as this variance of a share; without any variance, as many as there are sessions. */
function trialsOf(share: number, variance: number, sessions: number): number {
  return share > 0 && share < 1 && variance > 0 ? (share * (1 - share)) / variance : Math.max(1, sessions);
}

/** The least part of the plain variance that is counted on: a model that foresees everything has seen it. */
const LEAST_LEFT = 0.3;

function conversionsOf(sums: Sums, effectiveControls: number): { one: Share; other: Share } {
  const { sessions, squares, expected, chanceVariance } = sums;
  const [mean, total] = [expected / sessions, sessions];
  // What is known before the exposure foresees a part of the outcome, so that less of it is chance than in plain trials.
  const left = mean > 0 && mean < 1 ? Math.min(1, Math.max(LEAST_LEFT, chanceVariance / (sessions * mean * (1 - mean)))) : 1;
  const without = Math.min(1, Math.max(0, (expected + sums.residual) / total));
  return {
    one: { share: sums.conversions / sessions, trials: sessions ** 2 / squares / left },
    other: { share: without, trials: trialsOf(without, sums.residualVariance / total ** 2, effectiveControls) },
  };
}

/** Revenue as a count of baskets of the usual size, so that the intervals of shares hold for it as well. */
function revenueOf(sums: Sums, basket: Basket, effectiveControls: number): { one: Share; other: Share } {
  const total = sums.sessions;
  const without = Math.max(0, (sums.expected * basket.mean + sums.revenueResidual) / total / basket.size);
  const variance = sums.revenueVariance / (total * basket.size) ** 2;
  const part = (share: number) => Math.min(1, share);
  return {
    one: { share: part(sums.revenue / total / basket.size), trials: total ** 2 / sums.squares },
    other: { share: part(without), trials: trialsOf(part(without), variance, effectiveControls) },
  };
}

function metMoreOf(cells: Cells, { exposed, controls, weights, comparable }: Comparison): number[] {
  return cells.met.map((met) => {
    let difference = 0;
    for (const cell of exposed) difference += nth(met, cell);
    for (const [at, cell] of controls.entries()) difference -= nth(met, cell) * nth(weights, at);
    return comparable > 0 ? difference / comparable : 0;
  });
}

/**
 * The effect of a condition on the sessions that met it: observed less what the outcome model, corrected by the sessions without the
 * condition in the same strata, expects of them.
 */
export function effectOf(model: PageModel, met: Int32Array): ConditionEffect {
  const { cells, basket } = model;
  const comparison = compareInStrata(model, met);
  const { comparable, effectiveControls } = comparison;
  const sessions = met.reduce((sum, cell) => sum + nth(cells.sessions, cell), 0);
  const nothing = { value: 0, low: 0, high: 0 };
  if (comparable === 0 || effectiveControls === 0) {
    const shares = { withShare: 0, withoutShare: 0, difference: nothing, lostRevenue: nothing };
    return { ...shares, sessions, comparable: 0, score: 0, revenueScore: 0, effectiveControls, metMore: cells.met.map(() => 0) };
  }
  const sums = sumsOf(model, comparison);
  const { one, other } = conversionsOf(sums, effectiveControls);
  const money = revenueOf(sums, basket, effectiveControls);
  const perSession = differenceOf(money.one, money.other);
  const scale = comparable * basket.size;
  return {
    sessions,
    comparable,
    withShare: one.share,
    withoutShare: other.share,
    difference: differenceOf(one, other),
    lostRevenue: { value: -perSession.value * scale, low: -perSession.high * scale, high: -perSession.low * scale },
    score: scoreOfDifference(one, other),
    revenueScore: scoreOfDifference(money.one, money.other),
    effectiveControls,
    metMore: metMoreOf(cells, comparison),
  };
}
