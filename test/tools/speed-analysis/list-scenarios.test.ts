import { expect, it } from 'vitest';
import { SHOP_NOTE } from '../../support/assistant.ts';
import { useTools, whole } from '../support.ts';

const { assistant, ask, call } = useTools();

it('lists the scenarios of the project, each with the address of its reports', async () => {
  const answer = await call('list_scenarios');
  const { scenarios } = await ask('listScenarios');
  expect(answer.structured).toEqual({
    scenarios: scenarios.map(({ id, name }) => ({ id, name, uri: `analytics://1201/scenarios/${id}` })),
    notes: [SHOP_NOTE],
  });
  expect(whole(answer)).toMatchSnapshot();
  const reports: unknown = JSON.parse(await assistant().read(`analytics://1201/scenarios/${scenarios[0]?.id}`));
  expect(reports).toMatchObject({ name: scenarios[0]?.name });
});

it('narrows by a part of the name', async () => {
  const { structured } = await call('list_scenarios', { name: 'mobile' });
  const { scenarios } = await ask('listScenarios');
  expect(structured['scenarios']).toHaveLength(scenarios.filter(({ name }) => name?.includes('mobile')).length);
});
