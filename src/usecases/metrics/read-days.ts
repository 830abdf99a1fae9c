import { ApiError } from '../../api/errors.ts';
import { getSiteVisits } from '../../api/operations/metrics.ts';
import { MAX_METRICS_RANGE_MS } from '../../api/params.ts';
import type { Windows } from '../../domain/metrics/compare/comparison-windows.ts';
import type { MetricAnswers, MetricRow } from '../../domain/metrics/read/metric-answers.ts';
import type { MetricGrid } from '../../domain/metrics/read/metric-grid.ts';
import { type Interval, slotsOf } from '../../lib/calendar.ts';
import { isoAt } from '../../lib/dates.ts';
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

/** Whether the platform refused a range because it reaches beyond what is kept; its words are all that says so. */
export function isOutOfBounds(reason: string): boolean {
  return /out of bounds/i.test(reason);
}

/** Whether a part of what was asked for lies beyond what is kept. */
export function reachesBeyond({ missing }: Pick<MetricAnswers, 'missing'>): boolean {
  return missing.some(({ reason }) => isOutOfBounds(reason));
}

/**
 * The part of an interval that the platform keeps, from the first whole day on: it is found by halving, because no answer of the interface
 * says it. Undefined where all of it is kept, or not even its last day.
 */
export async function keptPartOf(
  interval: Interval,
  { ask, timeZone }: Pick<Context, 'ask' | 'timeZone'>,
): Promise<(Interval & { readonly firstDay: string }) | undefined> {
  const days = slotsOf('day', interval, timeZone);
  const isKept = async (index: number) => {
    const day = days[index];
    if (!day) return false;
    try {
      await ask(getSiteVisits, { startDate: isoAt(day.startMs, timeZone), endDate: isoAt(day.endMs, timeZone), device: 'all' });
      return true;
    } catch (error) {
      if (error instanceof ApiError && isOutOfBounds(error.message)) return false;
      throw error;
    }
  };
  let [lost, kept] = [-1, days.length - 1];
  if (!(await isKept(kept))) return undefined;
  while (kept - lost > 1) {
    const middle = Math.floor((lost + kept) / 2);
    if (await isKept(middle)) kept = middle;
    else lost = middle;
  }
  const first = days[kept];
  return first && kept > 0 ? { startMs: first.startMs, endMs: interval.endMs, firstDay: first.label } : undefined;
}
