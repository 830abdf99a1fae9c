import * as z from 'zod';
import { funnelShape } from '../../src/domain/journeys/funnel-answer.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';
import { visitParams } from '../../src/tooling/visit-params.ts';
import { breakdowns } from '../../src/usecases/journeys/breakdowns.ts';

export default defineAnsweringTool({
  name: 'analyze_funnel',
  title: 'Analyze a funnel',
  description:
    'Where do we lose buyers or customers? Funnel of steps (product, cart, checkout, payment, order, form): how many people get from ' +
    'step to step and finish or complete it, where they drop off, quit, abandon and go instead, for whom, since when, in what time. ' +
    'Counts exported page views.',
  annotations: READ,
  searchHint: 'funnel, drop-off, checkout steps, cart abandonment, lose customers, completion rate',
  alwaysLoad: true,
  scope: 'data-export',
  idsFrom: 'list_workspace',
  charted: true,
  input: z.strictObject({
    steps: z.array(z.string().trim().min(1)).min(2).max(8).describe('e.g. /cart, /checkout/*, purchase'),
    order: z.enum(['in_order', 'direct']).describe('direct: the very next page').optional(),
    within: z.enum(['session', 'visitor']).describe('Default session').optional(),
    withinDays: z.int().min(1).max(30).describe('Of a visitor, default 7').optional(),
    breakdown: z.enum(breakdowns).optional(),
    baselineStartDate: p.startOf('What changed since').optional(),
    baselineEndDate: p.endOf('Its last day').optional(),
    ...visitParams,
  }),
  output: funnelShape,
  async handler(input, context) {
    const { analyzeFunnel } = await import('../../src/usecases/journeys/analyze-funnel.ts');
    return analyzeFunnel(input, context);
  },
});
