import { expect, it } from 'vitest';
import { type OperationName, operations } from '../../src/api/operations/index.ts';
import { shop } from '../../src/emulator/credentials.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { times } from '../support/times.ts';

const platform = sharedPlatform();
const range = { startDate: '2026-11-01T00:00:00.000Z', endDate: '2026-11-08T00:00:00.000Z' };

it('addresses are four, on loopback', () => {
  const { authUrl, serviceUrl, enrichmentUrl, storeUrl } = platform();
  const urls = [authUrl, serviceUrl, enrichmentUrl, storeUrl].map((url) => new URL(url));
  expect(new Set(urls.map(({ port }) => port)).size).toBe(4);
  expect(urls.map(({ hostname }) => hostname)).toEqual(Array(4).fill('127.0.0.1'));
});

it('addresses carry each its own operations and refuse those of the others', async () => {
  const { authUrl, serviceUrl, enrichmentUrl, send } = platform();
  const bases = { auth: authUrl, service: serviceUrl, enrichment: enrichmentUrl.slice(0, -1) };
  for (const [name, operation] of Object.entries(operations)) {
    for (const [base, url] of Object.entries(bases)) {
      const { status } = await send(url + operation.path.replace(/\{\w+\}/g, '1'), { method: operation.method });
      const expected = base === 'auth' ? 400 : 401;
      expect({ name, base, status }).toEqual({ name, base, status: base === operation.base ? expected : 404 });
    }
  }
});

it('addresses know paths and methods', async () => {
  const { serviceUrl, send } = platform();
  expect(await send(`${serviceUrl}/v1/nothing`)).toMatchObject({ status: 404, body: { success: false, errorCode: 'NOT_FOUND' } });
  const wrong = await send(`${serviceUrl}/v1/metrics/site`, { method: 'POST' });
  expect(wrong).toMatchObject({ status: 405, body: { success: false, errorCode: 'METHOD_NOT_ALLOWED' } });
  expect(wrong.headers.get('allow')).toBe('GET');
  expect((await send(`${serviceUrl}/v1/exports`, { method: 'DELETE' })).headers.get('allow')).toBe('POST, GET');
});

it.each<[string, OperationName, Record<string, unknown>, RegExp]>([
  ['an unknown name in the query', 'getSiteVisits', { ...range, goal: 1 }, /goal: is not known here; there are projectId, startDate/],
  ['an unknown name in the body', 'listScenarios', { pattern: 'a' }, /pattern: is not known here; there are name/],
  ['an unknown name where none is taken', 'listCustomVariables', { page: 1 }, /page: is not known here; nothing is taken/],
  ['a missing name', 'getSiteVisits', { startDate: '2026-11-01T00:00:00.000Z' }, /endDate: is required/],
  ['a text where a number is due', 'getExportJob', { jobId: 'first' }, /jobId: .*expected number/],
  ['two wrong names at once', 'listScenarioReports', { scenarioId: 0, limit: -1 }, /scenarioId: .*; limit: /],
])('inputs are refused with %s', async (_, name, input, message) => {
  const { call, token } = platform();
  const { status, body } = await call(name, input, await token('shop'));
  expect(status).toBe(400);
  expect(body).toEqual({ success: false, errorCode: 'VALIDATION_ERROR', errorMessage: expect.stringMatching(message) });
});

it('inputs are refused where they travel the wrong way', async () => {
  const { send, serviceUrl, token } = platform();
  const headers = { authorization: `Bearer ${await token('shop')}` };
  const messageOf = async (path: string, init: { method?: string; body?: string; headers?: Record<string, string> } = {}) => {
    const { status, body } = await send(serviceUrl + path, { ...init, headers: { ...headers, ...init.headers } });
    expect(status).toBe(400);
    return body;
  };
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const list = '/v1/speed-analysis/scenario/list';
  expect(await messageOf('/v1/exports/5?jobId=6')).toMatchObject({ errorMessage: expect.stringContaining('part of the path') });
  expect(await messageOf('/v1/goals?projectId=1&projectId=2')).toMatchObject({ errorMessage: expect.stringContaining('given 2 times') });
  expect(await messageOf(`${list}?name=a`, { ...post, body: '{}' })).toMatchObject({
    errorMessage: expect.stringContaining('in the body'),
  });
  expect(await messageOf(list, { ...post, body: '' })).toMatchObject({ errorMessage: expect.stringContaining('not valid JSON') });
  expect(await messageOf(list, { ...post, body: '[]' })).toMatchObject({ errorMessage: expect.stringContaining('JSON object') });
  expect(await messageOf(list, { method: 'POST', body: '{}' })).toMatchObject({ errorMessage: expect.stringContaining('content-type') });
  // An unencoded "+" is a space by the time it arrives: offsets must come as %2B.
  const visits = '/v1/metrics/site/visits?startDate=2026-11-01T00:00:00';
  expect(await messageOf(`${visits}+01:00&endDate=2026-11-08T00:00:00.000Z`)).toMatchObject({
    errorMessage: expect.stringContaining('ISO 8601'),
  });
  expect((await send(`${serviceUrl}${visits}%2B01:00&endDate=2026-11-08T00:00:00.000Z`, { headers })).status).toBe(200);
  expect(await messageOf(`${visits}.000Z&endDate=2026-11-31T00:00:00.000Z`)).toMatchObject({
    errorMessage: expect.stringContaining('endDate: expected an ISO 8601'),
  });
});

it('answers are packed for a client that takes gzip, and only then', async () => {
  const { send, serviceUrl, token } = platform();
  const authorization = `Bearer ${await token('shop')}`;
  const url = `${serviceUrl}/v1/exportable-fields?scope=sessions`;
  const plain = await send(url, { headers: { authorization, 'accept-encoding': 'identity' } });
  const gzip = await send(url, { headers: { authorization, 'accept-encoding': 'gzip' } });
  const refused = await send(url, { headers: { authorization, 'accept-encoding': 'gzip;q=0' } });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(refused.headers.get('content-encoding')).toBeNull();
  expect(gzip.headers.get('content-encoding')).toBe('gzip');
  expect(Number(gzip.headers.get('content-length'))).toBeLessThan(Number(plain.headers.get('content-length')) / 2);
  expect(gzip.body).toEqual(plain.body);
  expect(plain.body).toMatchObject({ success: true });
});

it('recorded requests say what arrived, without secrets', async () => {
  const { call, token, requests, credentials, send, serviceUrl } = platform();
  const bearer = await token('shop');
  await call('getSiteVisits', range, bearer);
  await call('listScenarios', { name: 'x' }, bearer);
  await send(`${serviceUrl}/v1/nothing`);
  expect(requests.map(({ server, operation, method, url }) => [server, operation, method, url])).toEqual([
    ['auth', 'requestToken', 'POST', '/v1/oauth/token'],
    [
      'service',
      'getSiteVisits',
      'GET',
      '/v1/metrics/site/visits?startDate=2026-11-01T00%3A00%3A00.000Z&endDate=2026-11-08T00%3A00%3A00.000Z',
    ],
    ['service', 'listScenarios', 'POST', '/v1/speed-analysis/scenario/list'],
    ['service', undefined, 'GET', '/v1/nothing'],
  ]);
  expect(requests[0]?.body).toMatchObject({
    client_id: credentials.shop.clientId,
    client_secret: expect.stringMatching(/^sha256:\w{12}$/),
  });
  expect(requests[1]?.headers['authorization']).toMatch(/^Bearer sha256:\w{12}$/);
  expect(requests[2]?.headers['authorization']).toBe(requests[1]?.headers['authorization']);
  expect(requests[2]?.body).toEqual({ name: 'x' });
  const all = JSON.stringify(requests);
  expect(all).not.toContain(bearer);
  expect(all).not.toContain(credentials.shop.clientSecret);
});

it('recorded requests are bounded', async () => {
  const { send, authUrl, requests } = platform();
  await send(`${authUrl}/0`);
  requests.push(...requests.flatMap((request) => times(998, () => ({ ...request, url: '/more' }))));
  for (const path of ['/first', '/second', '/third']) await send(authUrl + path);
  expect(requests).toHaveLength(1000);
  expect([0, -3, -2, -1].map((index) => requests.at(index)?.url)).toEqual(['/more', '/first', '/second', '/third']);
});

it('what is in flight is at most 10 requests of a project, whatever the credential', async () => {
  const { call, token, faults } = platform();
  const bearers = [await token('shop'), await token('account', { projectId: shop.id })];
  const other = await token('app');
  const slow = faults.add({ kind: 'slow', operation: 'listExportJobs' });
  const held = times(10, (index) => call('listExportJobs', {}, bearers[index % 2]));
  await slow.reached(10);
  const refused = await call('listCustomVariables', {}, bearers[0]);
  expect(refused).toMatchObject({ status: 429, body: { success: false, errorCode: 'TOO_MANY_REQUESTS' } });
  expect(refused.headers.get('retry-after')).toBe('1');
  expect((await call('listCustomVariables', {}, other)).status).toBe(200);
  slow.release();
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array(10).fill(200));
  expect((await call('listCustomVariables', {}, bearers[0])).status).toBe(200);
});

it('what is in flight is at most one call to speed analysis of a project', async () => {
  const { call, token, faults } = platform();
  const bearer = await token('shop');
  const slow = faults.add({ kind: 'slow', operation: 'listScenarios', times: 1 });
  const held = call('listScenarios', {}, bearer);
  await slow.reached();
  expect(await call('listSpeedEvents', {}, bearer)).toMatchObject({
    status: 409,
    body: { success: false, errorCode: 'CONCURRENT_API_CALL', errorMessage: 'Too much concurrent calls' },
  });
  expect((await call('listScenarios', {}, await token('app'))).status).toBe(200);
  expect((await call('listExportJobs', {}, bearer)).status).toBe(200);
  slow.release();
  expect((await held).status).toBe(200);
  expect((await call('listSpeedEvents', {}, bearer)).status).toBe(200);
});

it('what is in flight is given back by a client that goes away', async () => {
  const { call, token, faults } = platform();
  const bearer = await token('shop');
  const slow = faults.add({ kind: 'hang', operation: 'listScenarios', times: 1 });
  const abort = new AbortController();
  const gone = call('listScenarios', {}, bearer, { signal: abort.signal });
  await slow.reached();
  abort.abort();
  await expect(gone).rejects.toThrow('aborted');
  await expect.poll(async () => (await call('listScenarios', {}, bearer)).status).toBe(200);
});

it('what is in flight never counts calls that follow each other, and counts those that overlap', async () => {
  const { call, token } = platform();
  const bearer = await token('shop');
  for (let index = 0; index < 30; index += 1) expect((await call('listScenarios', {}, bearer)).status).toBe(200);
  const statuses = (await Promise.all(times(8, () => call('listScenarios', {}, bearer)))).map(({ status }) => status);
  expect(statuses).toContain(409);
});
