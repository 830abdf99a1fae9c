import { getZoneConversionRatePerTap } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';

export default defineMetricTool({
  name: 'get_zone_conversion_rate_per_tap',
  title: 'Conversion rate per tap',
  operation: getZoneConversionRatePerTap,
});
