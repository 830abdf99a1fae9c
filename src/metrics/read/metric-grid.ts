import { ApiError } from '../../api/errors.ts';
import * as api from '../../api/operations/metrics.ts';
import { MAX_METRICS_RANGE_MS, ONE_DAY_MS } from '../../api/params.ts';
import { type CalendarSlot, chunksOf, type Interval, slotsOf } from '../../lib/calendar.ts';
import { isoAt } from '../../lib/dates.ts';
import { runsOf } from '../../lib/grouped.ts';
import { definitionOf, zoneMetricDefinitions } from '../metric-definitions.ts';
import type { RangeMetricDefinition } from '../range-metric-definition.ts';
import { ingredientsOf } from './combine.ts';

type MetricOperation = RangeMetricDefinition['endpoint'] | typeof api.getSiteMetrics;

/** One endpoint to ask; a zone's goal matters to one of them alone. */
export interface Endpoint {
  readonly operation: MetricOperation;
  readonly takesGoal: boolean;
}

/** Whether a metric is one of a zone. */
export function isZoneMetric(metric: string): boolean {
  return Object.hasOwn(zoneMetricDefinitions, metric);
}

/** The fewest endpoints that answer these metrics, all of the site or all of a zone. */
function endpointsFor(metrics: readonly string[], daily: boolean): Endpoint[] {
  const isZone = metrics.some(isZoneMetric);
  const alone = metrics.flatMap((metric) => definitionOf(metric) ?? []).filter(({ onlyAlone }) => onlyAlone);
  const together = metrics.filter((metric) => !definitionOf(metric)?.onlyAlone);
  const [first] = together;
  // The average cart has no `period`.
  const one =
    together.length === 1 && first !== undefined && !(daily && first === 'cartAverage') ? definitionOf(first)?.endpoint : undefined;
  const many = isZone ? api.getZoneMetrics : api.getSiteMetrics;
  return [
    ...(first === undefined
      ? []
      : [{ operation: one ?? many, takesGoal: !isZone && (one === undefined || definitionOf(first)?.perGoal === true) }]),
    ...alone.map(({ endpoint, perGoal = false }) => ({ operation: endpoint, takesGoal: perGoal })),
  ];
}

/** A device that metrics can be asked for; `all` includes unknown ones. */
export type Device = 'all' | (typeof PARTS)[number];
/** The devices that divide all visits, but for unknown ones. */
export const PARTS = ['desktop', 'mobile', 'tablet'] as const;
/** Whether a grid is of all devices together and of each. */
export const hasAllDevices = ({ devices = [] }: Pick<MetricGrid, 'devices'>): boolean => devices.length > PARTS.length;
/** Stands for visits that are on none of the devices that can be asked for. */
export const OTHER_DEVICE = 'other or unknown device';

/** More calls than this are refused before the first: they would not end in time. */
export const MAX_CALLS = 240;

/** The cells to ask for: each range for each device, set of segments, goal and zone. Members left out stand for all visitors. */
export interface MetricGrid {
  /** All of the site, or all of a zone. */
  readonly metrics: readonly string[];
  readonly ranges: readonly Interval[];
  readonly devices?: readonly Device[];
  /** Each set is an intersection. */
  readonly segmentSets?: readonly (readonly number[])[];
  readonly goalIds?: readonly (number | undefined)[];
  readonly zoneIds?: readonly (number | undefined)[];
  /** A row for each day of the zone instead of one for a range. */
  readonly daily?: boolean;
}

/** Whom a row is about. */
export interface Selection {
  readonly device: Device;
  readonly segmentIds: readonly number[];
  readonly goalId: number | undefined;
  readonly zoneId: number | undefined;
}

/** One call: `slots` are the intervals that its values cover, several where it asks for `daily`. */
export interface PlannedCall {
  readonly endpoint: Endpoint;
  readonly selection: Selection;
  readonly interval: Interval;
  readonly slots: readonly Interval[];
}

/** Where a row's values come from: for each chunk of its range the calls (one for each endpoint) and the slot in them. */
export interface PlannedRow {
  readonly selection: Selection;
  /** Index of the range that was asked for. */
  readonly range: number;
  /** The range, or a day of it. */
  readonly interval: Interval & Partial<CalendarSlot>;
  readonly chunks: readonly (readonly { readonly call: number; readonly slot: number }[])[];
}

/** The calls that answer a grid, and the cells that each fills. */
export interface GridPlan {
  readonly calls: readonly PlannedCall[];
  readonly rows: readonly PlannedRow[];
}

/**
 * Consecutive days that one call with `daily` can answer: 24 hours each but the last, because buckets are counted from the start; a day for
 * itself otherwise.
 */
const dayRuns = (days: readonly CalendarSlot[]) =>
  runsOf(days, (run, day) => {
    const [first, last] = [run[0], run.at(-1)];
    const follows = last && last.endMs - last.startMs === ONE_DAY_MS - 1 && day.endMs - day.startMs < ONE_DAY_MS;
    return first !== undefined && follows === true && day.endMs - first.startMs <= MAX_METRICS_RANGE_MS;
  });

function selectionsOf({ devices = ['all'], segmentSets = [[]], goalIds = [undefined], zoneIds = [undefined] }: MetricGrid): Selection[] {
  return zoneIds.flatMap((zoneId) =>
    goalIds.flatMap((goalId) => segmentSets.flatMap((segmentIds) => devices.map((device) => ({ device, segmentIds, goalId, zoneId })))),
  );
}

/** A group of slots that one call covers, from the first to the last of them. */
function whole(slots: readonly Interval[]): Interval {
  const starts = slots.map(({ startMs }) => startMs);
  return { startMs: Math.min(...starts), endMs: Math.max(...slots.map(({ endMs }) => endMs)) };
}

/**
 * Turns a grid into as few calls as the interface allows: chunks of at most 92 days, whole runs of days in one call. Throws where there
 * would be too many.
 */
export function planGrid(grid: MetricGrid, timeZone: string): GridPlan {
  const { metrics, ranges, daily = false } = grid;
  const calls: PlannedCall[] = [];
  const rows: PlannedRow[] = [];
  const selections = selectionsOf(grid);
  for (const [range, interval] of ranges.entries()) {
    const groups: (readonly (Interval & Partial<CalendarSlot>)[])[] = daily
      ? dayRuns(slotsOf('day', interval, timeZone))
      : chunksOf(interval, timeZone, MAX_METRICS_RANGE_MS).map((chunk) => [chunk]);
    const needed = daily || groups.length === 1 ? metrics : ingredientsOf(metrics);
    for (const selection of selections) {
      const planned = groups.map((slots) => ({
        slots,
        // The number of each call is its place in the list.
        numbers: endpointsFor(needed, slots.length > 1).map(
          (endpoint) => calls.push({ endpoint, selection, interval: whole(slots), slots }) - 1,
        ),
      }));
      const days = planned.flatMap(({ slots, numbers }) =>
        slots.map((day, slot) => ({ day, sources: numbers.map((call) => ({ call, slot })) })),
      );
      if (daily) rows.push(...days.map(({ day, sources }) => ({ selection, range, interval: day, chunks: [sources] })));
      else rows.push({ selection, range, interval, chunks: days.map(({ sources }) => sources) });
    }
  }
  if (calls.length > MAX_CALLS) {
    const fitting = Math.floor((MAX_CALLS / calls.length) * ranges.length);
    // Rows of time; a range and its baseline are none.
    const days = ranges.length > 2 ? Math.floor((fitting * ((ranges[0]?.endMs ?? 0) + 1 - (ranges[0]?.startMs ?? 0))) / ONE_DAY_MS) : 0;
    const shorter = days > 0 ? `at most ${days} days` : 'a shorter range';
    throw new ApiError(
      'invalid',
      `This needs ${calls.length} calls to the platform, more than ${MAX_CALLS}: ask for ${shorter} or fewer of devices, ` +
        `segments, goals and zones.`,
    );
  }
  return { calls, rows };
}

/** The input of a call as the interface takes it. */
export function inputOf({ endpoint, selection, interval, slots }: PlannedCall, timeZone: string) {
  const { device, segmentIds, goalId, zoneId } = selection;
  return {
    startDate: isoAt(interval.startMs, timeZone),
    endDate: isoAt(interval.endMs, timeZone),
    device,
    ...(slots.length > 1 && { period: 'daily' as const }),
    ...(segmentIds.length > 0 && { segmentIds: [...segmentIds] }),
    ...(endpoint.takesGoal && goalId !== undefined && { goalId }),
    ...(zoneId !== undefined && { zoneId }),
  };
}

/** One call for each slot, for a platform whose days begin elsewhere. */
export function oneByOne(call: PlannedCall): PlannedCall[] {
  return call.slots.map((slot) => ({ ...call, interval: slot, slots: [slot] }));
}
