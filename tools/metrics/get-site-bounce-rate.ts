import { siteMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getSiteBounceRate } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_site_bounce_rate',
  title: 'Bounce rate',
  description: siteMetricDefinitions.bounceRate.words,
  operation: getSiteBounceRate,
  more: { period: p.period },
});
