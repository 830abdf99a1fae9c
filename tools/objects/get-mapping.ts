import * as z from 'zod';
import { getMapping } from '../../src/api/operations/objects.ts';
import { mapping } from '../../src/api/operations/records.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'get_mapping',
  title: 'Get a mapping',
  description: 'One mapping by id or name.',
  annotations: READ,
  searchHint: 'one mapping',
  operation: getMapping,
  idsFrom: 'list_mappings',
  input: z.strictObject({ mappingId: p.ref('mapping') }),
  output: z.object({ mappings: z.array(mapping) }),
  async handler(input, { call }) {
    return { mappings: await call(input) };
  },
});
