import { expect, it } from 'vitest';
import { SHOP_NOTE } from '../../support/assistant.ts';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it('lists the custom variables with their positions', async () => {
  const answer = await call('list_custom_variables');
  expect(answer.structured).toEqual({ customVariables: await ask('listCustomVariables'), notes: [SHOP_NOTE] });
  expect(whole(answer)).toMatchSnapshot();
});
