import { getSitePageviewAverage } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';

export default defineMetricTool({
  name: 'get_site_pageview_average',
  title: 'Page views per session',
  operation: getSitePageviewAverage,
});
