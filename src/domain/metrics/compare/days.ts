import type { Sums } from '../engine/decompose.ts';
import type { DailyPoint, MetricKind } from '../engine/series.ts';
import { definitionOf } from '../metric-definitions.ts';
import type { MetricValues } from '../read/combine.ts';
import type { MetricRow } from '../read/metric-answers.ts';

/** The two sides of a metric by name; an average is weighted by what it is an average of. */
interface Sides {
  readonly numerator?: string;
  /** Left out: 1. */
  readonly denominator?: string;
  readonly times: number;
}

function sidesOf(metric: string): Sides {
  const combination = definitionOf(metric)?.combination;
  if (combination?.by === 'ratio') return combination;
  if (combination?.by === 'sum') return { numerator: metric, times: 1 };
  return { denominator: metric === 'cartAverage' ? 'conversionCount' : 'visits', times: 1 };
}

/** Numerator and denominator of a metric in some values, both 0 where nothing was counted below; undefined where a part of it has no value. */
export function termsOf(metric: string, values: MetricValues): Sums | undefined {
  const { numerator, denominator, times } = sidesOf(metric);
  const below = denominator === undefined ? 1 : values[denominator];
  if (below === 0) return { numerator: 0, denominator: 0 };
  if (typeof below !== 'number' || below < 0) return undefined;
  const above = values[numerator ?? metric];
  if (typeof above !== 'number') return undefined;
  return { numerator: numerator === undefined ? above * below : above * times, denominator: below };
}

/** Whether a metric is a count or an amount, which days add up to. */
export function isCount(metric: string): boolean {
  return definitionOf(metric)?.combination.by === 'sum';
}

/** Whether a metric is a rate that counts make, so that groups explain it. */
export function isRateOfCounts(metric: string): boolean {
  return definitionOf(metric)?.combination.by === 'ratio';
}

/** The metrics to read so that these can be judged and explained. */
export function metricsToRead(metrics: readonly string[]): string[] {
  return [...new Set([...metrics, 'visits', 'conversionCount', ...(metrics.includes('revenueSum') ? ['revenueSum'] : [])])];
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
      const terms = termsOf(metric, values);
      if (!terms || terms.denominator === 0) return [];
      const { conversionCount: events } = values;
      const isSumOf = kind === 'amount' && typeof events === 'number' ? { events } : {};
      return [{ label: interval.label ?? '', ...terms, ...isSumOf, numerator: terms.numerator * times, isWhole: true }];
    })
    .toSorted((a, b) => a.label.localeCompare(b.label));
}
