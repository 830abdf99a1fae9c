import { expect, it } from 'vitest';
import { SHOP_NOTE } from '../../support/assistant.ts';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it('lists the mappings, one without a description too', async () => {
  const answer = await call('list_mappings');
  const mappings = await ask('listMappings');
  expect(mappings.some(({ description }) => description === null)).toBe(true);
  expect(answer.structured).toEqual({ mappings, notes: [SHOP_NOTE] });
  expect((await call('list_mappings', { ids: [23960] })).structured['mappings']).toEqual(mappings.filter(({ id }) => id === 23960));
  expect(whole(answer)).toMatchSnapshot();
});
