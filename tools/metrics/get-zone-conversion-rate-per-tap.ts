import { getZoneConversionRatePerTap } from '../../src/api/operations/metrics.ts';
import { zoneMetricDefinitions } from '../../src/domain/metrics/metric-definitions.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineMetricTool({
  name: 'get_zone_conversion_rate_per_tap',
  title: 'Conversion rate per tap',
  description: zoneMetricDefinitions.avgConversionAfterTap.words,
  operation: getZoneConversionRatePerTap,
  idsFrom: 'list_zones',
  provisionalDays: 7,
  more: { zoneId: p.zoneId, period: p.period, goalId: p.goalId },
});
