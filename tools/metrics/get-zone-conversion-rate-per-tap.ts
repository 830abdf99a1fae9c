import { zoneMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getZoneConversionRatePerTap } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_zone_conversion_rate_per_tap',
  title: 'Conversion rate per tap',
  description: zoneMetricDefinitions.avgConversionAfterTap.words,
  operation: getZoneConversionRatePerTap,
  idsFrom: 'list_zones',
  provisionalDays: 7,
  more: { zoneId: p.zoneId, period: p.period, goalId: p.goalId },
});
