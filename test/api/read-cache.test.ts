import { describe, expect, test, vi } from 'vitest';
import { createLimiter } from '../../src/api/limiter.ts';
import { operations } from '../../src/api/operations/index.ts';
import { createReadCache } from '../../src/api/read-cache.ts';
import { failure } from '../support/failure.ts';
import { slowStub } from '../support/slow-stub.ts';
import { json, openClient, openStub, payload, skippingClock, tokenBody } from '../support/stub-platform.ts';

const { createSpeedEvent, getScenarioReport, getStepHar, getStepReport, listScenarioReports, listSegments, listSpeedEvents } = operations;
const event = { key: 'release', text: 'Release', date: '2026-11-20T10:00:00Z' };
const page = { scenarioStepResultId: '1' };
const har = payload({ har: '{"log":{}}' });

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

  test('one of many large answers passes unkept; one that is kept already is given', async () => {
    const stub = await openStub({ answers: [har] });
    const client = openClient(stub);
    for (let turn = 0; turn < 2; turn += 1) await client.call(getStepHar, page, { passing: true });
    expect(stub.calls).toHaveLength(2);
    await client.call(getStepHar, page);
    await client.call(getStepHar, page, { passing: true });
    expect(stub.calls).toHaveLength(3);
  });

  test('nothing is kept where the setting says so', async () => {
    const stub = await openStub({ answers: [har] });
    const client = openClient(stub, { reads: createReadCache({ maxBytes: 0 }) });
    for (let turn = 0; turn < 2; turn += 1) await client.call(getStepHar, page);
    expect(stub.calls).toHaveLength(2);
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
