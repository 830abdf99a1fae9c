import { getZoneRevenue } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';

export default defineMetricTool({
  name: 'get_zone_revenue',
  title: 'Zone revenue',
  operation: getZoneRevenue,
});
