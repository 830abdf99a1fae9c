import * as z from 'zod';
import { pathsShape } from '../../src/domain/journeys/paths.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';
import { visitParams } from '../../src/tooling/visit-params.ts';

export default defineAnsweringTool({
  name: 'analyze_paths',
  title: 'Analyze paths',
  description:
    'Where visitors go: what they see, visit or do after or before a page, next pages from entry or landing page to exit, before ' +
    'they buy (purchase) or leave; the commonest paths, journeys and flows, over downloaded exports of views.',
  searchHint: 'user flow, user journeys, next page, previous page, navigation, exit pages',
  annotations: READ,
  scope: 'data-export',
  idsFrom: 'list_workspace',
  charted: true,
  input: z.strictObject({
    from: z.string().trim().min(1).describe('A page such as /search or /p/*, or entry'),
    direction: z.enum(['after', 'before']).describe('Default after').optional(),
    depth: z.int().min(1).max(5).describe('Pages on, default 3').optional(),
    ...visitParams,
    limit: z.int().min(1).max(50).describe('Rows a depth, default 10').optional(),
  }),
  output: pathsShape,
  async handler(input, context) {
    const { analyzePaths } = await import('../../src/usecases/journeys/analyze-paths.ts');
    return analyzePaths(input, context);
  },
});
