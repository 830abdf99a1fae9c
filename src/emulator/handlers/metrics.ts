import type { InputOf } from '../../api/operation.ts';
import type * as metricOperations from '../../api/operations/metrics.ts';
import { instantOf, MAX_METRICS_RANGE_MS } from '../../api/params.ts';
import type { Project } from '../credentials.ts';
import type { Handlers, Place } from '../handler.ts';
import { Refusal } from '../responses.ts';
import {
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

function invalid(message: string): Refusal {
  return new Refusal(400, 'VALIDATION_ERROR', message);
}

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
  const segments = world.account.segments(project.id);
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
    const [first, last] = [retentionStartMs(nowMs), nowMs].map((instantMs) => new Date(instantMs).toISOString());
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

/** Bit of the goal; without an id that of the e-commerce goal, null where the project has none. */
function goalBitOf({ project, world }: Place, goalId: number | undefined): number | null {
  const goals = world.account.goals(project.id);
  const goal = goals.find(({ id, type }) => (goalId === undefined ? project.ecommerce && type === 'ECOMMERCE' : id === goalId));
  if (!goal && goalId !== undefined) throw invalid(`goalId: project ${project.id} has no goal ${goalId}`);
  return goal ? 1 << placeAmong(goalsOf(project.id), goal.id) : null;
}

function isoDates({ startMs, endMs }: { startMs: number; endMs: number }) {
  return { startDate: new Date(startMs).toISOString(), endDate: new Date(endMs).toISOString() };
}

/** Values of some site metrics, period by period; null where the project cannot have them or the period has not begun. */
function siteValues(names: readonly SiteMetricName[], query: Query, place: Place) {
  const { project, world, nowMs } = place;
  const selection = selectionOf(query, place);
  const goalBit = goalBitOf(place, query.goalId);
  const cannotHave = new Set<SiteMetricName>([
    ...(goalBit === null ? (['conversionCount', 'conversionRate'] as const) : []),
    ...(project.ecommerce ? [] : (['revenueSum', 'cartAverage'] as const)),
  ]);
  const values = siteTotals(world.sessions, selection, goalBit ?? 0).flatMap((sum) =>
    names.map((name) => ({
      ...isoDates(sum),
      value: cannotHave.has(name) || sum.startMs > nowMs ? null : siteFormulas[name](sum),
      name,
      currency: project.currency,
    })),
  );
  return { values };
}

/** Values of some metrics of a zone; there are none outside apps. */
function zoneValues(names: readonly ZoneMetricName[], query: ZoneQuery, place: Place) {
  const { project, world, nowMs } = place;
  const placed = zoneOf(project.id, query.zoneId);
  if (!placed?.zone.touch) throw new Refusal(404, 'NOT_FOUND', `project ${project.id} has no zone ${query.zoneId} of an app`);
  const totals = zoneTotals(world.sessions, selectionOf(query, place), placed, goalBitOf(place, query.goalId) ?? 0);
  const values = (totals ?? []).flatMap((sum) =>
    names.map((name) => ({
      ...isoDates(sum),
      value: sum.startMs > nowMs ? null : zoneFormulas[name](sum),
      name,
      currency: project.currency,
      device: query.device ?? 'all',
    })),
  );
  return { values };
}

function requireGoal({ ecommerce, name }: Project, { goalId }: Query): void {
  if (!ecommerce && goalId === undefined)
    throw invalid(`goalId is required: ${name} is not an e-commerce project and has no e-commerce goal`);
}

function requireCommerce({ ecommerce, name }: Project): void {
  if (!ecommerce) throw invalid(`this metric exists only for e-commerce projects, which ${name} is not`);
}

function site(name: SiteMetricName, check: (project: Project, query: Query) => void = () => undefined) {
  return (query: Query, place: Place) => {
    check(place.project, query);
    return siteValues([name], query, place);
  };
}

function zone(name: ZoneMetricName) {
  return (query: ZoneQuery, place: Place) => zoneValues([name], query, place);
}

type MetricOperation = Extract<keyof Handlers, `getSite${string}` | `getZone${string}`>;

/** Answers the metrics operations (section 4.4) from the same session columns that exports deliver. */
export const metricsHandlers: Pick<Handlers, MetricOperation> = {
  getSiteMetrics: (query, place) => siteValues(siteMetricNames, query, place),
  getSiteBounceRate: site('bounceRate'),
  getSiteCartAverage: site('cartAverage', requireCommerce),
  getSiteConversions: site('conversionCount', requireGoal),
  getSiteConversionRate: site('conversionRate', requireGoal),
  getSitePageviewAverage: site('pageviewAverage'),
  getSiteRevenue: site('revenueSum', requireCommerce),
  getSiteSessionTimeAverage: site('sessionTimeAverage'),
  getSiteVisits: site('visits'),
  getZoneMetrics: (query, place) => zoneValues(zoneMetricNames, query, place),
  getZoneConversionRatePerTap: zone('avgConversionAfterTap'),
  getZoneRevenue: zone('totalRevenueWithTap'),
  getZoneRevenuePerTap: zone('revenuePerTap'),
  getZoneSwipeRate: zone('dragFlickRate'),
  getZoneSwipeRecurrence: zone('dragFlickRecurrence'),
  getZoneTapRate: zone('tapRate'),
  getZoneTapRecurrence: zone('tapRecurrence'),
  getZoneTimeBeforeFirstTap: zone('timeBeforeFirstTap'),
};
