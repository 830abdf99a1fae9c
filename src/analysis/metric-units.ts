import type { siteMetricNames, zoneMetricNames } from '../api/metric-names.ts';

type MetricName = (typeof siteMetricNames)[number] | (typeof zoneMetricNames)[number] | 'avgConversionAfterTap';

/** What a metric's number is; the reference states the unit of time only for `timeBeforeFirstTap`. */
export const metricUnits: Record<MetricName, string> = {
  bounceRate: '%',
  cartAverage: 'currency',
  conversionCount: 'sessions',
  conversionRate: '%',
  pageviewAverage: 'views per session',
  revenueSum: 'currency',
  sessionTimeAverage: 'time, unit not documented',
  visits: 'sessions',
  avgTransactionAfterTap: 'transactions, unit not documented',
  avgConversionAfterTap: '%',
  dragFlickRate: '%',
  dragFlickRecurrence: 'swipes per screen view',
  revenuePerTap: 'currency',
  tapRate: '%',
  tapRecurrence: 'taps per screen view',
  timeBeforeFirstTap: 'seconds',
  totalRevenueWithTap: 'currency',
};

/** The unit of a metric with the currency filled in; undefined for a metric that the reference does not know. */
export function unitOf(metric: string, currency: string | undefined): string | undefined {
  const unit = (metricUnits as Record<string, string | undefined>)[metric];
  return unit === 'currency' ? (currency ?? 'currency, code not given') : unit;
}
