import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it('lists the zonings of a page group', async () => {
  const answer = await call('list_zonings', { pageGroupId: 'Product page' });
  expect(answer.structured['zonings']).toEqual(await ask('listZonings', { pageGroupId: 210617 }));
  expect(whole(answer)).toMatchSnapshot();
});

it('says "none" where there is none', async () => {
  const answer = await call('list_zonings', { pageGroupId: 'Confirmation' });
  expect(answer.structured['zonings']).toEqual([]);
  expect(answer.text).toContain('zonings: none');
});
