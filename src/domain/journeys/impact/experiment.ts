import { nth } from '../../../lib/nth.ts';
import { sumOfKnown } from '../../../lib/tally.ts';
import { scoreOfTail, tailOf, Z_95 } from '../../../statistics/tails.ts';
import { atScore, differenceOf, type Estimate, scoreOf, type Verdict } from './effect.ts';

/** Sums over the visitors of a variant; a visitor has n sessions, of which y convert, with revenue r in cents. */
export interface Arm {
  readonly value: string;
  readonly visitors: number;
  readonly sessions: number;
  readonly conversions: number;
  readonly revenue: number;
  /** Σ n², Σ n y, Σ y², Σ n r, Σ r² */
  readonly nn: number;
  readonly ny: number;
  readonly yy: number;
  readonly nr: number;
  readonly rr: number;
}

/** Two-sided 5 %, and power of 80 %. */
const DETECTABLE = Z_95 + 0.841621;
/** A relative difference that matters. */
const MATTERS = 0.05;
const SIGNIFICANCE = 0.05;
const LEAST_CONVERSIONS = 5;
const LEAST_SESSIONS = 30;

/** Variance of a sum of one thing over the sessions, as visitors draw it: sessions of one visitor depend on each other. */
function varianceOfRatio(ratio: number, { sessions, visitors, nn }: Arm, xn: number, xx: number): number {
  const squares = xx - 2 * ratio * xn + ratio ** 2 * nn;
  return (Math.max(0, squares) / sessions ** 2) * (visitors / Math.max(1, visitors - 1));
}

function shareOf(arm: Arm): { share: number; trials: number; variance: number } {
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
  const [own, theirs] = [shareOf(arm), shareOf(reference)];
  const isFew =
    Math.min(arm.sessions, reference.sessions) < LEAST_SESSIONS || Math.min(arm.conversions, reference.conversions) < LEAST_CONVERSIONS;
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
  const statistic = arms.reduce((sum, { visitors }, at) => {
    const expected = total * nth(planned, at);
    return sum + (visitors - expected) ** 2 / expected;
  }, 0);
  const probability = tailOf(Math.max(0, scoreOfChiSquare(statistic, arms.length - 1))) / 2;
  return probability < MISMATCH ? planned : undefined;
}

const REFERENCES = /^(control|original|baseline|default|off|a|0|variant[ _-]?a|old)$/i;

/** The variant that the others are compared with: one that is called so, else the first by name. */
export function referenceOf(arms: readonly Arm[]): Arm | undefined {
  const sorted = arms.toSorted((a, b) => a.value.localeCompare(b.value, 'en'));
  return sorted.find(({ value }) => REFERENCES.test(value.trim())) ?? sorted[0];
}
