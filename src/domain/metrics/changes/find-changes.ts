import { MAX_METRICS_RANGE_MS, ONE_DAY_MS } from '../../../api/params.ts';
import { chunksOf, type Interval, shiftDays, slotsOf } from '../../../lib/calendar.ts';
import { inTurns } from '../../../statistics/kept-fits.ts';
import { factorsOf } from '../change-cost.ts';
import { type Looked, lookThrough } from '../engine/scan.ts';
import { type Device, planGrid } from '../read/metric-grid.ts';
import {
  type Accepted,
  acceptedOf,
  areRelated,
  type ChangeSeries,
  clustersOf,
  type Found,
  hasEnough,
  isOfFewOrders,
  type Place,
  type Scene,
  sceneOf,
  seriesId,
} from './change-series.ts';
import { type ChangeEvent, eventsOf } from './events.ts';
import { type LargeDay, largeDays } from './large-days.ts';
import { measuredEvent, withoutParts } from './measured-events.ts';
import { opposedEvents } from './opposed-events.ts';
import { driftsIn, newsOf, overBefore } from './over-before.ts';
import { outcomeOf, type RankedChange, rankChanges } from './rank-changes.ts';
import { sameDayOnce } from './same-day-zones.ts';
import { type SlowLevel, slowLevels } from './slow-levels.ts';
import { heldWithin } from './within-changes.ts';

/** Least days before the scan that teach; two requests of 92 days leave more, where there is much to read one does. */
const HISTORY_DAYS = 84;
const LEAST_HISTORY_DAYS = 28;
const MOST_DAYS = 92;

/** The places that could be read; each list the most important first. */
export interface Readable {
  /** The first one stands for all that was asked for. */
  readonly devices: readonly Device[];
  readonly segmentIds: readonly number[];
  /** The main goal first; undefined is that of e-commerce. */
  readonly goalIds: readonly (number | undefined)[];
  readonly zoneIds: readonly number[];
}

/** The places to read. */
export interface ReadPlan {
  readonly ranges: readonly Interval[];
  /** Days of the history that teach. */
  readonly historyDays: number;
  /** How many of the first places are read so; the others over fewer days, for want of requests. */
  readonly longPlaces: number;
  readonly shortRanges: readonly Interval[];
  readonly shortHistoryDays: number;
  /** How many of each kind find room. */
  readonly segments: number;
  readonly goals: number;
  readonly zones: number;
  /** All visitors first. */
  readonly places: readonly Place[];
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

/** The crossings that show a narrow place, where there is room for them. */
function crossesOf({ devices, segmentIds, goalIds }: Readable): Place[] {
  const [, ...otherDevices] = devices;
  const [goalId, ...otherGoals] = goalIds;
  return [
    ...otherGoals.flatMap((other) => otherDevices.map((device) => ({ device, goalId: other }))),
    ...segmentIds.flatMap((segmentId) => otherDevices.map((device) => ({ device, segmentId, goalId }))),
  ];
}

/**
 * Chooses what to read within the number of requests: a long history where everything finds room with it; where it does not, a shorter one,
 * and the long one for the first places as far as requests are left, so that figures of all visitors do not depend on what else is read.
 */
export function planReads(readable: Readable, bounds: Bounds): ReadPlan {
  const { days, timeZone, requests } = bounds;
  const places = placesOf(readable);
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
  const whole = places.length <= long.room ? long : short;
  const { historyDays, ranges } = isMixed ? long : whole;
  const taken = isMixed ? mixed : [...places, ...crossesOf(readable)].slice(0, whole.room);
  const count = (of: (place: Place) => unknown) => new Set(taken.map(of).filter((value) => value !== undefined)).size;
  return {
    ranges,
    historyDays,
    longPlaces: isMixed ? Math.floor(left / more) : taken.length,
    shortRanges: short.ranges,
    shortHistoryDays: short.historyDays,
    places: taken,
    segments: count(({ segmentId }) => segmentId),
    goals: new Set(taken.filter(({ zoneId }) => zoneId === undefined).map(({ goalId }) => goalId)).size,
    zones: count(({ zoneId }) => zoneId),
  };
}

/** The series to search. */
export interface ScanRequest extends Omit<Scene, 'series' | 'studies'> {
  /** All that was read; totals that changes are ranked by are among them. */
  readonly series: readonly ChangeSeries[];
  /** Metrics whose changes are wanted. */
  readonly metrics: readonly string[];
}

/** The findings of all series together. */
export interface ScanAnswer {
  /** The most expensive first. */
  readonly changes: readonly RankedChange[];
  /** Series with enough data to be looked at, and those without. */
  readonly looked: number;
  readonly tooFew: number;
  /** Days of revenue that stand out beside the changes. */
  readonly large: readonly LargeDay[];
  /** Levels that moved slowly beside the changes. */
  readonly slowly: readonly SlowLevel[];
  /** The outcome that changes are ranked by. */
  readonly outcome: ReturnType<typeof outcomeOf>;
}

/** Days between the end of what came before and a step that a wider series shows as that end. */
const MOST_BETWEEN = 4;
const dayNumber = (day: string) => Date.parse(day) / ONE_DAY_MS;

/**
 * Whether an episode is only how another series shows a step that goes on: the usual before a fall, seen from after it as a rise that began
 * before the scan and ended with the fall; or the first days of the step in a part too small to show the rest.
 */
function isEchoOf({ series, from: scanFrom }: Scene, event: ChangeEvent, step: ChangeEvent): boolean {
  const { from, to, parts } = event;
  const [own] = parts;
  const [other] = step.parts;
  if (to === undefined || from === to || !own || !other) return false;
  const isAlike = Math.sign(own.relative ?? 0) === Math.sign(other.relative ?? 0);
  const [its, theirs] = [own, other].map(({ metric, place }) => series.get(seriesId(metric, place)));
  // Visits that rose for a week are no echo of a rate that falls after it.
  const isRelated = !its || !theirs || areRelated(its, theirs);
  const isUsualBefore = isRelated && from < scanFrom && Math.abs(dayNumber(step.from) - dayNumber(to) - 1) <= MOST_BETWEEN;
  const isItsBeginning = own.metric === other.metric && Math.abs(dayNumber(step.from) - dayNumber(from)) <= 1;
  return isAlike ? isItsBeginning : isUsualBefore;
}

/** The parts of several things, those of each computed in a turn of its own. */
async function partsOf<Each, Part>(all: readonly Each[], signal: AbortSignal, partsIn: (each: Each) => readonly Part[]): Promise<Part[]> {
  const parts: Part[] = [];
  for (const each of all) parts.push(...(await inTurns(signal, () => partsIn(each))));
  return parts;
}

/** The changes that the series show by themselves, put together and weighed against each other. */
function acceptedIn(looked: readonly Looked[], byId: ReadonlyMap<string, ChangeSeries>, from: string): Accepted {
  const overs = overBefore(looked, byId);
  const found = looked.flatMap((each): Found[] => {
    const own = byId.get(each.id);
    const news = own ? newsOf(own, each, overs, from).map((finding) => ({ series: own, study: each.study, finding })) : [];
    return news.filter((finding) => !isOfFewOrders(finding));
  });
  const sudden = clustersOf(found);
  const drifts = driftsIn(looked, byId, overs, acceptedOf(sudden, looked.length).clusters);
  return acceptedOf([...sudden, ...clustersOf(drifts)], looked.length);
}

/**
 * Looks through all series and reports each change once, at the place where it happened; others have their turns meanwhile. Throws the
 * reason of an aborted signal.
 */
export async function findChanges({ series, metrics, ...rest }: ScanRequest, signal: AbortSignal): Promise<ScanAnswer> {
  const { base, from, to } = rest;
  // A product changes with what it is made of, which dates and sizes the change.
  const searched = new Set(metrics.flatMap((metric) => [metric, ...factorsOf(metric, rest)]));
  const wanted = series.filter(({ metric }) => searched.has(metric));
  const looked = await partsOf(wanted.filter(hasEnough), signal, (each) => lookThrough([each], from, to));
  const byId = new Map(wanted.map((each) => [each.id, each]));
  const { clusters, limit } = await inTurns(signal, () => acceptedIn(looked, byId, from));
  const scene = sceneOf(series, looked, rest);
  const told = await partsOf(clusters, signal, (cluster) => {
    const events = eventsOf(scene, cluster, clusters, limit);
    return [...events, ...opposedEvents(scene, cluster, events)];
  });
  // Measured by its own days, what looked like a change in the scan may have been over before it.
  const measured = await partsOf(told, signal, (event) => [measuredEvent(scene, event)].filter(({ to: end }) => !end || end >= from));
  const events = withoutParts(measured, to);
  const steps = events.filter(({ shape, to: end }) => shape === 'step' && end === undefined);
  const begun = events.filter((event) => !steps.some((step) => isEchoOf(scene, event, step)));
  const held = await inTurns(signal, () => heldWithin(scene, begun, limit));
  const changes = rankChanges(scene, sameDayOnce(held));
  return {
    changes,
    large: largeDays(looked, byId, base, changes),
    slowly: await inTurns(signal, () => slowLevels(wanted, base, { from, to }, changes)),
    looked: looked.length,
    tooFew: wanted.length - looked.length,
    outcome: outcomeOf(scene),
  };
}
