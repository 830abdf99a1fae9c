import { expect, it } from 'vitest';
import { SHOP_NOTE } from '../../support/assistant.ts';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it('lists the goals of the project that is named', async () => {
  const answer = await call('list_goals', { projectId: 1203 });
  expect(answer.structured).toEqual({ goals: await ask('listGoals', {}, 'content'), notes: ['Project: Nordlicht Magazin (1203).'] });
  expect((await call('list_goals')).structured).toEqual({ goals: await ask('listGoals', {}, 'shop'), notes: [SHOP_NOTE] });
  expect(whole(answer)).toMatchSnapshot();
});
