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

/** The factors of each product; the visits that are one of a zone's revenue are told of the site. */
const FACTORS: Readonly<Record<string, readonly string[]>> = {
  conversionCount: ['visits', 'conversionRate'],
  revenueSum: ['visits', 'conversionRate', 'cartAverage'],
  totalRevenueWithTap: ['tapRate', 'revenuePerTap'],
};

/** The metrics that a metric is the product of; none of one that is measured by itself, as revenue beside conversions of another goal. */
export function factorsOf(
  metric: string,
  { isOfOtherGoal = false }: { readonly isOfOtherGoal?: boolean | undefined } = {},
): readonly string[] {
  return (isOfOtherGoal && metric === 'revenueSum' ? undefined : FACTORS[metric]) ?? [];
}

/** Whether something is of a metric or of what it is the product of. */
export const isOfMetric = (subject: string, metric: string, visits?: Parameters<typeof factorsOf>[1]): boolean =>
  subject === metric || factorsOf(metric, visits).includes(subject);
