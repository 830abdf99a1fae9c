import { ApiError, refuse } from '../../api/errors.ts';
import { metricsToRead } from '../../domain/metrics/compare/readings.ts';
import { FORECAST_DAYS, withExpected } from '../../domain/metrics/expected/expected-lines.ts';
import { specialNote } from '../../domain/metrics/expected/expected-words.ts';
import { countingFaults, withoutFaults } from '../../domain/metrics/quality/counting.ts';
import type { MetricQuery, QueryGrid } from '../../domain/metrics/read/metric-query.ts';
import type { QueryLine } from '../../domain/metrics/read/query-table.ts';
import { shiftDays, slotsOf } from '../../lib/calendar.ts';
import { resolveDate, todayIn } from '../../lib/dates.ts';
import type { Context } from '../context.ts';
import { fetchKept } from './fetch-metrics.ts';
import { readKnownDays } from './read-known-days.ts';

/** Days before the first row that teach: with a week of rows two requests. */
const HISTORY_DAYS = 176;
/** Days of these that are not looked at for faults of the counting, because they say what is usual. */
const USUAL_DAYS = 28;

type Uses = Pick<Context, 'ask' | 'note' | 'signal' | 'timeZone' | 'nowMs'>;

/** The query up to the last complete day; undefined where all of it lies ahead. Throws where it reaches further than a forecast does. */
export function countedPart(query: MetricQuery, { timeZone, nowMs }: Pick<Uses, 'timeZone' | 'nowMs'>): MetricQuery | undefined {
  const lastMs = resolveDate('yesterday', { edge: 'end', timeZone, nowMs }).instantMs;
  const furthestMs = shiftDays(lastMs + 1, FORECAST_DAYS, timeZone) - 1;
  const { startMs, endMs } = query.interval;
  if (endMs > furthestMs) refuse(`endDate: a forecast reaches ${FORECAST_DAYS} days ahead, to ${todayIn(timeZone, furthestMs)}.`);
  if (startMs > lastMs) return undefined;
  return { ...query, interval: { startMs, endMs: Math.min(endMs, lastMs) } };
}

/** The lines of a query with what was to be expected of each, and lines for the days ahead. */
export async function readExpected(query: MetricQuery, grid: QueryGrid, lines: readonly QueryLine[], context: Uses): Promise<QueryLine[]> {
  const { timeZone, nowMs, note } = context;
  const { interval } = query;
  const lastMs = resolveDate('yesterday', { edge: 'end', timeZone, nowMs }).instantMs;
  const history = { startMs: shiftDays(interval.startMs, -HISTORY_DAYS, timeZone), endMs: Math.min(lastMs, interval.endMs) };
  const metrics = metricsToRead(query.metrics);
  const [read, known] = await Promise.all([
    fetchKept({ ...grid, metrics, ranges: [history], daily: true }, { ...context, progress: () => undefined }).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      note(`The days before could not be read, so nothing can be expected: ${error.message}`);
      return { rows: [] };
    }),
    readKnownDays({ startMs: history.startMs, endMs: interval.endMs }, query.goalIds[0], context),
  ]);
  const labels = slotsOf('day', interval, timeZone).map(({ label }) => label);
  const faults = countingFaults({
    rows: read.rows.filter(({ selection }) => selection.segmentIds.length === query.segmentIds.length),
    whole: { device: grid.devices?.[0] ?? 'all' },
    from: todayIn(timeZone, shiftDays(history.startMs, USUAL_DAYS, timeZone)),
    to: todayIn(timeZone, history.endMs),
    isSpecial: (label) => known.specialDays(label) !== undefined,
  });
  for (const { evidence } of faults)
    note(`It looks like the counting, not the customers: ${evidence}. These days teach nothing and are not judged.`);
  const special = specialNote(labels, known);
  if (special !== '') note(special);
  note(
    `expected, low and high (95%) were learned from the days before ${labels[0] ?? ''}; verdict: high or low at a false discovery rate of 5%.`,
  );
  return withExpected({ query, lines, days: withoutFaults(read.rows, faults), known, timeZone });
}
