import { MAX_METRICS_RANGE_MS, ONE_DAY_MS } from '../../../api/params.ts';
import { chunksOf, type Interval, slotsOf } from '../../../lib/calendar.ts';
import { shiftDays } from '../../../lib/time-zone.ts';
import { type Device, planGrid } from '../read/metric-grid.ts';
import type { Place } from './change-series.ts';

/** Days before the scan that teach what is usual: twelve weeks; where there is much to read, what is left of one request of 92 days. */
const HISTORY_DAYS = 84;
const LEAST_HISTORY_DAYS = 28;
const MOST_DAYS = 92;

/** What could be looked at; each list the most important first. */
export interface Readable {
  /** The first one stands for all that was asked for. */
  readonly devices: readonly Device[];
  readonly segmentIds: readonly number[];
  /** The main goal first; undefined is that of e-commerce. */
  readonly goalIds: readonly (number | undefined)[];
  readonly zoneIds: readonly number[];
}

/** What to read. */
export interface ReadPlan {
  readonly ranges: readonly Interval[];
  /** Days of the history that teach. */
  readonly historyDays: number;
  /** All visitors first. */
  readonly places: readonly Place[];
  /** How many of each kind find room. */
  readonly segments: number;
  readonly goals: number;
  readonly zones: number;
}

interface Bounds {
  readonly days: number;
  /** The last instant of the last complete day. */
  readonly endMs: number;
  readonly timeZone: string;
  /** Requests that may be sent for metrics. */
  readonly requests: number;
}

/**
 * Ranges of at most 92 days that end with the scan; a day of another length than 24 hours would cost requests of its own and is left out.
 */
export function rangesOf(daysBack: number, { endMs, timeZone }: Pick<Bounds, 'endMs' | 'timeZone'>): Interval[] {
  const days = slotsOf('day', { startMs: shiftDays(endMs + 1, -daysBack, timeZone), endMs }, timeZone);
  const ranges: { startMs: number; endMs: number }[] = [];
  for (const day of days.toReversed()) {
    if (day.endMs - day.startMs !== ONE_DAY_MS - 1) continue;
    const open = ranges[0];
    if (open && open.startMs === day.endMs + 1 && open.endMs - day.startMs <= MAX_METRICS_RANGE_MS) open.startMs = day.startMs;
    else ranges.unshift({ startMs: day.startMs, endMs: day.endMs });
  }
  return ranges.flatMap((range) => chunksOf(range, timeZone, MAX_METRICS_RANGE_MS));
}

const requestsOf = (ranges: readonly Interval[], timeZone: string) =>
  planGrid({ metrics: ['visits'], ranges, daily: true }, timeZone).calls.length;

/** Everything that could be read, the most important first. */
function placesOf({ devices, segmentIds, goalIds, zoneIds }: Readable): Place[] {
  const [device = 'all', ...otherDevices] = devices;
  const [goalId, ...otherGoals] = goalIds;
  return [
    { device, goalId },
    ...otherDevices.map((other) => ({ device: other, goalId })),
    // Zones are looked at where someone asked for them.
    ...zoneIds.map((zoneId) => ({ device, zoneId })),
    ...otherGoals.map((other) => ({ device, goalId: other })),
    ...segmentIds.map((segmentId) => ({ device, segmentId, goalId })),
  ];
}

/** What shows a narrow place where there is room for it. */
function crossesOf({ devices, segmentIds, goalIds }: Readable): Place[] {
  const [, ...otherDevices] = devices;
  const [goalId, ...otherGoals] = goalIds;
  return [
    ...otherGoals.flatMap((other) => otherDevices.map((device) => ({ device, goalId: other }))),
    ...segmentIds.flatMap((segmentId) => otherDevices.map((device) => ({ device, segmentId, goalId }))),
  ];
}

/** Chooses what is read with so many requests: a long history where everything finds room with it, else a shorter one. */
export function planReads(readable: Readable, bounds: Bounds): ReadPlan {
  const { days, timeZone, requests } = bounds;
  const places = placesOf(readable);
  const optionOf = (historyDays: number) => {
    const ranges = rangesOf(days + historyDays, bounds);
    return { historyDays, ranges, room: Math.max(1, Math.floor(requests / requestsOf(ranges, timeZone))) };
  };
  const long = optionOf(HISTORY_DAYS);
  const short = days + LEAST_HISTORY_DAYS <= MOST_DAYS ? optionOf(MOST_DAYS - days) : long;
  const { historyDays, ranges, room } = places.length <= long.room ? long : short;
  const taken = [...places, ...crossesOf(readable)].slice(0, room);
  const count = (of: (place: Place) => unknown) => new Set(taken.map(of).filter((value) => value !== undefined)).size;
  return {
    ranges,
    historyDays,
    places: taken,
    segments: count(({ segmentId }) => segmentId),
    goals: new Set(taken.filter(({ zoneId }) => zoneId === undefined).map(({ goalId }) => goalId)).size,
    zones: count(({ zoneId }) => zoneId),
  };
}
