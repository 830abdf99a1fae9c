import * as z from 'zod';
import { listPageGroups } from '../../src/api/operations/objects.ts';
import { pageGroup } from '../../src/api/operations/records.ts';
import { onlyOf } from '../../src/domain/names/match-name.ts';
import { hint } from '../../src/lib/hint.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_page_groups',
  title: 'List page groups',
  description: 'Page groups (pages or screens) of a mapping.' + hint('list_zonings', ' Zonings: list_zonings.'),
  annotations: READ,
  searchHint: 'page groups, screens',
  operation: listPageGroups,
  idsFrom: 'list_mappings',
  input: z.strictObject({ mappingId: p.ref('mapping'), category: p.onlyThis }),
  output: z.object({ pageGroups: z.array(pageGroup) }),
  async handler({ category, ...input }, { call, note }) {
    return { pageGroups: onlyOf('category', category, await call(input), note) };
  },
});
