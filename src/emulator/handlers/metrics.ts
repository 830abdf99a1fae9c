import type { InputOf } from '../../api/operation.ts';
import * as metricOperations from '../../api/operations/metrics.ts';
import { instantOf, MAX_METRICS_RANGE_MS } from '../../api/params.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Project } from '../credentials.ts';
import type { Handlers, Place } from '../handler.ts';
import { invalid, Refusal } from '../responses.ts';
import {
  type Bucket,
  goalsOf,
  placeAmong,
  retentionStartMs,
  type Selection,
  type SiteTotals,
  segmentsOf,
  siteTotals,
  type ZoneTotals,
  zoneOf,
  zoneTotals,
} from '../world/sessions/index.ts';

type Query = InputOf<typeof metricOperations.getSiteMetrics>;
type ZoneQuery = InputOf<typeof metricOperations.getZoneMetrics> & Pick<Query, 'goalId'>;
type MetricEndpoint = (typeof metricOperations)[keyof typeof metricOperations];
type SiteMetricName = Extract<MetricEndpoint, { readonly of: 'site' }>['metric'];
type ZoneMetricName = Extract<MetricEndpoint, { readonly of: 'zone' }>['metric'] | 'avgTransactionAfterTap';

/** Rounds to four decimals, as published values are; null where there is nothing to divide by. */
function ratio(numerator: number, denominator: number): number | null {
  return denominator === 0 ? null : Math.round((numerator / denominator) * 10_000) / 10_000;
}

const siteFormulas: Record<SiteMetricName, (sum: SiteTotals) => number | null> = {
  bounceRate: (sum) => ratio(100 * sum.bounces, sum.visits),
  cartAverage: (sum) => ratio(sum.revenueCents / 100, sum.transactions),
  conversionCount: (sum) => sum.conversions,
  conversionRate: (sum) => ratio(100 * sum.conversions, sum.visits),
  pageviewAverage: (sum) => ratio(sum.pageViews, sum.visits),
  revenueSum: (sum) => sum.revenueCents / 100,
  // In seconds, as are the zones' times.
  sessionTimeAverage: (sum) => ratio(sum.durationMs / 1_000, sum.visits),
  visits: (sum) => sum.visits,
};

// "Users" of the reference are sessions that saw the zone's screen.
const zoneFormulas: Record<ZoneMetricName, (sum: ZoneTotals) => number | null> = {
  avgConversionAfterTap: (sum) => ratio(100 * sum.conversions, sum.tapSessions),
  avgTransactionAfterTap: (sum) => ratio(sum.transactions, sum.tapSessions),
  dragFlickRate: (sum) => ratio(100 * sum.swipeSessions, sum.sessions),
  dragFlickRecurrence: (sum) => ratio(sum.swipes, sum.swipeViews),
  revenuePerTap: (sum) => ratio(sum.revenueCents / 100, sum.taps),
  tapRate: (sum) => ratio(100 * sum.tapSessions, sum.sessions),
  tapRecurrence: (sum) => ratio(sum.taps, sum.tapViews),
  timeBeforeFirstTap: (sum) => ratio(sum.firstTapMs / 1_000, sum.tapViews),
  totalRevenueWithTap: (sum) => sum.revenueCents / 100,
};

const siteMetricNames = Object.keys(siteFormulas) as SiteMetricName[]; // Object.keys forgets the type
/** `getZoneMetrics` answers all but one. */
const zoneMetricNames = (Object.keys(zoneFormulas) as ZoneMetricName[]).filter((name) => name !== 'avgConversionAfterTap'); // likewise

function segmentBitsOf({ project, world }: Place, segmentIds: readonly number[]): number {
  const segments = world.account.lists(project.id).segments;
  return segmentIds.reduce((bits, segmentId) => {
    if (!segments.some(({ id }) => id === segmentId)) throw invalid(`segmentIds: project ${project.id} has no segment ${segmentId}`);
    return bits | (1 << placeAmong(segmentsOf(project.id), segmentId));
  }, 0);
}

function selectionOf(query: Query, place: Place): Selection {
  const { project, nowMs } = place;
  const startMs = instantOf(query.startDate);
  const endMs = instantOf(query.endDate);
  if (startMs < retentionStartMs(nowMs) || startMs > nowMs || endMs - startMs > MAX_METRICS_RANGE_MS) {
    const [first, last] = [retentionStartMs(nowMs), nowMs].map((instantMs) => isoTime(instantMs));
    throw invalid(`range is out of bounds: startDate must lie between ${first} and ${last}, endDate at most 92 days after it`);
  }
  return {
    projectId: project.id,
    startMs,
    endMs,
    device: query.device ?? 'all',
    segmentBits: segmentBitsOf(place, query.segmentIds ?? []),
    isDaily: query.period === 'daily',
    nowMs,
  };
}

/** Bit of the goal; without an id that of the e-commerce goal, 0 where the project has none. */
function goalBitOf({ project, world }: Place, goalId: number | undefined): number {
  const goals = world.account.lists(project.id).goals;
  const goal = goals.find(({ id, type }) => (goalId === undefined ? project.ecommerce && type === 'ECOMMERCE' : id === goalId));
  if (!goal && goalId !== undefined) throw invalid(`goalId: project ${project.id} has no goal ${goalId}`);
  return goal ? 1 << placeAmong(goalsOf(project.id), goal.id) : 0;
}

/** Why a project has no such metric; undefined where it has. */
function lackOf(metric: SiteMetricName, { ecommerce, name }: Project, { goalId }: Query): string | undefined {
  if (ecommerce) return undefined;
  if (metric === 'revenueSum' || metric === 'cartAverage') return `this metric exists only for e-commerce projects, which ${name} is not`;
  return (metric === 'conversionCount' || metric === 'conversionRate') && goalId === undefined
    ? `goalId is required: ${name} is not an e-commerce project and has no e-commerce goal`
    : undefined;
}

/** Values period by period; null where the period has not begun. */
function valuesOf<Name extends string, Sum extends Bucket>(
  names: readonly Name[],
  totals: readonly Sum[],
  valueOf: (name: Name, sum: Sum) => number | null,
  { project, nowMs }: Place,
  more: { device?: string } = {},
) {
  const values = totals.flatMap((sum) =>
    names.map((name) => ({
      startDate: isoTime(sum.startMs),
      endDate: isoTime(sum.endMs),
      value: sum.startMs > nowMs ? null : valueOf(name, sum),
      name,
      currency: project.currency,
      ...more,
    })),
  );
  return { values };
}

/** Values of some site metrics; null where the project cannot have them. */
function siteValues(names: readonly SiteMetricName[], query: Query, place: Place) {
  const totals = siteTotals(place.world.sessions, selectionOf(query, place), goalBitOf(place, query.goalId));
  const valueOf = (name: SiteMetricName, sum: SiteTotals) => (lackOf(name, place.project, query) ? null : siteFormulas[name](sum));
  return valuesOf(names, totals, valueOf, place);
}

/** Values of some metrics of a zone; there are none outside apps. */
function zoneValues(names: readonly ZoneMetricName[], query: ZoneQuery, place: Place) {
  const { project, world } = place;
  const zone = zoneOf(project.id, query.zoneId);
  if (!zone) throw new Refusal(404, 'NOT_FOUND', `project ${project.id} has no zone ${query.zoneId} of an app`);
  const totals = zoneTotals(world.sessions, selectionOf(query, place), zone, goalBitOf(place, query.goalId));
  return valuesOf(names, totals, (name, sum) => zoneFormulas[name](sum), place, { device: query.device ?? 'all' });
}

/** The handler of an operation that answers one metric. */
function one(endpoint: Extract<MetricEndpoint, { readonly of: string }>) {
  return (query: ZoneQuery, place: Place) => {
    if (endpoint.of === 'zone') return zoneValues([endpoint.metric], query, place);
    const lack = lackOf(endpoint.metric, place.project, query);
    if (lack !== undefined) throw invalid(lack);
    return siteValues([endpoint.metric], query, place);
  };
}

const ones = Object.entries(metricOperations).flatMap(([name, endpoint]) => ('of' in endpoint ? [[name, one(endpoint)] as const] : []));

/** Answers the metrics operations (section 4.4) from the same session columns that exports deliver. */
export const metricsHandlers = {
  ...Object.fromEntries(ones),
  getSiteMetrics: (query, place) => siteValues(siteMetricNames, query, place),
  getZoneMetrics: (query, place) => zoneValues(zoneMetricNames, query, place),
} as Handlers<keyof typeof metricOperations>; // Object.fromEntries forgets the names
