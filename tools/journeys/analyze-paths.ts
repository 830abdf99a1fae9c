import * as z from 'zod';
import { pathsShape } from '../../src/journeys/paths.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';
import { visitParams } from '../../src/tooling/visit-params.ts';

export default defineAnsweringTool({
  name: 'analyze_paths',
  title: 'Analyze paths',
  description:
    'Ways and routes of visitors, users, people or buyers: what do they see, click or reach next, after or before a page? ' +
    'The most common or usual path, journeys, user flows, navigation from landing page to exit, before an order (purchase) ' +
    'or until they leave; previous and next pages. Counts downloaded exports.',
  searchHint: 'people, user flow, page sequence, usual, typical path, reached page, end up, click path, exit pages',
  annotations: READ,
  scope: 'data-export',
  charted: true,
  input: z.strictObject({
    from: z.string().trim().min(1).describe('Page, e.g. /search, /p/*, or entry'),
    direction: z.enum(['after', 'before']).describe('Default after').optional(),
    depth: z.int().min(1).max(5).describe('Pages deep, default 3').optional(),
    ...visitParams,
    limit: z.int().min(1).max(50).describe('Rows per depth, default 10').optional(),
  }),
  output: pathsShape,
  async handler(input, { draw, ...context }) {
    const { analyzePaths } = await import('../../src/journeys/analyze-paths.ts');
    return analyzePaths(input, {
      ...context,
      draw: (drawn) => draw(async () => (await import('../../src/views/from-journeys.ts')).flowChart(drawn)),
    });
  },
});
