import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it('lists the page groups of a mapping', async () => {
  const answer = await call('list_page_groups', { mappingId: 'Shop pages' });
  expect(answer.structured['pageGroups']).toEqual(await ask('listPageGroups', { mappingId: 21504 }));
  expect(whole(answer)).toMatchSnapshot();
});
