import { sampleStandardDeviation } from 'simple-statistics';
import { dayAfter } from '../lib/calendar.ts';
import { meanOf } from '../statistics/order.ts';
import { Z_95 } from '../statistics/tails.ts';
import type { DatedChange } from './engine/changes.ts';
import { LAST } from './engine/scan.ts';
import type { Sized } from './engine/series.ts';
import { factorsOf } from './metric-names.ts';
import type { MetricRow } from './read/metric-answers.ts';

/** The amount that changes of its factors add to or take from a total over their days, with bounds at 95 %. */
export interface CostRange {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Keeps a logarithm finite where everything is gone. */
const LEAST = 0.01;
/** The logarithm of what a relative change leaves. */
export const logOf = (relative: number) => Math.log(Math.max(LEAST, 1 + relative));

/**
 * The actual total less what it would have been without changes of its factors: total × (1 − 1 / product of the factors). The errors
 * of the factors, and `scatter` of the total itself, are taken to be independent.
 */
export function costOfFactors(total: number, factors: readonly Sized[], scatter = 0): CostRange {
  let [sum, variance] = [0, 0];
  for (const { relative, low, high } of factors) {
    sum += logOf(relative);
    variance += ((logOf(high) - logOf(low)) / 2 / Z_95) ** 2;
  }
  const error = Z_95 * Math.sqrt(variance);
  const costAt = (log: number) => total * -Math.expm1(-log);
  const [value, low, high] = [costAt(sum), costAt(sum - error), costAt(sum + error)];
  const own = Z_95 * Math.sqrt(scatter) * Math.abs(value);
  return { value, low: value - Math.hypot(value - low, own), high: value + Math.hypot(high - value, own) };
}

/** The estimated amount that a change adds to or takes from a total over its days. */
export interface Cost extends CostRange {
  readonly metric: 'revenueSum' | 'conversionCount' | 'visits';
}

/** The total of a metric over some days where a change is, and of how many days it is; undefined where it was not read. */
export type TotalOn = (metric: string, from: string, to: string) => { readonly total: number; readonly days: number } | undefined;

/** First and last day of what a change costs. */
interface CostDays {
  readonly from: string;
  readonly to: string;
}

/** A factor of a total that changed. */
interface Factor extends Sized {
  readonly metric: string;
}

/** Days before a change that tell what an order is worth, and how many visits there were. */
const DAYS_BEFORE = 28;
const daysBefore = ({ from }: CostDays): [string, string] => [dayAfter(from, -DAYS_BEFORE), dayAfter(from, -1)];

/** Visits a day move by this factor at least where others are taken to come. */
const OTHERS = 1.3;

/**
 * Whether nothing changed but a rate, because others came or stayed away, as those of a campaign: far more visits a day than before the
 * change, and no fewer orders, or far fewer and no more. What the rate alone would make of these visits was never there to be lost.
 */
export function isOfOthers(factors: readonly Factor[], days: CostDays, totalOn: TotalOn): boolean {
  const ratioOf = (metric: string) => {
    const [own, before] = [totalOn(metric, days.from, days.to), totalOn(metric, ...daysBefore(days))];
    return own?.days && before?.days ? own.total / own.days / (Math.max(1, before.total) / before.days) : undefined;
  };
  const [visits, orders] = [ratioOf('visits'), ratioOf('conversionCount')];
  if (visits === undefined || orders === undefined || factors.some(({ metric }) => metric !== 'conversionRate')) return false;
  return factors.some(({ relative }) => (relative < 0 ? visits >= OTHERS && orders >= 1 : visits <= 1 / OTHERS && orders <= 1));
}

/**
 * Revenue of the orders of a change at what an order was worth on its days and on those before together: of the few that a fall leaves some
 * large ones decide, and those that were lost were of the usual size.
 */
function atUsualBasket(days: CostDays, totalOn: TotalOn): number {
  const [own, before] = ([[days.from, days.to], daysBefore(days)] as const).map(([from, to]) => ({
    revenue: totalOn('revenueSum', from, to)?.total ?? 0,
    orders: totalOn('conversionCount', from, to)?.total ?? 0,
  }));
  if (!own?.orders || !before?.orders) return own?.revenue ?? 0;
  return (own.orders * (own.revenue + before.revenue)) / (own.orders + before.orders);
}

/** Factors whose errors hold how orders scatter by chance. */
const OF_COUNTED_ORDERS: ReadonlySet<string> = new Set(['conversionRate', 'conversionCount', 'revenueSum']);

/** The total that a rate or an average, as a factor, is a share of. */
const PER: Readonly<Record<string, string>> = { conversionRate: 'visits', cartAverage: 'conversionCount' };

/**
 * The amount that a change of these factors makes of a total up to a day, by the size of all its days: what was counted beside the share
 * of these days in what there would have been, so that a better day is no larger loss.
 */
export function costOfChange(
  metric: Cost['metric'],
  factors: readonly Factor[],
  days: CostDays,
  totalOn: TotalOn,
  until = days.to,
): CostRange {
  const isOfOrders = metric === 'revenueSum' && factors.every((factor) => factorsOf('conversionCount').includes(factor.metric));
  const totalIn = (name: string, to: string) => totalOn(name, days.from, to)?.total ?? 0;
  const counted = isOfOrders ? 'conversionCount' : metric;
  const total = isOfOrders ? atUsualBasket(days, totalOn) : totalIn(metric, days.to);
  // Twice as many visits bring twice as many orders, give or take what chance makes of these (Poisson).
  const isScatterKnown = metric === 'visits' || factors.some((factor) => OF_COUNTED_ORDERS.has(factor.metric));
  const orders = isScatterKnown ? 0 : totalIn('conversionCount', days.to);
  const cost = costOfFactors(total, factors, orders > 0 ? 1 / orders : 0);
  const per = PER[factors[0]?.metric ?? ''];
  const sizeOf = (to: string) => (per === undefined ? (totalOn(counted, days.from, to)?.days ?? 0) : totalIn(per, to));
  const share = sizeOf(until) / sizeOf(days.to);
  if (!(share < 1)) return cost;
  const own = (total * totalIn(counted, until)) / totalIn(counted, days.to) || 0;
  const costAt = (whole: number) => own - share * (total - whole);
  return { value: costAt(cost.value), low: costAt(cost.low), high: costAt(cost.high) };
}

/** The totals that days hold. */
export function totalsOf(rows: readonly MetricRow[]): TotalOn {
  const whole = rows.filter(({ interval: { label, isPart } }) => !isPart && label !== undefined);
  return (name, first, end) => {
    const own = whole.filter(({ interval: { label = '' } }) => label >= first && label <= end);
    return { total: own.reduce((sum, { values }) => sum + (values[name] ?? 0), 0), days: own.length };
  };
}

/** A total of which less than this share is left says little of what it was. */
const LEAST_LEFT = 0.1;

/** The amount that some days lack of a total of those before them, give or take what each of these differs by. */
function missingOf(metric: Cost['metric'], { from, to }: CostDays, totalOn: TotalOn): CostRange | undefined {
  const own = totalOn(metric, from, to);
  const usual = Array.from({ length: DAYS_BEFORE }, (_, at) => dayAfter(from, at - DAYS_BEFORE)).flatMap((day) => {
    const each = totalOn(metric, day, day);
    return each?.days ? [each.total] : [];
  });
  if (!own || usual.length < 2) return undefined;
  const value = own.total - own.days * meanOf(usual);
  const error = Z_95 * sampleStandardDeviation(usual) * Math.sqrt(own.days);
  return { value, low: value - error, high: value + error };
}

/**
 * The amount that a change makes over its days up to `last`, of revenue where there is some, else of conversions, else of visits: of more
 * visits than usual nothing else, because they need not buy as the usual ones do. Of a total of which almost nothing is left, it is what is
 * missing to that of the weeks before.
 */
export function costOnDays(
  metric: string,
  totalOn: TotalOn,
  { shape, from, to, relative, low, high }: Pick<DatedChange, 'shape' | 'from' | 'to' | 'relative' | 'low' | 'high'>,
  last: string,
  of: { readonly isOfOtherGoal?: boolean | undefined } = {},
): Cost | undefined {
  const days = { from, to: to !== undefined && to < last ? to : last };
  // Half of a slope lies above its middle.
  const share = shape === 'drift' ? 1 / 2 : 1;
  const factors = [{ metric, relative: share * relative, low: share * low, high: share * high }];
  if (isOfOthers(factors, days, totalOn)) return undefined;
  const isOfMore = metric === 'visits' && relative > 0;
  const outcome = (['revenueSum', 'conversionCount', 'visits'] as const).slice(isOfMore ? -1 : 0).find((name) => {
    const isOf = metric === name || factorsOf(name, of).includes(metric);
    return isOf && (totalOn(name, days.from, days.to)?.total || totalOn(name, ...daysBefore(days))?.total);
  });
  if (!outcome) return undefined;
  const missing = 1 + relative < LEAST_LEFT ? missingOf(outcome, days, totalOn) : undefined;
  return { metric: outcome, ...(missing ?? costOfChange(outcome, factors, { from, to: to ?? LAST }, totalOn, days.to)) };
}
