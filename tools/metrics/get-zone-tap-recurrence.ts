import { zoneMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getZoneTapRecurrence } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_zone_tap_recurrence',
  title: 'Tap recurrence',
  description: zoneMetricDefinitions.tapRecurrence.words,
  operation: getZoneTapRecurrence,
  idsFrom: 'list_zones',
  provisionalDays: 7,
  more: { zoneId: p.zoneId, period: p.period },
});
