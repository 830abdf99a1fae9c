import { daysFrom } from '../../../lib/calendar.ts';
import type { DatedChange } from '../engine/changes.ts';
import { changesSince, sizeOfDays } from '../engine/measure.ts';
import type { DailyPoint } from '../engine/series.ts';
import { kindOf } from './readings.ts';

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
