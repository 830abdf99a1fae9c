import { listZonings } from '../../src/api/operations/objects.ts';
import { hint } from '../../src/lib/hint.ts';
import { defineRecordTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineRecordTool({
  name: 'list_zonings',
  title: 'List zonings',
  description: 'Zonings of page groups or screens.' + hint('list_zones', ' Zones: list_zones.'),
  searchHint: 'zonings of page',
  operation: listZonings,
  idsFrom: 'list_page_groups',
  input: { pageGroupId: p.ref('page group') },
  member: 'zonings',
});
