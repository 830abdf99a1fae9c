import * as z from 'zod';
import { LIST_KEEP_MS, operationsWith } from '../operation.ts';
import * as p from '../params.ts';
import { goal, mapping, pageGroup, pageGroupWithMappings, segment, zone, zoning } from './records.ts';

const read = operationsWith({ method: 'GET', base: 'service', scope: 'metrics', section: '4.3', safe: true, keepMs: LIST_KEEP_MS });
const projectId = p.id.optional();

/** Segments of the project. */
export const listSegments = read('/v1/segments', z.strictObject({ projectId, ids: p.ids.optional() }), z.array(segment));

/** Goals of the project. */
export const listGoals = read('/v1/goals', z.strictObject({ projectId }), z.array(goal));

/** Mappings of the project. */
export const listMappings = read('/v1/mappings', z.strictObject({ projectId, ids: p.ids.optional() }), z.array(mapping));

/** One mapping by its id. */
export const getMapping = read('/v1/mappings/{mappingId}', z.strictObject({ projectId, mappingId: p.id }), z.array(mapping));

/** Page groups of one mapping. */
export const listPageGroups = read(
  '/v1/mappings/{mappingId}/page-groups',
  z.strictObject({ projectId, mappingId: p.id }),
  z.array(pageGroup),
);

/** One page group, with the mappings that hold it. */
export const getPageGroup = read('/v1/page-groups/{pageGroupId}', z.strictObject({ projectId, pageGroupId: p.id }), pageGroupWithMappings);

/** Zonings of one page group. */
export const listZonings = read('/v1/page-groups/{pageGroupId}/zonings', z.strictObject({ projectId, pageGroupId: p.id }), z.array(zoning));

/** Zones of one zoning. */
export const listZones = read('/v1/zonings/{zoningId}/zones', z.strictObject({ projectId, zoningId: p.id }), z.array(zone));
