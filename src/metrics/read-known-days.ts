import { onApiError } from '../api/errors.ts';
import { MAX_METRICS_RANGE_MS, ONE_DAY_MS } from '../api/params.ts';
import { daysBetween, type Interval, shiftDays } from '../lib/calendar.ts';
import { todayIn } from '../lib/dates.ts';
import type { Context } from '../names/context.ts';
import { type KnownDays, knownDaysOf } from './calendar/known-days.ts';
import { SMOOTH_DAYS, YEAR_DAYS } from './calendar/last-year.ts';
import { publicHolidaysOf } from './calendar/public-holidays.ts';
import { type SpecialDays, specialDaysOf } from './calendar/special-days.ts';
import { fetchMetrics, reachesBeyond } from './fetch-metrics.ts';
import { dayPoints } from './read/day-points.ts';
import type { MetricRow } from './read/metric-answers.ts';

type KnownDaysContext = Pick<Context, 'ask' | 'signal' | 'timeZone' | 'nowMs' | 'calendar'>;

/** Metrics that last year is asked for. */
const METRICS = ['visits', 'conversionCount', 'conversionRate', 'revenueSum', 'cartAverage'];

/** Days of one request. */
const MOST_DAYS = MAX_METRICS_RANGE_MS / ONE_DAY_MS;
/** Times that days which reach beyond what the platform keeps are halved, because it refuses them whole. */
const HALVINGS = 3;
/** Thirteen months, the least that holds last year's month beside this one: where they are split first. */
const USUALLY_KEPT_DAYS = 395;

/** The days of all visits a year before a range, as far as the platform keeps them. */
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
  // Days that would have to be asked for one by one are not worth it.
  const fetching = { ...context, progress: () => undefined, maxCalls: 4 };
  const read = (own: Interval) =>
    fetchMetrics({ metrics: METRICS, ranges: [own], goalIds: [goalId], daily: true }, fetching).catch(
      onApiError(({ message }) => ({ rows: [], missing: [{ reason: message }] })),
    );
  const isRefused = ({ missing }: Pick<Awaited<ReturnType<typeof read>>, 'missing'>) => reachesBeyond(missing.map(({ reason }) => reason));
  const first = await read(range);
  if (!isRefused(first)) return first.rows;
  const rows = first.rows.filter(({ values }) => typeof values['visits'] === 'number');
  // Where all of it lies further back, no part is likely to be kept.
  if (rows.length === 0 && daysBetween(range.endMs, nowMs, timeZone) > USUALLY_KEPT_DAYS) return [];
  let openEndMs = Math.min(range.endMs + 1, ...rows.map(({ interval }) => interval.startMs)) - 1;
  let openMs = Math.max(range.startMs, shiftDays(openEndMs + 1, -MOST_DAYS, timeZone));
  for (let turn = 0; turn < HALVINGS; turn += 1) {
    const daysTo = (ms: number) => Math.ceil(daysBetween(openMs, ms, timeZone));
    const [length, usual] = [daysTo(openEndMs + 1), daysTo(nowMs) - USUALLY_KEPT_DAYS] as const;
    const isUsual = turn === 0 && usual > 0 && usual < length;
    const middleMs = shiftDays(openMs, isUsual ? usual : Math.floor(length / 2), timeZone);
    const later = await read({ startMs: middleMs, endMs: openEndMs });
    rows.push(...later.rows);
    if (isRefused(later)) openMs = middleMs;
    else if (isUsual) break;
    else openEndMs = middleMs - 1;
  }
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
