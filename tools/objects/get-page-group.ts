import { getPageGroup } from '../../src/api/operations/objects.ts';
import * as p from '../../src/tooling/params.ts';
import { defineRecordTool } from '../../src/tooling/record-tool.ts';

export default defineRecordTool({
  name: 'get_page_group',
  title: 'Get a page group',
  description: 'One page group: category, mappings.',
  searchHint: 'one page group',
  operation: getPageGroup,
  idsFrom: 'list_page_groups',
  input: { pageGroupId: p.ref('page group') },
  member: 'pageGroup',
});
