import { describe, expect, onTestFinished, test } from 'vitest';
import { createAuthServer } from '../../src/api/auth-server.ts';
import { createTokenProvider } from '../../src/api/client.ts';
import { createHttp } from '../../src/api/http.ts';
import { checkProject, type Granted, type TokenCache } from '../../src/api/tokens.ts';
import { failure } from '../support/failure.ts';
import {
  type Answer,
  grants,
  json,
  openClient,
  openStub,
  SECRET,
  SHOP,
  type Stub,
  skippingClock,
  text,
  tokenBody,
} from '../support/stub-platform.ts';

const plain = (words: string) => words;
const credential = { clientId: 'client-1', clientSecret: SECRET };
const { signal } = new AbortController();

function open(stub: Stub, { timeoutMs = 3_000 } = {}) {
  const http = createHttp({ environment: {} });
  onTestFinished(() => http.close());
  const clock = skippingClock();
  const wiring = { http, clock, redact: plain, userAgent: 'test', log: () => undefined };
  const learned: string[] = [];
  const onToken = (token: string) => void learned.push(token);
  const auth = createAuthServer({ wiring, authUrl: stub.url, timeoutMs, random: () => 0.5, endpointDomains: [], onToken });
  const fetchToken = (scopes = ['metrics']) => auth.fetchToken({ credential, projectId: undefined, scopes }, signal);
  return { auth, clock, learned, fetchToken };
}

/** The token that an answer with these members becomes. */
async function tokenFrom(members: Record<string, unknown>) {
  const stub = await openStub();
  stub.token = json(200, tokenBody(stub, members));
  const { fetchToken, clock, learned } = open(stub);
  return { token: await fetchToken(['data-export', 'metrics']), nowMs: clock.now(), learned, stub };
}

test.each([
  [600, 600],
  ['600', 600],
  [' ', 3_600],
  ['soon', 3_600],
  [null, 3_600],
  [-5, 0],
  [1e12, 366 * 86_400],
])('a token that expires in %j lives for %d s', async (given, seconds) => {
  const { token, nowMs } = await tokenFrom({ expires_in: given });
  expect((token.expiresAtMs - nowMs) / 1_000).toBe(seconds);
});

test.each([
  [7, 7],
  ['7', 7],
  [null, undefined],
  [undefined, undefined],
  ['shop', undefined],
])('a token of project %j', async (given, projectId) => {
  const { token } = await tokenFrom({ project_id: given });
  expect('projectId' in token).toBe(projectId !== undefined);
  expect(token.projectId).toBe(projectId);
});

test('a token without scopes has those that were asked for, and an endpoint ends without slashes', async () => {
  const stub = await openStub();
  const { token } = await tokenFrom({ scope: '', endpoint: `${stub.endpoint}//` });
  expect([token.scopes, token.endpoint]).toEqual([['data-export', 'metrics'], stub.endpoint]);
});

test('a token that is too long is refused and not learned', async () => {
  const stub = await openStub();
  stub.token = json(200, tokenBody(stub, { access_token: 'x'.repeat(16_385) }));
  const { fetchToken, learned } = open(stub);
  expect(await failure(fetchToken())).toMatchObject({
    kind: 'shape',
    message: 'The authentication server answered with a token of 16385 characters, which is not used: at most 16384 are accepted.',
  });
  expect(learned).toEqual([]);
});

test.each([
  [{ scopes: ' metrics,, data-export ' }, { scopes: ['metrics', 'data-export'], projects: [] }],
  [
    { scopes: 'metrics', permissions: {} },
    { scopes: ['metrics'], projects: [] },
  ],
  [
    { scopes: '', permissions: { projects: [{ id: '8', name: null }, { id: 'x', name: 'Odd' }, SHOP] } },
    { scopes: [], projects: [{ id: 8, name: '' }, SHOP] },
  ],
])('grants %j', async (answer, expected) => {
  const stub = await openStub({ me: json(200, answer) });
  expect(await open(stub).auth.granted(credential, signal)).toEqual(expected);
});

test('grants that cannot be read are done without for a minute, by a clock that may go back', async () => {
  const stub = await openStub({ me: text(500, 'oops') });
  const { auth, clock } = open(stub);
  const ask = async () => [await auth.grantedIfKnown(credential, signal), stub.meRequests.length];
  const [, first] = await ask();
  expect(first).toBeGreaterThan(0);
  expect(await ask()).toEqual([undefined, first]);
  clock.jump(59_999);
  expect(await ask()).toEqual([undefined, first]);
  clock.jump(1);
  expect((await ask())[1]).toBeGreaterThan(Number(first));
  const after = stub.meRequests.length;
  clock.jump(-60_000);
  expect((await ask())[1]).toBeGreaterThan(after);
  stub.me = json(200, { scopes: 'metrics' });
  expect(await auth.grantedIfKnown(credential, signal, true)).toEqual({ scopes: ['metrics'], projects: [] });
});

test('grants a caller that leaves is told its own reason', async () => {
  const stub = await openStub({ me: () => undefined });
  const controller = new AbortController();
  const waiting = open(stub).auth.grantedIfKnown(credential, controller.signal);
  const enough = new Error('enough');
  controller.abort(enough);
  await expect(waiting).rejects.toBe(enough);
});

describe('what is granted', () => {
  const granted = (scopes: string[], ...ids: number[]): Granted => ({ scopes, projects: ids.map((id) => ({ id, name: `Shop ${id}` })) });
  const reached = (list: string) =>
    `projectId: the credential reaches several projects; choose one of ${list}. WEB_ANALYTICS_PROJECT_ID sets a default; over HTTP ` +
    'projectId of the credential does.';

  test('a project that is not reached, or not chosen, is refused with those that are', () => {
    const check = (known: Granted | undefined, id?: number) => () => checkProject(known, id, plain);
    for (const fine of [check(undefined, 5), check(granted([]), 5), check(granted([], 5)), check(granted([], 5, 6), 6)])
      expect(fine).not.toThrow();
    expect(check(granted([], 5, 6))).toThrow(expect.objectContaining({ kind: 'invalid', message: reached('5 (Shop 5), 6 (Shop 6)') }));
    expect(check(granted([], 5), 6)).toThrow(
      expect.objectContaining({
        kind: 'invalid',
        message: 'projectId: the credential does not reach project 6; it reaches 5 (Shop 5).',
      }),
    );
  });

  test.each([
    [30, /30 \(Shop 30\)\. WEB_/],
    [31, /30 \(Shop 30\) and 1 more\. WEB_/],
    [75, /30 \(Shop 30\) and 45 more\. WEB_/],
  ])('of %d projects at most 30 are listed', (count, words) => {
    const many = granted([], ...Array.from({ length: count }, (_, index) => index + 1));
    expect(() => checkProject(many, undefined, plain)).toThrow(words);
  });
});

describe('which token a call gets', () => {
  async function provider(answer: Record<string, unknown>, enrichmentCredential?: typeof credential) {
    const stub = await openStub({ me: json(200, answer) });
    const asked: string[] = [];
    const token = {
      accessToken: 't',
      endpoint: stub.endpoint,
      scopes: ['metrics', 'enrichment', 'data-export'],
      obtainedAtMs: 0,
      expiresAtMs: 1,
    };
    const tokens = {
      get: async (request: { credential: typeof credential; scopes: readonly string[] }) => {
        asked.push(`get ${request.credential.clientId}: ${request.scopes.join(' ')}`);
        return { token, fromCache: true };
      },
      renew: async (request: { scopes: readonly string[] }) => {
        asked.push(`renew ${request.scopes.join(' ')}`);
        return token;
      },
    } as unknown as TokenCache; // only what is asked of it
    const { auth } = open(stub);
    const made = createTokenProvider({ auth, tokens, credential, enrichmentCredential, neededScopes: ['metrics'], redact: plain });
    return { made, asked, stub };
  }
  const options = { projectId: undefined, signal };

  test('a new one with new grants where that is wanted', async () => {
    const { made, asked, stub } = await provider({ scopes: 'metrics' });
    expect(await made.forScope('metrics', options)).toMatchObject({ fromCache: true, projectId: undefined });
    expect(await made.forScope('metrics', { ...options, renew: true })).toMatchObject({ fromCache: false });
    expect(asked).toEqual(['get client-1: metrics', 'renew metrics']);
    expect(stub.meRequests).toHaveLength(2);
  });

  test('is refused for what is not granted, and for a scope that the token lacks', async () => {
    const { made } = await provider({ scopes: 'metrics speed-analysis' });
    expect((await failure(made.forNamed(['data-export', 'metrics', 'enrichment'], options))).message).toMatch(
      /lacks the scope data-export, enrichment; it has metrics, speed-analysis\./,
    );
    expect((await failure(made.forScope('speed-analysis', options))).message).toMatch(
      /lacks the scope speed-analysis; it has metrics, enrichment, data-export\./,
    );
  });

  test('is refused for a session that needs a scope which is not granted, before any is asked for', async () => {
    const { made, asked } = await provider({ scopes: 'data-export enrichment' });
    expect((await failure(made.forSession(options))).message).toMatch(/lacks the scope metrics/);
    expect(asked).toEqual([]);
  });
});

const refused = json(400, { error: 'invalid_request' });
const broken = json(500, { error: 'server_error' });

/** A stub whose token endpoint answers one way to who names the project, and another way to who does not. */
async function levelBy({ named, unnamed, projects = [SHOP] }: { named?: Answer; unnamed?: Answer; projects?: (typeof SHOP)[] }) {
  const stub = await openStub({ me: grants('metrics', ...projects) });
  stub.token = (response, request) => {
    const chosen = 'project_id' in (JSON.parse(request.body) as object) ? named : unnamed;
    (chosen ?? json(200, tokenBody(stub)))(response, request);
  };
  const client = openClient(stub, { timeoutMs: 2_000 });
  return { level: await client.credentialLevel(), again: await client.credentialLevel(), asked: stub.tokenRequests.length };
}

test.each<[string, Parameters<typeof levelBy>[0], object]>([
  [
    'account, without a token, where it reaches several projects',
    { projects: [SHOP, { id: 8, name: 'Blog' }] },
    { level: 'account', asked: 0 },
  ],
  ['project, which is kept, where a token without one is granted', { named: refused }, { level: 'project', again: 'project', asked: 1 }],
  ['account where a token is granted only with a project', { unnamed: refused }, { level: 'account', again: 'account' }],
  ['unknown where both are refused', { named: refused, unnamed: refused }, { level: 'unknown' }],
  ['unknown where the server fails without project', { unnamed: broken }, { level: 'unknown' }],
  ['unknown where the server fails with it', { named: broken, unnamed: refused }, { level: 'unknown' }],
  ['unknown where the credential names no project', { projects: [] }, { level: 'unknown' }],
])('the level of a credential is %s', async (_, stub, expected) => {
  expect(await levelBy(stub)).toMatchObject(expected);
});
