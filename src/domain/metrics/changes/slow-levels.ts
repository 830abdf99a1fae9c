import { daysFrom } from '../../../lib/calendar.ts';
import { tailOf, Z_95 } from '../../../statistics/tails.ts';
import { judgePeriods } from '../engine/judge.ts';
import type { Window } from '../engine/levels.ts';
import { type DailyPoint, WEEK } from '../engine/series.ts';
import { type ChangeSeries, type Place, seriesId } from './change-series.ts';
import type { ChangeEvent } from './events.ts';
import { DRIFT_DAYS } from './rank-changes.ts';

/** A level that is another at the end of the days than at their beginning although it changed on none of them. */
export interface SlowLevel extends Pick<ChangeSeries, 'metric' | 'place'> {
  /** Of the days at the end to those at the beginning, what last year's season makes taken out: 0.1 for a tenth more. */
  readonly relative: number;
  /** As a standard normal. */
  readonly score: number;
  /** Whether last year's season is known, so that it is not what moved the level. */
  readonly isBesideSeason: boolean;
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
  const { verdict, relative, score } = judgePeriods({ kind, days: all, baseline: windowOf(first), period: windowOf(last) });
  if (verdict !== 'drift' || relative === null || Math.abs(relative) < LEAST) return undefined;
  return { metric, place, relative, score, isBesideSeason: all.every(({ season }) => season !== undefined) };
}

/** A slow level as a change of the days of a scan, whose drift is given per four weeks. */
export function driftOf({ metric, place, relative, score }: SlowLevel, { from, to }: Window): ChangeEvent {
  const days = 1 + daysFrom(from, to);
  const half = Z_95 * Math.abs(relative / score);
  const ofWeeks = (share: number) => Math.max(0, 1 + share) ** (DRIFT_DAYS / days) - 1;
  const part = { metric, place, relative: ofWeeks(relative), low: ofWeeks(relative - half), high: ofWeeks(relative + half), score };
  return {
    shape: 'drift',
    from,
    days,
    earliest: from,
    latest: from,
    place,
    parts: [part],
    pValue: Math.min(1, 2 * tailOf(Math.abs(score))),
  };
}

/** The levels of all visitors that moved slowly over the days of the scan, where no change of the metric is told. */
export function slowLevels(
  series: readonly ChangeSeries[],
  base: Place,
  { from, to }: Window,
  changes: readonly Pick<ChangeEvent, 'shape' | 'parts'>[],
): SlowLevel[] {
  const told = new Set(changes.filter(({ shape }) => shape !== 'outlier').flatMap(({ parts }) => parts.map(({ metric }) => metric)));
  const wanted = new Set(METRICS.filter((metric) => !told.has(metric)).map((metric) => seriesId(metric, base)));
  return series.filter(({ id }) => wanted.has(id)).flatMap((each) => slowLevelOf(each, from, to) ?? []);
}
