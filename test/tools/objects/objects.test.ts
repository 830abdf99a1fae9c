import { expect, it } from 'vitest';
import type { OperationName } from '../../../src/api/operations/index.ts';
import type { CredentialName } from '../../../src/emulator/credentials.ts';
import { useTools, whole } from '../support.ts';

const { ask, call, platform } = useTools();

it.each<[string, Record<string, unknown>, string, OperationName, Record<string, unknown>, CredentialName]>([
  ['list_segments', {}, 'segments', 'listSegments', {}, 'shop'],
  ['list_goals', { projectId: 1203 }, 'goals', 'listGoals', {}, 'content'],
  ['list_mappings', {}, 'mappings', 'listMappings', {}, 'shop'],
  ['get_mapping', { mappingId: 'checkout funnel' }, 'mappings', 'getMapping', { mappingId: 22117 }, 'shop'],
  ['list_page_groups', { mappingId: 'Shop pages' }, 'pageGroups', 'listPageGroups', { mappingId: 21504 }, 'shop'],
  ['get_page_group', { pageGroupId: 'Checkout funnel / Cart' }, 'pageGroup', 'getPageGroup', { pageGroupId: 210622 }, 'shop'],
  ['list_zonings', { pageGroupId: 'Product page' }, 'zonings', 'listZonings', { pageGroupId: 210617 }, 'shop'],
  ['list_zones', { zoningId: 'Home / Feed', projectId: 1202 }, 'zones', 'listZones', { zoningId: 920125 }, 'app'],
])(
  'the objects of a project %s %j gives what the platform has, found by name',
  async (tool, args, member, operation, input, credential) => {
    const answer = await call(tool, args);
    expect(answer.structured[member]).toEqual(await ask(operation, input, credential));
    expect(whole(answer)).toMatchSnapshot();
  },
);

it('the objects of a project are "none" where there is none', async () => {
  const answer = await call('list_zonings', { pageGroupId: 'Confirmation' });
  expect(answer.structured['zonings']).toEqual([]);
  expect(answer.text).toContain('zonings: none');
});

it.each([
  ['list_segments', 'segments', 'source', {}],
  ['list_goals', 'goals', 'type', {}],
  ['list_page_groups', 'pageGroups', 'category', { mappingId: 21504 }],
])('the objects of a project %s shows only those of one %3$s', async (tool, list, member, args) => {
  const all = (await call(tool, args)).structured[list] as Record<string, unknown>[];
  const value = String(all.at(-1)?.[member]);
  const kept = all.filter((record) => record[member] === value);
  const { structured } = await call(tool, { ...args, [member]: value.toUpperCase() });
  expect(structured[list]).toEqual(kept);
  const words = `${kept.length} of ${all.length} have the ${member} "${value.toUpperCase()}"; filtered by this server.`;
  expect(structured['notes']).toContain(words);
  const none = await call(tool, { ...args, [member]: 'nothing of that kind' });
  expect(none.structured[list]).toEqual([]);
  expect(String(none.structured['notes'])).toContain(`None of ${all.length} has the ${member} "nothing of that kind"; there are `);
});

it('are narrowed to ids by the platform', async () => {
  const { structured } = await call('list_segments', { ids: [440156, 440158] });
  expect(platform().requests.at(-1)?.url).toBe('/v1/segments?projectId=1201&ids=440156%2C440158');
  expect(structured['segments']).toMatchObject([{ name: 'Germany' }, { name: 'France' }]);
  expect((await call('list_mappings', { ids: [23960] })).structured['mappings']).toMatchObject([{ id: 23960 }]);
});
