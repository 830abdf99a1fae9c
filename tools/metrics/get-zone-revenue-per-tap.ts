import { getZoneRevenuePerTap } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';

export default defineMetricTool({
  name: 'get_zone_revenue_per_tap',
  title: 'Revenue per tap',
  operation: getZoneRevenuePerTap,
});
