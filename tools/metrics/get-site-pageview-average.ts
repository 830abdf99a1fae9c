import { getSitePageviewAverage } from '../../src/api/operations/metrics.ts';
import { siteMetricDefinitions } from '../../src/domain/metrics/metric-definitions.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineMetricTool({
  name: 'get_site_pageview_average',
  title: 'Page views per session',
  description: siteMetricDefinitions.pageviewAverage.words,
  operation: getSitePageviewAverage,
  more: { period: p.period },
});
