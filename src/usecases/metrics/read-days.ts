import { ApiError } from '../../api/errors.ts';
import { MAX_METRICS_RANGE_MS } from '../../api/params.ts';
import type { Windows } from '../../domain/metrics/compare/comparison-windows.ts';
import type { MetricRow } from '../../domain/metrics/read/metric-answers.ts';
import type { MetricGrid } from '../../domain/metrics/read/metric-grid.ts';
import type { Context } from '../context.ts';
import { fetchMetrics } from './fetch-metrics.ts';

type Reading = Pick<Context, 'ask' | 'signal' | 'timeZone' | 'note'>;

/**
 * The days of history, baseline and period (`range` 0, 1 and 2); where the three follow each other, in one run of days, which takes fewer
 * calls. `isShort` reads of the history no more than fits into one call with the rest.
 */
export async function readDays(
  grid: Omit<MetricGrid, 'ranges'>,
  { history, baseline, period }: Pick<Windows, 'history' | 'baseline' | 'period'>,
  { ask, signal, timeZone, note }: Reading,
  isShort = false,
): Promise<readonly MetricRow[]> {
  const isOneRun = history.endMs + 1 === baseline.startMs && baseline.endMs + 1 === period.startMs;
  const fetching = { ask, signal, timeZone, progress: () => undefined };
  const ranges = isOneRun ? [{ startMs: history.startMs, endMs: period.endMs }] : [history, baseline, period];
  const [first, ...others] = ranges;
  const startMs = Math.max(first?.startMs ?? 0, (first?.endMs ?? 0) + 1 - MAX_METRICS_RANGE_MS);
  const read = isShort && first ? [{ startMs, endMs: first.endMs }, ...others] : ranges;
  const { rows, missing } = await fetchMetrics({ ...grid, ranges: read, daily: true }, fetching);
  for (const { reason } of missing) note(`Some days could not be read and teach nothing of the noise: ${reason}`);
  if (!isOneRun) return rows;
  return rows.map((row) => ({
    ...row,
    range: row.interval.startMs < baseline.startMs ? 0 : row.interval.startMs < period.startMs ? 1 : 2,
  }));
}

/** The same; none where they cannot be read, which the verdicts then say. */
export async function readDaysOrNone(grid: Omit<MetricGrid, 'ranges'>, windows: Windows, context: Reading): Promise<readonly MetricRow[]> {
  try {
    return await readDays(grid, windows, context);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    context.note(`Days could not be read, so a change cannot be distinguished from noise: ${error.message}`);
    return [];
  }
}
