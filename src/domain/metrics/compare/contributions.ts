import type { MetricValues } from '../read/combine.ts';
import type { Factors } from './comparison-windows.ts';
import { isRateOfCounts } from './days.ts';

/** Four decimals, as the platform gives rates; what is shown adds up, because sums and remainders are made of shown numbers. */
export function fixed(value: number): number {
  return Math.round(value * 1e4) / 1e4;
}

/** Counts of one group on both sides; visits of a count are left out. */
export interface Group {
  readonly name: string;
  readonly before: Counts;
  readonly after: Counts;
}

/** What a rate is made of. */
export interface Counts {
  readonly conversions: number;
  readonly visits: number;
}

/** What of a change of a rate comes from one group, in points of the rate. */
export interface Effects {
  /** Its share of the visits moved, and its rate is another than that of the whole. */
  readonly mix: number;
  /** Its own rate moved. */
  readonly rate: number;
}

const rateOf = ({ conversions, visits }: Counts) => (visits > 0 ? conversions / visits : undefined);

function sumOf(groups: readonly Group[], side: 'before' | 'after'): Counts {
  const add = (name: keyof Counts) => groups.reduce((sum, group) => sum + group[side][name], 0);
  return { conversions: add('conversions'), visits: add('visits') };
}

/**
 * Splits the change of a rate over groups that partition the visits (Marshall–Edgeworth, symmetric in time): mix = Δshare × (mean rate −
 * mean rate of the whole), rate = mean share × Δrate. All effects together are the change; a group without visits on one side is all mix.
 */
export function splitRate(groups: readonly Group[]): Effects[] {
  const [before, after] = [sumOf(groups, 'before'), sumOf(groups, 'after')];
  const whole = ((rateOf(before) ?? 0) + (rateOf(after) ?? 0)) / 2;
  return groups.map((group) => {
    const [shareBefore, shareAfter] = [group.before.visits / before.visits, group.after.visits / after.visits];
    const first = rateOf(group.before) ?? rateOf(group.after) ?? whole;
    const second = rateOf(group.after) ?? rateOf(group.before) ?? whole;
    return {
      mix: (shareAfter - shareBefore) * ((first + second) / 2 - whole),
      rate: ((shareBefore + shareAfter) / 2) * (second - first),
    };
  });
}

/** What of a change of revenue comes from each of its factors, in the currency. */
export interface RevenueSplit {
  readonly visits: number;
  readonly conversion: number;
  readonly basket: number;
}

/** Counts that revenue is made of. */
export interface Takings extends Counts {
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

/** What the values of one group are on both sides. */
export interface GroupValues {
  readonly name: string;
  readonly before: MetricValues;
  readonly after: MetricValues;
}

/** What of a change comes from one group; members without a value do not apply. */
export interface Contribution {
  readonly name: string;
  readonly before: number | null;
  readonly after: number | null;
  /** Of all visits, in percent. */
  readonly shareBefore?: number;
  readonly shareAfter?: number;
  /** Of a rate: in points of it. */
  readonly mix?: number;
  readonly rate?: number;
  /** In the unit of the metric. */
  readonly contribution: number;
}

/** All groups of a partition with what is left of the change after them. */
export interface Explained {
  readonly metric: string;
  readonly change: number;
  readonly groups: readonly Contribution[];
  readonly remainder: number;
}

export const OTHER_DEVICE = 'other or unknown device';

/** Counts that can be subtracted, by metric. */
const COUNTS = ['visits', 'conversionCount', 'revenueSum'];

/** What is in the whole and in none of the parts; null where a count of them has no value. */
export function rest(whole: MetricValues, parts: readonly MetricValues[]): MetricValues {
  const left = COUNTS.map((metric) => {
    const values = [whole, ...parts].map((each) => each[metric]);
    const [all, ...taken] = values.map((value) => (typeof value === 'number' ? value : Number.NaN));
    const value = taken.reduce((sum, each) => sum - each, all ?? Number.NaN);
    return [metric, Number.isNaN(value) ? null : fixed(value)] as const;
  });
  return Object.fromEntries(left);
}

function countsOf(values: MetricValues): Counts | undefined {
  const { visits, conversionCount } = values;
  return typeof visits === 'number' && typeof conversionCount === 'number' ? { visits, conversions: conversionCount } : undefined;
}

const percent = (part: number, whole: number) => (whole > 0 ? (100 * part) / whole : 0);

function explainRate(groups: readonly GroupValues[]): Contribution[] | undefined {
  const counted = groups.flatMap(({ name, ...sides }): Group[] => {
    const [before, after] = [countsOf(sides.before), countsOf(sides.after)];
    return before && after ? [{ name, before, after }] : [];
  });
  if (counted.length < groups.length) return undefined;
  const visits = (side: 'before' | 'after') => counted.reduce((sum, group) => sum + group[side].visits, 0);
  if (visits('before') === 0 || visits('after') === 0) return undefined;
  const percentOf = (counts: Counts) => (counts.visits > 0 ? percent(counts.conversions, counts.visits) : null);
  const effects = splitRate(counted);
  return counted.map(({ name, before, after }, index) => {
    const [mix, rate] = [fixed(100 * (effects[index]?.mix ?? 0)), fixed(100 * (effects[index]?.rate ?? 0))];
    return {
      name,
      before: percentOf(before),
      after: percentOf(after),
      shareBefore: percent(before.visits, visits('before')),
      shareAfter: percent(after.visits, visits('after')),
      mix,
      rate,
      contribution: fixed(mix + rate),
    };
  });
}

function explainCount(metric: string, groups: readonly GroupValues[], factors: Factors): Contribution[] | undefined {
  const counted = groups.flatMap(({ name, before, after }) => {
    const [first, second] = [before[metric], after[metric]];
    if (typeof first !== 'number' || typeof second !== 'number') return [];
    const [scaledFirst, scaledSecond] = [first * factors.before, second * factors.after];
    return [{ name, before: scaledFirst, after: scaledSecond, contribution: fixed(scaledSecond - scaledFirst) }];
  });
  return counted.length === groups.length ? counted : undefined;
}

/**
 * What of the change of a metric comes from each of some groups that partition the visits; undefined where a count of one has no value, or
 * the metric is none that counts make.
 */
export function explain(metric: string, change: number, groups: readonly GroupValues[], factors: Factors): Explained | undefined {
  const isCounted = COUNTS.includes(metric);
  if (!isCounted && !isRateOfCounts(metric)) return undefined;
  const explained = isCounted ? explainCount(metric, groups, factors) : explainRate(groups);
  if (!explained) return undefined;
  const told = explained.reduce((sum, { contribution }) => sum + contribution, 0);
  return { metric, change: fixed(change), groups: explained, remainder: fixed(fixed(change) - told) };
}
