import { getSiteConversionRate } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_site_conversion_rate',
  title: 'Conversion rate',
  description:
    'Sessions with the goal reached divided by all sessions, in percent. Without goalId the e-commerce goal; other projects need one.',
  operation: getSiteConversionRate,
  more: { period: p.period, goalId: p.goalId },
});
