import { formatNumber, formatPercent } from '../../../lib/number-text.ts';
import { capital } from '../../../lib/sentences.ts';
import { judgePeriods } from '../engine/judge.ts';
import { type DailyPoint, valueOf, WEEK } from '../engine/series.ts';
import { nameOf, verbsOf } from '../metric-definitions.ts';
import { type ChangeSeries, type Place, seriesId } from './change-series.ts';
import type { RankedChange } from './rank-changes.ts';

/** A level that is another at the end of the days than at their beginning although it changed on none of them. */
export interface SlowLevel {
  readonly metric: string;
  /** Days at either end. */
  readonly days: number;
  /** Mean values of these: of a count for a day, of a share from 0 to 1. */
  readonly before: number;
  readonly after: number;
}

/** A product of these says the same again. */
const METRICS = ['visits', 'conversionRate'];
/** Days at either end are a week of each four, so that they hold every weekday alike. */
const PART = 4 * WEEK;
/** Less is nothing that a reader asks about. */
const LEAST = 0.05;

/** The level of one series at both ends of the days; undefined where they are alike, or differ by days on which it changed. */
function slowLevelOf({ metric, kind, days: all }: ChangeSeries, from: string, to: string): SlowLevel | undefined {
  const own = all.filter(({ label, isWhole }) => isWhole && label >= from && label <= to);
  const days = WEEK * Math.floor(own.length / PART);
  if (days === 0) return undefined;
  const [first, last] = [own.slice(0, days), own.slice(-days)];
  const windowOf = (points: readonly DailyPoint[]) => ({ from: points[0]?.label ?? from, to: points.at(-1)?.label ?? to });
  const { verdict, relative } = judgePeriods({ kind, days: all, baseline: windowOf(first), period: windowOf(last) });
  const [before, after] = [valueOf(first), valueOf(last)];
  const isFar = Math.abs(after / before - 1) >= LEAST && (relative ?? 0) * (after - before) > 0;
  return verdict === 'drift' && isFar ? { metric, days, before, after } : undefined;
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

function valueText({ metric }: SlowLevel, value: number): string {
  return metric === 'visits' ? `${formatNumber(value, { digits: 0, group: true })} a day` : formatPercent(100 * value, { digits: 2 });
}

/** One sentence on levels that moved slowly; empty without any. */
export function slowLevelsSentence(levels: readonly SlowLevel[]): string {
  const texts = levels.map((level) => {
    const { metric, days, before, after } = level;
    const change = formatPercent(100 * (after / before - 1), { sign: true, digits: 1 });
    const figures = `${valueText(level, before)} in the first ${days} days → ${valueText(level, after)} in the last ${days} (${change})`;
    return `${nameOf(metric).toLowerCase()} ${verbsOf(metric).is} ${after < before ? 'lower' : 'higher'} at the end, ${figures}`;
  });
  return texts.length === 0 ? '' : `${capital(texts.join('; '))}, the season included: no day stands out as its start.`;
}
