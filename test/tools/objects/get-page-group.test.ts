import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it('gives a page group with the mappings that hold it', async () => {
  const answer = await call('get_page_group', { pageGroupId: 'Checkout funnel / Cart' });
  const pageGroup = await ask('getPageGroup', { pageGroupId: 210622 });
  expect(pageGroup.mappings).toHaveLength(2);
  expect(answer.structured['pageGroup']).toEqual(pageGroup);
  expect(whole(answer)).toMatchSnapshot();
});
