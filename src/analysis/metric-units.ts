import { type RangeMetricDefinition, siteMetricDefinitions, zoneMetricDefinitions } from './metric-definitions.ts';

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
