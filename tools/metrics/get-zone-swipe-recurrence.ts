import { getZoneSwipeRecurrence } from '../../src/api/operations/metrics.ts';
import { zoneMetricDefinitions } from '../../src/domain/metrics/metric-definitions.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineMetricTool({
  name: 'get_zone_swipe_recurrence',
  title: 'Swipe recurrence',
  description: zoneMetricDefinitions.dragFlickRecurrence.words,
  operation: getZoneSwipeRecurrence,
  idsFrom: 'list_zones',
  provisionalDays: 7,
  more: { zoneId: p.zoneId, period: p.period },
});
