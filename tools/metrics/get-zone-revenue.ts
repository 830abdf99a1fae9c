import { zoneMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getZoneRevenue } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_zone_revenue',
  title: 'Zone revenue',
  description: zoneMetricDefinitions.totalRevenueWithTap.words,
  operation: getZoneRevenue,
  idsFrom: 'list_zones',
  provisionalDays: 7,
  more: { zoneId: p.zoneId, period: p.period },
});
