import { listSegments } from '../../src/api/operations/objects.ts';
import { defineRecordTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineRecordTool({
  name: 'list_segments',
  title: 'List segments',
  description: 'Saved segments, audiences (groups of visitors): source, dates.',
  searchHint: 'segments, audiences, groups of visitors',
  operation: listSegments,
  input: { ids: p.idList.optional() },
  member: 'segments',
  only: 'source',
});
