import { zoneMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getZoneRevenuePerTap } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_zone_revenue_per_tap',
  title: 'Revenue per tap',
  description: zoneMetricDefinitions.revenuePerTap.words,
  operation: getZoneRevenuePerTap,
  idsFrom: 'list_zones',
  provisionalDays: 7,
  more: { zoneId: p.zoneId, period: p.period },
});
