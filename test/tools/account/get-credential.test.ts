import { expect, it } from 'vitest';
import { ownAssistant } from '../../support/assistant.ts';
import { json, openStub, payload, SHOP, tokenBody } from '../../support/stub-platform.ts';
import { useTools, whole } from '../support.ts';

const { call, platform, sent } = useTools();

it('shows scopes and projects of the credential', async () => {
  const answer = await call('get_credential');
  const { scopes, projects } = platform().credentials.account;
  expect(answer.structured).toMatchObject({ scopes, projects: projects.map(({ id, name }) => ({ id, name })) });
  expect(whole(answer)).toMatchSnapshot();
});

it('says which toolsets the scopes open and which scopes are missing', async () => {
  const assistant = await ownAssistant(platform(), { credential: 'noSpeed' });
  const { structured } = await assistant.call('get_credential');
  expect(structured['toolsets']).toEqual([
    { toolset: 'insights', opened: 'partly', missing: 'speed-analysis' },
    { toolset: 'journeys', opened: 'yes' },
    { toolset: 'account', opened: 'yes' },
    { toolset: 'speed-analysis', opened: 'no', missing: 'speed-analysis' },
    { toolset: 'data-export', opened: 'yes' },
    { toolset: 'objects', opened: 'yes' },
    { toolset: 'metrics', opened: 'yes' },
    { toolset: 'enrichment', opened: 'yes' },
  ]);
  expect(structured['notes']).toContainEqual('Enrichment has a credential of its own, which is not shown here.');
});

it('asks afresh, so that a scope that was added counts from then on', async () => {
  const grants = (scopes: string) => json(200, { scopes, permissions: { projects: [SHOP] } });
  const stub = await openStub({ me: grants('metrics'), answers: [payload({ scenarios: [] })] });
  stub.token = (response, request) => json(200, tokenBody(stub, { scope: JSON.parse(request.body).scope }))(response, request);
  const assistant = await ownAssistant({ ...platform(), authUrl: stub.url }, { credential: 'shop' });
  expect((await assistant.call('list_scenarios')).text).toContain('lacks the scope speed-analysis; it has metrics');
  stub.me = grants('metrics speed-analysis');
  expect((await assistant.call('get_credential')).structured).toMatchObject({ scopes: ['metrics', 'speed-analysis'] });
  expect(await assistant.call('list_scenarios')).toMatchObject({ isError: false, structured: { scenarios: [] } });
});

it.each([
  ['account', 'account', undefined, 0],
  ['smallAccount', 'account', 'Level account: a token was refused without projectId and granted with it', 2],
  ['shop', 'project', 'Level project: a token was granted without naming a project', 1],
] as const)('says that %s is of level %s, and what that follows from', async (credential, level, basis, tokens) => {
  const assistant = await ownAssistant(platform(), { credential });
  const { structured, text } = await assistant.call('get_credential');
  expect(structured).toMatchObject({ level, lasts: expect.stringMatching(/^1 year from when it was generated.*does not tell the date$/) });
  expect(text).toContain(`level: ${level}`);
  expect((structured['notes'] as string[]).find((note) => note.startsWith('Level'))?.split(/[,;]/)[0]).toBe(basis);
  expect(sent('requestToken')).toHaveLength(tokens);
});
