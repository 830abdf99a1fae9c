import * as z from 'zod';
import { listMappings } from '../../src/api/operations/objects.ts';
import { mapping } from '../../src/api/operations/records.ts';
import { hint } from '../../src/lib/hint.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_mappings',
  title: 'List mappings',
  description: 'Mappings of pages or screens into page groups' + hint('list_page_groups', ' (list_page_groups)') + '.',
  annotations: READ,
  searchHint: 'mappings of pages',
  operation: listMappings,
  input: z.strictObject({ ids: p.idList.optional() }),
  output: z.object({ mappings: z.array(mapping) }),
  async handler(input, { call }) {
    return { mappings: await call(input) };
  },
});
