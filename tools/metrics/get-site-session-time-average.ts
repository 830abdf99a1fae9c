import { getSiteSessionTimeAverage } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';

export default defineMetricTool({
  name: 'get_site_session_time_average',
  title: 'Session time',
  operation: getSiteSessionTimeAverage,
});
