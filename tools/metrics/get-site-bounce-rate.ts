import { getSiteBounceRate } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_site_bounce_rate',
  title: 'Bounce rate',
  description: 'Share of visitors who left without a second page, in percent.',
  operation: getSiteBounceRate,
  more: { period: p.period },
});
