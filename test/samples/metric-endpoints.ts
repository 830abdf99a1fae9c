import { readdirSync } from 'node:fs';
import type { OperationName } from '../../src/api/operations/index.ts';

/** An operation of section 4.4. */
export type MetricOperation = Extract<OperationName, `getSite${string}` | `getZone${string}`>;

/** One endpoint of section 4.4, with the names that the reference gives it. */
export interface MetricEndpoint {
  readonly of: 'site' | 'zone';
  readonly tool: string;
  readonly operation: MetricOperation;
  /** Below `/v1/metrics/site` or that of a zone; empty for the one that answers all metrics. */
  readonly path: string;
  /** Names in its answer. */
  readonly metrics: readonly string[];
}

/** Metrics that the reference does not name after their endpoint. */
const NAMES: Readonly<Record<string, string>> = {
  getSiteConversions: 'conversionCount',
  getSiteRevenue: 'revenueSum',
  getZoneConversionRatePerTap: 'avgConversionAfterTap',
  getZoneRevenue: 'totalRevenueWithTap',
  getZoneSwipeRate: 'dragFlickRate',
  getZoneSwipeRecurrence: 'dragFlickRecurrence',
};

const toolFiles = readdirSync(new URL('../../tools/metrics/', import.meta.url));
const camelCased = (text: string) => text.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

function endpointOf(of: 'site' | 'zone', stem: string): MetricEndpoint {
  const rest = stem.slice(`get-${of}-`.length);
  const operation = camelCased(stem) as MetricOperation; // a test compares these with the operations
  return { of, tool: stem.replaceAll('-', '_'), operation, path: `/${rest}`, metrics: [NAMES[operation] ?? camelCased(rest)] };
}

/** Endpoints that answer one metric: the name of the tool's file says operation, path and metric, whatever `src` declares. */
const single = toolFiles.flatMap((file) => {
  const [, stem = '', of] = /^(get-(site|zone)-.+)\.ts$/.exec(file) ?? [];
  return (of === 'site' || of === 'zone') && !stem.endsWith('-metrics') ? [endpointOf(of, stem)] : [];
});

const metricsOf = (wanted: 'site' | 'zone') => single.flatMap(({ of, metrics }) => (of === wanted ? metrics : []));

/** All endpoints of section 4.4. */
export const metricEndpoints: readonly MetricEndpoint[] = [
  { of: 'site', tool: 'get_site_metrics', operation: 'getSiteMetrics', path: '', metrics: metricsOf('site') },
  {
    of: 'zone',
    tool: 'get_zone_metrics',
    operation: 'getZoneMetrics',
    path: '',
    metrics: [...metricsOf('zone').filter((name) => name !== 'avgConversionAfterTap'), 'avgTransactionAfterTap'],
  },
  ...single,
];

/** A record with a member for each operation of section 4.4. */
export function forEachMetricOperation<T>(valueOf: (endpoint: MetricEndpoint) => T): Readonly<Record<MetricOperation, T>> {
  const entries = metricEndpoints.map((endpoint) => [endpoint.operation, valueOf(endpoint)] as const);
  return Object.fromEntries(entries) as Record<MetricOperation, T>; // a test compares these with the operations
}
