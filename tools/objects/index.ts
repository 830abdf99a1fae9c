import type { Toolset } from '../../src/tooling/tool.ts';
import getMapping from './get-mapping.ts';
import getPageGroup from './get-page-group.ts';
import listGoals from './list-goals.ts';
import listMappings from './list-mappings.ts';
import listPageGroups from './list-page-groups.ts';
import listSegments from './list-segments.ts';
import listZones from './list-zones.ts';
import listZonings from './list-zonings.ts';

export default {
  name: 'objects',
  description: 'Segments, goals, mappings, page groups, zonings and zones',
  tools: [listSegments, listGoals, listMappings, getMapping, listPageGroups, getPageGroup, listZonings, listZones],
} satisfies Toolset;
