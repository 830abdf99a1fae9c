import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, test, vi } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import { createLimiter } from '../../src/api/limiter.ts';
import { operations } from '../../src/api/operations/index.ts';
import { manualClock } from '../support/clock.ts';
import { json, openClient, openStub, payload, SECRET, skippingClock, text, tokenBody } from '../support/stub-platform.ts';

const { listSegments, listScenarios, getStepHar, getSiteVisits, getMapping, createSpeedEvent, createExportJob, listExportJobs } =
  operations;
const event = { key: 'release', text: 'Release', date: '2026-11-20T10:00:00Z' };
const expired = json(401, { success: false, errorMessage: 'Auth token is expired.', errorCode: 'JWT_EXPIRED' });

async function failure(promise: Promise<unknown>): Promise<ApiError> {
  const reason: unknown = await promise.then(
    (value) => expect.fail(`answered ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(reason instanceof ApiError)) throw reason;
  return reason;
}

describe('a token that expires in the middle', () => {
  test('is renewed once, and the call repeated once', async () => {
    const stub = await openStub({ answers: [payload([]), expired, payload([{ id: 1, name: 'a' }])] });
    const client = openClient(stub);
    await client.call(listSegments, {});
    expect(await client.call(listSegments, {})).toEqual([{ id: 1, name: 'a' }]);
    expect(stub.calls.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-1', 'Bearer token-2']);
  });

  test('a write too', async () => {
    const stub = await openStub({ answers: [expired, payload({ key: 'release' })] });
    expect(await openClient(stub).call(createSpeedEvent, event)).toEqual({ key: 'release' });
    expect(stub.calls).toHaveLength(2);
  });

  test('a second expiry is an error', async () => {
    const stub = await openStub({ answers: [expired] });
    const error = await failure(openClient(stub).call(createSpeedEvent, event));
    expect(error).toMatchObject({ kind: 'unauthorized', code: 'JWT_EXPIRED', mayHaveHappened: false });
    expect(error.message).toContain('fetched a moment ago');
    expect([stub.calls.length, stub.tokenRequests.length]).toEqual([2, 2]);
  });

  test('many callers renew it once', async () => {
    const stub = await openStub();
    stub.answers = [(response, request) => (request.headers.authorization === 'Bearer token-1' ? expired : payload([]))(response, request)];
    const client = openClient(stub);
    const results = await Promise.all(Array.from({ length: 50 }, () => client.call(listSegments, {})));
    expect(results).toHaveLength(50);
    expect(stub.tokenRequests).toHaveLength(2);
  });

  test('a token that is refused otherwise is not used again, nor the call repeated', async () => {
    const stub = await openStub({ answers: [json(401, { success: false, errorCode: 'JWT_INVALID' }), payload([])] });
    const client = openClient(stub);
    expect(await failure(client.call(listSegments, {}))).toMatchObject({ kind: 'unauthorized', code: 'JWT_INVALID' });
    expect(await client.call(listSegments, {})).toEqual([]);
    expect(stub.tokenRequests).toHaveLength(2);
  });
});

describe('sessions', () => {
  test('see nothing of each other', async () => {
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

  test('share the slots of a project', async () => {
    const clock = skippingClock();
    const limiter = createLimiter({ clock, concurrency: 3 });
    let running = 0;
    let most = 0;
    const stub = await openStub({
      answers: [
        (response, request) => {
          running += 1;
          most = Math.max(most, running);
          setTimeout(() => {
            running -= 1;
            payload([])(response, request);
          }, 5);
        },
      ],
    });
    const clients = ['a', 'b', 'c', 'd'].map((sessionId) => openClient(stub, { clock, limiter, sessionId }));
    await Promise.all(clients.flatMap((client) => Array.from({ length: 5 }, () => client.call(listSegments, {}))));
    expect(most).toBe(3);
  });
});

describe('on the wire', () => {
  test('offsets, commas and reserved characters arrive as they were meant', async () => {
    const stub = await openStub({ answers: [payload({ values: [] })] });
    await openClient(stub).call(getSiteVisits, { startDate: '2026-11-01T00:00:00+01:00', endDate: '2026-11-03', segmentIds: [3, 4] });
    expect(stub.calls[0]?.target).toBe(
      '/eu/v1/metrics/site/visits?startDate=2026-11-01T00%3A00%3A00%2B01%3A00&endDate=2026-11-03&segmentIds=3%2C4',
    );
  });

  test('base and path are joined with one slash', async () => {
    const stub = await openStub();
    stub.token = json(200, tokenBody(stub, { endpoint: `${stub.endpoint}///` }));
    await openClient({ url: `${stub.url}//` }).call(listSegments, {});
    expect(stub.calls[0]?.target).toBe('/eu/v1/segments');
  });

  test.each(['.', '..', '../segments', 'a/b', 'a\\b', ''])('a path value of %j stays in its segment', async (mappingId) => {
    const stub = await openStub();
    const error = await failure(
      openClient(stub).call(
        { ...getMapping, input: listExportJobs.input.extend({ mappingId: listExportJobs.input.shape.state }) },
        { mappingId },
      ),
    );
    expect(error.kind).toBe('invalid');
    expect(stub.calls).toEqual([]);
  });

  test('the client says who it is and what it takes', async () => {
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

  test('packed answers and large ids arrive whole', async () => {
    const body = gzipSync('{"payload":[{"id":12345678901234567890,"name":"ä"}],"success":true}');
    const stub = await openStub({ answers: [text(200, body, { 'content-encoding': 'gzip' })] });
    expect(await openClient(stub).call(listSegments, {})).toEqual([{ id: '12345678901234567890', name: 'ä' }]);
  });

  test('HAR files have a limit of their own', async () => {
    const stub = await openStub({ answers: [payload({ har: 'x'.repeat(200_000), scenarios: [] })] });
    const client = openClient(stub, { sizeLimits: { harBytes: 300_000, otherBytes: 100_000 } });
    expect((await client.call(getStepHar, { scenarioStepResultId: '1' })).har).toHaveLength(200_000);
    expect((await failure(client.call(listScenarios, {}))).message).toContain('larger than 98 KB');
  });
});

describe('input', () => {
  test('every broken rule is worded before anything is sent', async () => {
    const stub = await openStub();
    const client = openClient(stub);
    const loose = { ...getSiteVisits, input: getSiteVisits.input };
    const error = await failure(
      client.call(loose, JSON.parse('{"startDate":"2026-11-02","endDate":"yesterday","device":"watch","color":1}')),
    );
    expect(error.kind).toBe('invalid');
    expect(error.message.split('; ')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^endDate: expected an ISO 8601 date/),
        expect.stringMatching(/^device: expected one of "all"\|"desktop"/),
        expect.stringMatching(/^color: is not known here/),
      ]),
    );
    const missing = await failure(client.call(loose, JSON.parse('{"startDate":"2026-11-02"}')));
    expect(missing.message).toBe('endDate: expected string, but it is missing.');
    expect(stub.meRequests).toEqual([]);
  });

  test('nested members are named with their path', async () => {
    const stub = await openStub();
    const error = await failure(
      openClient(stub).call(createExportJob, {
        name: 'x',
        format: 'CSV',
        deviceLabel: 'all',
        frequency: { value: 'once', dateRange: { from: '2026-11-02', to: '2026-11-01' } },
        fields: [{ fieldName: 'a' }, { fieldName: 'custom_var' }, { fieldName: 'custom_var', customVarPosition: 21 }],
      }),
    );
    expect(error.message).toContain('frequency.dateRange.to: must be after from');
    expect(error.message).toContain('fields[1].customVarPosition: required with fieldName "custom_var"');
    expect(error.message).toContain('fields[2].customVarPosition: ');
  });
});

describe('time', () => {
  const hang = () => undefined;

  test('the queue counts', async () => {
    const stub = await openStub({ answers: [hang] });
    const clock = skippingClock();
    const client = openClient(stub, { clock, limiter: createLimiter({ clock, concurrency: 1 }), timeoutMs: 200 });
    const results = await Promise.all([
      failure(client.call(createSpeedEvent, event)),
      failure(client.call(createSpeedEvent, event, { deadlineMs: clock.now() + 100 })),
    ]);
    expect(results.map(({ kind, mayHaveHappened }) => [kind, mayHaveHappened])).toEqual([
      ['timeout', true],
      ['timeout', false],
    ]);
    expect(stub.calls).toHaveLength(1);
  });

  test('the deadline of the caller counts, by the clock', async () => {
    const stub = await openStub({ answers: [hang] });
    const clock = manualClock('2026-11-20T10:00:00.000Z');
    const client = openClient(stub, { clock });
    expect(await failure(client.call(createSpeedEvent, event, { deadlineMs: clock.now() + 100 }))).toMatchObject({
      kind: 'timeout',
      message: expect.stringMatching(/^The call was given up after 100 ms, retries and waiting included\./),
    });
    expect(await failure(client.call(listSegments, {}, { deadlineMs: clock.now() }))).toMatchObject({ kind: 'timeout' });
    expect(stub.calls).toHaveLength(1);
  });

  /** Milliseconds from the abort until the call has ended with its reason. */
  async function abortLatency(start: (signal: AbortSignal) => Promise<unknown>, ready: () => boolean): Promise<number> {
    const controller = new AbortController();
    const running = expect(start(controller.signal)).rejects.toThrow('enough');
    await vi.waitUntil(ready, { interval: 1 });
    const abortedAt = performance.now();
    controller.abort(new Error('enough'));
    await running;
    return performance.now() - abortedAt;
  }

  test('an abort ends a call at once: waiting for a token, in the queue, on the wire', async () => {
    const stub = await openStub({ answers: [hang], token: hang });
    const clock = skippingClock();
    const client = () => openClient(stub, { clock, limiter: createLimiter({ clock, concurrency: 1 }) });
    const waiting = client();
    const forToken = await abortLatency(
      (signal) => waiting.call(listSegments, {}, { signal }),
      () => stub.tokenRequests.length === 1,
    );
    stub.token = (response, request) => json(200, tokenBody(stub))(response, request);
    const busy = client();
    let inQueue = Number.POSITIVE_INFINITY;
    const onWire = await abortLatency(
      async (wire) => {
        const first = busy.call(listSegments, {}, { signal: wire });
        await vi.waitUntil(() => stub.calls.length === 1, { interval: 1 });
        inQueue = await abortLatency(
          (signal) => busy.call(listSegments, {}, { signal }),
          () => true,
        );
        return first;
      },
      () => inQueue < Number.POSITIVE_INFINITY,
    );
    expect(Math.max(forToken, inQueue, onWire)).toBeLessThan(50);
    expect(stub.calls).toHaveLength(1);
    await expect(waiting.call(listSegments, {}, { signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
  });

  test('closing a session ends what it still has running', async () => {
    const stub = await openStub({ answers: [hang] });
    const client = openClient(stub);
    const running = failure(client.call(listSegments, {}));
    await vi.waitUntil(() => stub.calls.length === 1, { interval: 1 });
    await client.close();
    expect(await running).toMatchObject({ kind: 'down' });
  });
});

describe('secrets', () => {
  test('never appear in an error or a log line, whoever echoes them', async () => {
    const lines: string[] = [];
    const echo = [SECRET, encodeURIComponent(SECRET), Buffer.from(`client-1:${SECRET}`).toString('base64'), 'Bearer opaque-canary-token'];
    for (const status of [200, 400, 500]) {
      for (const body of [
        { success: false, errorMessage: echo.join(' '), errorCode: SECRET },
        { [SECRET]: echo },
        echo.join(),
        `<title>${SECRET}</title>`,
      ]) {
        const answer = typeof body === 'string' ? text(status, body) : json(status, body);
        for (const place of ['me', 'token', 'answers'] as const) {
          const stub = await openStub(place === 'answers' ? { answers: [answer] } : { [place]: answer });
          if (place !== 'token') stub.token = json(200, tokenBody(stub, { access_token: 'opaque-canary-token' }));
          const client = openClient(stub, { log: (_, line) => lines.push(line), random: () => 0 });
          const error: unknown = await (place === 'me' ? client.credential() : client.call(listSegments, {})).catch(
            (reason: unknown) => reason,
          );
          const seen = inspect(error, { depth: 9 }) + JSON.stringify(error);
          for (const canary of ['canary', 'Y2FuYXJ5', 'secret+7f3a9c', '7f3a9c']) expect(seen).not.toContain(canary);
          await client.close();
        }
      }
    }
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('\n')).not.toMatch(/canary|7f3a9c|opaque/);
  });

  test('are removed from any text, tokens too', async () => {
    const stub = await openStub();
    stub.token = json(200, tokenBody(stub, { access_token: 'opaque-canary-token' }));
    const client = openClient(stub);
    await client.authenticate();
    expect(client.redact(`a ${SECRET} b opaque-canary-token c`)).toBe('a [redacted] b [redacted] c');
    expect(JSON.stringify(await client.authenticate())).not.toContain('canary');
  });
});

test('the operations of the authentication server have methods of their own', async () => {
  const stub = await openStub();
  await expect(openClient(stub).call(operations.readCredential, { client_id: 'a', client_secret: 'b' })).rejects.toThrow(TypeError);
});
