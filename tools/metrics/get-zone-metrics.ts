import { getZoneMetrics } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineMetricTool({
  name: 'get_zone_metrics',
  title: 'Zone metrics',
  description: 'All metrics of one app zone: taps, swipes, seconds, revenue.',
  operation: getZoneMetrics,
  idsFrom: 'list_zones',
  provisionalDays: 7,
  more: { zoneId: p.zoneId, period: p.period },
});
