import { siteMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getSitePageviewAverage } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_site_pageview_average',
  title: 'Page views per session',
  description: siteMetricDefinitions.pageviewAverage.words,
  operation: getSitePageviewAverage,
  more: { period: p.period },
});
