import { getSiteConversionRate } from '../../src/api/operations/metrics.ts';
import { siteMetricDefinitions } from '../../src/domain/metrics/metric-definitions.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineMetricTool({
  name: 'get_site_conversion_rate',
  title: 'Conversion rate',
  description: siteMetricDefinitions.conversionRate.words,
  operation: getSiteConversionRate,
  more: { period: p.period, goalId: p.goalId },
});
