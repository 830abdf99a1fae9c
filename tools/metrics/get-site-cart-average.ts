import { siteMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getSiteCartAverage } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';

export default defineMetricTool({
  name: 'get_site_cart_average',
  title: 'Cart average',
  description: siteMetricDefinitions.cartAverage.words,
  operation: getSiteCartAverage,
  more: {},
});
