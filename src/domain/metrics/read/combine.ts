import { definitionOf } from '../metric-definitions.ts';

/** Values of one range by metric; null where the platform gave none. */
export type MetricValues = Readonly<Record<string, number | null>>;

/** Removes what binary fractions add to sums of cents. */
function tidy(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** The sum of a metric over ranges that do not overlap; null where one of them has no value. */
function sumOf(parts: readonly MetricValues[], metric: string): number | null {
  let sum = 0;
  for (const part of parts) {
    const value = part[metric];
    if (typeof value !== 'number') return null;
    sum += value;
  }
  return tidy(sum);
}

/** What is missing to tell a metric of several ranges together, such as the transactions of an average cart; undefined where nothing is. */
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
    return combination?.by === 'sum' ? [metric] : [];
  });
  return [...new Set(needed)];
}

/** One value of a metric over consecutive ranges: counts added, rates recomputed from counts, all else null. A single range keeps its values. */
export function combined(parts: readonly MetricValues[], metric: string): number | null {
  const [only] = parts;
  if (parts.length <= 1) return only?.[metric] ?? null;
  const combination = definitionOf(metric)?.combination;
  if (!combination || combination.by === 'refusal') return null;
  if (combination.by === 'sum') return sumOf(parts, metric);
  const numerator = sumOf(parts, combination.numerator);
  const denominator = sumOf(parts, combination.denominator);
  return numerator === null || denominator === null || denominator === 0 ? null : tidy((combination.times * numerator) / denominator);
}
