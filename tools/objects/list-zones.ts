import * as z from 'zod';
import { listZones } from '../../src/api/operations/objects.ts';
import { zone } from '../../src/api/operations/records.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_zones',
  title: 'List zones',
  description: 'Zones (elements, buttons) of zonings or screens; ids for get_zone_… metrics.',
  annotations: READ,
  searchHint: 'zones, elements of screen',
  operation: listZones,
  idsFrom: 'list_zonings',
  input: z.strictObject({ zoningId: p.ref('zoning') }),
  output: z.object({ zones: z.array(zone) }),
  async handler(input, { call }) {
    return { zones: await call(input) };
  },
});
