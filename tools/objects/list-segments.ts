import * as z from 'zod';
import { listSegments } from '../../src/api/operations/objects.ts';
import { segment } from '../../src/api/operations/records.ts';
import * as p from '../../src/tooling/params.ts';
import { documented } from '../../src/tooling/schema.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_segments',
  title: 'List segments',
  description: 'Segments of the project: id, name, source, dates.',
  annotations: READ,
  operation: listSegments,
  input: z.strictObject({ ids: p.idList.optional() }),
  output: z.object({ segments: z.array(documented(segment)) }),
  async handler(input, { call }) {
    return { segments: await call(input) };
  },
});
