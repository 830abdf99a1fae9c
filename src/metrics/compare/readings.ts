import { type Judgement, judgePeriods, UNKNOWN } from '../engine/judge.ts';
import { type DayJudgement, judgeDay } from '../engine/judge-day.ts';
import type { Window } from '../engine/levels.ts';
import type { DailyPoint } from '../engine/series.ts';
import type { MetricValues } from '../read/combine.ts';
import { dayPoints, kindOf } from '../read/day-points.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import type { Selection } from '../read/metric-grid.ts';
import type { Visits } from '../site-changes.ts';

/** One selection: both sides as a whole, and its days. */
export interface Reading extends Visits {
  readonly before: MetricValues;
  readonly after: MetricValues;
  readonly baselineDays: readonly MetricRow[];
  readonly periodDays: readonly MetricRow[];
  /** All that are known up to the end of the period. */
  readonly days: readonly MetricRow[];
}

/** A reading by the name that people use. */
export interface NamedReading {
  readonly name: string;
  readonly reading: Reading;
}

/** A metric of one reading, judged. */
export interface Judged extends DayJudgement {
  readonly reading: Reading;
  readonly metric: string;
}

const isOf = ({ device, segmentIds, zoneId }: Selection, of: Pick<Selection, 'device' | 'segmentIds' | 'zoneId'>) =>
  device === of.device && segmentIds.join() === of.segmentIds.join() && zoneId === of.zoneId;

/** A day's basket, which was not asked for, is its revenue over its conversions. */
function withBasket(row: MetricRow): MetricRow {
  const { revenueSum, conversionCount, cartAverage } = row.values;
  if (cartAverage !== undefined || !revenueSum || !conversionCount || row.isOfOtherGoal) return row;
  return { ...row, values: { ...row.values, cartAverage: revenueSum / conversionCount } };
}

/** Joins the rows of ranges (baseline, period) and of days (history, baseline, period) by selection. */
export function readingsOf(totals: readonly MetricRow[], days: readonly MetricRow[]): Reading[] {
  return totals
    .filter(({ range }) => range === 0)
    .map(({ selection, values, isOfOtherGoal = false }) => {
      const daily = days.filter((row) => isOf(row.selection, selection)).map(withBasket);
      return {
        device: selection.device,
        segmentIds: selection.segmentIds,
        zoneId: selection.zoneId,
        isOfOtherGoal,
        before: values,
        after: totals.find((row) => row.range === 1 && isOf(row.selection, selection))?.values ?? {},
        baselineDays: daily.filter(({ range }) => range === 1),
        periodDays: daily.filter(({ range }) => range === 2),
        days: daily.filter(({ range }) => range !== 4),
        known: daily,
      };
    });
}

function windowOf(days: readonly DailyPoint[]): Window | undefined {
  const [from, to] = [days[0]?.label, days.at(-1)?.label];
  return from !== undefined && to !== undefined ? { from, to } : undefined;
}

/**
 * Judges one metric of a reading by its days, those before the period first; `share` is that of the usual error that it may have, `steps`
 * are the first days of lasting changes of its factors.
 */
export function judgeReading(reading: Reading, metric: string, share = 1, steps: readonly string[] = []): Judged {
  const [before, after] = [dayPoints(reading.baselineDays, metric), dayPoints(reading.periodDays, metric)];
  const [baseline, period] = [windowOf(before), windowOf(after)];
  if (!baseline || !period) return { ...UNKNOWN, reading, metric };
  const question = { kind: kindOf(metric), days: dayPoints(reading.days, metric), baseline, period, share, steps };
  const isDay = period.from === period.to && baseline.from === baseline.to;
  const judged = isDay ? judgeDay(question) : judgePeriods(question);
  // What changed up to a baseline that lies after the period is no change of the period.
  return { ...judged, ...(baseline.from > period.to && { changes: [] }), reading, metric };
}

/** Whether a verdict says that the level is another. */
export function isChanged({ verdict }: Pick<Judgement, 'verdict'>): boolean {
  return verdict === 'up' || verdict === 'down' || verdict === 'drift';
}

/** The bounds of a doubling and of a halving. */
const [DOUBLED, HALVED] = [1, 0.5];

/** A verdict as it is told: where chance alone may double or halve a level, what lies within noise is not judged at all. */
export function toldVerdict({ verdict, noise, relative }: Judgement): Judgement['verdict'] | 'cannot be judged' {
  const isBlind = verdict === 'within noise' && noise !== null && noise >= ((relative ?? 0) < 0 ? HALVED : DOUBLED);
  return isBlind ? 'cannot be judged' : verdict;
}
