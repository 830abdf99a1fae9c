import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createLimiter } from '../../src/api/limiter.ts';
import { operations } from '../../src/api/operations/index.ts';
import { createReadCache } from '../../src/api/read-cache.ts';
import { failure } from '../support/failure.ts';
import { type Answer, json, openClient, openStub, payload, skippingClock, tokenBody } from '../support/stub-platform.ts';

const {
  createSpeedEvent,
  deleteSpeedEvent,
  getScenarioReport,
  getStepHar,
  getStepReport,
  listScenarioReports,
  listScenarios,
  listSegments,
  listSpeedEvents,
  listSuccessfulExportRuns,
} = operations;
const event = { key: 'release', text: 'Release', date: '2026-11-20T10:00:00Z' };
const page = { scenarioStepResultId: '1' };
const har = payload({ har: '{"log":{}}' });

/** A stub whose answers wait until `answer` is called, so that reads are on their way together. */
async function slowStub(answer: Answer) {
  const waiting: (() => void)[] = [];
  const stub = await openStub({ answers: [(response, request) => void waiting.push(() => answer(response, request))] });
  return {
    stub,
    arrived: (count: number) => vi.waitUntil(() => stub.calls.length >= count, { interval: 1 }),
    answer: () => {
      for (const each of waiting.splice(0)) each();
    },
  };
}

describe('what never changes', () => {
  test('reports by id, steps and HAR files are read once, whatever the order of the input', async () => {
    const stub = await openStub();
    stub.answers = [
      (response, { target }) => {
        const record = { date: 5, stepResultId: 1 };
        payload({ har: '{}', step: record, scenarioReport: record })(response, { target, method: '', headers: {}, body: '' });
      },
    ];
    const client = openClient(stub);
    const reads = [
      () => client.call(getStepHar, page),
      () => client.call(getStepReport, { stepId: '1' }),
      () => client.call(getScenarioReport, { scenarioId: 1, date: 5 }),
      () => client.call(getScenarioReport, { date: 5, scenarioId: 1 }),
    ];
    const first = await Promise.all(reads.map((read) => read()));
    const again = await Promise.all(reads.map((read) => read()));
    expect(stub.calls).toHaveLength(3);
    for (const [index, answer] of again.entries()) expect(answer).toBe(first[index]);
    // Whoever changed it would change the answers of all later calls.
    expect(Object.isFrozen(again[1])).toBe(true);
  });

  test('a failure is not kept', async () => {
    const stub = await openStub({ answers: [json(404, { success: false, errorCode: 'NOT_FOUND' }), har] });
    const client = openClient(stub);
    expect(await failure(client.call(getStepHar, page))).toMatchObject({ kind: 'missing' });
    expect(await client.call(getStepHar, page)).toEqual({ har: '{"log":{}}' });
  });

  test('makes room by bytes, the longest unused first; what is larger than all of it is not kept', async () => {
    const stub = await openStub({ answers: [payload({ har: 'x'.repeat(10_000) })] });
    const client = openClient(stub, { reads: createReadCache({ maxBytes: 50_000 }) });
    const read = (id: string) => client.call(getStepHar, { scenarioStepResultId: id });
    // About 20 kB each: two fit in.
    for (const id of ['a', 'b', 'a', 'c', 'a', 'b']) await read(id);
    expect(stub.calls.map(({ body }) => JSON.parse(body).scenarioStepResultId)).toEqual(['a', 'b', 'c', 'b']);
    stub.answers = [payload({ har: 'x'.repeat(30_000) })];
    for (const id of ['large', 'large', 'a']) await read(id);
    expect(stub.calls).toHaveLength(6);
  });

  test('nothing is kept where the setting says so', async () => {
    const stub = await openStub({ answers: [har] });
    const client = openClient(stub, { reads: createReadCache({ maxBytes: 0 }) });
    for (let turn = 0; turn < 2; turn += 1) await client.call(getStepHar, page);
    expect(stub.calls).toHaveLength(2);
  });
});

describe('lists of speed analysis', () => {
  const window = { scenarioId: 1, dateFrom: '2026-01-01T00:00:00Z', dateTo: '2026-01-02T00:00:00Z' };
  const lists = payload({ scenario: { reports: [] }, scenarios: [], events: [], key: 'release' });

  async function openLists(options: Parameters<typeof openClient>[1] = {}) {
    const clock = skippingClock();
    const stub = await openStub({ answers: [lists] });
    return { clock, stub, client: openClient(stub, { clock, ...options }) };
  }

  test('are kept for ten seconds from the beginning of the read: a late run can still be added', async () => {
    const { clock, stub, client } = await openLists();
    const readAll = () =>
      Promise.all([client.call(listScenarioReports, window), client.call(listSpeedEvents, {}), client.call(listScenarios, {})]);
    await readAll();
    clock.jump(9_999);
    await readAll();
    expect(stub.calls).toHaveLength(3);
    clock.jump(1);
    await readAll();
    expect(stub.calls).toHaveLength(6);
  });

  test('are asked for again when the clock is set back', async () => {
    const { clock, stub, client } = await openLists();
    await client.call(listSpeedEvents, {});
    clock.jump(-60_000);
    await client.call(listSpeedEvents, {});
    expect(stub.calls).toHaveLength(2);
  });

  test('give back their room when they are too old, also where nothing is asked any more', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const clock = skippingClock();
    const reads = createReadCache({ clock, maxBytes: 50_000 });
    const own = reads.open(['ana']);
    const limits = { deadlineMs: 0, signal: new AbortController().signal, waitsFor: 'answer' as const };
    const get = (key: string, keepMs: number, letters = 5_000) =>
      own.get({ key, keepMs, limits, read: async () => ({ text: 'x'.repeat(letters) }) });
    // About 10 kB each.
    const first = await get('for ever', Number.POSITIVE_INFINITY);
    for (const key of ['a', 'b', 'c']) await get(key, 10_000);
    expect(reads.bytes()).toBeGreaterThan(40_000);
    clock.jump(10_000);
    vi.advanceTimersByTime(10_000);
    expect(reads.bytes()).toBeLessThan(12_000);
    expect(await get('for ever', Number.POSITIVE_INFINITY)).toBe(first);
  });

  test('of other dates, scenarios and keys are others', async () => {
    const { stub, client } = await openLists();
    for (const input of [window, { ...window, scenarioId: 2 }, { ...window, limit: 0 }]) await client.call(listScenarioReports, input);
    for (const input of [{}, { scenarioId: 1 }, { key: 'a' }]) await client.call(listSpeedEvents, input);
    expect(stub.calls).toHaveLength(6);
  });

  test.each([
    ['created', () => createSpeedEvent, event],
    ['deleted', () => deleteSpeedEvent, { key: event.key }],
  ] as const)('are asked for again once an event was %s, also by another session of the principal', async (_, operation, input) => {
    const reads = createReadCache();
    const { stub, client } = await openLists({ reads, principalId: 'ana' });
    const other = openClient(stub, { reads, principalId: 'ana', sessionId: 'session-2' });
    const readBoth = () => Promise.all([other.call(listSpeedEvents, {}), other.call(listScenarioReports, window)]);
    await readBoth();
    await client.call(operation(), input);
    await readBoth();
    expect(stub.calls).toHaveLength(5);
  });

  test('that were on their way while an event was created are not kept', async () => {
    const { stub, arrived, answer } = await slowStub(lists);
    const client = openClient(stub);
    const old = client.call(listSpeedEvents, {});
    await arrived(1);
    const written = client.call(createSpeedEvent, event);
    await vi.waitUntil(
      () => {
        answer();
        return stub.calls.length >= 2;
      },
      { interval: 1 },
    );
    answer();
    await Promise.all([old, written]);
    const again = client.call(listSpeedEvents, {});
    await arrived(3);
    answer();
    await again;
    expect(stub.calls).toHaveLength(3);
  });

  test('of one principal are no answer for another', async () => {
    const reads = createReadCache();
    const { stub, client } = await openLists({ reads, principalId: 'ana' });
    await client.call(listSpeedEvents, {});
    await openClient(stub, { reads, principalId: 'ben', sessionId: 'session-2' }).call(listSpeedEvents, {});
    expect(stub.calls).toHaveLength(2);
  });
});

test('pages of the successful export runs are one request for all who ask for them together, and not kept', async () => {
  const { stub, arrived, answer } = await slowStub(payload([]));
  const client = openClient(stub);
  const both = [client.call(listSuccessfulExportRuns, { limit: 100 }), client.call(listSuccessfulExportRuns, { limit: 100 })];
  await arrived(1);
  answer();
  await Promise.all(both);
  expect(stub.calls).toHaveLength(1);
  const later = client.call(listSuccessfulExportRuns, { limit: 100 });
  await arrived(2);
  answer();
  await later;
});

describe('what was made of answers', () => {
  const made = (value: unknown) => vi.fn<() => Promise<unknown>>(async () => value);

  test('is made once for all sessions of a principal, and anew for another principal', async () => {
    const reads = createReadCache();
    const stub = await openStub();
    const open = (principalId: string, sessionId: string) => openClient(stub, { reads, principalId, sessionId });
    const [first, second, third] = [made({ level: 1 }), made({ level: 2 }), made({ level: 3 })];
    const answer = await open('ana', '1').remember('study', first);
    expect(await open('ana', '2').remember('study', second)).toBe(answer);
    expect(Object.isFrozen(answer)).toBe(true);
    expect(await open('ben', '3').remember('study', third)).toEqual({ level: 3 });
    expect([first, second, third].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 1]);
  });

  test('is shared while it is being made, and goes on when the first caller leaves', async () => {
    const client = openClient(await openStub());
    const leaving = new AbortController();
    let finish: ((value: unknown) => void) | undefined;
    const make = vi.fn<() => Promise<unknown>>(() => new Promise((resolve) => void (finish = resolve)));
    const first = client.remember('study', make, { signal: leaving.signal }).catch(String);
    const second = client.remember('study', make);
    await vi.waitUntil(() => finish, { interval: 1 });
    leaving.abort(new Error('left'));
    expect(await first).toContain('left');
    finish?.({ level: 1 });
    expect(await second).toEqual({ level: 1 });
    expect(make).toHaveBeenCalledTimes(1);
  });

  test('takes room from the same bytes as answers, and is made again where it had to go', async () => {
    const client = openClient(await openStub(), { reads: createReadCache({ maxBytes: 50_000 }) });
    const make = vi.fn<() => Promise<string>>(async () => 'x'.repeat(10_000));
    // About 20 kB each: two fit in.
    for (const key of ['a', 'b', 'c', 'a']) await client.remember(key, make);
    expect(make).toHaveBeenCalledTimes(4);
  });

  test('is not kept when making it fails', async () => {
    const client = openClient(await openStub());
    await expect(client.remember('study', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await client.remember('study', made(1))).toBe(1);
  });
});

describe('who may see what is kept', () => {
  test('the sessions of one principal, and no other principal, credential or project', async () => {
    const reads = createReadCache();
    const stub = await openStub({ answers: [har] });
    stub.token = (response, request) => {
      const asked: unknown = JSON.parse(request.body);
      const projectId = typeof asked === 'object' && asked && 'project_id' in asked ? asked.project_id : 7;
      json(200, tokenBody(stub, { project_id: projectId }))(response, request);
    };
    stub.me = json(404, {});
    const open = (options: Parameters<typeof openClient>[1], call = {}) =>
      openClient(stub, { reads, ...options }).call(getStepHar, page, call);
    const credential = { clientId: 'client-1', clientSecret: 'another secret' };
    await open({ principalId: 'ann', sessionId: '1' });
    await open({ principalId: 'ann', sessionId: '2' });
    expect(stub.calls).toHaveLength(1);
    await open({ principalId: 'bob', sessionId: '3' });
    await open({ principalId: 'ann', sessionId: '4', credentialVersion: '2' });
    await open({ principalId: 'ann', sessionId: '5', credential });
    await open({ principalId: 'ann', sessionId: '6' }, { projectId: 8 });
    expect(stub.calls).toHaveLength(5);
  });

  test('reads on their way are not shared between principals either', async () => {
    const reads = createReadCache();
    const { stub, arrived, answer } = await slowStub(har);
    const clients = ['ann', 'bob'].map((principalId) => openClient(stub, { reads, principalId }));
    const running = clients.map((client) => client.call(getStepHar, page));
    await arrived(2);
    answer();
    expect(await Promise.all(running)).toHaveLength(2);
    expect(stub.calls).toHaveLength(2);
  });

  test('it is forgotten when the token is refused, when no token is granted, and with the last session', async () => {
    const reads = createReadCache();
    const stub = await openStub({ answers: [har] });
    const clock = skippingClock();
    const one = openClient(stub, { reads, principalId: 'ann', clock });
    const two = openClient(stub, { reads, principalId: 'ann', clock });
    await one.call(getStepHar, page);
    // Refused to one session, it is kept for none.
    stub.answers = [json(401, { success: false, errorCode: 'JWT_INVALID' }), har];
    await failure(two.call(listSegments, {}));
    await one.call(getStepHar, page);
    expect(stub.calls).toHaveLength(3);
    // The credential is refused when a new token is needed.
    const granting = stub.token;
    stub.token = json(401, { error: 'invalid_client' });
    clock.jump(2 * 3_600_000);
    expect(await failure(one.call(getStepHar, page))).toMatchObject({ kind: 'unauthorized' });
    stub.token = granting;
    await one.call(getStepHar, page);
    expect(stub.calls).toHaveLength(4);
    await one.close();
    await two.call(getStepHar, page);
    expect(stub.calls).toHaveLength(4);
    await two.close();
    await openClient(stub, { reads, principalId: 'ann', clock }).call(getStepHar, page);
    expect(stub.calls).toHaveLength(5);
  });

  test('an expired token is renewed, and what is kept stays', async () => {
    const stub = await openStub({ answers: [har, json(401, { success: false, errorCode: 'JWT_EXPIRED' }), payload([])] });
    const client = openClient(stub);
    await client.call(getStepHar, page);
    await client.call(listSegments, {});
    await client.call(getStepHar, page);
    expect(stub.calls).toHaveLength(3);
  });

  test('what was on its way when the credential was refused is not kept', async () => {
    const { stub, arrived, answer } = await slowStub(har);
    const client = openClient(stub);
    const reading = client.call(getStepHar, page);
    await arrived(1);
    stub.answers = [json(401, { success: false, errorCode: 'JWT_INVALID' })];
    await failure(client.call(listSegments, {}));
    answer();
    await reading;
    stub.answers = [har];
    await client.call(getStepHar, page);
    expect(stub.calls).toHaveLength(3);
  });
});

describe('identical reads on their way', () => {
  test('are one request, also of what is not kept', async () => {
    const { stub, arrived, answer } = await slowStub(payload({ scenario: { reports: [] } }));
    const client = openClient(stub);
    const running = Array.from({ length: 20 }, () => client.call(listScenarioReports, { scenarioId: 1 }));
    await arrived(1);
    answer();
    expect(new Set(await Promise.all(running)).size).toBe(1);
    expect(stub.calls).toHaveLength(1);
  });

  test('go on when one of the callers leaves, the first too, and end with the last', async () => {
    const { stub, arrived, answer } = await slowStub(har);
    const client = openClient(stub);
    const [first, second] = [new AbortController(), new AbortController()];
    const running = [first, second].map(({ signal }) => client.call(getStepHar, page, { signal }));
    await arrived(1);
    first.abort(new Error('no longer wanted'));
    await expect(running[0]).rejects.toThrow('no longer wanted');
    answer();
    expect(await running[1]).toEqual({ har: '{"log":{}}' });
    expect(stub.calls).toHaveLength(1);

    let closed = false;
    stub.answers = [(response) => void response.on('close', () => (closed = true))];
    const other = { scenarioStepResultId: '2' };
    const last = new AbortController();
    const leaving = client.call(getStepHar, other, { signal: last.signal });
    await arrived(2);
    last.abort(new Error('enough'));
    await expect(leaving).rejects.toThrow('enough');
    await vi.waitUntil(() => closed, { interval: 1 });
    // The next begins anew.
    stub.answers = [har];
    await client.call(getStepHar, other);
    expect(stub.calls).toHaveLength(3);
  });

  test('last as long as the most patient caller', async () => {
    const { stub, arrived, answer } = await slowStub(har);
    const clock = skippingClock();
    const client = openClient(stub, { clock });
    const hasty = failure(client.call(getStepHar, page, { deadlineMs: clock.now() + 400 }));
    const patient = client.call(getStepHar, page);
    await arrived(1);
    expect(await hasty).toMatchObject({ kind: 'timeout' });
    answer();
    expect(await patient).toEqual({ har: '{"log":{}}' });
    expect(stub.calls).toHaveLength(1);
  });

  test('a read after a write joins none that began before it', async () => {
    const { stub, arrived, answer } = await slowStub(payload({ events: [] }));
    const clock = skippingClock();
    const client = openClient(stub, { clock, limiter: createLimiter({ clock, speedConcurrency: 2 }) });
    const before = client.call(listSpeedEvents, {});
    await arrived(1);
    stub.answers = [payload({ key: 'release' })];
    await client.call(createSpeedEvent, event);
    stub.answers = [payload({ events: [event] })];
    expect((await client.call(listSpeedEvents, {})).events).toHaveLength(1);
    answer();
    expect((await before).events).toHaveLength(0);
  });
});
