import { judgePeriods } from '../engine/judge.ts';
import { type DailyPoint, valueOf, WEEK } from '../engine/series.ts';
import { type ChangeSeries, type Place, seriesId } from './change-series.ts';
import type { RankedChange } from './rank-changes.ts';

/** A level that is another at the end of the days than at their beginning although it changed on none of them. */
export interface SlowLevel extends Pick<ChangeSeries, 'metric' | 'place'> {
  /** Of the days at the end to those at the beginning: 0.1 for a tenth more. */
  readonly relative: number;
}

/** A product of these says the same again. */
const METRICS = ['visits', 'conversionRate'];
/** Days at either end are a week of each four, so that they hold every weekday alike. */
const PART = 4 * WEEK;
/** Less is nothing that a reader asks about. */
const LEAST = 0.05;

/** The level of one series at both ends of the days; undefined where they are alike, or differ by days on which it changed. */
function slowLevelOf({ metric, place, kind, days: all }: ChangeSeries, from: string, to: string): SlowLevel | undefined {
  const own = all.filter(({ label, isWhole }) => isWhole && label >= from && label <= to);
  const days = WEEK * Math.floor(own.length / PART);
  if (days === 0) return undefined;
  const [first, last] = [own.slice(0, days), own.slice(-days)];
  const windowOf = (points: readonly DailyPoint[]) => ({ from: points[0]?.label ?? from, to: points.at(-1)?.label ?? to });
  const { verdict, relative } = judgePeriods({ kind, days: all, baseline: windowOf(first), period: windowOf(last) });
  const change = valueOf(last) / valueOf(first) - 1;
  const isFar = Math.abs(change) >= LEAST && (relative ?? 0) * change > 0;
  return verdict === 'drift' && isFar ? { metric, place, relative: change } : undefined;
}

/** The levels of all visitors that moved slowly over the days of the scan, where no change of the metric is told. */
export function slowLevels(
  series: readonly ChangeSeries[],
  base: Place,
  { from, to }: { readonly from: string; readonly to: string },
  changes: readonly Pick<RankedChange, 'shape' | 'parts'>[],
): SlowLevel[] {
  const told = new Set(changes.filter(({ shape }) => shape !== 'outlier').flatMap(({ parts }) => parts.map(({ metric }) => metric)));
  const wanted = new Set(METRICS.filter((metric) => !told.has(metric)).map((metric) => seriesId(metric, base)));
  return series.filter(({ id }) => wanted.has(id)).flatMap((each) => slowLevelOf(each, from, to) ?? []);
}
