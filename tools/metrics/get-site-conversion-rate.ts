import { siteMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getSiteConversionRate } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_site_conversion_rate',
  title: 'Conversion rate',
  description: siteMetricDefinitions.conversionRate.words,
  operation: getSiteConversionRate,
  more: { period: p.period, goalId: p.goalId },
});
