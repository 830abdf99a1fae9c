import type { DatedChange } from '../engine/dated.ts';
import { type Judgement, judgePeriods, type Question, type Verdict } from '../engine/judge.ts';
import type { DailyPoint } from '../engine/series.ts';
import type { MetricValues } from '../read/combine.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import type { Device, Selection } from '../read/metric-grid.ts';
import type { Windows } from './comparison-windows.ts';
import { dayPoints, kindOf } from './days.ts';

/** What was read of one selection: both sides as a whole, and its days. */
export interface Reading {
  readonly device: Device;
  readonly segmentIds: readonly number[];
  readonly zoneId: number | undefined;
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
  /** Whole days before the period that taught what is usual. */
  readonly learnedDays: number;
}

const isOf = ({ device, segmentIds, zoneId }: Selection, of: Pick<Selection, 'device' | 'segmentIds' | 'zoneId'>) =>
  device === of.device && segmentIds.join() === of.segmentIds.join() && zoneId === of.zoneId;

/** Joins the rows of ranges (baseline, period) and of days (history, baseline, period) by selection. */
export function readingsOf(totals: readonly MetricRow[], days: readonly MetricRow[]): Reading[] {
  return totals
    .filter(({ range }) => range === 0)
    .map(({ selection, values }) => {
      const daily = days.filter((row) => isOf(row.selection, selection));
      return {
        device: selection.device,
        segmentIds: selection.segmentIds,
        zoneId: selection.zoneId,
        before: values,
        after: totals.find((row) => row.range === 1 && isOf(row.selection, selection))?.values ?? {},
        history: daily.filter(({ range }) => range === 0),
        baselineDays: daily.filter(({ range }) => range === 1),
        periodDays: daily.filter(({ range }) => range === 2),
      };
    });
}

type Window = Pick<Question['period'], 'from' | 'to'>;

function windowOf(days: readonly DailyPoint[]): Window | undefined {
  const [from, to] = [days[0]?.label, days.at(-1)?.label];
  return from !== undefined && to !== undefined ? { from, to } : undefined;
}

const OPPOSITE: Readonly<Partial<Record<Verdict, Verdict>>> = { up: 'down', down: 'up' };

/** The same judgement seen from the other side: a baseline that lies after the period. */
function reversed({ verdict, relative, score, noise }: Judgement): Judgement {
  return {
    verdict: OPPOSITE[verdict] ?? verdict,
    changes: [],
    relative: relative === null ? null : 1 / (1 + relative) - 1,
    noise,
    score: -score,
  };
}

function judgement(metric: string, history: readonly DailyPoint[], before: readonly DailyPoint[], after: readonly DailyPoint[]): Judgement {
  const [baseline, period] = [windowOf(before), windowOf(after)];
  if (!baseline || !period) return { verdict: 'not enough data', changes: [], relative: null, noise: null, score: 0 };
  const question = { kind: kindOf(metric), days: [...history, ...before, ...after] };
  if (baseline.from > period.to) return reversed(judgePeriods({ ...question, baseline: period, period: baseline }));
  return judgePeriods({ ...question, baseline, period });
}

/** Judges one metric of a reading by its days, those before the period first. */
export function judgeReading(reading: Reading, metric: string): Judged {
  const [before, after] = [dayPoints(reading.baselineDays, metric), dayPoints(reading.periodDays, metric)];
  const history = dayPoints(reading.history, metric);
  return { ...judgement(metric, history, before, after), reading, metric, learnedDays: history.length + before.length };
}

/** Whether a verdict says that the level is another. */
export function isChanged({ verdict }: Pick<Judgement, 'verdict'>): boolean {
  return verdict === 'up' || verdict === 'down' || verdict === 'drift';
}

/** Relative change up to which levels are within noise, in percent; null where it is not known. */
export function noisePercentOf({ noise }: Judgement): number | null {
  return noise === null ? null : 100 * noise;
}

/**
 * When the change of a verdict began: by the selection that shows it best, where several are judged. Undefined where the days between
 * the ranges are not known and it may have begun among them, and for a drift.
 */
export function sinceOf(own: Judged, candidates: readonly Judged[], { isAdjacent }: Windows): DatedChange | undefined {
  const { main } = own;
  if (!main || (!isAdjacent && main.from === own.reading.periodDays[0]?.interval.label)) return undefined;
  const agreeing = candidates.filter(
    ({ verdict, main: other }) => verdict === own.verdict && other && other.from <= main.latest && other.from >= main.earliest,
  );
  const [clearest] = agreeing.toSorted((a, b) => (a.main?.pValue ?? 1) - (b.main?.pValue ?? 1));
  // The size is that of the selection itself; another one may only show the day more sharply.
  return { ...main, from: clearest?.main?.from ?? main.from };
}
