import { type MetricDefinition, siteMetricDefinitions, zoneMetricDefinitions } from './metric-definitions.ts';

const definitions: Readonly<Record<string, MetricDefinition | undefined>> = { ...siteMetricDefinitions, ...zoneMetricDefinitions };

/** The unit of a metric with the currency filled in; undefined for a metric that the reference does not know. */
export function unitOf(metric: string, currency: string | undefined): string | undefined {
  const unit = definitions[metric]?.unit;
  return unit === 'currency' ? (currency ?? 'currency, code not given') : unit;
}
