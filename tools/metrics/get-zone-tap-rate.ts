import { zoneMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getZoneTapRate } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_zone_tap_rate',
  title: 'Tap rate',
  description: zoneMetricDefinitions.tapRate.words,
  operation: getZoneTapRate,
  idsFrom: 'list_zones',
  provisionalDays: 7,
  more: { zoneId: p.zoneId, period: p.period },
});
