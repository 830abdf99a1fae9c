import { describe, expect, test, vi } from 'vitest';
import type { Limits } from '../../src/api/deadline.ts';
import { createLimiter } from '../../src/api/limiter.ts';
import { operations } from '../../src/api/operations/index.ts';
import { createReadCache, type ReadCache, type SharedRead } from '../../src/api/read-cache.ts';
import { manualClock } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { slowStub } from '../support/slow-stub.ts';
import { json, openClient, openStub, payload, releaseEvent, skippingClock, tokenBody } from '../support/stub-platform.ts';

const { createSpeedEvent, getScenarioReport, getStepHar, getStepReport, listSegments, listSpeedEvents } = operations;
const page = { scenarioStepResultId: '1' };
const har = payload({ har: '{"log":{}}' });

test('what never changes reports by id, steps and HAR files are read once, whatever the order of the input', {
  tags: 'nightly',
}, async () => {
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

test('what never changes a failure is not kept', async () => {
  const stub = await openStub({ answers: [json(404, { success: false, errorCode: 'NOT_FOUND' }), har] });
  const client = openClient(stub);
  expect(await failure(client.call(getStepHar, page))).toMatchObject({ kind: 'missing' });
  expect(await client.call(getStepHar, page)).toEqual({ har: '{"log":{}}' });
});

test('what never changes makes room by bytes, the longest unused first; what is larger than all of it is not kept', async () => {
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

test('what never changes one of many large answers passes unkept; one that is kept already is given', async () => {
  const stub = await openStub({ answers: [har] });
  const client = openClient(stub);
  for (let turn = 0; turn < 2; turn += 1) await client.call(getStepHar, page, { passing: true });
  expect(stub.calls).toHaveLength(2);
  await client.call(getStepHar, page);
  await client.call(getStepHar, page, { passing: true });
  expect(stub.calls).toHaveLength(3);
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
});

test('identical reads on their way a read after a write joins none that began before it', async () => {
  const { stub, arrived, answer } = await slowStub(payload({ events: [] }));
  const clock = skippingClock();
  const client = openClient(stub, { clock, limiter: createLimiter({ clock, speedConcurrency: 2 }) });
  const before = client.call(listSpeedEvents, {});
  await arrived(1);
  stub.answers = [payload({ key: 'release' })];
  await client.call(createSpeedEvent, releaseEvent);
  stub.answers = [payload({ events: [releaseEvent] })];
  expect((await client.call(listSpeedEvents, {})).events).toHaveLength(1);
  answer();
  expect((await before).events).toHaveLength(0);
});

const clockOf = () => manualClock('2026-11-20T10:00:00.000Z');
const limitsOf = (signal = new AbortController().signal): Limits => ({ deadlineMs: 1_000, signal, waitsFor: 'answer' });

/** Reads that count: each gives its number among all that were asked. */
function counting(reads: ReturnType<ReadCache['open']>) {
  let asked = 0;
  const ask = (key: string, more: Partial<SharedRead<number>> = {}) =>
    reads.get({ key, keepMs: 1_000, limits: limitsOf(), read: async () => (asked += 1), ...more });
  return { ask, asked: () => asked };
}

/** A read on its way, which ends when the test says so. */
function held(reads: ReturnType<ReadCache['open']>, more: Partial<SharedRead<unknown>> = {}) {
  let end: (value: unknown) => void = () => undefined;
  let shared: Limits | undefined;
  const begun = vi.fn<() => void>();
  const answer = reads.get({
    key: 'a',
    keepMs: 0,
    limits: limitsOf(),
    read: (limits) => {
      begun();
      shared = limits;
      return new Promise((resolve) => {
        end = resolve;
      });
    },
    ...more,
  });
  return { answer, end: (value: unknown) => end(value), begun, limits: () => shared ?? limitsOf() };
}

test('room what is too old gives its room back, and what never changes keeps it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const clock = clockOf();
    const cache = createReadCache({ clock });
    const { ask } = counting(cache.open(['ana']));
    const pass = async (ms: number) => {
      await clock.advance(ms);
      vi.advanceTimersByTime(ms);
    };
    await ask('report', { keepMs: Number.POSITIVE_INFINITY });
    await ask('a');
    await pass(600);
    await ask('b');
    expect(cache.bytes()).toBe(24);
    await pass(400);
    expect(cache.bytes()).toBe(24);
    await pass(1);
    expect(cache.bytes()).toBe(16);
    await pass(600);
    expect(cache.bytes()).toBe(8);
    await pass(100_000);
    expect(cache.bytes()).toBe(8);
  } finally {
    vi.useRealTimers();
  }
});

test('room without any room nothing is kept and nothing fails', async () => {
  const cache = createReadCache({ maxBytes: 0 });
  const reads = cache.open(['ana']);
  const { ask } = counting(reads);
  expect([await ask('a'), await ask('a', { after: 'b' }), cache.bytes()]).toEqual([1, 2, 0]);
  reads.forget();
  reads.close();
});

test('what may change is given again for its time, and not where the clock went back or nothing old will do', async () => {
  const clock = clockOf();
  const { ask } = counting(createReadCache({ clock }).open(['ana']));
  expect([await ask('a'), await ask('a')]).toEqual([1, 1]);
  await clock.advance(999);
  expect([await ask('a'), await ask('a', { fresh: true }), await ask('a')]).toEqual([1, 2, 2]);
  await clock.advance(1_000);
  expect([await ask('a'), await ask('a', { keepMs: 0 })]).toEqual([3, 4]);
  clock.jump(-1);
  expect(await ask('a')).toBe(5);
});

test('what may change a page is given again only where it was read after the one before it', async () => {
  const { ask } = counting(createReadCache().open(['ana']));
  expect([await ask('1'), await ask('2', { after: '1' }), await ask('2', { after: '1' })]).toEqual([1, 2, 2]);
  expect([await ask('1', { fresh: true }), await ask('2', { after: '1' })]).toEqual([3, 4]);
  expect(await ask('2', { after: 'unknown' })).toBe(5);
});

test('a shared read tells all who wait for it what it waits for, and lasts as long as the most patient of them', async () => {
  const reads = createReadCache().open(['ana']);
  const [one, other] = [limitsOf(), { ...limitsOf(), deadlineMs: 5_000 }];
  const first = held(reads, { limits: one });
  const second = held(reads, { limits: other });
  await vi.waitUntil(() => first.begun.mock.calls.length === 1);
  const shared = first.limits();
  expect([shared.deadlineMs, shared.waitsFor, shared.queueMs]).toEqual([5_000, 'answer', undefined]);
  const queueMs = () => 7;
  Object.assign(shared, { waitsFor: 'turn', queueMs });
  expect([shared.waitsFor, shared.queueMs]).toEqual(['turn', queueMs]);
  for (const caller of [one, other]) expect(caller).toMatchObject({ waitsFor: 'turn', queueMs });
  const answer = { list: [] };
  first.end(answer);
  expect([await first.answer, await second.answer]).toEqual([answer, answer]);
  expect(second.begun).not.toHaveBeenCalled();
  expect(Object.isFrozen(answer)).toBe(true);
});

test('a shared read of one caller that is not kept is its own to change', async () => {
  const only = held(createReadCache().open(['ana']));
  await vi.waitUntil(() => only.begun.mock.calls.length === 1);
  const answer = { list: [] };
  only.end(answer);
  await only.answer;
  expect(Object.isFrozen(answer)).toBe(false);
});

test('a shared read that everybody left is ended and joined by nobody; the next one is not touched by it', async () => {
  const reads = createReadCache().open(['ana']);
  const leaving = new AbortController();
  const first = held(reads, { limits: limitsOf(leaving.signal) });
  await vi.waitUntil(() => first.begun.mock.calls.length === 1);
  const enough = new Error('enough');
  leaving.abort(enough);
  await expect(first.answer).rejects.toBe(enough);
  expect(first.limits().signal.reason).toBe(enough);
  const second = held(reads);
  await vi.waitUntil(() => second.begun.mock.calls.length === 1);
  first.end('late');
  await new Promise(setImmediate);
  const third = held(reads);
  second.end('new');
  expect([await second.answer, await third.answer]).toEqual(['new', 'new']);
  expect(third.begun).not.toHaveBeenCalled();
});

test('a shared read of a page is not joined where the page before it began later', async () => {
  const reads = createReadCache().open(['ana']);
  const second = held(reads, { key: '2', after: '1' });
  await vi.waitUntil(() => second.begun.mock.calls.length === 1);
  const first = held(reads, { key: '1' });
  await vi.waitUntil(() => first.begun.mock.calls.length === 1);
  const again = held(reads, { key: '2', after: '1' });
  await vi.waitUntil(() => again.begun.mock.calls.length === 1);
  for (const each of [first, second, again]) each.end('page');
  expect(await Promise.all([first.answer, second.answer, again.answer])).toEqual(['page', 'page', 'page']);
});

test('an owner that forgets leaves others alone; each time, what is on its way is not kept', async () => {
  const cache = createReadCache();
  const [ana, ben] = [cache.open(['ana']), cache.open(['ben'])];
  const of = { ana: counting(ana), ben: counting(ben) };
  expect([await of.ana.ask('a'), await of.ben.ask('a')]).toEqual([1, 1]);
  for (const expected of [2, 3]) {
    const late = held(ana, { key: 'late', keepMs: 1_000 });
    await vi.waitUntil(() => late.begun.mock.calls.length === 1);
    ana.forget();
    late.end('late');
    await late.answer;
    expect([await of.ana.ask('a'), await of.ben.ask('a'), cache.bytes()]).toEqual([expected, 1, 16]);
  }
});
