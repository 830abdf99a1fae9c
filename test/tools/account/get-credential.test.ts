import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { call, platform } = useTools();

it('tells scopes and projects of the credential', async () => {
  const answer = await call('get_credential');
  const { scopes, projects } = platform().credentials.account;
  expect(answer.structured).toEqual({ scopes, projects: projects.map(({ id, name }) => ({ id, name })) });
  expect(whole(answer)).toMatchSnapshot();
});
