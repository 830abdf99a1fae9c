import { dayAfter } from '../../../lib/calendar.ts';
import {
  atUsualBasket,
  BASKET_DAYS,
  type Cost,
  costOfDays,
  FACTORS,
  factorsOf,
  isDiluted,
  type Sales,
  scatterOfOrders,
} from '../change-cost.ts';
import type { DatedChange } from '../engine/changes.ts';
import type { MetricRow } from '../read/metric-answers.ts';

/** A change where it was measured. */
export interface MeasuredChange {
  readonly metric: string;
  readonly device: string;
  readonly change: DatedChange;
  readonly cost: Omit<Cost, 'goalId'> | undefined;
  /** Conversions beside it are of another goal than that of e-commerce: revenue does not follow from them. */
  readonly isOfOtherGoal?: boolean | undefined;
  /** The goal that the metric counts, where it is another than that of the metrics beside it. */
  readonly goal?: string | undefined;
}

/** Metrics whose change leaves an order worth what it was. */
const OF_ORDERS: ReadonlySet<string> = new Set(FACTORS.conversionCount);

/**
 * The amount that a change makes over its days from one on: of revenue where there is some, else of conversions, else of visits. `rows`
 * are days of the change and of the time before it.
 */
export function costOnDays(metric: string, rows: readonly MetricRow[], change: DatedChange, since = change.from): MeasuredChange['cost'] {
  const { from, to, relative, low, high } = change;
  const whole = rows.filter(({ interval: { label, isPart } }) => !isPart && label !== undefined);
  const between = (first: string, last: string) => whole.filter(({ interval: { label = '' } }) => label >= first && label <= last);
  const sumOf = (own: readonly MetricRow[], outcome: string) => own.reduce((sum, { values }) => sum + (values[outcome] ?? 0), 0);
  const salesOf = (own: readonly MetricRow[]): Sales => ({ revenue: sumOf(own, 'revenueSum'), orders: sumOf(own, 'conversionCount') });
  const own = between(since, to ?? '9');
  const before = between(dayAfter(from, -BASKET_DAYS), dayAfter(from, -1));
  const trafficOf = (some: readonly MetricRow[]) => ({
    visits: sumOf(some, 'visits'),
    orders: sumOf(some, 'conversionCount'),
    days: some.length,
  });
  if (metric === 'conversionRate' && isDiluted(relative, trafficOf(between(from, to ?? '9')), trafficOf(before))) return undefined;
  const isOfOtherGoal = rows.some((row) => row.isOfOtherGoal);
  for (const outcome of ['revenueSum', 'conversionCount', 'visits'] as const) {
    const counted = sumOf(own, outcome);
    const isMade = metric === outcome || factorsOf(outcome, { isOfOtherGoal }).includes(metric);
    if (!isMade || counted === 0) continue;
    const isOfOrders = outcome === 'revenueSum' && OF_ORDERS.has(metric);
    const totalOf = (some: readonly MetricRow[]) => (isOfOrders ? atUsualBasket(salesOf(some), salesOf(before)) : sumOf(some, outcome));
    const daysOf = (some: readonly MetricRow[]) => ({ total: totalOf(some), visits: sumOf(some, 'visits'), days: some.length });
    const days = { some: daysOf(own), all: daysOf(between(from, to ?? '9')) };
    const scatter = scatterOfOrders(outcome, [metric], trafficOf(between(from, to ?? '9')).orders);
    return { metric: outcome, ...costOfDays(days, [{ relative, low, high }], { isOfRate: metric === 'conversionRate', scatter }) };
  }
  return undefined;
}
