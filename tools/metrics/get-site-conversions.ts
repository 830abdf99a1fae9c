import { getSiteConversions } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_site_conversions',
  title: 'Conversions',
  description: 'Sessions in which a goal was reached. Without goalId the e-commerce goal; other projects need one.',
  operation: getSiteConversions,
  more: { period: p.period, goalId: p.goalId },
});
