import { nth } from '../../lib/nth.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import { discoveryLimit, FALSE_DISCOVERY_RATES } from '../../statistics/discoveries.ts';
import { wilson } from '../../statistics/proportions.ts';
import { scoreOfTail, tailOf, Z_95 } from '../../statistics/tails.ts';

/** An estimate with its 95 % interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
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

/** Estimates whose errors are independent of each other, each times a weight, added up. */
function weighted(parts: readonly (readonly [estimate: Estimate, weight: number])[]): Estimate {
  const value = sumOfKnown(parts, ([estimate, weight]) => weight * estimate.value);
  const half = (side: number) =>
    Math.hypot(...parts.map(([estimate, weight]) => weight * (estimate.value - (side * weight > 0 ? estimate.high : estimate.low))));
  return { value, low: value - half(-1), high: value + half(1) };
}

/** The standard normal score of an estimate: on the side of no effect its interval is as wide as what chance makes. */
export function scoreOf({ value, low, high }: Estimate): number {
  const half = value < 0 ? high - value : value - low;
  return half > 0 ? (Z_95 * value) / half : 0;
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
  /** The level of these intervals, where it is not 95 %. */
  readonly intervalPercent?: number;
  /** As many equally weighted sessions without the condition would say as much. */
  readonly effectiveControls: number;
  /** The difference where nothing is weighed; undefined where one side is empty. */
  readonly plain?: number | undefined;
  /** With less without of the share that met each other finding of the answer. */
  readonly metMore: readonly number[];
}

/**
 * Sums of a figure of sessions: of all with the condition, without it, and of the squares of both; weighed, of the strata that have both
 * sides, with the variances of these two sums by the scatter within strata.
 */
type FigureSums = Readonly<Record<'plain' | 'otherPlain' | 'squares' | 'observed' | 'expected' | 'variance' | 'expectedVariance', number>>;

/**
 * Sums over strata of sessions that were alike until their first view of a page: of those with the condition, and of those without it, who
 * are weighed so that each stratum has as many of both; `squares` are those of the weights.
 */
export interface StrataSums extends Readonly<Record<'sessions' | 'others' | 'comparable' | 'squares', number>> {
  readonly converts: FigureSums;
  readonly cents: FigureSums;
  /** How many more with the condition than without it met each other finding. */
  readonly met: readonly number[];
}

/** The least part of the plain variance that is counted on: strata that foresee everything have seen it. */
const LEAST_LEFT = 0.85;

/** A sum over sessions as a share of them, with the trials that scatter as its variance does. */
function shareOf(sum: number, variance: number, sessions: number, plainTrials: number): Share {
  const share = sessions > 0 ? Math.min(1, Math.max(0, sum / sessions)) : 0;
  const trials = variance > 0 ? (share * (1 - share) * sessions ** 2) / variance : 0;
  return { share, trials: Math.max(1, trials > 0 ? Math.min(plainTrials / LEAST_LEFT, trials) : plainTrials) };
}

/** A figure with the condition and without it; an amount is a count of baskets of the usual size, so that shares stand for it as well. */
function sidesOf({ plain, otherPlain, squares, ...sums }: FigureSums, comparable: number, controls: number) {
  const sold = plain + otherPlain;
  const scale = comparable * (sold > 0 ? squares / sold : 1);
  return {
    scale,
    one: shareOf(sums.observed, sums.variance, scale, comparable),
    other: shareOf(sums.expected, sums.expectedVariance, scale, controls),
  };
}

/** The effect of a condition on the sessions that met it: observed less what those without it in the same strata had. */
export function effectOf({ sessions, others, comparable, squares, converts, cents, met }: StrataSums): ConditionEffect {
  const effectiveControls = squares > 0 ? comparable ** 2 / squares : 0;
  const bought = sidesOf(converts, comparable, effectiveControls);
  const money = sidesOf(cents, comparable, effectiveControls);
  return {
    sessions,
    comparable,
    withShare: bought.one.share,
    withoutShare: bought.other.share,
    difference: differenceOf(bought.one, bought.other),
    lostRevenue: weighted([[differenceOf(money.one, money.other), -money.scale]]),
    effectiveControls,
    plain: sessions > 0 && others > 0 ? converts.plain / sessions - converts.otherPlain / others : undefined,
    metMore: met.map((more) => (comparable > 0 ? more / comparable : 0)),
  };
}

/** Verdicts on one condition; the last two are no claims. */
export const verdicts = ['lowers', 'raises', 'within noise', 'too few', 'no fair comparison'] as const;
/** A verdict on one condition. */
export type Verdict = (typeof verdicts)[number];

/** With fewer expected conversions without the condition, nothing can be said of its effect. */
const LEAST_EXPECTED = 5;
/** Fewer sessions than this are never judged. */
export const LEAST_SESSIONS = 20;
/** At least this share of the sessions must have others like them. */
const LEAST_COMPARABLE = 0.5;
/** As many equally weighted sessions must at least stand on the other side. */
const LEAST_CONTROLS = 30;

const isFair = ({ sessions, comparable }: ConditionEffect) => comparable >= LEAST_COMPARABLE * sessions;

/** The reason why an effect cannot be judged; undefined where it can. */
export function doubtOf(effect: ConditionEffect): Verdict | undefined {
  const { sessions, comparable, effectiveControls, withoutShare } = effect;
  if (sessions < LEAST_SESSIONS) return 'too few';
  if (!isFair(effect)) return 'no fair comparison';
  const isFew = comparable < LEAST_SESSIONS || effectiveControls < LEAST_CONTROLS || comparable * withoutShare < LEAST_EXPECTED;
  return isFew ? 'too few' : undefined;
}

/**
 * The effect of one condition over several pages together, on the sessions that met it at the first view of a page, of each page by itself:
 * pages without sessions to compare with are left out. Undefined where fewer than two pages are left.
 */
export function togetherOf(effects: readonly ConditionEffect[]): ConditionEffect | undefined {
  const parts = effects.filter((effect) => effect.comparable > 0 && isFair(effect));
  if (parts.length < 2) return undefined;
  const comparable = sumOfKnown(parts, (effect) => effect.comparable);
  const mean = (of: (effect: ConditionEffect) => number) => sumOfKnown(parts, (effect) => effect.comparable * of(effect)) / comparable;
  return {
    sessions: sumOfKnown(effects, ({ sessions }) => sessions),
    comparable,
    withShare: mean(({ withShare }) => withShare),
    withoutShare: mean(({ withoutShare }) => withoutShare),
    difference: weighted(parts.map((effect) => [effect.difference, effect.comparable / comparable])),
    lostRevenue: weighted(parts.map(({ lostRevenue }) => [lostRevenue, 1])),
    effectiveControls: sumOfKnown(parts, ({ effectiveControls }) => effectiveControls),
    metMore: [],
  };
}

/** Which figure decides. */
export type Aim = 'conversions' | 'revenue';

/**
 * How clear an effect is, negative where less is bought: of revenue by the clearer of baskets and purchases, since where fewer buy revenue
 * is lost, however much baskets scatter.
 */
export function clearnessOf({ difference, lostRevenue }: ConditionEffect, aim: Aim): number {
  const [bought, earned] = [scoreOf(difference), -scoreOf(lostRevenue)];
  return aim === 'revenue' && Math.abs(earned) > Math.abs(bought) ? earned : bought;
}

/** The score from which on an effect stands out among all that can be judged, at the false discovery rate of conditions. */
export function leastScore(effects: readonly ConditionEffect[], aim: Aim): number {
  // Of two figures the clearer one is so by chance twice as often.
  const tries = aim === 'revenue' ? 2 : 1;
  const judged = effects.filter((effect) => doubtOf(effect) === undefined);
  const chances = judged.map((effect) => Math.min(1, tries * tailOf(clearnessOf(effect, aim))));
  const rate = FALSE_DISCOVERY_RATES.conditions;
  // Where none stands out, what the clearest would have needed.
  return scoreOfTail(Math.log((discoveryLimit(chances, rate) || rate / Math.max(1, chances.length)) / tries));
}

/** Whether an effect can be judged, and its score is this one or beyond. */
export function standsOut(effect: ConditionEffect, aim: Aim, least: number): boolean {
  return doubtOf(effect) === undefined && Math.abs(clearnessOf(effect, aim)) >= least;
}

/** The effect with intervals as wide as verdicts ask: they leave out no effect where its score is this one or beyond, and only there. */
export function atScore(effect: ConditionEffect, least: number): ConditionEffect {
  const times = least / Z_95;
  const widened = ({ value, low, high }: Estimate) => ({ value, low: value - times * (value - low), high: value + times * (high - value) });
  const intervalPercent = 100 - Number((100 * tailOf(least)).toPrecision(1));
  return { ...effect, difference: widened(effect.difference), lostRevenue: widened(effect.lostRevenue), intervalPercent };
}

/** An effect without what others explain of it, because the same sessions met them more often: `share` of each effect. */
function without(
  effect: ConditionEffect,
  others: readonly { readonly effect: ConditionEffect; readonly share: number }[],
): ConditionEffect {
  const left = (of: (effect: ConditionEffect) => Estimate, size: (effect: ConditionEffect) => number) =>
    weighted([[of(effect), 1], ...others.map((other) => [of(other.effect), (-other.share * size(effect)) / size(other.effect)] as const)]);
  const difference = left(
    (each) => each.difference,
    () => 1,
  );
  const lostRevenue = left(
    (each) => each.lostRevenue,
    (each) => each.comparable,
  );
  return { ...effect, difference, lostRevenue, withoutShare: effect.withShare - difference.value };
}

/**
 * Findings, the clearest first, each without what those before it that stand explain of it, because the same sessions met both, and
 * whether what is left stands out still; `metMore` is in the same order.
 */
export function separate(findings: readonly ConditionEffect[], aim: Aim, least: number) {
  const separated: { readonly effect: ConditionEffect; readonly stands: boolean }[] = [];
  for (const effect of findings) {
    const others = separated.flatMap(({ effect: other, stands }, at) => {
      const share = effect.metMore[at] ?? 0;
      return stands && share > 0 ? [{ effect: other, share }] : [];
    });
    const own = without(effect, others);
    separated.push({ effect: own, stands: own.difference.value * effect.difference.value > 0 && standsOut(own, aim, least) });
  }
  return separated;
}

/** Sums over the visitors of a variant; each has n sessions, of which y convert, with revenue r in cents: `nn` is Σ n², `ny` Σ n y */
export interface Arm
  extends Readonly<Record<'visitors' | 'sessions' | 'conversions' | 'revenue' | 'nn' | 'ny' | 'yy' | 'nr' | 'rr', number>> {
  readonly value: string;
}

/** Two-sided 5 %, and power of 80 %. */
const DETECTABLE = Z_95 + 0.841621;
/** A relative difference that matters. */
const MATTERS = 0.05;
const SIGNIFICANCE = 0.05;

/** Variance of a sum of one thing over the sessions, as visitors draw it: sessions of one visitor depend on each other. */
function varianceOfRatio(ratio: number, { sessions, visitors, nn }: Arm, xn: number, xx: number): number {
  const squares = xx - 2 * ratio * xn + ratio ** 2 * nn;
  return (Math.max(0, squares) / sessions ** 2) * (visitors / Math.max(1, visitors - 1));
}

function conversionOf(arm: Arm): { share: number; trials: number; variance: number } {
  const share = arm.conversions / arm.sessions;
  const plain = (share * (1 - share)) / arm.sessions;
  const variance = Math.max(plain, varianceOfRatio(share, arm, arm.ny, arm.yy));
  return { share, variance, trials: variance > 0 ? (share * (1 - share)) / variance : arm.sessions };
}

function lostRevenueOf(arm: Arm, reference: Arm): Estimate {
  const [own, theirs] = [arm.revenue / arm.sessions, reference.revenue / reference.sessions];
  const deviation = Math.sqrt(varianceOfRatio(own, arm, arm.nr, arm.rr) + varianceOfRatio(theirs, reference, reference.nr, reference.rr));
  const [value, half] = [(theirs - own) * arm.sessions, Z_95 * deviation * arm.sessions];
  return { value, low: value - half, high: value + half };
}

/**
 * Compares a variant with the reference; what is lost is over the sessions of the variant. `variants` are compared with it in all, which
 * the significance allows for.
 */
export function compareVariant(arm: Arm, reference: Arm, { variants, days }: { variants: number; days: number }) {
  const [own, theirs] = [conversionOf(arm), conversionOf(reference)];
  const isFew =
    Math.min(arm.sessions, reference.sessions) < LEAST_CONTROLS || Math.min(arm.conversions, reference.conversions) < LEAST_EXPECTED;
  const difference = differenceOf(own, theirs);
  const least = scoreOfTail(Math.log(SIGNIFICANCE / variants));
  const isClear = Math.abs(scoreOf(difference)) >= least;
  const direction = difference.value < 0 ? 'lowers' : 'raises';
  const judged = isClear ? direction : 'within noise';
  const verdict: Verdict = isFew ? 'too few' : judged;
  // Of both together, so that it is as many days whichever of the two is asked about.
  const smallest = (MATTERS * (arm.conversions + reference.conversions)) / (arm.sessions + reference.sessions);
  const needed = (days * DETECTABLE ** 2 * (own.variance + theirs.variance)) / smallest ** 2;
  const effect = {
    sessions: arm.sessions,
    comparable: arm.sessions,
    withShare: own.share,
    withoutShare: theirs.share,
    difference,
    plain: difference.value,
    lostRevenue: lostRevenueOf(arm, reference),
    effectiveControls: reference.sessions,
    metMore: [],
  };
  return {
    effect: atScore(effect, least),
    verdict,
    /** More days at this pace until a relative difference of 5 % would show; 0 where it would by now. */
    moreDays: Number.isFinite(needed) ? Math.max(0, Math.ceil(needed - days)) : undefined,
  };
}

/** Shares of the first of two variants that tests are usually planned with. */
const USUAL_SPLITS = [0.1, 0.2, 0.25, 0.3, 1 / 3, 0.4, 0.5, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9];
const MISMATCH = 0.001;

/** The planned shares that lie nearest to what was seen: of two variants a usual split, of more all alike. */
function plannedShares(arms: readonly Arm[]): number[] {
  const total = sumOfKnown(arms, ({ visitors }) => visitors);
  const [first] = arms;
  if (arms.length !== 2 || !first) return arms.map(() => 1 / arms.length);
  const seen = first.visitors / total;
  const nearest = USUAL_SPLITS.reduce((best, split) => (Math.abs(split - seen) < Math.abs(best - seen) ? split : best), 0.5);
  return [nearest, 1 - nearest];
}

/** The standard normal score of a chi-square statistic (Wilson and Hilferty 1931), of its upper tail. */
function scoreOfChiSquare(statistic: number, freedom: number): number {
  const spread = 2 / (9 * freedom);
  return ((statistic / freedom) ** (1 / 3) - (1 - spread)) / Math.sqrt(spread);
}

/**
 * The shares that were planned, as far as one can tell, where visitors fell to the variants otherwise (sample ratio mismatch); undefined
 * where they did not.
 */
export function sampleRatioMismatch(arms: readonly Arm[]): number[] | undefined {
  if (arms.length < 2) return undefined;
  const planned = plannedShares(arms);
  const total = sumOfKnown(arms, ({ visitors }) => visitors);
  const statistic = sumOfKnown(arms.entries(), ([at, { visitors }]) => {
    const expected = total * nth(planned, at);
    return (visitors - expected) ** 2 / expected;
  });
  const probability = tailOf(Math.max(0, scoreOfChiSquare(statistic, arms.length - 1))) / 2;
  return probability < MISMATCH ? planned : undefined;
}

const REFERENCES = /^(control|original|baseline|default|off|a|0|variant[ _-]?a|old)$/i;

/** The variant that the others are compared with: one that is called so, else the first by name. */
export function referenceOf(arms: readonly Arm[]): Arm | undefined {
  const sorted = arms.toSorted((a, b) => a.value.localeCompare(b.value, 'en'));
  return sorted.find(({ value }) => REFERENCES.test(value.trim())) ?? sorted[0];
}
