import * as z from 'zod';
import { listGoals } from '../../src/api/operations/objects.ts';
import { goal } from '../../src/api/operations/records.ts';
import { onlyOf } from '../../src/domain/names/match-name.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_goals',
  title: 'List goals',
  description: 'Goals defined, conversions counted: type, dates.',
  annotations: READ,
  searchHint: 'goals, conversions defined',
  operation: listGoals,
  input: z.strictObject({ type: p.onlyThis }),
  output: z.object({ goals: z.array(goal) }),
  async handler({ type, ...input }, { call, note }) {
    return { goals: onlyOf('type', type, await call(input), note) };
  },
});
