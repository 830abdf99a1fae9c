import { getSiteRevenue } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';

export default defineMetricTool({
  name: 'get_site_revenue',
  title: 'Revenue',
  operation: getSiteRevenue,
});
