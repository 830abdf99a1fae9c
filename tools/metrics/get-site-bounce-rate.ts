import { getSiteBounceRate } from '../../src/api/operations/metrics.ts';
import { siteMetricDefinitions } from '../../src/domain/metrics/metric-definitions.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineMetricTool({
  name: 'get_site_bounce_rate',
  title: 'Bounce rate',
  description: siteMetricDefinitions.bounceRate.words,
  operation: getSiteBounceRate,
  more: { period: p.period },
});
