import type { DailyPoint, MetricKind } from '../engine/series.ts';
import { definitionOf } from '../metric-definitions.ts';
import { ingredientsOf, sumsOf } from '../read/combine.ts';
import type { MetricRow } from '../read/metric-answers.ts';

/** Whether a metric is a count or an amount, which days add up to. */
export function isCount(metric: string): boolean {
  return definitionOf(metric)?.combination.by === 'sum';
}

/** The metrics to read so that these can be judged and explained. */
export function metricsToRead(metrics: readonly string[]): string[] {
  return [...new Set([...metrics, ...ingredientsOf(metrics), 'visits', 'conversionCount'])];
}

/** What a metric counts, as the engine of verdicts distinguishes it. */
export function kindOf(metric: string): MetricKind {
  const unit = definitionOf(metric)?.unit;
  if (isCount(metric)) return unit === 'currency' ? 'amount' : 'count';
  return unit === '%' ? 'share' : 'average';
}

/** The whole days among the rows of one selection, in order; days without a value are left out. Percentages become events of their trials. */
export function dayPoints(rows: readonly MetricRow[], metric: string): DailyPoint[] {
  const kind = kindOf(metric);
  const times = kind === 'share' ? 0.01 : 1;
  return rows
    .filter(({ interval }) => interval.label !== undefined && !interval.isPart)
    .flatMap(({ interval, values }) => {
      const terms = sumsOf(metric, values);
      if (!terms || terms.denominator === 0) return [];
      const { conversionCount: events } = values;
      const isSumOf = kind === 'amount' && typeof events === 'number' ? { events } : {};
      return [{ label: interval.label ?? '', ...terms, ...isSumOf, numerator: terms.numerator * times, isWhole: true }];
    })
    .toSorted((a, b) => a.label.localeCompare(b.label));
}
