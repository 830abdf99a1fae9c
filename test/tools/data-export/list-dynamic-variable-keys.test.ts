import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { ask, call, platform } = useTools();

it('lists the keys that were seen in a range', async () => {
  const answer = await call('list_dynamic_variable_keys', { from: 'last_month', to: 'last_month' });
  const wire = { from: '2026-10-01T00:00:00.000Z', to: '2026-10-31T23:59:59.999Z' };
  expect(platform().requests.at(-1)?.url).toBe(`/v1/dynamic-var-keys?${new URLSearchParams(wire).toString()}`);
  expect(answer.structured).toMatchObject({ keys: await ask('listDynamicVariableKeys', wire), range: { days: 31 } });
  expect(whole(answer)).toMatchSnapshot();
});
