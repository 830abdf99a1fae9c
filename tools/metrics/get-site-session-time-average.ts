import { siteMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getSiteSessionTimeAverage } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_site_session_time_average',
  title: 'Session time',
  description: siteMetricDefinitions.sessionTimeAverage.words,
  operation: getSiteSessionTimeAverage,
  more: { period: p.period },
});
