import { describe, expect, test, vi } from 'vitest';
import { createLimiter } from '../../src/api/limiter.ts';
import { operations } from '../../src/api/operations/index.ts';
import { manualClock } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { json, openClient, openStub, payload, skippingClock, tokenBody } from '../support/stub-platform.ts';

const { listSegments, createSpeedEvent } = operations;
const event = { key: 'release', text: 'Release', date: '2026-11-20T10:00:00Z' };

describe('time', () => {
  const hang = () => undefined;

  test('the queue counts', async () => {
    const stub = await openStub({ answers: [payload({ key: 'first' }), hang] });
    const clock = skippingClock();
    const client = openClient(stub, { clock, limiter: createLimiter({ clock, concurrency: 1 }) });
    // The first call loads what all need.
    await client.call(createSpeedEvent, event);
    const results = await Promise.all([
      failure(client.call(createSpeedEvent, event, { deadlineMs: clock.now() + 200 })),
      failure(client.call(createSpeedEvent, event, { deadlineMs: clock.now() + 100 })),
    ]);
    expect(results.map(({ kind, outcomeUnknown }) => [kind, outcomeUnknown])).toEqual([
      ['timeout', true],
      ['busy', false],
    ]);
    expect(results.at(1)).toMatchObject({
      message: 'The time that one call may take was over before it had read all that it needs: other requests were still ahead.',
      code: 'QUEUED',
      retryAfterMs: 1_000,
    });
    expect(stub.calls).toHaveLength(2);
  });

  test('a queue that lasts longer than the call may take is refused at once, with the seconds to wait', async () => {
    const clock = manualClock('2026-11-20T10:00:00.000Z');
    const stub = await openStub({
      answers: [
        async (response, request) => {
          // The first three take two seconds each; from then on nothing is answered.
          if (stub.calls.length > 3) return;
          await clock.advance(2_000);
          payload({ key: 'release' })(response, request);
        },
      ],
    });
    const client = openClient(stub, { clock, limiter: createLimiter({ clock, concurrency: 1 }), timeoutMs: 9_000 });
    const waiting = new AbortController();
    const { signal } = waiting;
    const inLine = Array.from({ length: 8 }, () => client.call(createSpeedEvent, event, { signal }).catch(() => undefined));
    await vi.waitUntil(() => stub.calls.length === 4, { interval: 1 });
    expect(await failure(client.call(createSpeedEvent, event))).toMatchObject({
      kind: 'busy',
      code: 'QUEUED',
      message: 'So many calls wait for their turn that this one would not get it within 9 s.',
      retryAfterMs: 10_000,
      outcomeUnknown: false,
    });
    waiting.abort(new Error('enough'));
    await Promise.all(inLine);
    expect(stub.calls).toHaveLength(4);
  });

  test('the deadline of the caller counts, by the clock', async () => {
    const stub = await openStub({ answers: [hang] });
    const clock = manualClock('2026-11-20T10:00:00.000Z');
    const client = openClient(stub, { clock });
    expect(await failure(client.call(createSpeedEvent, event, { deadlineMs: clock.now() + 100 }))).toMatchObject({
      kind: 'timeout',
      message: expect.stringMatching(
        /^The time that one call may take was over before it had read all .*: an answer was still on its way\./,
      ),
    });
    expect(await failure(client.call(listSegments, {}, { deadlineMs: clock.now() }))).toMatchObject({ kind: 'timeout' });
    expect(stub.calls).toHaveLength(1);
  });

  /** Milliseconds from the abort until the call has ended with its reason. */
  async function abortLatency(start: (signal: AbortSignal) => Promise<unknown>, ready: () => boolean): Promise<number> {
    const controller = new AbortController();
    const running = start(controller.signal).catch((reason: unknown) => reason);
    await vi.waitUntil(ready, { interval: 1 });
    const abortedAt = performance.now();
    const enough = new Error('enough');
    controller.abort(enough);
    expect(await running).toBe(enough);
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
