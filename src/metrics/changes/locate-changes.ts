import { MAX_METRICS_RANGE_MS, ONE_DAY_MS } from '../../api/params.ts';
import { chunksOf, type Interval, shiftDays, slotsOf } from '../../lib/calendar.ts';
import { inTurns } from '../../statistics/kept-fits.ts';
import { isWithin } from '../change-places.ts';
import { type Looked, lookThrough } from '../engine/scan.ts';
import { isCount } from '../metric-definitions.ts';
import { factorsOf } from '../metric-names.ts';
import { type Device, isZoneMetric, planGrid } from '../read/metric-grid.ts';
import { keyOf, onceASeason, type Place } from '../site-changes.ts';
import { acceptedOf, type ChangeSeries, clustersOf, type Found, hasEnough, isOfFewOrders, type Scene } from './change-series.ts';
import { type ChangeEvent, eventsOf } from './events.ts';
import { slowLevels } from './slow-levels.ts';

/** Whether an event says another one again: of the same metric, the same way, of its visits or a part of them, begun and ended with it. */
function isToldBy([own]: ChangeEvent, [outer]: ChangeEvent, isTold: boolean): boolean {
  const isAt = isWithin(own.reading, outer.reading) && (isTold || keyOf(own.reading) !== keyOf(outer.reading));
  const isSame = own.metric === outer.metric && own.change.shape === outer.change.shape && own.change.to === outer.change.to;
  const [first, last] = [own.change.earliest <= outer.change.latest, outer.change.earliest <= own.change.latest];
  return isAt && isSame && own.change.relative * outer.change.relative > 0 && first && last;
}

/** Leaves out what is told already, and the share that a part of its visitors has in a change, whose cost would count twice. */
export function withoutParts(events: readonly ChangeEvent[]): ChangeEvent[] {
  return events.filter((event, at) => !events.some((outer, index) => isToldBy(event, outer, index < at)));
}

/** Least days before the scan that teach; two requests of 92 days leave more, where there is much to read one does. */
const HISTORY_DAYS = 84;
const LEAST_HISTORY_DAYS = 28;
const MOST_DAYS = 92;

/** The places that could be read; each list the most important first. */
export interface Readable {
  /** The first one stands for all that was asked for. */
  readonly devices: readonly Device[];
  readonly segmentIds: readonly number[];
  /** The one segment that everything is asked of; left out where that is all visitors. */
  readonly within?: number | undefined;
  /** The main goal first; undefined is that of e-commerce. */
  readonly goalIds: readonly (number | undefined)[];
  /** Whether the goals but the main one were asked for: they are looked at on each device, and the first one in each segment. */
  readonly areGoalsAsked: boolean;
  readonly zoneIds: readonly number[];
}

/** The places to read. */
export type ReadPlan = ReturnType<typeof planReads>;

interface Bounds {
  readonly days: number;
  /** The last instant of the last complete day. */
  readonly endMs: number;
  readonly timeZone: string;
  /** The first instant that the platform keeps, where the days reach beyond it. */
  readonly keptMs?: number | undefined;
  /** Requests that may be sent for metrics. */
  readonly requests: number;
}

/** Whether a day has another length than 24 hours, because the clocks change: it would cost requests of its own. */
export const isOfClockChange = ({ startMs, endMs }: Interval) => endMs - startMs !== ONE_DAY_MS - 1;

/** Ranges of at most 92 days that end with the scan, without days on which the clocks change. */
export function rangesOf(daysBack: number, { endMs, timeZone, keptMs = 0 }: Omit<Bounds, 'days' | 'requests'>): Interval[] {
  const days = slotsOf('day', { startMs: Math.max(keptMs, shiftDays(endMs + 1, -daysBack, timeZone)), endMs }, timeZone);
  const ranges: { startMs: number; endMs: number }[] = [];
  for (const day of days.toReversed()) {
    if (isOfClockChange(day)) continue;
    const open = ranges[0];
    if (open && open.startMs === day.endMs + 1 && open.endMs - day.startMs <= MAX_METRICS_RANGE_MS) open.startMs = day.startMs;
    else ranges.unshift({ startMs: day.startMs, endMs: day.endMs });
  }
  return ranges.flatMap((range) => chunksOf(range, timeZone, MAX_METRICS_RANGE_MS));
}

const requestsOf = (ranges: readonly Interval[], timeZone: string) =>
  planGrid({ metrics: ['visits'], ranges, daily: true }, timeZone).calls.length;

/** Everything that could be read, the most important first, and the crossings that show a narrow place, where there is room for them. */
function placesOf({ devices, segmentIds, within, goalIds, areGoalsAsked, zoneIds }: Readable): { whole: Place[]; crosses: Place[] } {
  const [device = 'all', ...otherDevices] = devices;
  const [goalId, ...otherGoals] = goalIds;
  const all: Place = { device, segmentIds: within === undefined ? [] : [within], goalId };
  const ofGoals = otherGoals.map((other) => ({ ...all, goalId: other }));
  const ofSegments = segmentIds.map((id) => ({ ...all, segmentIds: [id], goalId: areGoalsAsked ? (goalId ?? otherGoals[0]) : goalId }));
  const onDevices = (places: readonly Place[]) => places.flatMap((place) => otherDevices.map((other) => ({ ...place, device: other })));
  return {
    whole: [
      all,
      ...onDevices([all]),
      // Zones are looked at where someone asked for them.
      ...zoneIds.map((zoneId) => ({ ...all, goalId: undefined, zoneId })),
      ...ofGoals,
      ...(areGoalsAsked ? onDevices(ofGoals) : []),
      ...ofSegments,
    ],
    crosses: onDevices(areGoalsAsked ? ofSegments : [...ofGoals, ...ofSegments]),
  };
}

/**
 * Chooses what to read within the number of requests: a long history where everything finds room with it; where it does not, a shorter one,
 * and the long one for the first places as far as requests are left, so that figures of all visitors do not depend on what else is read.
 */
export function planReads(readable: Readable, bounds: Bounds) {
  const { days, timeZone, requests } = bounds;
  const { whole: places, crosses } = placesOf(readable);
  const optionOf = (historyDays: number) => {
    const ranges = rangesOf(days + historyDays, bounds);
    const each = requestsOf(ranges, timeZone);
    return { historyDays, ranges, each, room: Math.max(1, Math.floor(requests / each)) };
  };
  const long = optionOf(Math.max(HISTORY_DAYS, 2 * MOST_DAYS - days));
  const short = days + LEAST_HISTORY_DAYS <= MOST_DAYS ? optionOf(MOST_DAYS - days) : long;
  const more = long.each - short.each;
  // Where not all find room, all visitors come first: their figures must not depend on what else is asked.
  const room = Math.floor((requests - more) / short.each);
  const mixed = places.length > short.room ? places.slice(0, room) : places;
  const left = requests - mixed.length * short.each;
  const isMixed = places.length > long.room && mixed.length > 0 && more > 0 && left >= more;
  const option = places.length <= long.room ? long : short;
  const { historyDays, ranges } = isMixed ? long : option;
  const taken = isMixed ? mixed : [...places, ...crosses].slice(0, option.room);
  return {
    ranges,
    /** Days of the history that teach. */
    historyDays,
    /** How many of the first places are read so; the others over fewer days, for want of requests. */
    longPlaces: isMixed ? Math.floor(left / more) : taken.length,
    shortRanges: short.ranges,
    shortHistoryDays: short.historyDays,
    /** All visitors first. */
    places: taken,
    /** How many of each kind find room. */
    segments: new Set(taken.flatMap(({ segmentIds }) => segmentIds)).size,
    goals: new Set(taken.filter(({ zoneId }) => zoneId === undefined).map(({ goalId }) => goalId)).size,
    zones: new Set(taken.flatMap(({ zoneId }) => zoneId ?? [])).size,
  };
}

/** The series to search. */
export interface ScanRequest extends Omit<Scene, 'series'> {
  /** All that was read; totals that changes are ranked by are among them. */
  readonly series: readonly ChangeSeries[];
  /** Metrics whose changes are wanted. */
  readonly metrics: readonly string[];
}

/** The parts of several things, those of each computed in a turn of its own. */
async function partsOf<Each, Own>(all: readonly Each[], signal: AbortSignal, partsIn: (each: Each) => readonly Own[]): Promise<Own[]> {
  const parts: Own[] = [];
  for (const each of all) parts.push(...(await inTurns(signal, () => partsIn(each))));
  return parts;
}

/** The changes that the series show by themselves, put together and weighed against each other. */
function acceptedIn(looked: readonly Looked[], byId: ReadonlyMap<string, ChangeSeries>) {
  const found = looked.flatMap(({ id, study, candidates }): Found[] => {
    const series = byId.get(id);
    return series ? candidates.map((finding) => ({ series, study, finding })).filter((each) => !isOfFewOrders(each)) : [];
  });
  return acceptedOf(clustersOf(found), looked.length);
}

/**
 * Looks through all series and reports each change once, at the place where it happened; others have their turns meanwhile. Throws the
 * reason of an aborted signal.
 */
export async function findChanges({ series, metrics, ...rest }: ScanRequest, signal: AbortSignal) {
  const { base, from, to } = rest;
  const asked = new Set(metrics.flatMap((metric) => [metric, ...factorsOf(metric, base)]));
  // Who comes may be all that moves a rate.
  const searched = new Set([...asked, ...(metrics.every((metric) => isCount(metric) || isZoneMetric(metric)) ? [] : ['visits'])]);
  // A segment that ended before has no day that could be looked at.
  const isThere = ({ days }: ChangeSeries) =>
    days.some(({ label, isWhole, denominator }) => label >= from && label <= to && isWhole && denominator > 0);
  const wanted = series.filter((each) => searched.has(each.metric) && isThere(each));
  const looked = await partsOf(wanted.filter(hasEnough), signal, (each) => lookThrough([each], from, to));
  // A product changes with what it is made of, which dates and sizes the change.
  const factors = wanted.filter(({ metric }) => factorsOf(metric, base).length === 0);
  const byId = new Map(factors.map((each) => [each.id, each]));
  const { clusters, limit } = await inTurns(signal, () => acceptedIn(looked, byId));
  const scene: Scene = { series: new Map(series.map((each) => [each.id, each])), ...rest };
  const events = withoutParts(await partsOf(clusters, signal, (cluster) => eventsOf(scene, cluster, limit)));
  const slow = await inTurns(signal, () =>
    slowLevels(
      looked.flatMap(({ id }) => scene.series.get(id) ?? []),
      base,
      { from, to },
      events,
    ),
  );
  const changes = [...events, ...slow].flatMap((event): ChangeEvent[] => {
    const [first, ...others] = event.filter(({ metric }) => asked.has(metric));
    return first ? [[first, ...others]] : [];
  });
  return { changes: onceASeason(changes, ([first]) => first), looked: looked.length, tooFew: wanted.length - looked.length };
}
