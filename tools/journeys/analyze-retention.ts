import * as z from 'zod';
import { retentionShape } from '../../src/journeys/retention.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';
import { visitParams } from '../../src/tooling/visit-params.ts';

export default defineAnsweringTool({
  name: 'analyze_retention',
  title: 'Analyze retention',
  description:
    'Who comes back? Do people return for a second visit, visit again, still come after days or weeks: the percent of new, ' +
    'first-time visitors, newcomers or customers; returning, loyal, repeat visitors, regulars, churn; weekly cohort, cohorts by ' +
    'first campaign. Counts downloaded exports.',
  searchHint: 'retention, newcomers, regulars, returning, loyalty, sticky, second visit, keep customers',
  annotations: READ,
  scope: 'data-export',
  charted: true,
  input: z.strictObject({
    by: z.enum(['day', 'week']).describe('Default day').optional(),
    periods: z.int().min(1).max(30).describe('Default 7 days, 8 weeks').optional(),
    breakdown: z.enum(['device', 'country', 'browser', 'referrer', 'entry_page']).optional(),
    ...visitParams,
  }),
  output: retentionShape,
  async handler(input, { draw, ...context }) {
    const { analyzeRetention } = await import('../../src/journeys/analyze-retention.ts');
    return analyzeRetention(input, {
      ...context,
      draw: (drawn) => draw(async () => (await import('../../src/views/from-journeys.ts')).cohortChart(drawn)),
    });
  },
});
