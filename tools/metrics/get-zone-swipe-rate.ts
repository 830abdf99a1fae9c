import { getZoneSwipeRate } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';

export default defineMetricTool({
  name: 'get_zone_swipe_rate',
  title: 'Swipe rate',
  operation: getZoneSwipeRate,
});
