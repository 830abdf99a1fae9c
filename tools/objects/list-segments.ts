import * as z from 'zod';
import { listSegments } from '../../src/api/operations/objects.ts';
import { segment } from '../../src/api/operations/records.ts';
import { onlyOf } from '../../src/domain/names/match-name.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_segments',
  title: 'List segments',
  description: 'Saved segments, audiences (groups of visitors): source, dates.',
  annotations: READ,
  searchHint: 'segments, audiences, groups of visitors',
  operation: listSegments,
  input: z.strictObject({ ids: p.idList.optional(), source: p.onlyThis }),
  output: z.object({ segments: z.array(segment) }),
  async handler({ source, ...input }, { call, note }) {
    return { segments: onlyOf('source', source, await call(input), note) };
  },
});
