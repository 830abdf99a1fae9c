import { expect, test } from 'vitest';
import { type Answer, json, openClient, openStub, SHOP, tokenBody } from '../support/stub-platform.ts';

const grants = (...projects: object[]) => json(200, { scopes: 'metrics', permissions: { projects } });
const refused = json(400, { error: 'invalid_request' });
const broken = json(500, { error: 'server_error' });

/** A stub whose token endpoint answers one way to who names the project, and another way to who does not. */
async function levelBy({ named, unnamed, projects = [SHOP] }: { named?: Answer; unnamed?: Answer; projects?: object[] }) {
  const stub = await openStub({ me: grants(...projects) });
  stub.token = (response, request) => {
    const chosen = 'project_id' in (JSON.parse(request.body) as object) ? named : unnamed;
    (chosen ?? json(200, tokenBody(stub)))(response, request);
  };
  const client = openClient(stub, { timeoutMs: 2_000 });
  return { level: await client.credentialLevel(), again: await client.credentialLevel(), asked: stub.tokenRequests.length };
}

test('several projects are an account, and no token is asked for', async () => {
  expect(await levelBy({ projects: [SHOP, { id: 8, name: 'Blog' }] })).toMatchObject({ level: 'account', asked: 0 });
});

test('a token without project is granted to project level, and is kept', async () => {
  expect(await levelBy({ named: refused })).toEqual({ level: 'project', again: 'project', asked: 1 });
});

test('a token that is refused without project and granted with it is that of an account', async () => {
  expect(await levelBy({ unnamed: refused })).toMatchObject({ level: 'account', again: 'account' });
});

test.each([
  ['both are refused', { named: refused, unnamed: refused }],
  ['the server fails without project', { unnamed: broken }],
  ['the server fails with it', { named: broken, unnamed: refused }],
  ['the credential names no project', { projects: [] }],
])('it stays unknown where %s', async (_, stub) => {
  expect(await levelBy(stub)).toMatchObject({ level: 'unknown' });
});
