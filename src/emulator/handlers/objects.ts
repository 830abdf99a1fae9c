import type * as objects from '../../api/operations/objects.ts';
import { DAY_MS, isoTime } from '../../lib/clock.ts';
import { type Handlers, type Place } from '../handler.ts';
import { Refusal } from '../responses.ts';
import { type Aged, type Mapping, type PageGroup } from '../world/sessions/index.ts';

function isoDaysAgo({ world }: Place, id: number, days: number): string {
  // The id gives the time of day, so that records do not all seem made at once.
  return isoTime(world.origin.startMs - days * DAY_MS - ((id * 7_919) % DAY_MS));
}

function times(place: Place, record: Aged & { readonly id: number }) {
  const createdAt = isoDaysAgo(place, record.id, record.createdDaysAgo);
  return { createdAt, updatedAt: isoDaysAgo(place, record.id, record.updatedDaysAgo) };
}

function only<T extends { readonly id: number }>(records: readonly T[], ids: readonly number[] | undefined): readonly T[] {
  return ids ? records.filter(({ id }) => ids.includes(id)) : records;
}

function found<T extends { readonly id: number }>(records: readonly T[], id: number, kind: string, { project }: Place): T {
  const record = records.find((candidate) => candidate.id === id);
  if (!record) throw new Refusal(404, 'NOT_FOUND', `project ${project.id} has no ${kind} ${id}`);
  return record;
}

function mappingRecord(mapping: Mapping, place: Place) {
  const { id, name, description } = mapping;
  return { id, name, description, ...times(place, mapping) };
}

function pageGroupRecord({ id, name, category }: PageGroup) {
  return { id, name, category };
}

/** The lists of the project that is asked about. */
function listsOf({ world, project }: Place) {
  return world.account.lists(project.id);
}

/** Answers the object lookups (section 4.3). */
export const objectHandlers: Handlers<keyof typeof objects> = {
  listSegments: ({ ids }, place) =>
    only(listsOf(place).segments, ids).map((segment) => {
      const { id, name, source } = segment;
      return { id, name, source, ...times(place, segment) };
    }),

  listGoals: (_, place) =>
    listsOf(place).goals.map((goal) => {
      const { id, name, type } = goal;
      return { id, name, type, ...times(place, goal) };
    }),

  listMappings: ({ ids }, place) => only(listsOf(place).mappings, ids).map((mapping) => mappingRecord(mapping, place)),

  getMapping: ({ mappingId }, place) => [mappingRecord(found(listsOf(place).mappings, mappingId, 'mapping', place), place)],

  listPageGroups({ mappingId }, place) {
    const { mappings, pageGroups } = listsOf(place);
    const { id } = found(mappings, mappingId, 'mapping', place);
    return pageGroups.filter(({ mappingIds }) => mappingIds.includes(id)).map(pageGroupRecord);
  },

  getPageGroup({ pageGroupId }, place) {
    const { mappings, pageGroups } = listsOf(place);
    const pageGroup = found(pageGroups, pageGroupId, 'page group', place);
    const own = only(mappings, pageGroup.mappingIds).map((mapping) => mappingRecord(mapping, place));
    return { ...pageGroupRecord(pageGroup), mappings: own };
  },

  listZonings: ({ pageGroupId }, place) =>
    found(listsOf(place).pageGroups, pageGroupId, 'page group', place).zonings.map((zoning) => {
      const { createdAt, updatedAt } = times(place, zoning);
      return { id: zoning.id, name: zoning.name, createdAt, lastUpdatedAt: updatedAt };
    }),

  listZones({ zoningId }, place) {
    const zonings = listsOf(place).pageGroups.flatMap((pageGroup) => pageGroup.zonings);
    return found(zonings, zoningId, 'zoning', place).zones.map(({ id, name }) => ({ id, name }));
  },
};
