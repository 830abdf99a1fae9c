import { describe, expect, test } from 'vitest';
import { app, content, type Project, projects, shop } from '../../src/emulator/credentials.ts';
import { REFERENCE } from '../../src/emulator/deployment.ts';
import type { Place } from '../../src/emulator/handler.ts';
import { objectHandlers } from '../../src/emulator/handlers/objects.ts';
import { Refusal } from '../../src/emulator/responses.ts';
import { createWorld } from '../../src/emulator/world/index.ts';

const START_MS = Date.parse('2026-11-20T10:00:00.000Z');
const world = createWorld({ seed: 1, startMs: START_MS });

function placeOf(project: Project): Place {
  return { world, project, storeUrl: 'http://store.test', nowMs: START_MS, deployment: REFERENCE };
}

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

describe('objects', () => {
  test.each(projects)('of $name have ids of their own and dates before the clock', async (project) => {
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

  test('are filtered by ids, unknown ones left out', async () => {
    expect((await objectHandlers.listSegments({ ids: [418204, 5] }, placeOf(shop))).map(({ name }) => name)).toEqual([
      'Returning visitors',
    ]);
    expect((await objectHandlers.listMappings({ ids: [31944] }, placeOf(app))).map(({ id }) => id)).toEqual([31944]);
    expect((await objectHandlers.getMapping({ mappingId: 41032 }, placeOf(content))).map(({ id }) => id)).toEqual([41032]);
  });

  test('of another project are not found', () => {
    const place = placeOf(content);
    expect(() => objectHandlers.getMapping({ mappingId: 21504 }, place)).toThrow(
      new Refusal(404, 'NOT_FOUND', 'project 1203 has no mapping 21504'),
    );
    expect(() => objectHandlers.listPageGroups({ mappingId: 7 }, place)).toThrow('project 1203 has no mapping 7');
    expect(() => objectHandlers.getPageGroup({ pageGroupId: 210611 }, place)).toThrow('project 1203 has no page group 210611');
    expect(() => objectHandlers.listZonings({ pageGroupId: 210611 }, place)).toThrow('project 1203 has no page group 210611');
    expect(() => objectHandlers.listZones({ zoningId: 910240 }, place)).toThrow('project 1203 has no zoning 910240');
  });
});
