import { Z_95 } from '../../statistics/tails.ts';

/** A relative change with its bounds at 95 %. */
export interface Sized {
  readonly relative: number;
  readonly low: number;
  readonly high: number;
}

/** The amount that changes of its factors add to or take from a total over their days, with bounds at 95 %. */
export interface CostRange {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Keeps a logarithm finite where everything is gone. */
const LEAST = 0.01;
const logOf = (relative: number) => Math.log(Math.max(LEAST, 1 + relative));

/** Factors whose errors hold how orders scatter by chance. */
const OF_COUNTED_ORDERS: ReadonlySet<string> = new Set(['conversionRate', 'conversionCount', 'revenueSum']);

/**
 * Variance, as a logarithm, of a total of orders by their number alone, where no factor holds it: twice as many visits bring twice as
 * many orders, give or take what chance makes of these (Poisson).
 */
export function scatterOfOrders(metric: Cost['metric'], factors: readonly string[], orders: number): number {
  const isKnown = metric === 'visits' || factors.some((factor) => OF_COUNTED_ORDERS.has(factor));
  return isKnown || orders <= 0 ? 0 : 1 / orders;
}

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

/** Some days of a change, beside all of them: the total of each, and the visits and number of days by which they share. */
export interface SomeDays {
  readonly some: { readonly total: number; readonly visits: number; readonly days: number };
  readonly all: { readonly total: number; readonly visits: number; readonly days: number };
}

/** Whether visits share a change out to its days, and the variance by chance of its total. */
interface DaysOfCost {
  readonly isOfRate: boolean;
  readonly scatter: number;
}

/**
 * The amount that a change makes on some of its days: their total less their part of what all would have been without it. A rate is of
 * visits, so that these share it; else each day has the same part.
 */
export function costOfDays({ some, all }: SomeDays, factors: readonly Sized[], { isOfRate, scatter }: DaysOfCost): CostRange {
  const share = isOfRate && all.visits > 0 ? some.visits / all.visits : some.days / Math.max(1, all.days);
  const whole = costOfFactors(all.total, factors, scatter);
  const partOf = (ofAll: number) => some.total - share * (all.total - ofAll);
  return { value: partOf(whole.value), low: partOf(whole.low), high: partOf(whole.high) };
}

/** Visits and orders of some days. */
export interface Traffic {
  readonly visits: number;
  readonly orders: number;
  readonly days: number;
}

/** Visits a day move by this factor at least where others are taken to come. */
const OTHERS = 1.3;

/**
 * Whether a rate moved because others came or stayed away, as those of a campaign: far more visits a day than before the change, and no
 * fewer orders, or far fewer and no more. What the rate alone would make of these visits was never there to be lost.
 */
export function isDiluted(relative: number, own: Traffic, before: Traffic): boolean {
  if (own.days === 0 || before.days === 0 || before.visits === 0) return false;
  const ratioOf = (part: 'visits' | 'orders') => own[part] / own.days / (Math.max(1, before[part]) / before.days);
  const [visits, orders] = [ratioOf('visits'), ratioOf('orders')];
  return relative < 0 ? visits >= OTHERS && orders >= 1 : visits <= 1 / OTHERS && orders <= 1;
}

/** Revenue and the orders that it is of. */
export interface Sales {
  readonly revenue: number;
  readonly orders: number;
}

/** Days before a change whose orders tell what one is worth. */
export const BASKET_DAYS = 28;

/**
 * Revenue of the orders of a change at what an order was worth on its days and on those before together: of the few that a fall leaves some
 * large ones decide, and those that were lost were of the usual size.
 */
export function atUsualBasket({ revenue, orders }: Sales, before: Sales): number {
  const all = orders + before.orders;
  return orders > 0 && before.orders > 0 ? (orders * (revenue + before.revenue)) / all : revenue;
}

/** The estimated amount that a change adds to or takes from a total over its days. */
export interface Cost {
  readonly metric: 'revenueSum' | 'conversionCount' | 'visits';
  readonly goalId: number | undefined;
  readonly value: number;
  /** Bounds at 95 %; left out where almost nothing is left of a total. */
  readonly low?: number;
  readonly high?: number;
}

/** The factors of each total. */
export const FACTORS: Readonly<Record<Cost['metric'], readonly string[]>> = {
  visits: ['visits'],
  conversionCount: ['visits', 'conversionRate'],
  revenueSum: ['visits', 'conversionRate', 'cartAverage'],
};

/** The metrics that a metric is the product of; none of one that is measured by itself, as revenue beside conversions of another goal. */
export function factorsOf(
  metric: string,
  { isOfOtherGoal = false }: { readonly isOfOtherGoal?: boolean | undefined } = {},
): readonly string[] {
  const isProduct = metric === 'conversionCount' || (metric === 'revenueSum' && !isOfOtherGoal);
  return isProduct ? FACTORS[metric] : [];
}
