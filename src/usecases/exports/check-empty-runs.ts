import { ApiError } from '../../api/errors.ts';
import { MAX_METRICS_RANGE_MS } from '../../api/params.ts';
import type { BackfillContent } from '../../domain/exports/gaps/backfill.ts';
import { slotsIn } from '../../domain/exports/gaps/cadence.ts';
import { type GapStudy, joined } from '../../domain/exports/gaps/find-gaps.ts';
import type { StatusInterval } from '../../domain/exports/gaps/run-coverage.ts';
import type { ExportRange } from '../../domain/exports/plan/job-bodies.ts';
import type { Context } from '../context.ts';
import { fetchMetrics } from '../metrics/fetch-metrics.ts';

type EmptyRunsContext = Pick<Context, 'ask' | 'note' | 'progress' | 'signal'>;

/** The range that is asked for: of days all that fit into one request, of hours the latest ones, because visits come by day or as a sum. */
function rangeToAsk(empty: readonly StatusInterval[], unit: GapStudy['unit']): ExportRange | undefined {
  const [first, last] = [empty[0], empty.at(-1)];
  if (!first || !last) return undefined;
  if (unit === 'hour') return { fromMs: last.fromMs, toMs: last.toMs };
  const within = empty.find(({ fromMs }) => last.toMs - fromMs <= MAX_METRICS_RANGE_MS) ?? last;
  return { fromMs: within.fromMs, toMs: last.toMs };
}

/** Visits by the instant at which their day, or the range, begins. */
async function visitsIn(
  { fromMs, toMs }: ExportRange,
  { unit, timeZone }: GapStudy,
  { device, segmentId }: Pick<BackfillContent, 'device' | 'segmentId'>,
  context: EmptyRunsContext,
): Promise<Map<number, number>> {
  const grid = {
    metrics: ['visits'],
    ranges: [{ startMs: fromMs, endMs: toMs - 1 }],
    daily: unit === 'day',
    devices: [device],
    segmentSets: [segmentId === undefined ? [] : [segmentId]],
  };
  const { rows } = await fetchMetrics(grid, { ...context, timeZone });
  return new Map(
    rows.flatMap(({ interval, values }) => (typeof values['visits'] === 'number' ? [[interval.startMs, values['visits']]] : [])),
  );
}

/** The days of an interval without data, or its hours together, each with the visits that the platform counts for it. */
function weighed(interval: StatusInterval, visits: ReadonlyMap<number, number>, { unit, timeZone }: GapStudy): StatusInterval[] {
  const slots = unit === 'day' ? slotsIn(interval, { unit, timeZone }) : [interval];
  return slots.map(({ fromMs, toMs }, index) => {
    // A day whose visits are not known stays as it was found.
    const count = visits.get(fromMs);
    const run = interval.by.length === slots.length ? interval.by.slice(index, index + 1) : interval.by;
    const own = { fromMs, toMs, slots: interval.slots / slots.length, by: run };
    return count !== undefined && count > 0
      ? { ...own, status: 'suspicious' as const, visits: count }
      : { ...own, status: 'empty' as const };
  });
}

/** Holds runs that succeeded without rows against the visits of their days: where there were some, the data are missing all the same. */
export async function checkEmptyRuns(
  found: GapStudy,
  content: Pick<BackfillContent, 'device' | 'segmentId'>,
  context: EmptyRunsContext,
): Promise<GapStudy> {
  const empty = found.intervals.filter(({ status }) => status === 'empty');
  const range = rangeToAsk(empty, found.unit);
  if (!range) return found;
  try {
    const visits = await visitsIn(range, found, content, context);
    const intervals = found.intervals.flatMap((each) => (each.status === 'empty' ? weighed(each, visits, found) : [each]));
    if (empty.some(({ fromMs }) => fromMs < range.fromMs))
      context.note(
        'Earlier empty runs were not held against visits, for which one request has no room: startDate and endDate choose them.',
      );
    return { ...found, intervals: joined(intervals) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    context.note(`Whether the days of empty runs had visits could not be found out: ${error.message}`);
    return found;
  }
}
