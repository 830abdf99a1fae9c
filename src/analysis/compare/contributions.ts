import type { MetricValues } from '../metrics/combine.ts';
import { isRateOfCounts } from './days.ts';
import { type Counts, fixed, type Group, splitRate } from './split.ts';

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
  const rateOf = (counts: Counts) => (counts.visits > 0 ? percent(counts.conversions, counts.visits) : null);
  const effects = splitRate(counted);
  return counted.map(({ name, before, after }, index) => {
    const [mix, rate] = [fixed(100 * (effects[index]?.mix ?? 0)), fixed(100 * (effects[index]?.rate ?? 0))];
    return {
      name,
      before: rateOf(before),
      after: rateOf(after),
      shareBefore: percent(before.visits, visits('before')),
      shareAfter: percent(after.visits, visits('after')),
      mix,
      rate,
      contribution: fixed(mix + rate),
    };
  });
}

function explainCount(metric: string, groups: readonly GroupValues[], scale: number): Contribution[] | undefined {
  const counted = groups.flatMap(({ name, before, after }) => {
    const [first, second] = [before[metric], after[metric]];
    if (typeof first !== 'number' || typeof second !== 'number') return [];
    return [{ name, before: first * scale, after: second, contribution: fixed(second - first * scale) }];
  });
  return counted.length === groups.length ? counted : undefined;
}

/**
 * What of the change of a metric comes from each of some groups that partition the visits; undefined where a count of one has no value, or
 * the metric is none that counts make. `scale` multiplies the counts of the baseline.
 */
export function explain(metric: string, change: number, groups: readonly GroupValues[], scale: number): Explained | undefined {
  const isCounted = COUNTS.includes(metric);
  if (!isCounted && !isRateOfCounts(metric)) return undefined;
  const explained = isCounted ? explainCount(metric, groups, scale) : explainRate(groups);
  if (!explained) return undefined;
  const told = explained.reduce((sum, { contribution }) => sum + contribution, 0);
  return { metric, change: fixed(change), groups: explained, remainder: fixed(fixed(change) - told) };
}
