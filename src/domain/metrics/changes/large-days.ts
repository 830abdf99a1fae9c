import { formatPercent } from '../../../lib/number-text.ts';
import { logTail } from '../../../statistics/tails.ts';
import type { Looked } from '../engine/scan.ts';
import { relativeOf } from '../engine/series.ts';
import { nameOf } from '../metric-definitions.ts';
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
  readonly device: Place['device'];
  readonly zoneId?: number;
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
  const isTold = (day: string) => changes.some(({ shape, from, to }) => shape === 'outlier' && day >= from && day <= (to ?? from));
  const ofZones = looked.filter(({ id }) => isOfZone(byId.get(id)?.place)).length;
  const found = looked.flatMap(({ id, study: { series, changes: own } }) => {
    const at = byId.get(id);
    const metric = metricIn(at, base);
    if (!at || !metric || (metric === 'revenueSum' && !series.events)) return [];
    const isBase = id === seriesId(metric, base);
    const { device, zoneId } = at.place;
    const [least, among] = zoneId === undefined ? [LEAST, 1] : [LEAST_AT_ZONE, ofZones];
    const limit = Math.log(CHANCE / (series.labels.length - series.learned) / among);
    return own.flatMap(({ shape, from, effect, error }) => {
      const [day = '', relative] = [series.labels[from], relativeOf(series, effect)];
      const isMeant = metric === 'visits' || relative > 0;
      const standsOut =
        shape === 'outlier' && from >= series.learned && isMeant && isFar(relative, least) && logTail(Math.abs(effect) / error) < limit;
      const where = zoneId === undefined ? {} : { zoneId };
      return standsOut && !isTold(day) ? [{ day, metric, relative, device, isBase, ...where }] : [];
    });
  });
  const ordered = found.toSorted((a, b) => Number(b.isBase) - Number(a.isBase) || b.relative - a.relative);
  const byDay = new Map(ordered.toReversed().map(({ isBase: _, ...day }) => [`${day.day} ${day.metric} ${day.zoneId ?? ''}`, day]));
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

/** More days are counted. */
const MOST_NAMED = 2;

/** Sentences beside the list of changes; empty without such days. `zoneOf` names a zone. */
export function largeDaysSentence(days: readonly LargeDay[], zoneOf: (zoneId: number) => string = String): string {
  const visits = days.filter(({ metric }) => metric === 'visits');
  const orders = days.filter((day) => !visits.includes(day));
  return [revenueSentence(orders, zoneOf), visitsSentence(visits)].filter((sentence) => sentence !== '').join(' ');
}

function visitsSentence(days: readonly LargeDay[]): string {
  if (days.length === 0) return '';
  const named = days
    .slice(0, MOST_NAMED)
    .map(({ day, relative }) => `${day} visits ${formatPercent(100 * relative, { sign: true, digits: 0 })}`);
  const more = days.length > named.length ? ` and ${days.length - named.length} more` : '';
  const verb = days.length === 1 ? 'stands' : 'stand';
  return `Beside the list ${named.join(', ')}${more} ${verb} out: beyond chance among these days alone, not among all series looked at.`;
}

function revenueSentence(days: readonly LargeDay[], zoneOf: (zoneId: number) => string): string {
  if (days.length === 0) return '';
  const named = days.slice(0, MOST_NAMED).map(({ day, metric, relative, device, zoneId }) => {
    const at = [...(zoneId === undefined ? [] : [zoneOf(zoneId)]), ...(device === 'all' ? [] : [device])];
    const where = at.length === 0 ? '' : ` (${at.join(', ')})`;
    return `${day} ${nameOf(metric).toLowerCase()}${where} ${formatPercent(100 * relative, { sign: true, digits: 0 })}`;
  });
  const more = days.length > named.length ? ` and ${days.length - named.length} more` : '';
  const verb = days.length === 1 ? 'stands' : 'stand';
  // One order stands at each zone that its visitor tapped.
  const of = new Set(days.map(({ day }) => day)).size === 1 ? 'a single very large order' : 'single very large orders';
  return `Beside the list ${named.join(', ')}${more} ${verb} out; ${of} may be all there is.`;
}
