import { ApiError, refuse } from '../../api/errors.ts';
import { factorsOf } from '../../domain/metrics/change-cost.ts';
import { metricsToRead } from '../../domain/metrics/compare/readings.ts';
import { changesAround, type FoundChange } from '../../domain/metrics/expected/expected-changes.ts';
import { FORECAST_DAYS, isRowByRow, keyOf, TURN_DAYS, withExpected } from '../../domain/metrics/expected/expected-lines.ts';
import { specialNote } from '../../domain/metrics/expected/expected-words.ts';
import { atTheirDevices } from '../../domain/metrics/expected/placed-changes.ts';
import { countingFaults, withoutFaults } from '../../domain/metrics/quality/counting.ts';
import { isZoneMetric } from '../../domain/metrics/read/metric-grid.ts';
import { type MetricQuery, type QueryGrid, timeUnitOf } from '../../domain/metrics/read/metric-query.ts';
import type { QueryLine } from '../../domain/metrics/read/query-table.ts';
import { daysBetween, shiftDays, slotsOf } from '../../lib/calendar.ts';
import { resolveDate, todayIn } from '../../lib/dates.ts';
import type { Context } from '../context.ts';
import { fetchKept } from './fetch-metrics.ts';
import { readKnownDays } from './read-known-days.ts';

/** Days that two requests hold, and the least that teach. */
const READ_DAYS = 184;
const LEAST_DAYS = 84;

/** All devices together, desktop, mobile and tablet. */
const ALL_DEVICES = 4;
/** Faults that only the devices tell from changes of the site. */
const OF_DEVICES: ReadonlySet<string> = new Set([
  'part of a day',
  'counted twice',
  'visits not counted',
  'visits without orders',
  'orders late',
]);

type ExpectedContext = Pick<Context, 'ask' | 'note' | 'signal' | 'timeZone' | 'nowMs' | 'calendar'>;

/** The query up to the last complete day; undefined where all of it lies ahead. Throws where it reaches further than a forecast does. */
export function countedPart(query: MetricQuery, { timeZone, nowMs }: Pick<ExpectedContext, 'timeZone' | 'nowMs'>): MetricQuery | undefined {
  const lastMs = resolveDate('yesterday', { edge: 'end', timeZone, nowMs }).instantMs;
  const furthestMs = shiftDays(lastMs + 1, FORECAST_DAYS, timeZone) - 1;
  const { startMs, endMs } = query.interval;
  if (endMs > furthestMs) refuse(`endDate: a forecast reaches ${FORECAST_DAYS} days ahead, to ${todayIn(timeZone, furthestMs)}.`);
  if (startMs > lastMs) return undefined;
  return { ...query, interval: { startMs, endMs: Math.min(endMs, lastMs) } };
}

/** The lines of a query with what was to be expected of each, lines for the days ahead, and changes that begin among them. */
interface ExpectedRead {
  readonly lines: QueryLine[];
  readonly changes: readonly FoundChange[];
  /** Changes that began shortly before the first line and go on. */
  readonly before: readonly FoundChange[];
  readonly currency: string | undefined;
}

const VERDICT_WORDS = 'verdict: high or low at a false discovery rate of 5%.';

/** From which days it was learned what was to be expected. */
function learnedWords(query: MetricQuery, rows: number, firstMs: number, timeZone: string): string {
  if (isRowByRow(query)) return `of each ${timeUnitOf(query.breakdown) ?? 'row'} from the days before it`;
  const later = rows > TURN_DAYS ? `, of rows more than ${TURN_DAYS} days later from those before them too` : '';
  return `from the days up to ${todayIn(timeZone, firstMs - 1)}${later}`;
}

/** Reads what was to be expected of the lines of a query. */
export async function readExpected(
  query: MetricQuery,
  grid: QueryGrid,
  lines: readonly QueryLine[],
  context: ExpectedContext,
): Promise<ExpectedRead> {
  const { timeZone, nowMs, note } = context;
  const { interval } = query;
  const lastMs = resolveDate('yesterday', { edge: 'end', timeZone, nowMs }).instantMs;
  const endMs = Math.min(lastMs, interval.endMs);
  // Rows ahead of the last complete day are learned of from all before it.
  const rows = Math.max(0, Math.ceil(daysBetween(interval.startMs, endMs + 1, timeZone)));
  const firstMs = Math.min(interval.startMs, lastMs + 1);
  const history = { startMs: shiftDays(firstMs, -Math.max(LEAST_DAYS, READ_DAYS - rows), timeZone), endMs };
  const metrics = metricsToRead(
    query.metrics.some(isZoneMetric) ? query.metrics : [...query.metrics, ...query.metrics.flatMap(factorsOf), 'revenueSum'],
  );
  const [read, known] = await Promise.all([
    fetchKept({ ...grid, metrics, ranges: [history], daily: true }, { ...context, progress: () => undefined }).catch((error: unknown) => {
      if (!(error instanceof ApiError)) throw error;
      note(`The days before could not be read, so nothing can be expected: ${error.message}`);
      return { rows: [], currency: undefined };
    }),
    readKnownDays({ startMs: history.startMs, endMs: interval.endMs }, query.goalIds[0], context),
  ]);
  const labels = slotsOf('day', interval, timeZone).map(({ label }) => label);
  const found = countingFaults({
    rows: read.rows.filter(({ selection }) => selection.segmentIds.length === query.segmentIds.length),
    whole: { device: grid.devices?.[0] ?? 'all' },
    from: todayIn(timeZone, interval.startMs),
    to: todayIn(timeZone, history.endMs),
    isSpecial: (label) => known.specialDays(label) !== undefined,
  });
  // Visits and orders go apart where one device changes too, which only the devices tell.
  const faults = found.filter(({ kind }) => grid.devices?.length === ALL_DEVICES || !OF_DEVICES.has(kind));
  for (const { evidence } of faults)
    note(`It looks like the counting, not the customers: ${evidence}. These days teach nothing and are not judged.`);
  const special = specialNote(labels, known);
  if (special !== '') note(special);
  note(`expected, low and high (95%) were learned ${learnedWords(query, rows, firstMs, timeZone)}; ${VERDICT_WORDS}`);
  if (interval.endMs > lastMs)
    note(
      `Rows with the verdict forecast hold days after ${todayIn(timeZone, lastMs)}: expected is of what was counted and what is to come.`,
    );
  const input = { query, lines, days: withoutFaults(read.rows, faults), known, timeZone };
  const isOver = interval.startMs <= lastMs && query.zoneIds.length === 0;
  const { among, before } = isOver ? changesAround(input, todayIn(timeZone, interval.startMs)) : { among: [], before: [] };
  const ofDevices = { grid: { ...grid, metrics, ranges: [history], daily: true }, input };
  const [placed, placedBefore] = await onDevices([among, before], ofDevices, context);
  return { lines: withExpected(input, among), changes: placed, before: placedBefore, currency: read.currency };
}

/** The days of an expectation, and how to read those of devices. */
interface DeviceRead {
  readonly grid: Parameters<typeof fetchKept>[0];
  readonly input: Parameters<typeof withExpected>[0];
}

const DEVICES = ['desktop', 'mobile', 'tablet'] as const;

/** Changes on the devices where they happened; these are read where all devices changed and nothing else is put side by side. */
async function onDevices(
  [among, before]: readonly [FoundChange[], FoundChange[]],
  { grid, input: { query, days, known } }: DeviceRead,
  context: ExpectedContext,
): Promise<[FoundChange[], FoundChange[]]> {
  const keys = new Set(days.map(({ selection }) => keyOf(selection)));
  const isOfAll = [...among, ...before].some(({ device }) => device === 'all');
  const isOne = keys.size === 1 && query.zoneIds.length === 0;
  const more =
    isOfAll && isOne
      ? await fetchKept({ ...grid, devices: DEVICES }, { ...context, progress: () => undefined }).catch((error: unknown) => {
          if (!(error instanceof ApiError)) throw error;
          return { rows: [] };
        })
      : { rows: [] };
  const all = { rows: [...days, ...more.rows], known };
  return [atTheirDevices(among, all), atTheirDevices(before, all)];
}
