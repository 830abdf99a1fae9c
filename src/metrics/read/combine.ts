import type { Sums } from '../engine/decompose.ts';
import { definitionOf, isCount } from '../metric-definitions.ts';

/** Values of one range by metric; null where the platform gave none. */
export type MetricValues = Readonly<Record<string, number | null>>;

/** Removes what binary fractions add to sums of cents. */
function tidy(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

const NOTHING: Sums = { numerator: 0, denominator: 0 };

/** A value of the platform, which gives null where it has none. */
type Given = number | null | undefined;

/** Sums of values that are all known; where the divisor is 0 nothing was counted. */
function sumsBy(divisor: Given, other: Given, sums: (divisor: number, other: number) => Sums): Sums | undefined {
  if (divisor === 0) return NOTHING;
  return typeof divisor === 'number' && typeof other === 'number' ? sums(divisor, other) : undefined;
}

/**
 * The sums that a metric is made of in some values; a count has the denominator 1, and both are 0 where nothing was counted. Undefined
 * where a value is missing, or the interface does not give what the metric is made of.
 */
export function sumsOf(metric: string, values: MetricValues): Sums | undefined {
  const combination = definitionOf(metric)?.combination;
  const value = values[metric];
  switch (combination?.by) {
    case 'sum':
      return typeof value === 'number' ? { numerator: value, denominator: 1 } : undefined;
    case 'ratio':
      return sumsBy(values[combination.denominator], values[combination.numerator], (denominator, numerator) => ({
        numerator: combination.times * numerator,
        denominator,
      }));
    case 'mean':
      return sumsBy(values[combination.weight], value, (weight, mean) => ({ numerator: mean * weight, denominator: weight }));
    case 'quotient':
      // A quotient of 0 does not say how many parts there were.
      return sumsBy(values[combination.numerator], typeof value === 'number' && value > 0 ? value : undefined, (numerator, quotient) => ({
        numerator,
        denominator: numerator / quotient,
      }));
    default:
      return undefined;
  }
}

/** The missing part for one value of a metric over several ranges, such as the users of a tap rate; undefined where nothing is missing. */
export function lackOf(metric: string): string | undefined {
  const combination = definitionOf(metric)?.combination;
  if (!combination) return 'its definition';
  return combination.by === 'refusal' ? combination.lacks : undefined;
}

/** The metrics to ask for in order to give these over several ranges; none for those that cannot be given. */
export function ingredientsOf(metrics: readonly string[]): string[] {
  const needed = metrics.flatMap((metric) => {
    const combination = definitionOf(metric)?.combination;
    if (combination?.by === 'ratio') return [combination.numerator, combination.denominator];
    if (combination?.by === 'mean') return [metric, combination.weight];
    if (combination?.by === 'quotient') return [metric, combination.numerator];
    return combination?.by === 'sum' ? [metric] : [];
  });
  return [...new Set(needed)];
}

/**
 * One value of a metric over consecutive ranges, made from its sums; null where one of them is not known. A single range keeps its value.
 */
export function combined(parts: readonly MetricValues[], metric: string): number | null {
  const [only] = parts;
  if (parts.length <= 1) return only?.[metric] ?? null;
  const sums = parts.map((part) => sumsOf(metric, part));
  let [numerator, denominator] = [0, 0];
  for (const part of sums) {
    if (!part) return null;
    numerator += part.numerator;
    denominator += part.denominator;
  }
  if (isCount(metric)) return tidy(numerator);
  return denominator === 0 ? null : tidy(numerator / denominator);
}

/** The platform rounds averages to four decimals. */
const ROUNDING = 5e-5;

/**
 * The value of a metric over what is in a whole and in none of its parts, by subtraction of sums, with as many decimals as the rounded
 * values of the platform allow; null where a sum is not known, nothing is left, or too little for an average.
 */
export function remainderOf(metric: string, whole: MetricValues, parts: readonly MetricValues[]): number | null {
  const by = definitionOf(metric)?.combination.by;
  const [all, ...others] = [whole, ...parts].map((values) => sumsOf(metric, values));
  if (!all || others.some((sums) => sums === undefined)) return null;
  const left = (of: keyof Sums) => others.reduce((rest, sums) => rest - (sums?.[of] ?? 0), all[of]);
  const numerator = left('numerator');
  if (by === 'sum') return tidy(numerator);
  // Transactions are counted, although the platform does not give their number.
  const denominator = by === 'quotient' ? Math.round(left('denominator')) : left('denominator');
  if (denominator <= 0) return null;
  const value = Math.max(0, numerator / denominator);
  if (by !== 'mean') return tidy(value);
  const error = (ROUNDING * (2 * all.denominator - denominator)) / denominator;
  if (error > 0.5 && error > value / 10) return null;
  const decimals = Math.min(4, Math.max(0, Math.floor(-Math.log10(error))));
  return Number(value.toFixed(decimals));
}
