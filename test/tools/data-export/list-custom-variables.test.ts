import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it('lists the custom variables with their positions', async () => {
  const answer = await call('list_custom_variables');
  expect(answer.structured).toEqual({ customVariables: await ask('listCustomVariables') });
  expect(whole(answer)).toMatchSnapshot();
});
