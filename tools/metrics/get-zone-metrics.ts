import { getZoneMetrics } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';

export default defineMetricTool({
  name: 'get_zone_metrics',
  title: 'Zone metrics',
  description: 'All metrics of one app zone: taps, swipes, seconds, revenue.',
  operation: getZoneMetrics,
});
