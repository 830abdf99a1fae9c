import * as z from 'zod';
import { listCustomVariables } from '../../src/api/operations/data-export.ts';
import { customVariable } from '../../src/api/operations/records.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_custom_variables',
  title: 'List custom variables',
  description: 'Custom variables: position and values (custom_var).',
  annotations: READ,
  searchHint: 'custom variables collected',
  operation: listCustomVariables,
  input: z.strictObject({}),
  output: z.object({ customVariables: z.array(customVariable) }),
  async handler(input, { call }) {
    return { customVariables: await call(input) };
  },
});
