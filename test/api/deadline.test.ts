import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { abortable, isOutOfTime, type Limits, seconds, withDeadline } from '../../src/api/deadline.ts';
import { ApiError } from '../../src/api/errors.ts';
import { createLimiter } from '../../src/api/limiter.ts';
import { operations } from '../../src/api/operations/index.ts';
import { manualClock } from '../support/clock.ts';
import { failure } from '../support/failure.ts';
import { openClient, openStub, payload, releaseEvent, skippingClock } from '../support/stub-platform.ts';
import { times } from '../support/times.ts';

const { listSegments, createSpeedEvent } = operations;

describe('time', () => {
  const hang = () => undefined;

  test('the queue counts', async () => {
    const stub = await openStub({ answers: [payload({ key: 'first' }), hang] });
    const clock = skippingClock();
    const client = openClient(stub, { clock, limiter: createLimiter({ clock, concurrency: 1 }) });
    // The first call loads what all need.
    await client.call(createSpeedEvent, releaseEvent);
    const results = await Promise.all([
      failure(client.call(createSpeedEvent, releaseEvent, { deadlineMs: clock.now() + 200 })),
      failure(client.call(createSpeedEvent, releaseEvent, { deadlineMs: clock.now() + 100 })),
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
    const inLine = times(8, () => client.call(createSpeedEvent, releaseEvent, { signal }).catch(() => undefined));
    await vi.waitUntil(() => stub.calls.length === 4, { interval: 1 });
    expect(await failure(client.call(createSpeedEvent, releaseEvent))).toMatchObject({
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
    const stub = await openStub({ answers: [payload({ key: 'first' }), hang] });
    const clock = manualClock('2026-11-20T10:00:00.000Z');
    const client = openClient(stub, { clock });
    // The first call loads what all need, which may take longer than the deadline of the next.
    await client.call(createSpeedEvent, releaseEvent);
    expect(await failure(client.call(createSpeedEvent, releaseEvent, { deadlineMs: clock.now() + 100 }))).toMatchObject({
      kind: 'timeout',
      message: expect.stringMatching(
        /^The time that one call may take was over before it had read all .*: an answer was still on its way\./,
      ),
    });
    expect(await failure(client.call(listSegments, {}, { deadlineMs: clock.now() }))).toMatchObject({ kind: 'timeout' });
    expect(stub.calls).toHaveLength(2);
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

const clock = manualClock('2026-11-20T10:00:00.000Z');
const never = () => new Promise<never>(() => undefined);
/** Waits for what the task of a call waits for until its time is over. */
const givenUp = (waits: Partial<Limits>, timeoutMs = 5) =>
  failure(
    withDeadline({ clock, timeoutMs }, (limits) => {
      Object.assign(limits, waits);
      return abortable(never(), limits.signal);
    }),
  );

test.each([
  [{ waitsFor: 'answer' }, 'timeout', 'no answer of the platform was read in that time, retries included.'],
  [{ waitsFor: 'token' }, 'timeout', 'no answer of the authentication server was read in that time, retries included.'],
  [{ waitsFor: 'result' }, 'timeout', 'its result was not computed yet.'],
  [{ waitsFor: 'turn' }, 'busy', 'it was still waiting behind other calls.'],
  [{ waitsFor: 'turn', queueMs: () => 7_000 }, 'busy', 'it was still waiting behind other calls.'],
] as const)('a timeout says what the call waited for: %j', async (waits, kind, words) => {
  const error = await givenUp(waits);
  expect([error.kind, error.message]).toEqual([kind, `The call was given up after 5 ms: ${words}`]);
  const pauseMs = 'queueMs' in waits ? 7_000 : 1_000;
  expect(error.retryAfterMs).toBe(kind === 'busy' ? pauseMs : undefined);
});

test.each([
  [new ApiError('timeout', 'late'), true],
  [new ApiError('busy', 'in line', { code: 'QUEUED' }), true],
  [new ApiError('busy', 'refused', { code: 'CONCURRENT_API_CALL' }), false],
  [new ApiError('down', 'away'), false],
  [Object.assign(new Error('late'), { kind: 'timeout' }), false],
])('out of time: %s, %s', (error, expected) => expect(isOutOfTime(error)).toBe(expected));

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_000, '1 s'],
  [1_250, '1.3 s'],
  [30_000, '30 s'],
])('%d ms in words', (ms, words) => expect(seconds(ms)).toBe(words));

test('a deadline many calls under one signal warn of nothing, end with its reason and leave no listener', async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error) => void warnings.push(warning);
  process.on('warning', warned);
  onTestFinished(() => void process.off('warning', warned));
  const controller = new AbortController();
  const { signal } = controller;
  const enough = new Error('enough');
  const running = times(20, () =>
    withDeadline({ clock, timeoutMs: 60_000, signal }, (limits) => abortable(never(), limits.signal)).catch((reason: unknown) => reason),
  );
  await withDeadline({ clock, timeoutMs: 60_000, signal }, async () => undefined);
  expect(getEventListeners(signal, 'abort')).toHaveLength(20);
  await nextTurn();
  expect(warnings).toEqual([]);
  controller.abort(enough);
  expect(await Promise.all(running)).toEqual(running.map(() => enough));
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});
