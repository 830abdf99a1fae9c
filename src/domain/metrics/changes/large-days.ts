import { formatPercent } from '../../../lib/number-text.ts';
import { logTail } from '../../statistics/tails.ts';
import type { Looked } from '../engine/scan.ts';
import { relativeOf } from '../engine/series.ts';
import { type ChangeSeries, type Place, seriesId } from './change-series.ts';
import type { RankedChange } from './rank-changes.ts';

/**
 * A day that stands out by itself: of revenue, while a single very large order may be all that happened, or of visits, while among all
 * series that were looked at one such day may be chance.
 */
export interface LargeDay {
  readonly day: string;
  readonly metric: 'revenueSum' | 'visits';
  readonly relative: number;
  readonly device: Place['device'];
}

/** Chance at which such a day is told, over all days of the scan. */
const CHANCE = 0.01;
/** A day is told where it lies this far above the usual at least, or as many times below: less is nothing that a reader asks about. */
const LEAST = 0.5;
const isFar = (relative: number) => Math.abs(Math.log1p(Math.max(-0.99, relative))) >= Math.log1p(LEAST);

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
  const found = looked.flatMap(({ id, study: { series, changes: own } }) => {
    const at = byId.get(id);
    const metric = metricIn(at, base);
    if (!at || !metric || (metric === 'revenueSum' && !series.events)) return [];
    const isBase = id === seriesId(metric, base);
    const limit = Math.log(CHANCE / (series.labels.length - series.learned));
    return own.flatMap(({ shape, from, effect, error }) => {
      const [day = '', relative] = [series.labels[from], relativeOf(series, effect)];
      const isMeant = metric === 'visits' || relative > 0;
      const standsOut =
        shape === 'outlier' && from >= series.learned && isMeant && isFar(relative) && logTail(Math.abs(effect) / error) < limit;
      return standsOut && !isTold(day) ? [{ day, metric, relative, device: at.place.device, isBase }] : [];
    });
  });
  const ordered = found.toSorted((a, b) => Number(b.isBase) - Number(a.isBase) || b.relative - a.relative);
  const byDay = new Map(
    ordered.toReversed().map(({ day, metric, relative, device }) => [`${day} ${metric}`, { day, metric, relative, device }]),
  );
  return [...byDay.values()].toSorted((a, b) => b.relative - a.relative);
}

/** The metric of a series of which single days are told; undefined of any other. */
function metricIn(at: ChangeSeries | undefined, base: Place): LargeDay['metric'] | undefined {
  if (at?.metric === 'visits') return at.id === seriesId('visits', base) ? 'visits' : undefined;
  const isOfBase = at?.metric === 'revenueSum' && at.place.segmentId === base.segmentId && at.place.goalId === base.goalId;
  return isOfBase ? 'revenueSum' : undefined;
}

/** More days are counted. */
const MOST_NAMED = 2;

/** Sentences beside the list of changes; empty without such days. */
export function largeDaysSentence(days: readonly LargeDay[]): string {
  const of = (metric: LargeDay['metric']) => days.filter((day) => day.metric === metric);
  return [revenueSentence(of('revenueSum')), visitsSentence(of('visits'))].filter((sentence) => sentence !== '').join(' ');
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

function revenueSentence(days: readonly LargeDay[]): string {
  if (days.length === 0) return '';
  const named = days.slice(0, MOST_NAMED).map(({ day, relative, device }) => {
    const where = device === 'all' ? '' : ` (${device})`;
    return `${day} revenue${where} ${formatPercent(100 * relative, { sign: true, digits: 0 })}`;
  });
  const more = days.length > named.length ? ` and ${days.length - named.length} more` : '';
  const [verb, of] = days.length === 1 ? ['stands', 'a single very large order'] : ['stand', 'single very large orders'];
  return `Beside the list ${named.join(', ')}${more} ${verb} out; ${of} may be all there is.`;
}
