import { getSiteSessionTimeAverage } from '../../src/api/operations/metrics.ts';
import { siteMetricDefinitions } from '../../src/domain/metrics/metric-definitions.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineMetricTool({
  name: 'get_site_session_time_average',
  title: 'Session time',
  description: siteMetricDefinitions.sessionTimeAverage.words,
  operation: getSiteSessionTimeAverage,
  more: { period: p.period },
});
