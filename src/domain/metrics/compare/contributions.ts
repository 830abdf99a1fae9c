import { decompose, type GroupSums, type Sums } from '../engine/decompose.ts';
import type { Factors } from './comparison-windows.ts';
import { isCount } from './days.ts';

/** Four decimals, as the platform gives rates; what is shown adds up, because sums and remainders are made of shown numbers. */
export function fixed(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** What of a change of revenue comes from each of its factors, in the currency. */
export interface RevenueSplit {
  readonly visits: number;
  readonly conversion: number;
  readonly basket: number;
}

/** What revenue is made of. */
export interface Takings {
  readonly visits: number;
  readonly conversions: number;
  readonly revenue: number;
}

function logMean(a: number, b: number): number {
  return a === b ? a : (a - b) / Math.log(a / b);
}

/**
 * Splits a change of revenue = visits × conversion × basket, where basket = revenue / conversions (logarithmic mean Divisia index, Ang 2005):
 * the three add up exactly. Undefined where a side has no visit, conversion or revenue.
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

/** What of a change comes from one group; members without a value do not apply. */
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
export interface Explained {
  readonly metric: string;
  readonly change: number;
  readonly groups: readonly Contribution[];
  /** What rounding to four decimals leaves. */
  readonly remainder: number;
}

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

/** What of the change of a metric comes from each of some groups that partition it; undefined where the whole has no visits on a side. */
export function explain(metric: string, change: number, groups: readonly GroupSums[], factors: Factors): Explained | undefined {
  const explained = isCount(metric) ? explainCount(groups, factors) : explainRatio(groups);
  if (!explained) return undefined;
  const sum = explained.reduce((total, { contribution }) => total + contribution, 0);
  return { metric, change: fixed(change), groups: explained, remainder: fixed(fixed(change) - sum) };
}
