import { getSiteRevenue } from '../../src/api/operations/metrics.ts';
import { siteMetricDefinitions } from '../../src/domain/metrics/metric-definitions.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineMetricTool({
  name: 'get_site_revenue',
  title: 'Revenue',
  description: siteMetricDefinitions.revenueSum.words,
  operation: getSiteRevenue,
  more: { period: p.period },
});
