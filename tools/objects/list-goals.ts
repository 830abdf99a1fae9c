import * as z from 'zod';
import { listGoals } from '../../src/api/operations/objects.ts';
import { goal } from '../../src/api/operations/records.ts';
import { documented } from '../../src/tooling/schema.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_goals',
  title: 'List goals',
  description: 'Goals of the project: id, name, type, dates.',
  annotations: READ,
  operation: listGoals,
  input: z.strictObject({}),
  output: z.object({ goals: z.array(documented(goal)) }),
  async handler(input, { call }) {
    return { goals: await call(input) };
  },
});
