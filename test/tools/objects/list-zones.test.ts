import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools({ credential: 'app' });

it('lists the zones of a zoning, found by the path that leads to it', async () => {
  const answer = await call('list_zones', { zoningId: 'Home / Feed' });
  expect(answer.structured['zones']).toEqual(await ask('listZones', { zoningId: 920125 }, 'app'));
  expect(whole(answer)).toMatchSnapshot();
});
