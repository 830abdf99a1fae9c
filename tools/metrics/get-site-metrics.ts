import { getSiteMetrics } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineMetricTool({
  name: 'get_site_metrics',
  title: 'Site metrics',
  description:
    'All eight site metrics of one range: bounce rate, cart average, conversions, conversion rate, page views, revenue, session ' +
    'time, visits.',
  operation: getSiteMetrics,
  more: { period: p.period, goalId: p.goalId },
});
