import { describe, expect, test } from 'vitest';
import type { Http } from '../../src/api/http.ts';
import { operations } from '../../src/api/operations/index.ts';
import { failure } from '../support/failure.ts';
import { grants, json, openClient, openStub, SECRET, SHOP, text, tokenBody } from '../support/stub-platform.ts';

const { listSegments, listScenarios } = operations;

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
])('endpoint %j is refused: %s', async (endpoint, words, endpointDomains) => {
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
])('endpoint %s is taken with the allowed domains %j', async (endpoint, endpointDomains) => {
  const stub = await openStub();
  stub.token = json(200, tokenBody(stub, { endpoint }));
  expect(await openClient(stub, { endpointDomains }).authenticate()).toMatchObject({ endpoint: endpoint.replace(/\/$/, '') });
});

test('scopes one token for what the session needs and the credential grants', async () => {
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

test.each([
  ['metrics enrichment', 'enrichment cannot be combined'],
  ['metric', '"metric" is not a scope'],
  ['', 'expected scope names'],
])('scopes %j is refused', async (scope, words) => {
  const stub = await openStub();
  const error = await failure(openClient(stub).authenticate({ scope }));
  expect(error).toMatchObject({ kind: 'invalid' });
  expect(error.message).toContain(words);
  expect(stub.meRequests).toEqual([]);
});

test('grants that cannot be read because nothing answers: the call waits a part of its time for them', { tags: 'nightly' }, async () => {
  const stub = await openStub({ me: () => undefined });
  expect(await openClient(stub, { timeoutMs: 3_000 }).call(listSegments, {})).toEqual([]);
});

test('grants that cannot be read because the credential is refused: so is the call', async () => {
  const stub = await openStub({ me: json(401, { error: 'invalid_client' }) });
  expect(await failure(openClient(stub).call(listSegments, {}))).toMatchObject({ kind: 'unauthorized' });
  expect(stub.tokenRequests).toEqual([]);
});

test('grants that cannot be read a refusal of the joint scopes then falls back to the one of the call', async () => {
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

const PUBLIC = 'https://auth.example.com';

/** A token service that names this endpoint; everything that is sent is kept. */
function naming(endpoint: string) {
  const sent: string[] = [];
  const http: Http = {
    async send({ url }) {
      sent.push(url);
      const body = url.endsWith('/token')
        ? tokenBody({ endpoint, tokenRequests: [] })
        : { scopes: 'metrics', permissions: { projects: [] } };
      return { status: 200, retryAfter: undefined, pieces: [Buffer.from(JSON.stringify(body))] };
    },
    close: async () => undefined,
  };
  return { http, sent };
}

describe('an endpoint that a public authentication server names', () => {
  test.each([
    'http://127.0.0.1:8080',
    'http://localhost:6379',
    'https://127.0.0.1',
    'https://10.0.0.5',
    'https://172.16.0.1',
    'https://192.168.1.1',
    'https://169.254.169.254/latest',
    'https://100.64.0.1',
    'https://0.0.0.0',
    'https://[::1]',
    'https://[fd00::1]',
    'https://[fe80::1]',
    'https://[::ffff:10.0.0.5]',
    'https://2130706433',
    'https://0x7f.1',
    'https://017700000001',
    'https://[64:ff9b::a00:5]',
  ])('is refused when it leads inside: %s', async (endpoint) => {
    const { http, sent } = naming(endpoint);
    const error = await failure(openClient({ url: PUBLIC }, { http }).authenticate());
    expect([error.kind, error.message]).toEqual(['forbidden', expect.stringContaining('leads into this machine or the network behind it')]);
    expect(error.message).toContain('WEB_ANALYTICS_ENDPOINT_DOMAINS allows it');
    expect(sent.every((url) => url.startsWith(PUBLIC))).toBe(true);
  });

  test('is taken when it lies outside, when the operator lists it, or when the server itself is inside', async () => {
    const taken = async (url: string, endpoint: string, endpointDomains?: readonly string[]) =>
      (await openClient({ url }, { http: naming(endpoint).http, endpointDomains }).authenticate()).endpoint;
    expect(await taken(PUBLIC, 'https://8.8.8.8')).toBe('https://8.8.8.8');
    expect(await taken(PUBLIC, 'https://10.0.0.5', ['10.0.0.5'])).toBe('https://10.0.0.5');
    expect(await taken('https://10.0.0.2', 'https://10.0.0.5')).toBe('https://10.0.0.5');
  });
});

test('secrets are removed from any text, tokens too', async () => {
  const stub = await openStub();
  stub.token = json(200, tokenBody(stub, { access_token: 'opaque-canary-token' }));
  const client = openClient(stub);
  await client.authenticate();
  expect(client.redact(`a ${SECRET} b opaque-canary-token c`)).toBe('a [redacted] b [redacted] c');
  expect(JSON.stringify(await client.authenticate())).not.toContain('canary');
});
