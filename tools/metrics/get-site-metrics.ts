import { getSiteMetrics } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';

export default defineMetricTool({
  name: 'get_site_metrics',
  title: 'Site metrics',
  description: 'All site metrics of one range.',
  operation: getSiteMetrics,
});
