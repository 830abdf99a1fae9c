import { zoneMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getZoneTimeBeforeFirstTap } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_zone_time_before_first_tap',
  title: 'Time before first tap',
  description: zoneMetricDefinitions.timeBeforeFirstTap.words,
  operation: getZoneTimeBeforeFirstTap,
  idsFrom: 'list_zones',
  provisionalDays: 7,
  more: { zoneId: p.zoneId, period: p.period },
});
