import { getZoneTimeBeforeFirstTap } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';

export default defineMetricTool({
  name: 'get_zone_time_before_first_tap',
  title: 'Time before first tap',
  operation: getZoneTimeBeforeFirstTap,
});
