import type { DayPoint } from './days.ts';
import { levelOf, type Scatter, weightOf } from './scatter.ts';

export type Verdict = 'up' | 'down' | 'within noise' | 'not enough data';

/** What is known of one side of a comparison. */
export interface Side {
  /** Its whole days. */
  readonly days: readonly DayPoint[];
  /** All of it, parts of days included; left out where only whole days can be compared. */
  readonly total?: { readonly numerator: number; readonly denominator: number } | undefined;
}

/** Whether a change stands out. */
export interface Judgement {
  readonly verdict: Verdict;
  /** A change of the level up to this size, either way, happens by chance in 99 of 100 unchanged comparisons. */
  readonly noise: number | null;
  /** Difference over its standard error. */
  readonly score: number;
  readonly before: number;
  readonly after: number;
}

/** Two-sided 1 % of the normal distribution; metrics are judged in threes, so that all three together stay below 5 %. */
const Z_OF_ONE_PERCENT = 2.5758;
/** Weeks after which drift is no longer counted on: seasons come back. */
const LONGEST_DRIFT = 4;

/** The quantile of Student's t for a normal quantile (Wallace 1959, solved for t). */
function studentQuantile(z: number, freedom: number): number {
  const scaled = (z * (8 * freedom + 3)) / (8 * freedom + 1);
  return Math.sqrt(freedom * Math.expm1(scaled ** 2 / freedom));
}

/** Two-sided 1 % of Student's t. */
export function quantileOfOnePercent(freedom: number): number {
  return studentQuantile(Z_OF_ONE_PERCENT, freedom);
}

/** Level of a side with the weekdays taken out, and the denominators behind it. */
function measured({ days, total }: Side, factors: readonly number[]): { level: number; weight: number } | undefined {
  if (!total) return days.length > 0 ? { level: levelOf(days, factors), weight: weightOf(days, factors) } : undefined;
  const plain = days.reduce((sum, { denominator }) => sum + denominator, 0);
  const factor = plain > 0 ? weightOf(days, factors) / plain : 1;
  return { level: total.numerator / (total.denominator * factor), weight: total.denominator * factor };
}

/**
 * Judges a change by the scatter of days: difference of the levels, weekdays taken out, over the standard error that day-to-day variance
 * (quasi-Poisson: it grows with the level) and weekly drift over `weeksApart` give it; Student's t at 1 %.
 */
export function judge(before: Side, after: Side, scatter: Scatter | undefined, weeksApart: number): Judgement {
  const factors = scatter?.weekdayFactors ?? [];
  const [first, second] = [measured(before, factors), measured(after, factors)];
  const unknown = { noise: null, score: 0, before: first?.level ?? Number.NaN, after: second?.level ?? Number.NaN };
  if (!scatter || !first || !second) return { verdict: 'not enough data', ...unknown };
  const pooled = (first.level * first.weight + second.level * second.weight) / (first.weight + second.weight);
  const perDay = (scatter.variance * pooled) / scatter.level;
  const drift = scatter.weeklyDrift * Math.min(LONGEST_DRIFT, weeksApart) ** (scatter.trends ? 2 : 1) * pooled ** 2;
  const error = Math.sqrt(perDay * (1 / first.weight + 1 / second.weight) + drift);
  if (!(error > 0)) return { verdict: 'not enough data', ...unknown };
  const difference = second.level - first.level;
  const noise = quantileOfOnePercent(scatter.freedom) * error;
  const verdict = Math.abs(difference) <= noise ? 'within noise' : difference > 0 ? 'up' : 'down';
  return { verdict, noise, score: difference / error, before: first.level, after: second.level };
}
