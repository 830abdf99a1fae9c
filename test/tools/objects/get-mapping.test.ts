import { expect, it } from 'vitest';
import { SHOP_NOTE } from '../../support/assistant.ts';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it('gives one mapping by id or name', async () => {
  const answer = await call('get_mapping', { mappingId: 'checkout funnel' });
  const mappings = await ask('getMapping', { mappingId: 22117 });
  expect(answer.structured).toEqual({ mappings, notes: ['mapping "Checkout funnel" = 22117', SHOP_NOTE] });
  expect((await call('get_mapping', { mappingId: '22117' })).structured).toEqual({ mappings, notes: [SHOP_NOTE] });
  expect(whole(answer)).toMatchSnapshot();
});
