import { MAX_METRICS_RANGE_MS, ONE_DAY_MS } from '../../../api/params.ts';
import { chunksOf, dayAfter, type Interval, shiftDays, slotsOf } from '../../../lib/calendar.ts';
import { nth } from '../../../lib/nth.ts';
import { atUsualBasket, BASKET_DAYS, type Cost, costOfFactors, FACTORS, type Sales } from '../change-cost.ts';
import { lookThrough } from '../engine/scan.ts';
import { definitionOf } from '../metric-definitions.ts';
import { type Device, planGrid } from '../read/metric-grid.ts';
import {
  acceptedOf,
  type ChangeSeries,
  clustersOf,
  type Found,
  hasEnough,
  isProduct,
  type Place,
  type Scene,
  sceneOf,
  seriesId,
} from './change-series.ts';
import { begunEarlier } from './earlier-events.ts';
import { type ChangeEvent, eventsOf, type Part } from './events.ts';
import { measuredEvent, onceMeasured, withoutParts } from './measured-events.ts';
import { opposedEvents } from './opposed-events.ts';
import { newsOf, overBefore } from './over-before.ts';
import { changesUnderWay } from './under-way.ts';

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
  const left = requests - places.length * short.each;
  const isMixed = places.length > long.room && places.length <= short.room && long.each > short.each && left >= long.each - short.each;
  const whole = places.length <= long.room ? long : short;
  const { historyDays, ranges } = isMixed ? long : whole;
  const taken = isMixed ? places : [...places, ...crossesOf(readable)].slice(0, whole.room);
  const count = (of: (place: Place) => unknown) => new Set(taken.map(of).filter((value) => value !== undefined)).size;
  return {
    ranges,
    historyDays,
    longPlaces: isMixed ? Math.floor(left / (long.each - short.each)) : taken.length,
    shortRanges: short.ranges,
    shortHistoryDays: short.historyDays,
    places: taken,
    segments: count(({ segmentId }) => segmentId),
    goals: new Set(taken.filter(({ zoneId }) => zoneId === undefined).map(({ goalId }) => goalId)).size,
    zones: count(({ zoneId }) => zoneId),
  };
}

/** The series to search. */
export interface ScanRequest {
  /** All that was read; totals that changes are ranked by are among them. */
  readonly series: readonly ChangeSeries[];
  /** First and last day of the scan; the days before teach what is usual. */
  readonly from: string;
  readonly to: string;
  /** All visitors that were asked for, with the main goal. */
  readonly base: Place;
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
function isEchoOf(event: ChangeEvent, step: ChangeEvent, scanFrom: string): boolean {
  const { from, to, parts } = event;
  const [own] = parts;
  const [other] = step.parts;
  if (to === undefined || from === to || !own || !other) return false;
  const isAlike = Math.sign(own.relative ?? 0) === Math.sign(other.relative ?? 0);
  const isUsualBefore = from < scanFrom && Math.abs(dayNumber(step.from) - dayNumber(to) - 1) <= MOST_BETWEEN;
  const isItsBeginning = own.metric === other.metric && Math.abs(dayNumber(step.from) - dayNumber(from)) <= 1;
  return isAlike ? isItsBeginning : isUsualBefore;
}

/** Looks through all series and reports each change once, at the place where it happened. */
export function findChanges({ series, metrics, base, from, to }: ScanRequest): ScanAnswer {
  const wanted = series.filter(({ metric }) => metrics.includes(metric));
  const looked = lookThrough(wanted.filter(hasEnough), from, to);
  const byId = new Map(wanted.map((each) => [each.id, each]));
  const overs = overBefore(looked, byId);
  const found = looked.flatMap((each): Found[] => {
    const own = byId.get(each.id);
    return own ? newsOf(own, each, overs, from).map((finding) => ({ series: own, study: each.study, finding })) : [];
  });
  const { clusters, limit } = acceptedOf(clustersOf(found), looked.length);
  const scene = sceneOf(series, looked, { base, from, to });
  const told = clusters.flatMap((cluster) => {
    const events = eventsOf(scene, cluster, clusters, limit);
    return [...events, ...opposedEvents(scene, cluster, events)];
  });
  // Measured by its own days, what looked like a change in the scan may have been over before it.
  const measured = told.flatMap((event) => begunEarlier(scene, measuredEvent(scene, event))).filter(({ to: end }) => !end || end >= from);
  const events = withoutParts(onceMeasured(measured), to);
  const steps = events.filter(({ shape, to: end }) => shape === 'step' && end === undefined);
  const begun = events.filter((event) => !steps.some((step) => isEchoOf(event, step, from)));
  return {
    changes: rankChanges(scene, [...begun, ...changesUnderWay(scene, metrics, begun)]),
    looked: looked.length,
    tooFew: wanted.length - looked.length,
    outcome: outcomeOf(scene),
  };
}

/** A change and what it costs; undefined for one that no total depends on. */
export interface RankedChange extends ChangeEvent {
  readonly cost: Cost | undefined;
}

/** Drift is given per four weeks. */
const DRIFT_DAYS = 28;

/** The total that changes are ranked by: revenue where there is some, else conversions, else visits. */
function outcomeOf({ series, base }: Pick<Scene, 'series' | 'base'>): Cost['metric'] {
  if (series.has(seriesId('revenueSum', base))) return 'revenueSum';
  return series.has(seriesId('conversionCount', base)) ? 'conversionCount' : 'visits';
}

/** The factors of a total that changed themselves; empty where it does not depend on that. */
function factorsOf(parts: readonly Part[], metric: Cost['metric'], goalId: number | undefined): readonly Part[] {
  const isOfGoal = ({ metric: own, place }: Part) => !definitionOf(own)?.perGoal || place.goalId === goalId;
  const own = parts.filter((part) => !part.mix && FACTORS[metric].includes(part.metric) && isOfGoal(part));
  if (own.length > 0) return own;
  const isOfProducts = parts.every((part) => isProduct(part.metric));
  return isOfProducts ? parts.filter(isOfGoal).slice(0, 1) : [];
}

/** A total that falls below this share of what it was says little of what that was. */
const LEAST_LEFT = 0.1;

function costOf(scene: Scene, event: ChangeEvent, metric: Cost['metric'], goalId: number | undefined): Cost | undefined {
  const { series, studies, from, to } = scene;
  const place: Place = { ...event.place, goalId };
  const own = series.get(seriesId(metric, place));
  if (!own || place.zoneId !== undefined) return undefined;
  const isDrift = event.shape === 'drift';
  // Of what began before the scan, what it makes of these days.
  const first = isDrift || event.from < from ? from : event.from;
  const days = daysOf(own, first, isDrift ? to : (event.to ?? to));
  const factors = factorsOf(event.parts, metric, goalId);
  if (factors.length === 0) return undefined;
  const isOfOrders = metric === 'revenueSum' && factors.every((factor) => FACTORS.conversionCount.includes(factor.metric));
  const total = isOfOrders && !isDrift ? usualRevenue(scene, own, place, event.from, days) : totalOf(days);
  const of = { metric, goalId: metric === 'conversionCount' ? goalId : undefined };
  // Half of a slope lies above its middle.
  const share = isDrift ? days.length / DRIFT_DAYS / 2 : 1;
  const left = factors.reduce((product, { relative }) => product * (1 + share * relative), 1);
  if (left < LEAST_LEFT) {
    const study = studies.get(own.id);
    const labels = new Set(days.map(({ label }) => label));
    const usual = study?.series.labels.reduce((sum, label, at) => sum + (labels.has(label) ? nth(study.series.expected, at) : 0), 0) ?? 0;
    return { ...of, value: total - usual };
  }
  if (isDrift) return { ...of, value: total * (1 - 1 / left) };
  return { ...of, ...costOfFactors(total, factors) };
}

const totalOf = (days: ChangeSeries['days']) => days.reduce((sum, { numerator }) => sum + numerator, 0);

/** Revenue of the orders of some days of a change that began on one, at what an order is usually worth. */
function usualRevenue({ series }: Scene, own: ChangeSeries, place: Place, begun: string, days: ChangeSeries['days']): number {
  const orders = series.get(seriesId('conversionCount', place));
  if (!orders) return totalOf(days);
  const salesOf = (from: string, to: string): Sales => ({
    revenue: totalOf(daysOf(own, from, to)),
    orders: totalOf(daysOf(orders, from, to)),
  });
  const [first, last] = [days[0]?.label ?? begun, days.at(-1)?.label ?? begun];
  return atUsualBasket(salesOf(first, last), salesOf(dayAfter(begun, -BASKET_DAYS), dayAfter(begun, -1)));
}

const daysOf = ({ days }: ChangeSeries, from: string, to: string) => days.filter(({ label }) => label >= from && label <= to);

/** The goals whose conversions were read. */
function goalsOf({ series, base }: Scene): (number | undefined)[] {
  const all = [...series.values()].filter(({ metric }) => metric === 'conversionCount').map(({ place }) => place.goalId);
  return [...new Set([base.goalId, ...all])];
}

/** Puts changes in order: by what they cost of the main total, then of conversions of other goals, then the clearest first. */
function rankChanges(scene: Scene, events: readonly ChangeEvent[]): RankedChange[] {
  const main = outcomeOf(scene);
  const sizeOf = (cost: Cost | undefined) => Math.abs(cost?.value ?? 0);
  const goals = goalsOf(scene);
  const ranked = events.map((event): RankedChange => {
    const ofGoals = goals.flatMap((goalId) => costOf(scene, event, 'conversionCount', goalId) ?? []);
    const [largest] = ofGoals.toSorted((a, b) => sizeOf(b) - sizeOf(a));
    const cost = main === 'conversionCount' ? largest : (costOf(scene, event, main, scene.base.goalId) ?? largest);
    return { ...event, cost };
  });
  const classOf = ({ cost }: RankedChange) => (cost ? Number(cost.metric !== main) : 2);
  return ranked.toSorted((a, b) => classOf(a) - classOf(b) || sizeOf(b.cost) - sizeOf(a.cost) || a.pValue - b.pValue);
}
