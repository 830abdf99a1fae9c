import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it('lists the goals of the project that is named', async () => {
  const answer = await call('list_goals', { projectId: 1203 });
  expect(answer.structured).toEqual({ goals: await ask('listGoals', {}, 'content') });
  expect((await call('list_goals')).structured).toEqual({ goals: await ask('listGoals', {}, 'shop') });
  expect(whole(answer)).toMatchSnapshot();
});
