import { listMappings } from '../../src/api/operations/objects.ts';
import { hint } from '../../src/lib/hint.ts';
import { defineRecordTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineRecordTool({
  name: 'list_mappings',
  title: 'List mappings',
  description: 'Mappings of pages or screens into page groups' + hint('list_page_groups', ' (list_page_groups)') + '.',
  searchHint: 'mappings of pages',
  operation: listMappings,
  input: { ids: p.idList.optional() },
  member: 'mappings',
});
