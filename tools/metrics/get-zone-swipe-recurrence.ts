import { zoneMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getZoneSwipeRecurrence } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_zone_swipe_recurrence',
  title: 'Swipe recurrence',
  description: zoneMetricDefinitions.dragFlickRecurrence.words,
  operation: getZoneSwipeRecurrence,
  idsFrom: 'list_zones',
  provisionalDays: 7,
  more: { zoneId: p.zoneId, period: p.period },
});
