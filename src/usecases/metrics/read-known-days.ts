import { onApiError } from '../../api/errors.ts';
import { type KnownDays, knownDaysOf } from '../../domain/metrics/calendar/known-days.ts';
import { SMOOTH_DAYS, YEAR_DAYS } from '../../domain/metrics/calendar/last-year.ts';
import { publicHolidaysOf } from '../../domain/metrics/calendar/public-holidays.ts';
import { type SpecialDays, specialDaysOf } from '../../domain/metrics/calendar/special-days.ts';
import { dayPoints } from '../../domain/metrics/read/day-points.ts';
import type { MetricRow } from '../../domain/metrics/read/metric-answers.ts';
import { type Interval, shiftDays } from '../../lib/calendar.ts';
import { todayIn } from '../../lib/dates.ts';
import type { Context } from '../context.ts';
import { fetchMetrics } from './fetch-metrics.ts';

type KnownDaysContext = Pick<Context, 'ask' | 'signal' | 'timeZone' | 'nowMs' | 'calendar'>;

/** Metrics that last year is asked for. */
const METRICS = ['visits', 'conversionCount', 'conversionRate', 'revenueSum', 'cartAverage'];

/** The days of all visits a year before a range; none where the platform does not keep them. */
async function readLastYear(
  { startMs, endMs }: Interval,
  goalId: number | undefined,
  context: KnownDaysContext,
): Promise<readonly MetricRow[]> {
  const { timeZone, nowMs } = context;
  const shifted = (ms: number, days: number) => shiftDays(ms, days - YEAR_DAYS, timeZone);
  const lastMs = shiftDays(nowMs, -1, timeZone);
  const range = { startMs: shifted(startMs, -SMOOTH_DAYS), endMs: Math.min(lastMs, shifted(endMs + 1, SMOOTH_DAYS) - 1) };
  if (range.endMs <= range.startMs) return [];
  const grid = { metrics: METRICS, ranges: [range], goalIds: [goalId], daily: true };
  // Days that would have to be asked for one by one are not worth it.
  const fetching = { ...context, progress: () => undefined, maxCalls: 4 };
  const { rows } = await fetchMetrics(grid, fetching).catch(onApiError(() => ({ rows: [] })));
  return rows;
}

/** The calendar's special days in a range, and those of the year before it. */
export async function readSpecialDays(
  { startMs, endMs }: Interval,
  { timeZone, calendar: { country, specialDays = [] } }: Pick<Context, 'timeZone' | 'calendar'>,
): Promise<SpecialDays> {
  const yearOf = (ms: number) => Number(todayIn(timeZone, ms).slice(0, 4));
  const from = yearOf(shiftDays(startMs, -YEAR_DAYS - SMOOTH_DAYS, timeZone));
  const years = Array.from({ length: yearOf(endMs) - from + 1 }, (_, index) => from + index);
  return specialDaysOf(await publicHolidaysOf(timeZone, years, country), specialDays);
}

/** The calendar's special days in a range, and last year's where the platform holds them. */
export async function readKnownDays(range: Interval, goalId: number | undefined, context: KnownDaysContext): Promise<KnownDays> {
  const [special, rows] = await Promise.all([readSpecialDays(range, context), readLastYear(range, goalId, context)]);
  return knownDaysOf(special, (metric) => dayPoints(rows, metric));
}

/** Rows with what is known of their days. */
export function withKnownDays(rows: readonly MetricRow[], known: KnownDays): readonly MetricRow[] {
  return rows.map((row) => ({ ...row, known }));
}
