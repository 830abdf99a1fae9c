import { daysFrom } from '../../lib/calendar.ts';
import { tailOf, Z_95 } from '../../statistics/tails.ts';
import { judgePeriods } from '../engine/judge.ts';
import type { Window } from '../engine/levels.ts';
import { LEAST_DRIFT } from '../engine/scan.ts';
import { type DailyPoint, daysIn, WEEK } from '../engine/series.ts';
import { isDay, type Place } from '../site-changes.ts';
import { type ChangeSeries, seriesId } from './change-series.ts';
import type { ChangeEvent } from './events.ts';

/** A product of these says the same again. */
const METRICS = ['visits', 'conversionRate'];
/** Days at either end are a week of each four, so that they hold every weekday alike. */
const PART = 4 * WEEK;

/**
 * The level of one series at both ends of the days as a drift; undefined where they are alike, or differ by days on which it changed.
 * Special days show no level.
 */
function slowLevelOf({ metric, reading, kind, days: all }: ChangeSeries, { from, to }: Window): ChangeEvent | undefined {
  const special = new Set(all.filter((day) => day.special && day.label >= from && day.label <= to).map(({ label }) => label));
  const ordinary = daysIn(all, (label) => !special.has(label));
  const own = ordinary.filter(({ label, isWhole }) => isWhole && label >= from && label <= to);
  const size = WEEK * Math.floor(own.length / PART);
  if (size === 0) return undefined;
  const windowOf = (points: readonly DailyPoint[]) => ({ from: points[0]?.label ?? from, to: points.at(-1)?.label ?? to });
  const [baseline, period] = [windowOf(own.slice(0, size)), windowOf(own.slice(-size))];
  const { verdict, relative, score } = judgePeriods({ kind, days: ordinary, baseline, period });
  if (verdict !== 'drift' || relative === null || Math.abs(relative) < LEAST_DRIFT) return undefined;
  const days = 1 + daysFrom(from, to);
  const half = Z_95 * Math.abs(relative / score);
  const bounds = { low: Math.max(-1, relative - half), high: relative + half };
  const change = { shape: 'drift' as const, from, days, earliest: from, latest: from, relative, ...bounds, pValue: tailOf(score) };
  return [{ metric, reading, change, causes: [] }];
}

/** The levels of all visitors that moved slowly over the days of the scan, where no change of the metric is told. */
export function slowLevels(series: readonly ChangeSeries[], base: Place, window: Window, changes: readonly ChangeEvent[]): ChangeEvent[] {
  const told = new Set(changes.flatMap((parts) => parts.flatMap((part) => (isDay(part) ? [] : part.metric))));
  const wanted = new Set(METRICS.filter((metric) => !told.has(metric)).map((metric) => seriesId(metric, base)));
  return series
    .filter(({ id }) => wanted.has(id))
    .map((each) => slowLevelOf(each, window))
    .filter((each) => each !== undefined);
}
