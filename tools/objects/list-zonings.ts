import * as z from 'zod';
import { listZonings } from '../../src/api/operations/objects.ts';
import { zoning } from '../../src/api/operations/records.ts';
import { hint } from '../../src/lib/hint.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_zonings',
  title: 'List zonings',
  description: 'Zonings of page groups or screens.' + hint('list_zones', ' Zones: list_zones.'),
  annotations: READ,
  searchHint: 'zonings of page',
  operation: listZonings,
  idsFrom: 'list_page_groups',
  input: z.strictObject({ pageGroupId: p.ref('page group') }),
  output: z.object({ zonings: z.array(zoning) }),
  async handler(input, { call }) {
    return { zonings: await call(input) };
  },
});
