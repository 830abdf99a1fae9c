import * as z from 'zod';
import { funnelShape } from '../../src/journeys/funnel-answer.ts';
import { breakdowns } from '../../src/journeys/visit-filters.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';
import { visitParams } from '../../src/tooling/visit-params.ts';

export default defineAnsweringTool({
  name: 'analyze_funnel',
  title: 'Analyze a funnel',
  description:
    'Where do people or customers drop off, who leaves? Funnel of steps (product, basket, cart, checkout, delivery, ' +
    'payment, order, booking, registration, sign up, form): how many get from step to step, finish, abandon or go instead; ' +
    'completion by device, mobile, new visitors, since when. Counts downloaded exports.',
  annotations: READ,
  searchHint:
    'conversion funnel, cart abandonment, lose customers, dropout, leak, registration, stuck, weakest step, quit, account ' +
    'creation, subscription',
  scope: 'data-export',
  charted: true,
  input: z.strictObject({
    steps: z.array(z.string().trim().min(1)).min(2).max(8).describe('e.g. /cart, /checkout/*, purchase'),
    order: z.enum(['in_order', 'direct']).describe('direct: adjacent pages').optional(),
    within: z.enum(['session', 'visitor']).describe('Default session').optional(),
    withinDays: z.int().min(1).max(30).describe('Per visitor, default 7').optional(),
    breakdown: z.enum(breakdowns).optional(),
    baselineStartDate: p.startOf('What changed since').optional(),
    baselineEndDate: p.endOf('Its last day').optional(),
    ...visitParams,
  }),
  output: funnelShape,
  async handler(input, { draw, ...context }) {
    const { analyzeFunnel } = await import('../../src/journeys/analyze-funnel.ts');
    return analyzeFunnel(input, {
      ...context,
      draw: (drawn) => draw(async () => (await import('../../src/views/from-journeys.ts')).funnelChart(drawn)),
    });
  },
});
