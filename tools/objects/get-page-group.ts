import * as z from 'zod';
import { getPageGroup } from '../../src/api/operations/objects.ts';
import { pageGroupWithMappings } from '../../src/api/operations/records.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'get_page_group',
  title: 'Get a page group',
  description: 'One page group: category, mappings.',
  annotations: READ,
  searchHint: 'one page group',
  operation: getPageGroup,
  idsFrom: 'list_page_groups',
  input: z.strictObject({ pageGroupId: p.ref('page group') }),
  output: z.object({ pageGroup: pageGroupWithMappings }),
  async handler(input, { call }) {
    return { pageGroup: await call(input) };
  },
});
