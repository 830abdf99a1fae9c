import { siteMetricDefinitions } from '../../src/analysis/metric-definitions.ts';
import { getSiteVisits } from '../../src/api/operations/metrics.ts';
import { defineMetricTool } from '../../src/mcp/metric-tool.ts';
import * as p from '../../src/mcp/params.ts';

export default defineMetricTool({
  name: 'get_site_visits',
  title: 'Visits',
  description: siteMetricDefinitions.visits.words,
  operation: getSiteVisits,
  more: { period: p.period },
});
