import { nth } from '../../../lib/nth.ts';
import { Z_95 } from '../../../statistics/tails.ts';
import type { ConditionEffect, Estimate } from './effect.ts';
import { isFair } from './judge-effects.ts';

/** Estimates of effects on different sessions, each times a weight, added up: their errors are independent of each other. */
function added(estimates: readonly Estimate[], weights: readonly number[]): Estimate {
  const of = (pick: (estimate: Estimate) => number) => estimates.map((estimate, at) => nth(weights, at) * pick(estimate));
  const value = of((each) => each.value).reduce((sum, each) => sum + each, 0);
  return {
    value,
    low: value - Math.hypot(...of((each) => each.value - each.low)),
    high: value + Math.hypot(...of((each) => each.high - each.value)),
  };
}

/** The score of a sum: on the side of no effect its interval is as wide as what chance makes. */
function scoreOf({ value, low, high }: Estimate): number {
  const half = value < 0 ? high - value : value - low;
  return half > 0 ? (Z_95 * value) / half : 0;
}

/**
 * The effect of one condition over several pages together, on the sessions that met it at the first view of a page, of each page by itself:
 * pages without sessions to compare with are left out. Undefined where fewer than two pages are left.
 */
export function togetherOf(effects: readonly ConditionEffect[]): ConditionEffect | undefined {
  const parts = effects.filter((effect) => effect.comparable > 0 && isFair(effect));
  if (parts.length < 2) return undefined;
  const sum = (of: (effect: ConditionEffect) => number) => parts.reduce((total, effect) => total + of(effect), 0);
  const comparable = sum((effect) => effect.comparable);
  const mean = (of: (effect: ConditionEffect) => number) => sum((effect) => effect.comparable * of(effect)) / comparable;
  const difference = added(
    parts.map((effect) => effect.difference),
    parts.map((effect) => effect.comparable / comparable),
  );
  const lostRevenue = added(
    parts.map((effect) => effect.lostRevenue),
    parts.map(() => 1),
  );
  return {
    sessions: effects.reduce((total, effect) => total + effect.sessions, 0),
    comparable,
    withShare: mean((effect) => effect.withShare),
    withoutShare: mean((effect) => effect.withoutShare),
    difference,
    lostRevenue,
    score: scoreOf(difference),
    revenueScore: -scoreOf(lostRevenue),
    effectiveControls: sum((effect) => effect.effectiveControls),
    metMore: [],
    plain: undefined,
  };
}
