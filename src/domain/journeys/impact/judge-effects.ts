import { discoveryLimit, FALSE_DISCOVERY_RATES } from '../../../statistics/discoveries.ts';
import { tailOf } from '../../../statistics/tails.ts';
import { type ConditionEffect, type Estimate } from './effect.ts';

/** The verdict on one condition; the last two are no claims. */
export type Verdict = 'lowers' | 'raises' | 'within noise' | 'too few' | 'no fair comparison';

/** With fewer expected conversions without the condition, nothing can be said of its effect. */
const LEAST_EXPECTED = 5;
/** Fewer sessions than this are never judged. */
export const LEAST_SESSIONS = 20;
/** At least this share of the sessions must have others like them. */
const LEAST_COMPARABLE = 0.5;
/** As many equally weighted sessions must at least stand on the other side. */
const LEAST_CONTROLS = 30;
/** Two-sided, of a single effect: a claim and its interval say the same. */
const SIGNIFICANCE = 0.05;

/** Whether enough sessions have others like them in what was known before. */
export function isFair({ sessions, comparable }: ConditionEffect): boolean {
  return comparable >= LEAST_COMPARABLE * sessions;
}

/** The reason why an effect cannot be judged; undefined where it can. */
export function doubtOf(effect: ConditionEffect): Verdict | undefined {
  const { sessions, comparable, effectiveControls, withoutShare } = effect;
  if (sessions < LEAST_SESSIONS) return 'too few';
  if (!isFair(effect)) return 'no fair comparison';
  if (comparable < LEAST_SESSIONS || effectiveControls < LEAST_CONTROLS) return 'too few';
  return comparable * withoutShare < LEAST_EXPECTED ? 'too few' : undefined;
}

/** Which figure decides. */
export type Aim = 'conversions' | 'revenue';

const scoreOf = (effect: ConditionEffect, aim: Aim) => (aim === 'revenue' ? effect.revenueScore : effect.score);

/**
 * Whether a score stands out: losses among all losses, gains among all gains, each at the false discovery rate of conditions, and none
 * whose own 95 % interval holds no effect.
 */
type StandsOut = (score: number) => boolean;

function standsOutAmong(effects: readonly ConditionEffect[], aim: Aim): StandsOut {
  const scores = effects.flatMap((effect) => (doubtOf(effect) === undefined ? [scoreOf(effect, aim)] : []));
  const beyond = (score: number, sign: number) => {
    const half = tailOf(score) / 2;
    return score * sign > 0 ? half : 1 - half;
  };
  const limits = new Map(
    [-1, 1].map((sign) => [
      sign,
      discoveryLimit(
        scores.map((score) => beyond(score, sign)),
        FALSE_DISCOVERY_RATES.conditions,
      ),
    ]),
  );
  return (score) => {
    const probability = tailOf(score);
    return probability <= SIGNIFICANCE && probability / 2 <= (limits.get(Math.sign(score)) ?? 0);
  };
}

/** Indices of the effects that can be judged and stand out, the clearest first; `isSummary`: those that only sum up others go last. */
export function discoveries(effects: readonly ConditionEffect[], aim: Aim, isSummary: (at: number) => boolean = () => false): number[] {
  const standsOut = standsOutAmong(effects, aim);
  const found = effects.flatMap((effect, at) => {
    const score = scoreOf(effect, aim);
    return doubtOf(effect) === undefined && standsOut(score) ? [{ at, size: Math.abs(score), last: Number(isSummary(at)) }] : [];
  });
  return found.toSorted((a, b) => a.last - b.last || b.size - a.size).map(({ at }) => at);
}

/** An estimate without what other findings explain of it: `shares` of their effects. */
function without(own: Estimate, others: readonly { readonly estimate: Estimate; readonly share: number }[]): Estimate {
  const value = others.reduce((left, { estimate, share }) => left - share * estimate.value, own.value);
  const half = (side: (estimate: Estimate) => number) =>
    Math.hypot(side(own), ...others.map(({ estimate, share }) => share * side(estimate)));
  return { value, low: value - half((each) => each.value - each.low), high: value + half((each) => each.high - each.value) };
}

/** A difference that stands out, without the part of it that others explain. */
export interface Finding {
  /** Index of the effect. */
  readonly at: number;
  readonly difference: Estimate;
  readonly lostRevenue: Estimate;
  /** Whether what is left of it stands out still. */
  readonly stands: boolean;
}

/** How far an estimate lies from 0, in the measure of its plain score. */
function scoreAgainst(plain: Estimate, own: Estimate, score: number): number {
  const side = (estimate: Estimate) => (score < 0 ? estimate.high - estimate.value : estimate.value - estimate.low);
  return plain.value === 0 ? 0 : (score * own.value * side(plain)) / (plain.value * Math.max(side(own), 1e-12));
}

const times = ({ value, low, high }: Estimate, factor: number): Estimate => ({
  value: value * factor,
  low: low * factor,
  high: high * factor,
});

function ownOf(
  effects: readonly ConditionEffect[],
  at: number,
  others: readonly Finding[],
  order: readonly number[],
): Omit<Finding, 'stands'> {
  const effect = effects[at] as ConditionEffect; // an index of the list
  // Sessions that met another finding more often than those they are compared with have lost by that one, which is counted there.
  const shared = others.flatMap((other) => {
    const share = effect.metMore[order.indexOf(other.at)] ?? 0;
    return share > 0 && other.at !== at ? [{ other, sessions: effects[other.at]?.comparable ?? 1, share }] : [];
  });
  const lost = without(
    times(effect.lostRevenue, 1 / effect.comparable),
    shared.map(({ other, sessions, share }) => ({ estimate: times(other.lostRevenue, 1 / sessions), share })),
  );
  return {
    at,
    difference: without(
      effect.difference,
      shared.map(({ other, share }) => ({ estimate: other.difference, share })),
    ),
    lostRevenue: times(lost, effect.comparable),
  };
}

/**
 * The discoveries in this order, each without what those that stand explain because the same sessions met them; the counts in `metMore` are
 * in the same order. One stands where it does without what those before it explain.
 */
export function separate(effects: readonly ConditionEffect[], order: readonly number[], aim: Aim): Finding[] {
  const standsOut = standsOutAmong(effects, aim);
  const kept: Finding[] = [];
  for (const at of order) {
    const effect = effects[at] as ConditionEffect; // an index of the list
    const own = ownOf(effects, at, kept, order);
    const [plain, left] = aim === 'revenue' ? [effect.lostRevenue, own.lostRevenue] : [effect.difference, own.difference];
    const sign = aim === 'revenue' ? -1 : 1;
    const score = scoreAgainst(plain, left, scoreOf(effect, aim) * sign) * sign;
    if (score * scoreOf(effect, aim) > 0 && standsOut(score)) kept.push({ ...own, stands: true });
  }
  const stands = new Set(kept.map(({ at }) => at));
  // Each against all others, those found later included.
  return order.map((at) => ({ ...ownOf(effects, at, kept, order), stands: stands.has(at) }));
}
