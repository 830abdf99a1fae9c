import { listPageGroups } from '../../src/api/operations/objects.ts';
import { hint } from '../../src/lib/hint.ts';
import { defineRecordTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineRecordTool({
  name: 'list_page_groups',
  title: 'List page groups',
  description: 'Page groups (pages or screens) of a mapping.' + hint('list_zonings', ' Zonings: list_zonings.'),
  searchHint: 'page groups, screens',
  operation: listPageGroups,
  idsFrom: 'list_mappings',
  input: { mappingId: p.ref('mapping') },
  member: 'pageGroups',
  only: 'category',
});
