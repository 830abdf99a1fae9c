import { getMapping } from '../../src/api/operations/objects.ts';
import { defineRecordTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineRecordTool({
  name: 'get_mapping',
  title: 'Get a mapping',
  description: 'One mapping by id or name.',
  searchHint: 'one mapping',
  operation: getMapping,
  idsFrom: 'list_mappings',
  input: { mappingId: p.ref('mapping') },
  member: 'mappings',
});
