import type { MetricValues } from '../read/combine.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import type { Device, Selection } from '../read/metric-grid.ts';
import type { Windows } from './comparison-windows.ts';
import { type DayPoint, dayPoints, isCount, isRateOfCounts, termsOf } from './days.ts';
import { changePoint, estimateNoise, type Judgement, judge, type NoiseModel, type StartDay } from './noise.ts';

const WEEK_MS = 604_800_000;

/** What was read of one selection: both sides as a whole, and its days. */
export interface Reading {
  readonly device: Device;
  readonly segmentIds: readonly number[];
  readonly before: MetricValues;
  readonly after: MetricValues;
  readonly history: readonly MetricRow[];
  readonly baselineDays: readonly MetricRow[];
  readonly periodDays: readonly MetricRow[];
}

/** A metric of one reading, judged. */
export interface Judged extends Judgement {
  readonly reading: Reading;
  readonly metric: string;
  readonly scatter: NoiseModel | undefined;
  /** Days of both sides, whole ones. */
  readonly days: readonly DayPoint[];
}

const isOf = ({ device, segmentIds }: Selection, of: Pick<Selection, 'device' | 'segmentIds'>) =>
  device === of.device && segmentIds.join() === of.segmentIds.join();

/** Joins the rows of ranges (baseline, period) and of days (history, baseline, period) by selection. */
export function readingsOf(totals: readonly MetricRow[], days: readonly MetricRow[]): Reading[] {
  return totals
    .filter(({ range }) => range === 0)
    .map(({ selection, values }) => {
      const daily = days.filter((row) => isOf(row.selection, selection));
      return {
        device: selection.device,
        segmentIds: selection.segmentIds,
        before: values,
        after: totals.find((row) => row.range === 1 && isOf(row.selection, selection))?.values ?? {},
        history: daily.filter(({ range }) => range === 0),
        baselineDays: daily.filter(({ range }) => range === 1),
        periodDays: daily.filter(({ range }) => range === 2),
      };
    });
}

function kindOf(metric: string): 'share' | 'average' | 'count' {
  if (isCount(metric)) return 'count';
  return isRateOfCounts(metric) ? 'share' : 'average';
}

/** Weeks between the middles of both sides; of a baseline in another season the days in between teach nothing. */
function weeksApart({ baseline, period, isFar }: Windows): number {
  if (isFar) return 1;
  return Math.abs(period.startMs + period.endMs - baseline.startMs - baseline.endMs) / 2 / WEEK_MS;
}

/** Judges one metric of a reading by the days before its period. */
export function judgeReading(reading: Reading, metric: string, windows: Windows): Judged {
  const [before, after] = [dayPoints(reading.baselineDays, metric), dayPoints(reading.periodDays, metric)];
  // What lies farther back than the baseline comes first, so that weeks are counted back from the period.
  const scatter = estimateNoise([...dayPoints(reading.history, metric), ...before], kindOf(metric));
  const side = (days: readonly DayPoint[], values: MetricValues) => (isCount(metric) ? { days } : { days, total: termsOf(metric, values) });
  const isEmpty = !isCount(metric) && !(termsOf(metric, reading.before) && termsOf(metric, reading.after));
  const judgement = judge(side(before, reading.before), side(after, reading.after), isEmpty ? undefined : scatter, weeksApart(windows));
  return { ...judgement, reading, metric, scatter, days: [...before, ...after] };
}

/** Noise relative to the baseline, in percent; null where it is not known. */
export function noisePercentOf({ noise, before }: Judgement): number | null {
  return noise === null || !(before > 0) ? null : (100 * noise) / before;
}

/** The day on which a change began, read from whichever of these shows it best. */
export function sinceOf(candidates: readonly Judged[], direction: 'up' | 'down', { isAdjacent }: Windows): StartDay | undefined {
  if (!isAdjacent) return undefined;
  const [clearest] = candidates.filter(({ verdict }) => verdict === direction).toSorted((a, b) => Math.abs(b.score) - Math.abs(a.score));
  return clearest?.scatter && changePoint(clearest.days, clearest.scatter, direction);
}
