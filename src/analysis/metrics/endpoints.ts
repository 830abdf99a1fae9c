import * as api from '../../api/operations/metrics.ts';
import { zoneMetricDefinitions } from '../metric-definitions.ts';
import { definitionOf } from '../metric-units.ts';

/** Endpoints that answer one metric. */
const single = {
  bounceRate: api.getSiteBounceRate,
  cartAverage: api.getSiteCartAverage,
  conversionCount: api.getSiteConversions,
  conversionRate: api.getSiteConversionRate,
  pageviewAverage: api.getSitePageviewAverage,
  revenueSum: api.getSiteRevenue,
  sessionTimeAverage: api.getSiteSessionTimeAverage,
  visits: api.getSiteVisits,
  avgConversionAfterTap: api.getZoneConversionRatePerTap,
  dragFlickRate: api.getZoneSwipeRate,
  dragFlickRecurrence: api.getZoneSwipeRecurrence,
  revenuePerTap: api.getZoneRevenuePerTap,
  tapRate: api.getZoneTapRate,
  tapRecurrence: api.getZoneTapRecurrence,
  timeBeforeFirstTap: api.getZoneTimeBeforeFirstTap,
  totalRevenueWithTap: api.getZoneRevenue,
};

export type MetricOperation = (typeof single)[keyof typeof single] | typeof api.getSiteMetrics | typeof api.getZoneMetrics;

/** One endpoint to ask; a zone's goal matters to one of them alone. */
export interface Endpoint {
  readonly operation: MetricOperation;
  readonly takesGoal: boolean;
}

const byName: Readonly<Record<string, MetricOperation | undefined>> = single;

/** Whether a metric is one of a zone. */
export function isZoneMetric(metric: string): boolean {
  return Object.hasOwn(zoneMetricDefinitions, metric);
}

/** The fewest endpoints that answer these metrics, all of the site or all of a zone. */
export function endpointsFor(metrics: readonly string[], daily: boolean): Endpoint[] {
  const isZone = metrics.some(isZoneMetric);
  const alone = metrics.filter((metric) => metric === 'avgConversionAfterTap');
  const together = metrics.filter((metric) => metric !== 'avgConversionAfterTap');
  const [first] = together;
  // The average cart has no `period`.
  const one = together.length === 1 && first !== undefined && !(daily && first === 'cartAverage') ? byName[first] : undefined;
  const many = isZone ? api.getZoneMetrics : api.getSiteMetrics;
  return [
    ...(first === undefined
      ? []
      : [{ operation: one ?? many, takesGoal: !isZone && (one === undefined || definitionOf(first)?.perGoal === true) }]),
    ...(alone.length > 0 ? [{ operation: single.avgConversionAfterTap, takesGoal: true }] : []),
  ];
}
