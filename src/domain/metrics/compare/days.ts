import type { Sums } from '../engine/decompose.ts';
import type { DailyPoint, MetricKind } from '../engine/series.ts';
import { definitionOf } from '../metric-definitions.ts';
import { ingredientsOf, sumsOf } from '../read/combine.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import { isZoneMetric } from '../read/metric-grid.ts';

/** Whether a metric is a count or an amount, which days add up to. */
export function isCount(metric: string): boolean {
  return definitionOf(metric)?.combination.by === 'sum';
}

/** The metrics to read so that these can be judged and explained; those of zones alone, because visits are no metric of a zone. */
export function metricsToRead(metrics: readonly string[]): readonly string[] {
  if (metrics.some(isZoneMetric)) return metrics;
  return [...new Set([...metrics, ...ingredientsOf(metrics), 'visits', 'conversionCount'])];
}

/** What a metric counts, as the engine of verdicts distinguishes it. */
export function kindOf(metric: string): MetricKind {
  const unit = definitionOf(metric)?.unit;
  if (isCount(metric)) return unit === 'currency' ? 'amount' : 'count';
  return unit === '%' && !isUncounted(metric) ? 'share' : 'average';
}

/** Whether what a metric is made of is in no answer, as the users of a tap rate. */
function isUncounted(metric: string): boolean {
  return definitionOf(metric)?.combination.by === 'refusal';
}

/** What a day is worth: the sums of its metric; of one whose counts are in no answer its value, weighed by the visits of the site. */
function termsOf(metric: string, values: MetricRow['values']): Sums | undefined {
  if (!isUncounted(metric)) return sumsOf(metric, values);
  const { [metric]: value, visits } = values;
  return typeof value === 'number' && visits ? { numerator: value * visits, denominator: visits } : undefined;
}

/** The whole days among the rows of one selection, in order; days without a value are left out. Percentages become events of their trials. */
export function dayPoints(rows: readonly MetricRow[], metric: string): DailyPoint[] {
  const kind = kindOf(metric);
  const times = kind === 'share' ? 0.01 : 1;
  return rows
    .filter(({ interval }) => interval.label !== undefined && !interval.isPart)
    .flatMap(({ interval, values }) => {
      const terms = termsOf(metric, values);
      if (!terms || terms.denominator === 0) return [];
      const { conversionCount: events } = values;
      const isSumOf = kind === 'amount' && typeof events === 'number' ? { events } : {};
      return [{ label: interval.label ?? '', ...terms, ...isSumOf, numerator: terms.numerator * times, isWhole: true }];
    })
    .toSorted((a, b) => a.label.localeCompare(b.label));
}
