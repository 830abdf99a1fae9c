import * as z from 'zod';
import { retentionShape } from '../../src/domain/journeys/retention.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';
import { visitParams } from '../../src/tooling/visit-params.ts';

export default defineAnsweringTool({
  name: 'analyze_retention',
  title: 'Analyze retention',
  description:
    'Who comes back, and when: what percent of new or first-time visitors, users and customers return or visit again after days or ' +
    'weeks; weekly cohorts by first session, over downloaded exports.',
  searchHint: 'retention cohorts, returning visitors, come back, repeat, churn, loyalty',
  annotations: READ,
  scope: 'data-export',
  idsFrom: 'list_workspace',
  charted: true,
  input: z.strictObject({
    by: z.enum(['day', 'week']).describe('Default day').optional(),
    periods: z.int().min(1).max(30).describe('Default 7 days, 8 weeks').optional(),
    breakdown: z.enum(['device', 'country', 'browser', 'referrer', 'entry_page']).optional(),
    ...visitParams,
  }),
  output: retentionShape,
  async handler(input, context) {
    const { analyzeRetention } = await import('../../src/usecases/journeys/analyze-retention.ts');
    return analyzeRetention(input, context);
  },
});
