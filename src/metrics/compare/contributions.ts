import { decompose, type GroupSums, type Sums } from '../engine/decompose.ts';
import { definitionOf, isCount } from '../metric-definitions.ts';
import { type MetricValues, sumsOf } from '../read/combine.ts';
import type { Factors } from './comparison-windows.ts';

/** Four decimals, as the platform gives rates; what is shown adds up, because sums and remainders are made of shown numbers. */
export function fixed(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** The parts of a change of revenue by each of its factors, in the currency. */
export interface RevenueSplit {
  readonly visits: number;
  readonly conversion: number;
  readonly basket: number;
}

/** The factors of revenue. */
export interface Takings {
  readonly visits: number;
  readonly conversions: number;
  readonly revenue: number;
}

function logMean(a: number, b: number): number {
  return a === b ? a : (a - b) / Math.log(a / b);
}

/**
 * Splits a change of revenue = visits × conversion × basket, where basket = revenue / conversions (logarithmic mean Divisia index, Ang
 * 2005): the three add up exactly. Undefined where a side has no visit, conversion or revenue.
 */
export function splitRevenue(before: Takings, after: Takings): RevenueSplit | undefined {
  const all = [before, after].flatMap(({ visits, conversions, revenue }) => [visits, conversions, revenue]);
  if (all.some((value) => !(value > 0))) return undefined;
  const weight = logMean(after.revenue, before.revenue);
  const effect = (of: (takings: Takings) => number) => weight * Math.log(of(after) / of(before));
  return {
    visits: effect(({ visits }) => visits),
    conversion: effect(({ visits, conversions }) => conversions / visits),
    basket: effect(({ conversions, revenue }) => revenue / conversions),
  };
}

/** The part of a change by one group; members without a value do not apply. */
export interface Contribution {
  readonly name: string;
  /** In the unit of the metric, of counts over ranges of different length for a day; null where the group had no visits. */
  readonly before: number | null;
  readonly after: number | null;
  /** Of what the metric is a rate or an average of, in percent. */
  readonly shareBefore?: number;
  readonly shareAfter?: number;
  /** Of a rate or an average: its share moved, and its value is another than that of the whole. */
  readonly mix?: number;
  /** Of a rate or an average: its own value moved. */
  readonly rate?: number;
  /** In the unit of the metric. */
  readonly contribution: number;
}

/** All groups of a partition with what is left of the change after them. */
export type Explained = NonNullable<ReturnType<typeof explain>>;

function explainRatio(groups: readonly GroupSums[]): Contribution[] | undefined {
  const valueOf = ({ numerator, denominator }: Sums) => (denominator > 0 ? numerator / denominator : null);
  return decompose(groups)?.map(({ name, shareBefore, shareAfter, ...effects }, index) => {
    const [mix, rate] = [fixed(effects.mix), fixed(effects.rate)];
    const { before, after } = groups[index] ?? {};
    return {
      name,
      before: before ? valueOf(before) : null,
      after: after ? valueOf(after) : null,
      shareBefore: 100 * shareBefore,
      shareAfter: 100 * shareAfter,
      mix,
      rate,
      contribution: fixed(mix + rate),
    };
  });
}

function explainCount(groups: readonly GroupSums[], factors: Factors): Contribution[] {
  return groups.map(({ name, ...sums }) => {
    const [before, after] = [sums.before.numerator * factors.before, sums.after.numerator * factors.after];
    return { name, before, after, contribution: fixed(after - before) };
  });
}

/** The parts of a metric's change by groups that partition it; undefined where the whole has no visits on a side. */
export function explain(metric: string, change: number, groups: readonly GroupSums[], factors: Factors) {
  const explained = isCount(metric) ? explainCount(groups, factors) : explainRatio(groups);
  if (!explained) return undefined;
  const sum = explained.reduce((total, { contribution }) => total + contribution, 0);
  // The remainder is what rounding to four decimals leaves.
  return { metric, change: fixed(change), groups: explained, remainder: fixed(fixed(change) - sum) };
}

/** The values of one group on both sides. */
export interface GroupValues {
  readonly name: string;
  readonly before: MetricValues;
  readonly after: MetricValues;
}

function sidesOf(metric: string, { name, before, after }: GroupValues): GroupSums | undefined {
  const [first, second] = [sumsOf(metric, before), sumsOf(metric, after)];
  return first && second && { name, before: first, after: second };
}

/** The visits of the whole that are in no part. */
function restOf(name: string, metric: string, whole: GroupSums, parts: readonly GroupSums[]): GroupSums {
  const left = (side: 'before' | 'after'): Sums => {
    const numerator = fixed(parts.reduce((sum, part) => sum - part[side].numerator, whole[side].numerator));
    const denominator = parts.reduce((sum, part) => sum - part[side].denominator, whole[side].denominator);
    if (isCount(metric)) return { numerator, denominator: 1 };
    // Averages are rounded, so that subtraction may leave a little of nothing: of what has a price that is no value.
    const isValued = denominator > 0 && (numerator > 0 || definitionOf(metric)?.unit === '%');
    return isValued ? { numerator: Math.max(0, numerator), denominator } : { numerator: 0, denominator: 0 };
  };
  return { name, before: left('before'), after: left('after') };
}

/**
 * The sums of parts that share no visit, with what is in none of them as a group of its own, where there is anything. Undefined where
 * the platform gave no value for a part.
 */
export function partition(
  metric: string,
  whole: Omit<GroupValues, 'name'>,
  parts: readonly GroupValues[],
  nameOfRest: string,
): GroupSums[] | undefined {
  const all = sidesOf(metric, { name: '', ...whole });
  const groups = parts.flatMap((part) => sidesOf(metric, part) ?? []);
  if (!all || groups.length < parts.length) return undefined;
  const rest = restOf(nameOfRest, metric, all, groups);
  const isEmpty = ({ numerator, denominator }: Sums) => (isCount(metric) ? numerator === 0 : denominator === 0);
  return isEmpty(rest.before) && isEmpty(rest.after) ? groups : [...groups, rest];
}

/** Events that sums count or are a mean of. */
function eventsOf(metric: string, { numerator, denominator }: Sums): number {
  if (isCount(metric)) return numerator;
  return definitionOf(metric)?.unit === '%' ? numerator / 100 : denominator;
}

/** The root of the likelihood ratio of a table of four counts, which knows a side of nothing where the logarithm of a count does not. */
function likelihoodScore(before: number, othersBefore: number, after: number, othersAfter: number): number {
  const total = before + othersBefore + after + othersAfter;
  const cell = (own: number, row: number, column: number) => (own > 0 ? own * Math.log((own * total) / (row * column)) : 0);
  const [first, second] = [before + othersBefore, after + othersAfter];
  const [own, others] = [before + after, othersBefore + othersAfter];
  const parts = [cell(before, first, own), cell(othersBefore, first, others), cell(after, second, own), cell(othersAfter, second, others)];
  return Math.sqrt(Math.max(0, 2 * parts.reduce((sum, part) => sum + part, 0)));
}

/**
 * How far the change of a group lies from that of all other visits, in standard errors of counting alone: a ranking, no test. 0 where
 * a rate or an average has no value or no events on a side.
 */
export function contrastScore(metric: string, whole: Omit<GroupValues, 'name'>, group: GroupValues, factors: Factors): number {
  const groups = partition(metric, whole, [group], 'others') ?? [];
  // Amounts are sums over orders.
  const counted = metric === 'revenueSum' ? 'conversionCount' : metric;
  const events = partition(counted, whole, [group], 'others') ?? [];
  const sides = (['before', 'after'] as const).flatMap((side) =>
    groups.map(({ [side]: { numerator, denominator } }, index) => ({
      value: denominator > 0 ? (numerator / denominator) * (isCount(metric) ? factors[side] : 1) : 0,
      events: eventsOf(counted, events[index]?.[side] ?? { numerator: 0, denominator: 0 }),
    })),
  );
  const [before, othersBefore, after, othersAfter] = sides;
  if (!before || !after || !othersBefore || !othersAfter) return 0;
  if (sides.some((side) => !(side.value > 0 && side.events > 0)))
    return isCount(metric) ? likelihoodScore(before.events, othersBefore.events, after.events, othersAfter.events) : 0;
  const difference = Math.log(after.value / before.value) - Math.log(othersAfter.value / othersBefore.value);
  return Math.abs(difference) / Math.sqrt(sides.reduce((sum, side) => sum + 1 / side.events, 0));
}

/** The parts of a change that come from moved shares of the groups, and from values within them. */
export function effectsOf({ groups }: Explained): { mix: number; rate: number } {
  const sum = (of: (group: Contribution) => number) => groups.reduce((total, group) => total + of(group), 0);
  return { mix: fixed(sum(({ mix = 0 }) => mix)), rate: fixed(sum(({ rate = 0 }) => rate)) };
}

/** Shares that moved make a change at most so many times as large. */
const MOST_MIX = 2;

/** True where moved shares make more of a change of a rate or an average than values within the groups, which do not all but undo it. */
export function isMix(explained: Explained): boolean {
  const { mix, rate } = effectsOf(explained);
  return Math.abs(mix) > Math.abs(rate) && mix * explained.change > 0 && Math.abs(mix) < MOST_MIX * Math.abs(explained.change);
}
