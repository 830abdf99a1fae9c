import { expect, test } from 'vitest';
import { content, type Project, projects } from '../../src/emulator/credentials.ts';
import { objectHandlers } from '../../src/emulator/handlers/objects.ts';
import { Refusal } from '../../src/emulator/responses.ts';
import { placeOf, START_MS } from './place.ts';

/** Everything that the lookups of a project lead to, walked as a client does. */
async function walk(project: Project) {
  const place = placeOf(project);
  const mappings = await objectHandlers.listMappings({}, place);
  const pageGroups = [];
  for (const { id } of mappings) pageGroups.push(...(await objectHandlers.listPageGroups({ mappingId: Number(id) }, place)));
  const zonings = [];
  for (const id of new Set(pageGroups.map((group) => group.id)))
    zonings.push(...(await objectHandlers.listZonings({ pageGroupId: Number(id) }, place)));
  const zones = [];
  for (const { id } of zonings) zones.push(...(await objectHandlers.listZones({ zoningId: Number(id) }, place)));
  const segments = await objectHandlers.listSegments({}, place);
  const goals = await objectHandlers.listGoals({}, place);
  return { mappings, pageGroups, zonings, zones, segments, goals };
}

test.each(projects)('objects of $name have ids of their own and dates before the clock', async (project) => {
  const { mappings, pageGroups, zonings, zones, segments, goals } = await walk(project);
  for (const records of [mappings, zonings, zones, segments, goals]) {
    expect(records.length).toBeGreaterThan(1);
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
  }
  expect(new Set(pageGroups.map(({ id }) => id)).size).toBeLessThan(pageGroups.length);
  for (const { createdAt, updatedAt } of [...mappings, ...segments, ...goals]) {
    expect(Date.parse(String(createdAt))).toBeLessThanOrEqual(Date.parse(String(updatedAt)));
    expect(Date.parse(String(updatedAt))).toBeLessThan(START_MS);
  }
  for (const { lastUpdatedAt } of zonings) expect(Date.parse(String(lastUpdatedAt))).toBeLessThan(START_MS);
});

test.each([
  ['getMapping', { mappingId: 21504 }, 'mapping 21504'],
  ['listPageGroups', { mappingId: 7 }, 'mapping 7'],
  ['getPageGroup', { pageGroupId: 210611 }, 'page group 210611'],
  ['listZonings', { pageGroupId: 210611 }, 'page group 210611'],
  ['listZones', { zoningId: 910240 }, 'zoning 910240'],
] as const)('objects %s does not find those of another project', (name, ids, missing) => {
  const input = { mappingId: 0, pageGroupId: 0, zoningId: 0, ...ids };
  expect(() => objectHandlers[name](input, placeOf(content))).toThrow(new Refusal(404, 'NOT_FOUND', `project 1203 has no ${missing}`));
});
