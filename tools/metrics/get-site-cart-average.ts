import { getSiteCartAverage } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';

export default defineMetricTool({
  name: 'get_site_cart_average',
  title: 'Cart average',
  operation: getSiteCartAverage,
});
