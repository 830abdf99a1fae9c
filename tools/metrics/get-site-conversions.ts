import { siteMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getSiteConversions } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_site_conversions',
  title: 'Conversions',
  description: siteMetricDefinitions.conversionCount.words,
  operation: getSiteConversions,
  more: { period: p.period, goalId: p.goalId },
});
