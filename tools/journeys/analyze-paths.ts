import * as z from 'zod';
import { pathsShape } from '../../src/domain/journeys/paths.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';
import { visitParams } from '../../src/tooling/visit-params.ts';

export default defineAnsweringTool({
  name: 'analyze_paths',
  title: 'Analyze paths',
  description:
    'Ways, routes visitors, users, people, buyers go, reach, click next: what they see, do after or before pages, ' +
    'previous, next pages, sequence from landing page to exit, before order (purchase) or leave; most common, usual, ' +
    'typical path, journeys, user flows, navigation. Uses downloads.',
  searchHint: 'user flow, page sequence, reached page, end up, click path, exit pages',
  annotations: READ,
  scope: 'data-export',
  idsFrom: 'list_workspace',
  charted: true,
  input: z.strictObject({
    from: z.string().trim().min(1).describe('Page, e.g. /search, /p/*, or entry'),
    direction: z.enum(['after', 'before']).describe('Default after').optional(),
    depth: z.int().min(1).max(5).describe('Pages deep, default 3').optional(),
    ...visitParams,
    limit: z.int().min(1).max(50).describe('Rows per depth, default 10').optional(),
  }),
  output: pathsShape,
  async handler(input, context) {
    const { analyzePaths } = await import('../../src/usecases/journeys/analyze-paths.ts');
    return analyzePaths(input, context);
  },
});
