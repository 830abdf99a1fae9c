import { changePoints, varianceInflation } from './change-point.ts';
import { SHIFTS_OF_RUNS } from './compare-windows.ts';
import { median } from './order.ts';
import { within } from './runs.ts';
import type { Row, Study } from './scenario-study.ts';
import { coreMetrics, metricFact } from './speed-metrics.ts';

/** What lies longer before the period than this says nothing of its end. */
const HISTORY_MS = 14 * 86_400_000;

/** A change that began within the period, too late to move its median. */
export interface RecentShift {
  readonly row: Row;
  /** Of the first report at the new level. */
  readonly date: number;
  readonly before: number;
  readonly after: number;
}

/** The last level of a row's runs, where it began in the period and is as certain and as large as a verdict asks. */
function shiftOf(row: Row, periodStartMs: number): RecentShift | undefined {
  const { dates, values } = within(row.series, { startMs: periodStartMs - HISTORY_MS, endMs: Number.POSITIVE_INFINITY });
  const cuts = changePoints(values, SHIFTS_OF_RUNS);
  const last = cuts.at(-1);
  const date = dates[last?.index ?? -1];
  if (!last || date === undefined || date < periodStartMs) return undefined;
  if (
    Math.abs(last.z) /
      Math.sqrt(
        varianceInflation(
          values,
          cuts.map(({ index }) => index),
        ),
      ) <
    SHIFTS_OF_RUNS.leastZ
  )
    return undefined;
  const before = median(values.slice(cuts.at(-2)?.index ?? 0, last.index));
  const after = median(values.slice(last.index));
  const { relative, absolute } = metricFact(row.metric).effect;
  const isLarge = Math.abs(after - before) >= Math.max(absolute, relative * before);
  return isLarge ? { row, date, before, after } : undefined;
}

/** Looks where the verdict is noise whether the latest runs have left it; the largest such shift. */
export function recentShiftIn({ rows, verdict, period }: Study): RecentShift | undefined {
  if (verdict !== 'within noise') return undefined;
  const core: readonly string[] = coreMetrics;
  const shifts = rows
    .filter(({ step, metric }) => step && core.includes(metric))
    .flatMap((row) => shiftOf(row, period.window.startMs) ?? []);
  return shifts.toSorted((a, b) => b.after / b.before - a.after / a.before)[0];
}
