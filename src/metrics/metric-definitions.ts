import * as api from '../api/operations/metrics.ts';
import { nameOf } from './metric-names.ts';
import type { Combination, Count, Definitions, RangeMetricDefinition, SiteMetricDefinition } from './range-metric-definition.ts';

const SUM: Combination = { by: 'sum' };
const MEAN_OF_VISITS: Combination = { by: 'mean', weight: 'visits' };
const without = (counts: string): Combination => ({ by: 'refusal', lacks: counts });

/** Site metrics (section 4.4), in the order of the reference, which states no unit of `sessionTimeAverage`. */
export const siteMetricDefinitions: Definitions<'site', SiteMetricDefinition> = {
  bounceRate: {
    endpoint: api.getSiteBounceRate,
    aliases: ['bounces', 'bounce'],
    unit: '%',
    words: 'Percent of single-page visits.',
    combination: MEAN_OF_VISITS,
    countedFrom: ['visits'],
  },
  cartAverage: {
    endpoint: api.getSiteCartAverage,
    aliases: [
      'aov',
      'average order value',
      'order value',
      'average basket',
      'basket value',
      'cart value',
      'basket size',
      'average basket value',
      'average cart value',
    ],
    unit: 'currency',
    words: 'Revenue per transaction (e-commerce).',
    combination: { by: 'quotient', numerator: 'revenueSum' },
    countedFrom: ['orders'],
  },
  conversionCount: {
    endpoint: api.getSiteConversions,
    aliases: ['goal completions', 'number of conversions'],
    unit: 'sessions',
    words: 'Sessions reaching a goal. Default: the e-commerce goal, of shops.',
    combination: SUM,
    perGoal: true,
    countedFrom: ['orders'],
  },
  conversionRate: {
    endpoint: api.getSiteConversionRate,
    aliases: ['cr', 'cvr', 'conversion', 'conv rate', 'goal conversion rate'],
    unit: '%',
    words: 'Percent of sessions reaching a goal. Default: the e-commerce goal, of shops.',
    combination: { by: 'ratio', numerator: 'conversionCount', denominator: 'visits', times: 100 },
    perGoal: true,
    countedFrom: ['visits', 'orders'],
  },
  pageviewAverage: {
    endpoint: api.getSitePageviewAverage,
    aliases: [
      'pages per visit',
      'pages per session',
      'page views per session',
      'average page views',
      'views per visit',
      'views per session',
      'page depth',
    ],
    unit: 'views per session',
    words: 'Average page views per session; refreshed pages count once.',
    combination: MEAN_OF_VISITS,
    countedFrom: ['visits'],
  },
  revenueSum: {
    endpoint: api.getSiteRevenue,
    aliases: ['total revenue', 'sales', 'turnover'],
    unit: 'currency',
    words: 'Sum of transaction amounts (e-commerce).',
    combination: SUM,
    countedFrom: ['orders'],
  },
  sessionTimeAverage: {
    endpoint: api.getSiteSessionTimeAverage,
    aliases: [
      'session duration',
      'average session duration',
      'visit duration',
      'time on site',
      'average session time',
      'average time on site',
      'average visit duration',
      'time per visit',
    ],
    unit: 'time, unit not documented',
    words: 'Average stay from entry through exit (unit undocumented).',
    combination: MEAN_OF_VISITS,
    countedFrom: ['visits'],
  },
  visits: {
    endpoint: api.getSiteVisits,
    aliases: ['sessions', 'session', 'visit', 'traffic', 'number of visits', 'number of sessions'],
    unit: 'sessions',
    words: 'Number of sessions.',
    combination: SUM,
    countedFrom: ['visits'],
  },
};

/** Why a zone of a page has no figures, as a sentence. */
export const APP_ZONES =
  'Taps, swipes and all other zone metrics are of apps: a zone of a web page has none in this interface, where site metrics by segment ' +
  'come nearest.';

const perUser = without('users');
const perTap = without('taps');

/** Metrics of app zones (section 4.4); the unit of time is stated for `timeBeforeFirstTap`. */
export const zoneMetricDefinitions: Definitions<'zone', RangeMetricDefinition> & {
  readonly avgTransactionAfterTap: RangeMetricDefinition;
} = {
  avgTransactionAfterTap: {
    endpoint: api.getZoneMetrics,
    aliases: [],
    unit: 'transactions, unit not documented',
    words: 'Transactions after a tap on the zone, averaged; the reference does not define it further.',
    combination: perTap,
  },
  avgConversionAfterTap: {
    endpoint: api.getZoneConversionRatePerTap,
    aliases: ['conversion rate per tap'],
    unit: '%',
    words: 'Percentage of users tapping the zone and reaching the goal in one session.',
    combination: perUser,
    perGoal: true,
    onlyAlone: true,
  },
  dragFlickRate: {
    endpoint: api.getZoneSwipeRate,
    aliases: [],
    unit: '%',
    words: 'Percentage of users swiping the zone.',
    combination: perUser,
  },
  dragFlickRecurrence: {
    endpoint: api.getZoneSwipeRecurrence,
    aliases: [],
    unit: 'swipes per screen view',
    words: 'Average swipes per engaged screen view.',
    combination: without('swipes'),
  },
  revenuePerTap: {
    endpoint: api.getZoneRevenuePerTap,
    aliases: [],
    unit: 'currency',
    words: 'Average revenue per tap.',
    combination: perTap,
  },
  tapRate: {
    endpoint: api.getZoneTapRate,
    aliases: [],
    unit: '%',
    words: 'Percentage of users tapping the zone (once suffices).',
    combination: perUser,
  },
  tapRecurrence: {
    endpoint: api.getZoneTapRecurrence,
    aliases: [],
    unit: 'taps per screen view',
    words: 'Average taps per engaged screen view.',
    combination: perTap,
  },
  timeBeforeFirstTap: {
    endpoint: api.getZoneTimeBeforeFirstTap,
    aliases: ['time to first tap'],
    unit: 'seconds',
    words: 'Seconds from screen opening to first tap or touch.',
    combination: perTap,
  },
  totalRevenueWithTap: {
    endpoint: api.getZoneRevenue,
    aliases: ['zone revenue'],
    unit: 'currency',
    words: 'Revenue of users tapping the zone.',
    combination: SUM,
  },
};

const definitions: Readonly<Record<string, RangeMetricDefinition | undefined>> = { ...siteMetricDefinitions, ...zoneMetricDefinitions };

/** Names of all metrics of a site. */
export const siteMetricNames: readonly string[] = Object.keys(siteMetricDefinitions);

/** Names of the zone metrics that are in the answer with all of them. */
export const zoneMetricNames: readonly string[] = Object.entries<RangeMetricDefinition>(zoneMetricDefinitions).flatMap(
  ([name, { onlyAlone }]) => (onlyAlone ? [] : [name]),
);

/** The site metrics that are wrong where this count is. */
export function metricsCountedFrom(count: Count): string[] {
  return Object.entries(siteMetricDefinitions).flatMap(([name, { countedFrom }]) => (countedFrom.includes(count) ? [name] : []));
}

/** The definition of a site or zone metric; undefined for one that the reference does not know. */
export function definitionOf(metric: string): RangeMetricDefinition | undefined {
  return definitions[metric];
}

/** Whether a metric is a count or an amount, which days add up to. */
export function isCount(metric: string): boolean {
  return definitions[metric]?.combination.by === 'sum';
}

/** The verbs that follow a metric's name: `visits are`, `revenue was`. */
export function verbsOf(metric: string): { readonly is: string; readonly was: string } {
  const [counted = ''] = nameOf(metric).split(/ per | after | with /);
  return counted.endsWith('s') ? { is: 'are', was: 'were' } : { is: 'is', was: 'was' };
}

/** The unit of a metric with the currency filled in; undefined for a metric that the reference does not know. */
export function unitOf(metric: string, currency: string | undefined): string | undefined {
  const unit = definitions[metric]?.unit;
  return unit === 'currency' ? (currency ?? 'currency, code not given') : unit;
}

/** The metric of a zone that a metric of the site means where zones are asked about: their revenue is that of those who tap them. */
export function zoneMetricOf(metric: string): string {
  return metric === 'revenueSum' ? 'totalRevenueWithTap' : metric;
}

/** Says so, of a question that names zones. */
export function zoneMetricWords({
  metrics = [],
  zoneIds = [],
}: {
  metrics?: readonly string[] | undefined;
  zoneIds?: readonly number[] | undefined;
}) {
  const isMeant = zoneIds.length > 0 && metrics.includes('revenueSum');
  return isMeant ? ['Revenue of a zone = totalRevenueWithTap: that of users who tap it.'] : [];
}

/** A name as it is compared: letters and digits alone, in lower case. */
export function foldMetric(text: string): string {
  return text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

/** Metrics of site and zone by the folded names that people use for them. */
export const metricAliases: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries<RangeMetricDefinition>({ ...zoneMetricDefinitions, ...siteMetricDefinitions }).flatMap(([metric, { aliases }]) =>
    [nameOf(metric), ...aliases].map((alias) => [foldMetric(alias), metric]),
  ),
);
