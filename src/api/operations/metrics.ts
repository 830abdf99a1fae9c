import * as z from 'zod';
import { LIST_KEEP_MS, operationsWith } from '../operation.ts';
import * as p from '../params.ts';
import { metricValue, zoneMetricValue } from './records.ts';

/** Sessions may change for 7 days; one more, because a day ends at another instant in each zone. */
const FINAL_AFTER_MS = 8 * p.ONE_DAY_MS;
/** Final values change only where a segment or a goal is defined anew. */
const FINAL_KEEP_MS = 10 * 60_000;

function keepMs({ endDate }: Readonly<Record<string, unknown>>, nowMs: number): number {
  return p.instantOf(String(endDate)) <= nowMs - FINAL_AFTER_MS ? FINAL_KEEP_MS : LIST_KEEP_MS;
}

const read = operationsWith({ method: 'GET', base: 'service', scope: 'metrics', section: '4.4', safe: true, keepMs });

const range = {
  projectId: p.id.optional(),
  startDate: p.isoDate,
  endDate: p.isoDate,
  device: p.device.optional(),
  segmentIds: p.ids.optional(),
};
const period = p.period.optional();
const goalId = p.id.optional();
const zoneId = p.id;

/** Holds the rules that join two members: order, at most 92 days, `daily` only beyond one day. */
function query<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject({ ...range, ...shape }).superRefine((input: Record<string, unknown>, context) => {
    // The members of `range`, which every shape here is given.
    const { startDate, endDate } = input as { startDate: string; endDate: string };
    const rangeMs = p.requireOrder(context, [startDate, endDate], ['startDate', 'endDate']);
    if (rangeMs === undefined) return;
    if (rangeMs > p.MAX_METRICS_RANGE_MS) {
      p.complain(context, 'at most 92 days (2,208 hours) after startDate; ask for shorter ranges', 'endDate');
    }
    if (input['period'] === 'daily' && rangeMs <= p.ONE_DAY_MS) {
      p.complain(context, 'daily needs a range longer than one day (24 hours); leave it out', 'period');
    }
  });
}

function siteEndpoint<Shape extends z.ZodRawShape>(path: `/${string}` | '', shape: Shape) {
  return read(`/v1/metrics/site${path}`, query(shape), z.looseObject({ values: z.array(metricValue) }));
}

function zoneEndpoint<Shape extends z.ZodRawShape>(path: `/${string}` | '', shape: Shape) {
  return read(`/v1/metrics/zone/{zoneId}${path}`, query({ zoneId, period, ...shape }), z.looseObject({ values: z.array(zoneMetricValue) }));
}

/** The endpoint that answers one metric of the site alone, under the name that the metric has in its answer. */
function siteMetric<const Metric extends string, Shape extends z.ZodRawShape>(metric: Metric, path: `/${string}`, shape: Shape) {
  return { ...siteEndpoint(path, shape), of: 'site', metric } as const;
}

/** The same of a zone. */
function zoneMetric<const Metric extends string, Shape extends z.ZodRawShape>(metric: Metric, path: `/${string}`, shape: Shape) {
  return { ...zoneEndpoint(path, shape), of: 'zone', metric } as const;
}

export const getSiteMetrics = siteEndpoint('', { period, goalId });
export const getSiteBounceRate = siteMetric('bounceRate', '/bounce-rate', { period });
export const getSiteCartAverage = siteMetric('cartAverage', '/cart-average', {});
export const getSiteConversions = siteMetric('conversionCount', '/conversions', { period, goalId });
export const getSiteConversionRate = siteMetric('conversionRate', '/conversion-rate', { period, goalId });
export const getSitePageviewAverage = siteMetric('pageviewAverage', '/pageview-average', { period });
export const getSiteRevenue = siteMetric('revenueSum', '/revenue', { period });
export const getSiteSessionTimeAverage = siteMetric('sessionTimeAverage', '/session-time-average', { period });
export const getSiteVisits = siteMetric('visits', '/visits', { period });

export const getZoneMetrics = zoneEndpoint('', {});
export const getZoneConversionRatePerTap = zoneMetric('avgConversionAfterTap', '/conversion-rate-per-tap', { goalId });
export const getZoneRevenue = zoneMetric('totalRevenueWithTap', '/revenue', {});
export const getZoneRevenuePerTap = zoneMetric('revenuePerTap', '/revenue-per-tap', {});
export const getZoneSwipeRate = zoneMetric('dragFlickRate', '/swipe-rate', {});
export const getZoneSwipeRecurrence = zoneMetric('dragFlickRecurrence', '/swipe-recurrence', {});
export const getZoneTapRate = zoneMetric('tapRate', '/tap-rate', {});
export const getZoneTapRecurrence = zoneMetric('tapRecurrence', '/tap-recurrence', {});
export const getZoneTimeBeforeFirstTap = zoneMetric('timeBeforeFirstTap', '/time-before-first-tap', {});
