import { listZones } from '../../src/api/operations/objects.ts';
import { defineRecordTool } from '../../src/tooling/metric-tool.ts';
import * as p from '../../src/tooling/params.ts';

export default defineRecordTool({
  name: 'list_zones',
  title: 'List zones',
  description: 'Zones (elements, buttons) of zonings or screens; ids for get_zone_… metrics.',
  searchHint: 'zones, elements of screen',
  operation: listZones,
  idsFrom: 'list_zonings',
  input: { zoningId: p.ref('zoning') },
  member: 'zones',
});
