import * as z from 'zod';
import { defineOperation, LIST_KEEP_MS } from '../operation.ts';
import * as p from '../params.ts';
import { goal, mapping, pageGroup, pageGroupWithMappings, segment, zone, zoning } from './records.ts';

const read = { method: 'GET', base: 'service', scope: 'metrics', section: '4.3', safe: true, keepMs: LIST_KEEP_MS } as const;
const projectId = p.id.optional();

/** Segments of the project. */
export const listSegments = defineOperation({
  ...read,
  path: '/v1/segments',
  input: z.strictObject({ projectId, ids: p.ids.optional() }),
  payload: z.array(segment),
});

/** Goals of the project. */
export const listGoals = defineOperation({
  ...read,
  path: '/v1/goals',
  input: z.strictObject({ projectId }),
  payload: z.array(goal),
});

/** Mappings of the project. */
export const listMappings = defineOperation({
  ...read,
  path: '/v1/mappings',
  input: z.strictObject({ projectId, ids: p.ids.optional() }),
  payload: z.array(mapping),
});

/** One mapping by its id. */
export const getMapping = defineOperation({
  ...read,
  path: '/v1/mappings/{mappingId}',
  input: z.strictObject({ projectId, mappingId: p.id }),
  payload: z.array(mapping),
});

/** Page groups of one mapping. */
export const listPageGroups = defineOperation({
  ...read,
  path: '/v1/mappings/{mappingId}/page-groups',
  input: z.strictObject({ projectId, mappingId: p.id }),
  payload: z.array(pageGroup),
});

/** One page group, with the mappings that hold it. */
export const getPageGroup = defineOperation({
  ...read,
  path: '/v1/page-groups/{pageGroupId}',
  input: z.strictObject({ projectId, pageGroupId: p.id }),
  payload: pageGroupWithMappings,
});

/** Zonings of one page group. */
export const listZonings = defineOperation({
  ...read,
  path: '/v1/page-groups/{pageGroupId}/zonings',
  input: z.strictObject({ projectId, pageGroupId: p.id }),
  payload: z.array(zoning),
});

/** Zones of one zoning. */
export const listZones = defineOperation({
  ...read,
  path: '/v1/zonings/{zoningId}/zones',
  input: z.strictObject({ projectId, zoningId: p.id }),
  payload: z.array(zone),
});
