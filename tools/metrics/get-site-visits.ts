import { getSiteVisits } from '../../src/api/operations/metrics.ts';
import { siteMetricDefinitions } from '../../src/domain/metrics/metric-definitions.ts';
import { defineMetricTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineMetricTool({
  name: 'get_site_visits',
  title: 'Visits',
  description: siteMetricDefinitions.visits.words,
  operation: getSiteVisits,
  more: { period: p.period },
});
