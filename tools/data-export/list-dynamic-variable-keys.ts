import * as z from 'zod';
import { listDynamicVariableKeys } from '../../src/api/operations/data-export.ts';
import { dynamicVariableKey } from '../../src/api/operations/records.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_dynamic_variable_keys',
  title: 'List dynamic variable keys',
  description: 'Keys of dynamic variables (dynamic_var).',
  annotations: READ,
  searchHint: 'dynamic variables',
  operation: listDynamicVariableKeys,
  input: z.strictObject({ from: p.startOf('First day').optional(), to: p.endOf('Last day').optional() }),
  output: z.object({ keys: z.array(dynamicVariableKey) }),
  async handler(input, { call }) {
    return { keys: await call(input) };
  },
});
