import { formatPercent } from '../../../lib/number-text.ts';
import { logTail } from '../../statistics/tails.ts';
import type { Looked } from '../engine/scan.ts';
import { relativeOf } from '../engine/series.ts';
import { type ChangeSeries, type Place, seriesId } from './change-series.ts';
import type { RankedChange } from './rank-changes.ts';

/** A day whose revenue stands out, while a single very large order may be all that happened. */
export interface LargeDay {
  readonly day: string;
  readonly relative: number;
  readonly device: Place['device'];
}

/** Chance at which such a day is told, over all days of the scan. */
const CHANCE = 0.01;
/** A day is told where it lies this far above the usual at least: less is nothing that a reader asks about. */
const LEAST = 0.5;

/** The days of revenue, of all visitors that were asked for or else of a device, that stand out and are in none of these changes. */
export function largeDays(
  looked: readonly Looked[],
  byId: ReadonlyMap<string, ChangeSeries>,
  base: Place,
  changes: readonly Pick<RankedChange, 'from' | 'to' | 'shape'>[],
): LargeDay[] {
  const isTold = (day: string) => changes.some(({ shape, from, to }) => shape === 'outlier' && day >= from && day <= (to ?? from));
  const found = looked.flatMap(({ id, study: { series, changes: own } }) => {
    const at = byId.get(id);
    if (at?.metric !== 'revenueSum' || !series.events || at.place.segmentId !== base.segmentId || at.place.goalId !== base.goalId)
      return [];
    const isBase = id === seriesId('revenueSum', base);
    const limit = Math.log(CHANCE / (series.labels.length - series.learned));
    return own.flatMap(({ shape, from, effect, error }) => {
      const [day = '', relative] = [series.labels[from], relativeOf(series, effect)];
      const standsOut = shape === 'outlier' && from >= series.learned && relative >= LEAST && logTail(effect / error) < limit;
      return standsOut && !isTold(day) ? [{ day, relative, device: at.place.device, isBase }] : [];
    });
  });
  const ordered = found.toSorted((a, b) => Number(b.isBase) - Number(a.isBase) || b.relative - a.relative);
  const byDay = new Map(ordered.toReversed().map(({ day, relative, device }) => [day, { day, relative, device }]));
  return [...byDay.values()].toSorted((a, b) => b.relative - a.relative);
}

/** More days are counted. */
const MOST_NAMED = 2;

/** A sentence beside the list of changes; empty without such days. */
export function largeDaysSentence(days: readonly LargeDay[]): string {
  if (days.length === 0) return '';
  const named = days.slice(0, MOST_NAMED).map(({ day, relative, device }) => {
    const where = device === 'all' ? '' : ` (${device})`;
    return `${day} revenue${where} ${formatPercent(100 * relative, { sign: true, digits: 0 })}`;
  });
  const more = days.length > named.length ? ` and ${days.length - named.length} more` : '';
  const [verb, of] = days.length === 1 ? ['stands', 'a single very large order'] : ['stand', 'single very large orders'];
  return `Beside the list ${named.join(', ')}${more} ${verb} out; ${of} may be all there is.`;
}
