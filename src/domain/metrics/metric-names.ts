/** The names of metrics of site and zone, as they begin a sentence; apart from the definitions, which views in a browser do not hold. */
const metricNames: Readonly<Record<string, string | undefined>> = {
  bounceRate: 'Bounce rate',
  cartAverage: 'Average cart',
  conversionCount: 'Conversions',
  conversionRate: 'Conversion rate',
  pageviewAverage: 'Page views per visit',
  revenueSum: 'Revenue',
  sessionTimeAverage: 'Session time',
  visits: 'Visits',
  avgTransactionAfterTap: 'Transactions after a tap',
  avgConversionAfterTap: 'Conversion after a tap',
  dragFlickRate: 'Swipe rate',
  dragFlickRecurrence: 'Swipe recurrence',
  revenuePerTap: 'Revenue per tap',
  tapRate: 'Tap rate',
  tapRecurrence: 'Tap recurrence',
  timeBeforeFirstTap: 'Time before the first tap',
  totalRevenueWithTap: 'Revenue with a tap',
};

/** The usual name of a metric; as it came where the reference does not know it. */
export function nameOf(metric: string): string {
  return metricNames[metric] ?? metric;
}
