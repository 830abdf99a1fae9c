import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import { operations } from '../../src/api/operations/index.ts';
import { failure } from '../support/failure.ts';
import { json, lost, openClient, openStub, payload, SECRET, SHOP, skippingClock, text, tokenBody } from '../support/stub-platform.ts';

const { listSegments, listScenarios } = operations;
const grants = (scopes: string, ...projects: { id: number; name: string }[]) => json(200, { scopes, permissions: { projects } });

describe('a token service that fails', () => {
  test.each([
    ['500', text(500, 'oops'), 'down', 3],
    ['an HTML 502', text(502, '<html><title>Bad Gateway</title>'), 'down', 3],
    ['HTML with 200', text(200, '<html><title>Sign in</title>'), 'shape', 1],
    ['a lost answer', lost, 'down', 3],
    ['an OAuth error', json(401, { error: 'invalid_client', error_description: 'Unknown client' }), 'unauthorized', 1],
    ['wrong credentials as 500', text(500, 'Invalid client credentials'), 'unauthorized', 1],
    ['an unknown shape', json(200, { success: true }), 'shape', 1],
  ])('with %s is worded, and forgotten when it recovers', async (_, trouble, kind, requests) => {
    const stub = await openStub({ token: trouble });
    const client = openClient(stub);
    const error = await failure(client.call(listSegments, {}));
    expect(error.kind).toBe(kind);
    expect(error.message).toMatch(/POST \/v1\/oauth\/token|^The connection to 127/);
    expect(stub.tokenRequests).toHaveLength(requests);
    expect(stub.calls).toEqual([]);
    stub.token = (response, request) => json(200, tokenBody(stub))(response, request);
    expect(await client.call(listSegments, {})).toEqual([]);
  });

  test('one failure is told to all who wait for it', async () => {
    const stub = await openStub({ token: json(400, { error: 'invalid_client' }) });
    const client = openClient(stub);
    const errors = await Promise.all(Array.from({ length: 20 }, (_, index) => failure(client.call(listSegments, { ids: [index + 1] }))));
    expect(new Set(errors.map(({ kind }) => kind))).toEqual(new Set(['unauthorized']));
    expect(stub.tokenRequests).toHaveLength(1);
  });
});

describe('endpoint', () => {
  test.each([
    [undefined, 'names no endpoint', undefined],
    ['', 'names no endpoint', undefined],
    ['http://api.example.com', 'neither https nor http on this machine', undefined],
    ['ftp://127.0.0.1/', 'neither https nor http on this machine', undefined],
    ['http://127.0.0.1.example.com', 'neither https nor http on this machine', undefined],
    ['eu.example.com', 'is not a valid address', undefined],
    ['https://user:pass@api.example.com', 'a user name or a password', undefined],
    ['https://api.example.com/?x=', 'a query or a fragment', undefined],
    ['https://api.example.org', 'outside of the allowed domains (example.com)', ['example.com']],
    ['https://evilexample.com', 'outside of the allowed domains (example.com)', ['example.com']],
    ['https://example.com.evil.org', 'outside of the allowed domains', ['example.com']],
  ])('%j is refused: %s', async (endpoint, words, endpointDomains) => {
    const stub = await openStub();
    stub.token = json(200, tokenBody(stub, { endpoint }));
    const error = await failure(openClient(stub, { endpointDomains }).authenticate());
    expect(error.kind).toBe('forbidden');
    expect(error.message).toContain(words);
  });

  test.each([
    ['https://api.eu.example.com', ['example.com']],
    ['https://EXAMPLE.com.', ['.example.com']],
    ['https://api.example.com:8443/base/', ['other.org', '*.example.com']],
    ['https://anything.test/', undefined],
    ['http://localhost:1', undefined],
    ['http://[::1]:1', undefined],
  ])('%s is taken with the allowed domains %j', async (endpoint, endpointDomains) => {
    const stub = await openStub();
    stub.token = json(200, tokenBody(stub, { endpoint }));
    expect(await openClient(stub, { endpointDomains }).authenticate()).toMatchObject({ endpoint: endpoint.replace(/\/$/, '') });
  });

  test('the address of the authentication server is held to the same', async () => {
    for (const url of ['http://auth.example.com', 'auth', 'https://a:b@auth.example.com'])
      expect(() => openClient({ url })).toThrow(ApiError);
  });
});

describe('life of a token', () => {
  test.each([
    [3600, 3600],
    ['1800', 1800],
    [undefined, 3600],
    [null, 3600],
    ['soon', 3600],
    ['', 3600],
    [0, 0],
    [-1, 0],
    [1e16, 366 * 86_400],
  ])('expires_in %j counts as %i s', async (expiresIn, seconds) => {
    const stub = await openStub();
    stub.token = (response, request) => json(200, tokenBody(stub, { expires_in: expiresIn }))(response, request);
    const clock = skippingClock();
    const client = openClient(stub, { clock });
    expect(await client.authenticate()).toMatchObject({
      expiresInSeconds: seconds,
      expiresAt: clock.now() + seconds * 1000,
      fromCache: false,
    });
    expect(await client.authenticate()).toMatchObject({ fromCache: seconds > 0 });
  });
});

describe('scopes', () => {
  test('one token for what the session needs and the credential grants', async () => {
    const stub = await openStub({ me: grants('metrics speed-analysis session-replay enrichment', SHOP) });
    const client = openClient(stub);
    await Promise.all([client.call(listSegments, {}), client.call(listSegments, {}), client.authenticate(), client.projectId()]);
    expect(stub.tokenRequests.map(({ body }) => JSON.parse(body))).toEqual([
      {
        client_id: 'client-1',
        client_secret: SECRET,
        grant_type: 'client_credentials',
        scope: 'metrics speed-analysis',
        project_id: SHOP.id,
      },
    ]);
    expect(stub.meRequests).toHaveLength(1);
  });

  test('what is not granted is refused before any token request, with what is', async () => {
    const stub = await openStub({ me: grants('metrics data-export', SHOP) });
    const client = openClient(stub);
    const error = await failure(client.call(listScenarios, {}));
    expect(error.kind).toBe('forbidden');
    expect(error.message).toContain('lacks the scope speed-analysis; it has metrics, data-export');
    expect((await failure(client.authenticate({ scope: 'metrics symbolicator' }))).message).toContain('lacks the scope symbolicator');
    expect(stub.tokenRequests).toEqual([]);
  });

  test('others are asked for only when they are named, and exactly as named', async () => {
    const stub = await openStub({ me: grants('metrics session-replay', SHOP) });
    stub.token = (response, request) => json(200, tokenBody(stub, { scope: JSON.parse(request.body).scope }))(response, request);
    const client = openClient(stub);
    expect(await client.authenticate({ scope: ' session-replay  metrics ' })).toMatchObject({ scope: 'metrics session-replay' });
    expect(await client.authenticate()).toMatchObject({ scope: 'metrics' });
  });

  test.each([
    ['metrics enrichment', 'enrichment cannot be combined'],
    ['metric', '"metric" is not a scope'],
    ['', 'expected scope names'],
  ])('%j is refused', async (scope, words) => {
    const stub = await openStub();
    const error = await failure(openClient(stub).authenticate({ scope }));
    expect(error).toMatchObject({ kind: 'invalid' });
    expect(error.message).toContain(words);
    expect(stub.meRequests).toEqual([]);
  });

  test('a token that carries less than was asked for is refused for what it lacks', async () => {
    const stub = await openStub();
    stub.token = json(200, tokenBody(stub, { scope: 'metrics' }));
    const client = openClient(stub);
    expect(await client.call(listSegments, {})).toEqual([]);
    expect(await failure(client.call(listScenarios, {}))).toMatchObject({ kind: 'forbidden' });
  });

  test('renewing reads the grants again', async () => {
    const stub = await openStub({ me: grants('metrics', SHOP) });
    const client = openClient(stub);
    await failure(client.call(listScenarios, {}));
    stub.me = grants('metrics speed-analysis', SHOP);
    expect(await client.authenticate({ renew: true })).toMatchObject({ fromCache: false });
    stub.answers = [payload({ scenarios: [] })];
    expect(await client.call(listScenarios, {})).toEqual({ scenarios: [] });
    expect(await client.credential()).toEqual({ scopes: ['metrics', 'speed-analysis'], projects: [SHOP] });
  });
});

describe('grants that cannot be read', () => {
  test.each([
    ['404', text(404, '')],
    ['HTML', text(200, '<html>')],
    ['500', text(500, '')],
  ])('because of %s: calls go on without them, and they are not asked for again at once', async (_, me) => {
    const stub = await openStub({ me });
    const client = openClient(stub);
    await client.call(listSegments, {});
    const asked = stub.meRequests.length;
    await client.call(listSegments, {});
    expect(stub.meRequests).toHaveLength(asked);
    expect(stub.tokenRequests.map(({ body }) => JSON.parse(body).scope)).toEqual(['data-export metrics speed-analysis']);
    expect(await failure(client.credential())).toMatchObject({ kind: expect.stringMatching(/settings|shape|down/) });
  });

  test('because nothing answers: the call waits a part of its time for them', async () => {
    const stub = await openStub({ me: () => undefined });
    expect(await openClient(stub, { timeoutMs: 3_000 }).call(listSegments, {})).toEqual([]);
  });

  test('because the credential is refused: so is the call', async () => {
    const stub = await openStub({ me: json(401, { error: 'invalid_client' }) });
    expect(await failure(openClient(stub).call(listSegments, {}))).toMatchObject({ kind: 'unauthorized' });
    expect(stub.tokenRequests).toEqual([]);
  });

  test('a refusal of the joint scopes then falls back to the one of the call', async () => {
    const stub = await openStub({ me: text(404, '') });
    stub.token = (response, request) => {
      const { scope } = JSON.parse(request.body);
      const answer = scope === 'metrics' ? json(200, tokenBody(stub, { scope })) : json(400, { error: 'invalid_scope' });
      answer(response, request);
    };
    const client = openClient(stub);
    for (let count = 0; count < 2; count += 1) expect(await client.call(listSegments, {})).toEqual([]);
    expect(await failure(client.call(listScenarios, {}))).toMatchObject({ kind: 'forbidden' });
    expect(stub.tokenRequests).toHaveLength(3);
  });
});
