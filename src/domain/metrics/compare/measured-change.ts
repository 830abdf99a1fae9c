import { type Cost, costOfChange, factorsOf, isOfOthers, type TotalOn } from '../change-cost.ts';
import type { DatedChange } from '../engine/changes.ts';
import type { MetricRow } from '../read/metric-answers.ts';

/** A change where it was measured. */
export interface MeasuredChange {
  readonly metric: string;
  readonly device: string;
  readonly change: DatedChange;
  /** Conversions beside it are of another goal than that of e-commerce: revenue does not follow from them. */
  readonly isOfOtherGoal?: boolean | undefined;
  /** The goal that the metric counts, where it is another than that of the metrics beside it. */
  readonly goal?: string | undefined;
}

/**
 * The amount that a change makes over its days up to `last`, of revenue where there is some, else of conversions, else of visits. `rows`
 * are days of the change and of the time before it.
 */
export function costOnDays(
  metric: string,
  rows: readonly MetricRow[],
  { from, to, relative, low, high }: Pick<DatedChange, 'from' | 'to' | 'relative' | 'low' | 'high'>,
  last: string,
): Omit<Cost, 'goalId'> | undefined {
  const whole = rows.filter(({ interval: { label, isPart } }) => !isPart && label !== undefined);
  const totalOn: TotalOn = (name, first, end) => {
    const own = whole.filter(({ interval: { label = '' } }) => label >= first && label <= end);
    return { total: own.reduce((sum, { values }) => sum + (values[name] ?? 0), 0), days: own.length };
  };
  const days = { from, to: to !== undefined && to < last ? to : last };
  const factors = [{ metric, relative, low, high }];
  if (isOfOthers(factors, days, totalOn)) return undefined;
  const isOfOtherGoal = rows.some((row) => row.isOfOtherGoal);
  const outcome = (['revenueSum', 'conversionCount', 'visits'] as const).find(
    (name) => (metric === name || factorsOf(name, { isOfOtherGoal }).includes(metric)) && totalOn(name, days.from, days.to)?.total,
  );
  return outcome && { metric: outcome, ...costOfChange(outcome, factors, days, totalOn) };
}
