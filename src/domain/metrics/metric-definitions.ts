import type { aggregateMetricNames, siteMetricNames, stepTimingNames, zoneMetricNames } from '../../api/metric-names.ts';

/** What a metric is and what its number counts. */
export interface MetricDefinition {
  /** `currency` stands for the currency of the value. */
  readonly unit: string;
  readonly words: string;
}

/** How the values of several ranges become one of all: always from what they are made of, never as their plain average. */
export type Combination =
  /** A count or an amount. */
  | { readonly by: 'sum' }
  /** An average over what `weight` counts, so that value × weight is a sum. */
  | { readonly by: 'mean'; readonly weight: string }
  /** `numerator` over a count that is in no answer, but is numerator / value in each range. */
  | { readonly by: 'quotient'; readonly numerator: string }
  /** Recomputed from counts that the interface gives: `times` × sum of `numerator` / sum of `denominator`. */
  | { readonly by: 'ratio'; readonly numerator: string; readonly denominator: string; readonly times: number }
  /** Not at all: counts that it is made of are in no answer of the interface. */
  | { readonly by: 'refusal'; readonly lacks: string };

/** A metric of site or zone: what else its number is good for. */
export interface RangeMetricDefinition extends MetricDefinition {
  readonly combination: Combination;
  /** Which way is good; left out where neither is by itself. */
  readonly better?: 'higher' | 'lower';
  /** Depends on the goal that is asked for. */
  readonly perGoal?: true;
}

const SUM: Combination = { by: 'sum' };
const MEAN_OF_VISITS: Combination = { by: 'mean', weight: 'visits' };
const without = (counts: string): Combination => ({ by: 'refusal', lacks: counts });

type SiteMetric = (typeof siteMetricNames)[number];
type ZoneMetric = (typeof zoneMetricNames)[number] | 'avgConversionAfterTap';
type SpeedMetric = (typeof aggregateMetricNames)[number] | (typeof stepTimingNames)[number] | 'requestsCount';

/** Site metrics (section 4.4); the reference states no unit of `sessionTimeAverage`. */
export const siteMetricDefinitions: Readonly<Record<SiteMetric, RangeMetricDefinition>> = {
  bounceRate: {
    unit: '%',
    words: 'Share of visitors who left without a second page, in percent.',
    combination: MEAN_OF_VISITS,
    better: 'lower',
  },
  cartAverage: {
    unit: 'currency',
    words: 'Revenue divided by transactions; e-commerce projects only.',
    combination: { by: 'quotient', numerator: 'revenueSum' },
    better: 'higher',
  },
  conversionCount: {
    unit: 'sessions',
    words: 'Sessions in which a goal was reached. Without goalId the e-commerce goal; other projects need one.',
    combination: SUM,
    better: 'higher',
    perGoal: true,
  },
  conversionRate: {
    unit: '%',
    words:
      'Sessions with the goal reached divided by all sessions, in percent. Without goalId the e-commerce goal; other projects need one.',
    combination: { by: 'ratio', numerator: 'conversionCount', denominator: 'visits', times: 100 },
    better: 'higher',
    perGoal: true,
  },
  pageviewAverage: {
    unit: 'views per session',
    words: 'Average page views per session; a refreshed page counts as one view.',
    combination: MEAN_OF_VISITS,
  },
  revenueSum: { unit: 'currency', words: 'Sum of transaction amounts; e-commerce projects only.', combination: SUM, better: 'higher' },
  sessionTimeAverage: {
    unit: 'time, unit not documented',
    words: 'Average time from entry to exit per visit; unit not documented.',
    combination: MEAN_OF_VISITS,
  },
  visits: { unit: 'sessions', words: 'Number of sessions.', combination: SUM, better: 'higher' },
};

/** What a zone of a page has no figures for, as a sentence. */
export const APP_ZONES =
  'Taps, swipes and all other zone metrics are of apps: a zone of a web page has none in this interface, where site metrics by segment ' +
  'come nearest.';

const perUser = without('users');
const perTap = without('taps');

/** Metrics of app zones (section 4.4); the unit of time is stated for `timeBeforeFirstTap`. */
export const zoneMetricDefinitions: Readonly<Record<ZoneMetric, RangeMetricDefinition>> = {
  avgTransactionAfterTap: {
    unit: 'transactions, unit not documented',
    words: 'Transactions after a tap on the zone, averaged; the reference does not define it further.',
    combination: perTap,
    better: 'higher',
  },
  avgConversionAfterTap: {
    unit: '%',
    words: 'Percentage of users who tapped the zone and reached the goal in the same session.',
    combination: perUser,
    better: 'higher',
    perGoal: true,
  },
  dragFlickRate: {
    unit: '%',
    words: 'Percentage of users with a swipe on the zone during a screen display.',
    combination: perUser,
  },
  dragFlickRecurrence: {
    unit: 'swipes per screen view',
    words: 'Average swipes per screen view when engaged.',
    combination: without('swipes'),
  },
  revenuePerTap: { unit: 'currency', words: 'Average revenue per tap on the zone.', combination: perTap, better: 'higher' },
  tapRate: {
    unit: '%',
    words: 'Percentage of users who tapped the zone at least once.',
    combination: perUser,
    better: 'higher',
  },
  tapRecurrence: { unit: 'taps per screen view', words: 'Average taps per screen view when engaged.', combination: perTap },
  timeBeforeFirstTap: { unit: 'seconds', words: 'Seconds between screen load and first tap.', combination: perTap },
  totalRevenueWithTap: {
    unit: 'currency',
    words: 'Total revenue of users who tapped the zone.',
    combination: SUM,
    better: 'higher',
  },
};

const ms = (words: string): MetricDefinition => ({ unit: 'ms', words });

/**
 * Speed metrics of summaries and steps (section 2.1). The reference gives names only: units and meanings are the usual ones of the field.
 */
export const speedMetricDefinitions: Readonly<Record<SpeedMetric, MetricDefinition>> = {
  navigationStart: { unit: 'ms since 1970', words: 'When the navigation began; all times of the step count from here.' },
  firstByte: ms('TTFB: until the first byte of the document, redirects and connecting included.'),
  lastByte: ms('Until the last byte of the document.'),
  domLoading: ms('The parser begins.'),
  domInteractive: ms('The document is parsed; deferred scripts have not run yet.'),
  domContentLoadedEventStart: ms('DOMContentLoaded begins: deferred scripts have run.'),
  domContentLoadedEventEnd: ms('DOMContentLoaded handlers have ended.'),
  domComplete: ms('The document and what it embeds have loaded.'),
  loadEventStart: ms('The load event begins.'),
  loadEvent: ms('The load event has ended.'),
  loadTime: ms('The step is fully loaded, later requests included.'),
  firstPaint: ms('The first pixel that differs from the empty page.'),
  startRender: ms('The first visible change, read from the film of the page.'),
  firstContentfulPaint: ms('FCP: the first text or image is painted.'),
  largestContentfulPaint: ms('LCP: the largest text or image of the screen is painted; stands for "the page is there".'),
  speedIndex: ms('How early the screen fills: mean time until its parts are visible.'),
  visuallyComplete: ms('The screen no longer changes.'),
  oldVisuallyComplete: ms('visuallyComplete as an earlier method measured it.'),
  firstConsistentlyInteractive: ms('TTI: from here on the main thread stays free enough to answer.'),
  totalBlockingTime: ms('TBT: what long tasks take beyond 50 ms each, added up; the lab stand-in for INP, scatters most (up to 3 times).'),
  maxPotentialFirstInputDelay: ms('The longest task: the longest that a first tap could have waited.'),
  totalLongTasks: ms('Duration of all long tasks (over 50 ms) together.'),
  lastLongTask: ms('When the last long task was.'),
  nbLongTasks: { unit: 'tasks', words: 'Number of long tasks (over 50 ms).' },
  cumulativeLayoutShift: { unit: 'no unit', words: 'CLS: how much visible content moves by itself; 0 is none.' },
  weight: { unit: 'bytes', words: 'Bytes transferred.' },
  request: { unit: 'requests', words: 'Number of requests (of a step: requestsCount).' },
  requestsCount: { unit: 'requests', words: 'Number of requests of one step.' },
};

const definitions: Readonly<Record<string, RangeMetricDefinition | undefined>> = { ...siteMetricDefinitions, ...zoneMetricDefinitions };

/** What is known of a site or zone metric; undefined for one that the reference does not know. */
export function definitionOf(metric: string): RangeMetricDefinition | undefined {
  return definitions[metric];
}

/** The unit of a metric with the currency filled in; undefined for a metric that the reference does not know. */
export function unitOf(metric: string, currency: string | undefined): string | undefined {
  const unit = definitions[metric]?.unit;
  return unit === 'currency' ? (currency ?? 'currency, code not given') : unit;
}

/** A name as it is compared: letters and digits alone, in lower case. */
export function foldMetric(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Everyday names of site and zone metrics, folded. */
export const metricAliases: Readonly<Record<string, SiteMetric | ZoneMetric>> = {
  conversions: 'conversionCount',
  goalcompletions: 'conversionCount',
  numberofconversions: 'conversionCount',
  cr: 'conversionRate',
  cvr: 'conversionRate',
  conversion: 'conversionRate',
  convrate: 'conversionRate',
  bounces: 'bounceRate',
  bounce: 'bounceRate',
  revenue: 'revenueSum',
  totalrevenue: 'revenueSum',
  sales: 'revenueSum',
  turnover: 'revenueSum',
  aov: 'cartAverage',
  averageordervalue: 'cartAverage',
  ordervalue: 'cartAverage',
  averagecart: 'cartAverage',
  averagebasket: 'cartAverage',
  basketvalue: 'cartAverage',
  cartvalue: 'cartAverage',
  pagespervisit: 'pageviewAverage',
  pagespersession: 'pageviewAverage',
  pageviewspervisit: 'pageviewAverage',
  pageviewspersession: 'pageviewAverage',
  averagepageviews: 'pageviewAverage',
  sessions: 'visits',
  session: 'visits',
  visit: 'visits',
  traffic: 'visits',
  sessiontime: 'sessionTimeAverage',
  sessionduration: 'sessionTimeAverage',
  averagesessionduration: 'sessionTimeAverage',
  visitduration: 'sessionTimeAverage',
  timeonsite: 'sessionTimeAverage',
  averagesessiontime: 'sessionTimeAverage',
  averagetimeonsite: 'sessionTimeAverage',
  averagevisitduration: 'sessionTimeAverage',
  timepervisit: 'sessionTimeAverage',
  numberofvisits: 'visits',
  numberofsessions: 'visits',
  goalconversionrate: 'conversionRate',
  basketsize: 'cartAverage',
  averagebasketvalue: 'cartAverage',
  averagecartvalue: 'cartAverage',
  viewspervisit: 'pageviewAverage',
  viewspersession: 'pageviewAverage',
  pagedepth: 'pageviewAverage',
  swiperate: 'dragFlickRate',
  swiperecurrence: 'dragFlickRecurrence',
  zonerevenue: 'totalRevenueWithTap',
  timetofirsttap: 'timeBeforeFirstTap',
  conversionratepertap: 'avgConversionAfterTap',
};
