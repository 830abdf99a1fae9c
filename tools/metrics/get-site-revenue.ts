import { siteMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getSiteRevenue } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_site_revenue',
  title: 'Revenue',
  description: siteMetricDefinitions.revenueSum.words,
  operation: getSiteRevenue,
  more: { period: p.period },
});
