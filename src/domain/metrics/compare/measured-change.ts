import { daysFrom } from '../../../lib/calendar.ts';
import { type Cost, costOfChange, factorsOf, isOfOthers, type TotalOn } from '../change-cost.ts';
import type { DatedChange } from '../engine/changes.ts';
import { changesSince, sizeOfDays } from '../engine/measure.ts';
import type { DailyPoint } from '../engine/series.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import { kindOf } from './readings.ts';

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

/** Probability of a change where nothing happened, over all series of a table. */
export const ERROR = 0.01;
/** Whether two changes go the same way and begin on about the same day. */
export const areNear = (a: DatedChange, b: DatedChange) => a.relative * b.relative > 0 && Math.abs(daysFrom(a.from, b.from)) <= 1;

/** Score from which a product has followed a factor whose change is known. */
const FOLLOWED = 1.96;
/** Score from which a factor has moved on days that only its product shows: there are three, on days that were searched for. */
const MADE = 2.6;

/** The days of one selection, by metric. */
type PointsOf = (metric: string) => readonly DailyPoint[];

/** Whether a metric moved on the days of a change and the way that it goes. */
function hasMoved(metric: string, pointsOf: PointsOf, change: DatedChange, least: number): boolean {
  const size = sizeOfDays(kindOf(metric), pointsOf(metric), change);
  return size !== undefined && size.relative * change.relative > 0 && Math.abs(size.score) >= least;
}

/**
 * Changes of a metric; of a product those of its factors that it followed, whose days and cost every tool tells; by itself it ends by
 * chance, and where no factor moved one large order or a slow rise may be all there is.
 */
export function changesOfMetric(
  metric: string,
  factors: readonly string[],
  { pointsOf, from, most }: { readonly pointsOf: PointsOf; readonly from: string; readonly most: number },
): { metric: string; change: DatedChange }[] {
  const since = (name: string) => changesSince(kindOf(name), pointsOf(name), from, most).map((change) => ({ metric: name, change }));
  const own = since(metric);
  if (factors.length === 0) return own;
  const isAlike = (change: DatedChange) => own.some((other) => areNear(change, other.change));
  const ofFactors = factors.flatMap(since).filter(({ change }) => isAlike(change) || hasMoved(metric, pointsOf, change, FOLLOWED));
  const alone = own.filter(({ change }) => {
    const isTold = ofFactors.some((other) => areNear(other.change, change));
    return !isTold && factors.some((factor) => hasMoved(factor, pointsOf, change, MADE));
  });
  return [...ofFactors, ...alone];
}
