import { logTail } from '../../../statistics/tails.ts';
import type { Looked } from '../engine/scan.ts';
import { relativeOf } from '../engine/series.ts';
import { type ChangeSeries, OF_ORDERS, type Place, seriesId } from './change-series.ts';
import type { RankedChange } from './rank-changes.ts';

/**
 * A day that stands out by itself: of revenue, of the site or of those who tap a zone, while a single very large order may be all that
 * happened, or of visits, while among all series that were looked at one such day may be chance.
 */
export interface LargeDay {
  readonly day: string;
  readonly metric: string;
  readonly relative: number;
  readonly place: Place;
}

/** Chance at which such a day is told, over all days of the scan. */
const CHANCE = 0.01;
/** A day is told where it lies this far above the usual at least, or as many times below: less is nothing that a reader asks about. */
const LEAST = 0.5;
/** The same at a zone, whose number of orders is in no answer: with few of them days scatter by more. */
const LEAST_AT_ZONE = 2;
const isFar = (relative: number, least: number) => Math.abs(Math.log1p(Math.max(-0.99, relative))) >= Math.log1p(least);

/**
 * The days of revenue, of all visitors that were asked for or else of a device, and of their visits, that stand out and are in none of
 * these changes.
 */
export function largeDays(
  looked: readonly Looked[],
  byId: ReadonlyMap<string, ChangeSeries>,
  base: Place,
  changes: readonly Pick<RankedChange, 'from' | 'to' | 'shape'>[],
): LargeDay[] {
  const isTold = (day: string) => changes.some(({ shape, from, to = from }) => shape !== 'drift' && day >= from && day <= to);
  const ofZones = looked.filter(({ id }) => isOfZone(byId.get(id)?.place)).length;
  const found = looked.flatMap(({ id, study: { series, changes: own } }) => {
    const at = byId.get(id);
    const metric = metricIn(at, base);
    if (!at || !metric || (metric === 'revenueSum' && !series.events)) return [];
    const { place } = at;
    const [least, among] = place.zoneId === undefined ? [LEAST, 1] : [LEAST_AT_ZONE, ofZones];
    const limit = Math.log(CHANCE / (series.labels.length - series.learned) / among);
    return own.flatMap(({ shape, from, effect, error }): LargeDay[] => {
      const [day = '', relative] = [series.labels[from], relativeOf(series, effect)];
      const isMeant = metric === 'visits' || relative > 0;
      const standsOut =
        shape === 'outlier' && from >= series.learned && isMeant && isFar(relative, least) && logTail(Math.abs(effect) / error) < limit;
      return standsOut && !isTold(day) ? [{ day, metric, relative, place }] : [];
    });
  });
  // All visitors before a device of them.
  const isBase = ({ metric, place }: LargeDay) => Number(seriesId(metric, place) === seriesId(metric, base));
  const ordered = found.toSorted((a, b) => isBase(a) - isBase(b) || a.relative - b.relative);
  const byDay = new Map(ordered.map((day) => [`${day.day} ${day.metric} ${day.place.zoneId ?? ''}`, day]));
  return [...byDay.values()].toSorted((a, b) => b.relative - a.relative);
}

const isOfZone = (place: Place | undefined) => place?.zoneId !== undefined;

/** The metric of a series of which single days are told; undefined of any other. */
function metricIn(at: ChangeSeries | undefined, base: Place): string | undefined {
  if (!at) return undefined;
  const { id, metric, place } = at;
  if (metric === 'visits') return id === seriesId('visits', base) ? metric : undefined;
  const isOfBase = place.segmentId === base.segmentId && place.goalId === base.goalId;
  const isOfOrders = metric === 'revenueSum' || (isOfZone(place) && OF_ORDERS.has(metric));
  return isOfBase && isOfOrders ? metric : undefined;
}
