import * as z from 'zod';
import { dayAfter } from '../../../lib/calendar.ts';
import { formatNumber } from '../../../lib/number-text.ts';
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
import { unitOf } from '../metric-definitions.ts';
import type { MetricRow } from '../read/metric-answers.ts';

/** A change by its metric, device and days, and what it costs over these; the same in every tool. Bounds are in the words beside it. */
export const measuredChangeShape = z.object({
  metric: z.string(),
  device: z.string(),
  goal: z.string().optional(),
  from: z.string(),
  to: z.string().optional(),
  changePercent: z.number(),
  /** The amount that it adds to or takes from revenue where there is some, else conversions, else visits. */
  revenueSum: z.number().optional(),
  conversionCount: z.number().optional(),
  visits: z.number().optional(),
});

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

/** `since 2026-09-25`, or both days where it has ended, or the only one. */
export function changeDays({ from, to }: Pick<DatedChange, 'from' | 'to'>): string {
  if (to === undefined) return `since ${from}`;
  return from === to ? `on ${from} alone` : `from ${from} to ${to}`;
}

const OF_OUTCOME = { revenueSum: 'revenue', conversionCount: 'conversions', visits: 'visits' } as const;

/** `about -48,058 EUR of revenue (-56,373 to -40,167)`; empty where nothing is known of it. */
export function measuredCostText({ cost }: Pick<MeasuredChange, 'cost'>, currency: string | undefined): string {
  if (!cost) return '';
  const amount = (value: number) => formatNumber(value, { digits: 0, group: true, sign: true });
  const unit = cost.metric === 'revenueSum' && currency !== undefined ? ` ${currency} of` : '';
  const range = cost.low === undefined || cost.high === undefined ? '' : ` (${amount(cost.low)} to ${amount(cost.high)})`;
  return `about ${amount(cost.value)}${unit} ${OF_OUTCOME[cost.metric]}${range}`;
}

/** A cost for programs, to the cent. */
export function costRecord({ metric, value, low, high }: Omit<Cost, 'goalId'>, currency: string | undefined) {
  const rounded = (amount: number) => Number(amount.toFixed(2));
  const bounds = low === undefined || high === undefined ? {} : { low: rounded(low), high: rounded(high) };
  return { metric, value: rounded(value), ...bounds, unit: unitOf(metric, currency) ?? '' };
}

/** The change for programs. */
export function changeRecord({ metric, device, goal, change: { from, to, relative }, cost }: MeasuredChange) {
  return {
    metric,
    device,
    ...(goal !== undefined && { goal }),
    from,
    ...(to !== undefined && { to }),
    changePercent: Number((100 * relative).toFixed(2)),
    ...(cost && { [cost.metric]: Number(cost.value.toFixed(2)) }),
  };
}
