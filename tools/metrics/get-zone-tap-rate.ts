import { getZoneTapRate } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';

export default defineMetricTool({
  name: 'get_zone_tap_rate',
  title: 'Tap rate',
  operation: getZoneTapRate,
});
