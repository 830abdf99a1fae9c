import { expect, it } from 'vitest';
import { useTools } from '../support.ts';

const { ask, call } = useTools();

it.each([
  ['list_segments', 'segments', 'source', {}, () => ask('listSegments')],
  ['list_goals', 'goals', 'type', {}, () => ask('listGoals')],
  ['list_page_groups', 'pageGroups', 'category', { mappingId: 21504 }, () => ask('listPageGroups', { mappingId: 21504 })],
] as const)('%s shows only those of one %3$s', async (tool, list, member, args, read) => {
  const all: readonly Readonly<Record<string, unknown>>[] = await read();
  const value = String(all.at(-1)?.[member]);
  const kept = all.filter((record) => record[member] === value);
  const { structured } = await call(tool, { ...args, [member]: value.toUpperCase() });
  expect(structured[list]).toEqual(kept);
  expect(structured['notes']).toContain(
    `${kept.length} of ${all.length} have the ${member} "${value.toUpperCase()}"; filtered by this server.`,
  );
  const none = await call(tool, { ...args, [member]: 'nothing of that kind' });
  expect(none.structured[list]).toEqual([]);
  expect(String(none.structured['notes'])).toContain(`None of ${all.length} has the ${member} "nothing of that kind"; there are `);
});
