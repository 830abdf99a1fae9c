import { describe, expect, test } from 'vitest';
import { createLimiter, type Limiter } from '../../src/api/limiter.ts';
import type { ApiEvent } from '../../src/api/operation.ts';
import { operations } from '../../src/api/operations/index.ts';
import { failure } from '../support/failure.ts';
import { json, openClient, openStub, payload, releaseEvent, skippingClock, tokenBody } from '../support/stub-platform.ts';

const { listSegments, listScenarios, createSpeedEvent } = operations;
const expired = json(401, { success: false, errorMessage: 'Auth token is expired.', errorCode: 'JWT_EXPIRED' });

describe('a token that expires in the middle', () => {
  test('is renewed once, and the call repeated once', async () => {
    const stub = await openStub({ answers: [payload([]), expired, payload([{ id: 1, name: 'a' }])] });
    const client = openClient(stub);
    await client.call(listSegments, {});
    expect(await client.call(listSegments, {}, { fresh: true })).toEqual([{ id: 1, name: 'a' }]);
    expect(stub.calls.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  });

  test('a write too', async () => {
    const stub = await openStub({ answers: [expired, payload({ key: 'release' })] });
    expect(await openClient(stub).call(createSpeedEvent, releaseEvent)).toEqual({ key: 'release' });
    expect(stub.calls).toHaveLength(2);
  });

  test('a second expiry is an error', async () => {
    const stub = await openStub({ answers: [expired] });
    const error = await failure(openClient(stub).call(createSpeedEvent, releaseEvent));
    expect(error).toMatchObject({ kind: 'unauthorized', code: 'JWT_EXPIRED', outcomeUnknown: false });
    expect(error.message).toContain('fetched a moment ago');
    expect([stub.calls.length, stub.tokenRequests.length]).toEqual([2, 2]);
  });

  test('a token that is refused otherwise is not used again, nor the call repeated', async () => {
    const stub = await openStub({ answers: [json(401, { success: false, errorCode: 'JWT_INVALID' }), payload([])] });
    const client = openClient(stub);
    expect(await failure(client.call(listSegments, {}))).toMatchObject({ kind: 'unauthorized', code: 'JWT_INVALID' });
    expect(await client.call(listSegments, {})).toEqual([]);
    expect(stub.tokenRequests).toHaveLength(2);
  });
});

test('sessions see nothing of each other', async () => {
  const stub = await openStub();
  const clock = skippingClock();
  const limiter = createLimiter({ clock });
  const [one, two] = ['one', 'two'].map((sessionId) => openClient(stub, { clock, limiter, sessionId }));
  await one?.call(listSegments, {});
  await two?.call(listSegments, {});
  expect(stub.calls.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2']);
  await one?.close();
  await two?.call(listSegments, {});
  expect(stub.tokenRequests).toHaveLength(2);
  expect(await failure(one?.call(listSegments, {}) ?? Promise.resolve())).toMatchObject({ kind: 'unauthorized' });
});

test('each request takes a slot of its project, and says when the service found too many', async () => {
  const slots: unknown[] = [];
  const limiter: Limiter = {
    acquire: async ({ project, sessionId, speed }) => ({ release: (refused) => void slots.push({ project, sessionId, speed, refused }) }),
    expectedWaitMs: () => 0,
    isAlone: () => false,
    load: () => ({ waiting: 0, inFlight: 0 }),
  };
  const busy = json(409, { success: false, errorCode: 'CONCURRENT_API_CALL' });
  const stub = await openStub({ answers: [busy, payload([]), payload({ scenarios: [] })] });
  const client = openClient(stub, { limiter });
  await client.call(listSegments, {});
  await client.call(listScenarios, {});
  const slot = { project: `${stub.url} 7`, sessionId: 'session-1', speed: false, refused: false };
  expect(slots).toEqual([{ ...slot, refused: true }, slot, { ...slot, speed: true }]);
});

test('on the wire base and path are joined with one slash', async () => {
  const stub = await openStub();
  stub.token = json(200, tokenBody(stub, { endpoint: `${stub.endpoint}///` }));
  await openClient({ url: `${stub.url}//` }).call(listSegments, {});
  expect(stub.calls[0]?.target).toBe('/eu/v1/segments?projectId=7');
});

test('on the wire the client says who it is and what it takes', async () => {
  const stub = await openStub();
  await openClient(stub).call(listSegments, {});
  expect(stub.calls[0]?.headers).toMatchObject({
    'user-agent': 'web-analytics-mcp/1.2.3',
    accept: 'application/json',
    'accept-encoding': 'gzip',
  });
  expect(stub.calls[0]?.headers).not.toHaveProperty('content-type');
  expect(stub.tokenRequests[0]?.headers).toMatchObject({ 'user-agent': 'web-analytics-mcp/1.2.3', 'content-type': 'application/json' });
  expect(stub.tokenRequests[0]?.headers).not.toHaveProperty('authorization');
});

test('the operations of the authentication server have methods of their own', async () => {
  const stub = await openStub();
  await expect(openClient(stub).call(operations.readCredential, { client_id: 'a', client_secret: 'b' })).rejects.toThrow(TypeError);
});

/** The events in a line each, without durations. */
function words(events: readonly ApiEvent[]): string[] {
  return events.map((event) => {
    if (event.type === 'token') return event.kept ? 'kept token' : 'new token';
    if (event.type === 'slot') return 'slot';
    const { operation, attempt, outcome, status } = event;
    return [`${operation.method} ${operation.path}`, attempt, outcome, status].filter((part) => part !== undefined).join(' ');
  });
}

test('tells of every request, token and turn, the call of its own and the client of all', async () => {
  const stub = await openStub({ answers: [json(503, { success: false }), payload([])] });
  const all: ApiEvent[] = [];
  const own: ApiEvent[] = [];
  const client = openClient(stub, { observe: (event) => void all.push(event) });
  await client.call(listSegments, {}, { observe: (event) => void own.push(event) });
  await client.call(listSegments, { ids: [1] });
  const first = ['new token', 'slot', 'GET /v1/segments 1 down 503', 'slot', 'GET /v1/segments 2 ok 200'];
  expect(words(own)).toEqual(first);
  expect(words(all)).toEqual([
    'POST /v1/oauth/me 1 ok 200',
    'POST /v1/oauth/token 1 ok 200',
    ...first,
    'kept token',
    'slot',
    'GET /v1/segments 1 ok 200',
  ]);
});
