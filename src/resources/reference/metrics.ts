import { aggregateMetricNames, stepTimingNames, zoneMetricNames } from '../../api/metric-names.ts';
import { getSiteMetrics, getZoneMetrics } from '../../api/operations/metrics.ts';
import {
  type Combination,
  type MetricDefinition,
  type RangeMetricDefinition,
  siteMetricDefinitions,
  speedMetricDefinitions,
  zoneMetricDefinitions,
} from '../../domain/metrics/metric-definitions.ts';
import { SPEED_UNITS, usualSpeedMetrics } from '../../domain/speed/speed-metrics.ts';
import { markdownTable } from '../../lib/text-table.ts';

function table(definitions: Readonly<Record<string, MetricDefinition>>): string {
  const rows = Object.entries(definitions).map(([name, { unit, words }]) => [name, unit, words]);
  return markdownTable(['metric', 'unit', 'what it is'], rows);
}

function combined(combination: Combination): string {
  if (combination.by === 'sum') return 'add';
  if (combination.by === 'ratio') return `recompute from ${combination.numerator} and ${combination.denominator}`;
  if (combination.by === 'mean') return `mean weighted by ${combination.weight}`;
  return combination.by === 'quotient' ? `sum of ${combination.numerator} / sum of ${combination.numerator} / value` : 'ask for the whole';
}

function rangeTable(definitions: Readonly<Record<string, RangeMetricDefinition>>): string {
  const rows = Object.entries(definitions).map(([name, { unit, words, combination }]) => [name, unit, words, combined(combination)]);
  return markdownTable(['metric', 'unit', 'what it is', 'of several ranges'], rows);
}

/** Names of one list that the other lacks. */
function lacking(names: readonly string[], others: readonly string[]): string {
  return names.filter((name) => !others.includes(name)).join(', ');
}

/** Members of a step itself, beside its timings. */
const STEP_MEMBERS = ['weight', 'loadTime', 'requestsCount'];

/** Every metric with its unit and meaning. */
export default function writeMetrics(): string {
  const ofSteps = [...stepTimingNames, ...STEP_MEMBERS];
  const beyondAll = lacking(Object.keys(zoneMetricDefinitions), zoneMetricNames);
  return `Rates are percents (93.0 is 93 %). Never average rates or averages of days, devices or segments: ask for the whole range. null is no value, never 0.

## Site metrics (\`${getSiteMetrics.path}\`, section ${getSiteMetrics.section}; tool get_site_metrics)

${rangeTable(siteMetricDefinitions)}

## Zone metrics of apps (\`${getZoneMetrics.path}\`, section ${getZoneMetrics.section}; tool get_zone_metrics)

${rangeTable(zoneMetricDefinitions)}

get_zone_metrics gives all but ${beyondAll}, which only get_zone_conversion_rate_per_tap gives. The last 7 days may still change.

## Speed metrics (section 2.1; tools get_scenario_report, list_scenario_reports, get_step_report)

${SPEED_UNITS} Without \`metrics\` an answer holds ${usualSpeedMetrics.join(', ')}. In a summary, \`sum\` adds over the steps and \`average\` is per step: sums compare only between reports with as many finished steps. Leave runs with fail > 0 out of averages.

${table(speedMetricDefinitions)}

Only in summaries: ${lacking(aggregateMetricNames, ofSteps)}. Only in steps: ${lacking(ofSteps, aggregateMetricNames)}.`;
}
