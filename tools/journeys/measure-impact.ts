import * as z from 'zod';
import { askedCondition, questionText } from '../../src/journeys/impact/conditions.ts';
import { impactShape } from '../../src/journeys/impact/impact-answer.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';
import { visitParams } from '../../src/tooling/visit-params.ts';

export default defineAnsweringTool({
  name: 'measure_impact',
  title: 'Measure impact',
  description:
    'How much do bugs, crashes, API errors, slow load time or rage clicks cost us (lost orders, money)? Did variant B win ' +
    'the experiment, do people using search buy more (conversion effect)? Counts downloaded exports.',
  searchHint:
    'A/B test winner, experiment, version B, JavaScript errors, exceptions, price of a bug, outage, lost sales, worth ' +
    'fixing, spend more than others, video, chat, filters, button',
  annotations: READ,
  scope: 'data-export',
  input: z.strictObject({
    conditions: z.array(askedCondition).min(1).max(10).describe('Default all').optional(),
    outcome: questionText.describe('revenue, bounce, /cart, event:NAME').default('purchase'),
    ...visitParams,
    limit: z.int().min(1).max(50).describe('Rows').default(8),
  }),
  output: impactShape,
  charted: true,
  async handler(question, { draw, ...context }) {
    const { measureImpact } = await import('../../src/journeys/impact/measure-impact.ts');
    return measureImpact(question, {
      ...context,
      draw: (drawn) => draw(async () => (await import('../../src/views/from-journeys.ts')).chartOfImpact(drawn)),
    });
  },
});
