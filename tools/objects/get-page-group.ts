import { getPageGroup } from '../../src/api/operations/objects.ts';
import { defineRecordTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

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
