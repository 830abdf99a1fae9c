import { describe, expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../src/api/client.ts';
import { retry, retryAfterMs } from '../../src/api/deadline.ts';
import { ApiError } from '../../src/api/errors.ts';
import { createLimiter } from '../../src/api/limiter.ts';
import { operations } from '../../src/api/operations/index.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { failure } from '../support/failure.ts';
import { cutOff, json, listen, lost, openClient, openStub, payload, releaseEvent, skippingClock, text } from '../support/stub-platform.ts';

const { listSegments, listScenarios, createSpeedEvent } = operations;

/** A read by GET, a read by POST, a write. */
const operationsByName: Record<string, (client: Client) => Promise<unknown>> = {
  'a read': (client) => client.call(listSegments, {}),
  'a read by POST': (client) => client.call(listScenarios, {}),
  'a write': (client) => client.call(createSpeedEvent, releaseEvent),
};
const fine: Record<string, unknown> = { 'a read': [], 'a read by POST': { scenarios: [] }, 'a write': { key: 'release' } };
const names = Object.keys(operationsByName);
const reads = names.slice(0, 2);
const run = (name: string, client: Client) => operationsByName[name]?.(client) ?? Promise.reject(new Error(name));

const refused = (errorCode: string) => ({ success: false, errorMessage: 'No.', errorCode });
const passing = {
  '408': text(408, ''),
  '500': json(500, refused('INTERNAL_ERROR')),
  '503': text(503, 'later'),
  'an HTML 502': text(502, '<html><title>Bad Gateway</title></html>'),
  'a lost answer': lost,
  'an answer cut off on the way': cutOff,
};
const busy = {
  '429': text(429, ''),
  'CONCURRENT_API_CALL with 200': json(200, refused('CONCURRENT_API_CALL')),
  'CONCURRENT_API_CALL with 400': json(400, refused('CONCURRENT_API_CALL')),
  'CONCURRENT_API_CALL with 500': json(500, refused('CONCURRENT_API_CALL')),
};
const final = {
  'a refusal': json(400, refused('VALIDATION_ERROR')),
  'a refusal with 200': json(200, refused('VALIDATION_ERROR')),
  'an unknown record': json(404, refused('NOT_FOUND')),
  'a missing scope': json(403, refused('FORBIDDEN')),
};
const unreadable = {
  'broken JSON': text(200, '{"payload":['),
  'HTML with 200': text(200, '<html>'),
  'an empty body': text(200, ''),
  'an unknown shape': json(200, { payload: 'x', success: true }),
  'a redirect': text(302, '', { location: '/x' }),
};
const pairs = (answers: Record<string, unknown>, who: readonly string[]) =>
  Object.keys(answers).flatMap((answer) => who.map((name) => [name, answer] as const));

/** Shortens what waits for the other side to hang up. */
const options = { timeoutMs: 3_000 };

test.each([...pairs(passing, reads), ...pairs(busy, names)])('repeated until it passes %s after %s', async (name, answer) => {
  const troubles = { ...passing, ...busy };
  const trouble = troubles[answer as keyof typeof troubles];
  const stub = await openStub({ answers: [trouble, trouble, payload(fine[name])] });
  expect(await run(name, openClient(stub, options))).toEqual(fine[name]);
  expect(stub.calls).toHaveLength(3);
  expect(new Set(stub.calls.map(({ target, body }) => target + body)).size).toBe(1);
});

test.each(names)('while replicas may exceed the limit together, %s is repeated until the service takes it', async (name) => {
  const clock = skippingClock();
  const limiter = { ...createLimiter({ clock }), isAlone: () => true };
  const stub = await openStub({
    answers: [...Array.from({ length: 8 }, () => json(409, refused('CONCURRENT_API_CALL'))), payload(fine[name])],
  });
  expect(await run(name, openClient(stub, { clock, limiter, timeoutMs: 30_000, random: () => 0.999 }))).toEqual(fine[name]);
  expect(Math.max(...clock.slept)).toBeLessThan(1_000);
});

test.each([...pairs(final, names), ...pairs(unreadable, reads)])('sent once %s after %s', async (name, answer) => {
  const troubles = { ...final, ...unreadable };
  const stub = await openStub({ answers: [troubles[answer as keyof typeof troubles], payload(fine[name])] });
  expect(await failure(run(name, openClient(stub)))).toMatchObject({ outcomeUnknown: false });
  expect(stub.calls).toHaveLength(1);
});

test.each(Object.entries({ ...passing, ...unreadable }))('sent once a write after %s, which may have happened', async (_, trouble) => {
  const stub = await openStub({ answers: [trouble, payload(fine['a write'])] });
  const error = await failure(openClient(stub, options).call(createSpeedEvent, releaseEvent));
  expect(error.outcomeUnknown).toBe(true);
  expect(error.message).toContain('may have taken effect');
  expect(stub.calls).toHaveLength(1);
});

test('a write is repeated when the connection was refused', async () => {
  const stub = await openStub();
  const gone = await listen(() => undefined);
  await new Promise((resolve) => gone.server.close(resolve));
  const port = Number(new URL(gone.url).port);
  // The service comes up during the first back-off.
  const clock = skippingClock();
  const starting = {
    ...clock,
    async sleep(ms: number, signal?: AbortSignal) {
      await clock.sleep(ms, signal);
      if (clock.slept.length > 1) return;
      await new Promise<void>((resolve) => gone.server.listen(port, '127.0.0.1', resolve));
    },
  };
  gone.server
    .removeAllListeners('request')
    .on('request', (_, response) => payload(fine['a write'])(response, { method: '', target: '', headers: {}, body: '' }));
  stub.token = json(200, { access_token: 'token-1', expires_in: 3600, scope: 'speed-analysis', endpoint: gone.url });
  expect(await openClient(stub, { clock: starting }).call(createSpeedEvent, releaseEvent)).toEqual(fine['a write']);
  expect(clock.slept).toHaveLength(1);
  onTestFinished(() => gone.server.closeAllConnections());
});

test.each([
  ['seconds', '3'],
  ['an HTTP date', 'Fri, 20 Nov 2026 10:00:03 GMT'],
])('back-off lasts as long as Retry-After says in %s', async (_, header) => {
  const clock = skippingClock('2026-11-20T10:00:00.000Z');
  const stub = await openStub({ answers: [text(429, '', { 'retry-after': header }), payload([])] });
  await openClient(stub, { clock }).call(listSegments, {});
  expect(clock.slept).toEqual([3_000]);
});

test.each(['60', 'Fri, 20 Nov 2026 11:00:00 GMT'])(
  'back-off is given up at once when Retry-After %s lies beyond the deadline',
  async (header) => {
    const clock = skippingClock();
    const stub = await openStub({ answers: [text(503, '', { 'retry-after': header })] });
    const error = await failure(openClient(stub, { clock }).call(listSegments, {}));
    expect(error).toMatchObject({ kind: 'busy', retryAfterMs: header === '60' ? 60_000 : 3_600_000, status: 503 });
    expect(error.message).toMatch(/^The service asks to wait \d+ s, longer than the call may take\./);
    expect(clock.slept).toEqual([]);
    expect(stub.calls).toHaveLength(1);
  },
);

describe('the wait before a repeat', () => {
  /** Repeats what always fails so; the clock stands still but for the waits, which it lists. */
  async function waitsOf(
    fault: ApiError,
    { leftMs = 100_000, chance = 0.5, isAlone }: { leftMs?: number; chance?: number; isAlone?: () => boolean } = {},
  ) {
    const waits: number[] = [];
    let nowMs = 0;
    const clock: Clock = {
      now: () => nowMs,
      async sleep(ms) {
        waits.push(ms);
        nowMs += ms;
      },
    };
    const limits = { deadlineMs: leftMs, signal: new AbortController().signal, waitsFor: 'answer' } as const;
    const parts = { clock, random: () => chance, ...(isAlone && { isAlone }) };
    const given = await retry(limits, parts, () => Promise.reject(fault)).catch((reason: unknown) => reason);
    return { waits, given };
  }

  const down = new ApiError('down', 'away', { transient: true });
  const late = new ApiError('timeout', 'late', { transient: true });
  const turnedAway = new ApiError('busy', 'refused', { transient: true });

  const alone = { isAlone: () => true };
  test.each<[string, ApiError, Parameters<typeof waitsOf>[1], number[]]>([
    ['doubles the span of its jitter, and two repetitions are all', down, { chance: 1 }, [400, 800]],
    ['is at least 50 ms after an attempt that was given up', late, { chance: 0 }, [50, 50]],
    ['is the jitter there where that is longer', late, { chance: 0.5 }, [200, 400]],
    ['takes at most half of what is left there', late, { chance: 1, leftMs: 60 }, [30, 15]],
    ['is none where no time is left', late, { leftMs: 0 }, []],
    ['is not begun where it ends with the deadline', down, { chance: 1, leftMs: 400 }, []],
    ['is begun where it ends before the deadline', down, { chance: 1, leftMs: 401 }, [400]],
    [
      'comes until the deadline while other replicas may be why too many calls were refused, a second at most',
      turnedAway,
      { chance: 1, leftMs: 5_000, ...alone },
      [400, 800, 1_000, 1_000, 1_000],
    ],
    ['comes twice where they may not be', turnedAway, { chance: 1, isAlone: () => false }, [400, 800]],
    ['comes twice without replicas', turnedAway, { chance: 1 }, [400, 800]],
    ['comes twice for other failures', down, { chance: 1, ...alone }, [400, 800]],
  ])('%s', async (_, fault, when, waits) => expect(await waitsOf(fault, when)).toEqual({ waits, given: fault }));

  test.each([
    ['12', 12_000],
    [' 0.25 ', 250],
    ['12 apples', undefined],
    ['12,5', undefined],
    ['-5', undefined],
    ['2026-11-20T10:00:05Z', undefined],
    ['Fri, 20 Nov 2026 10:00:05 GMT', 5_000],
    ['Fri, 20 Nov 2026 09:59:55 GMT', 0],
    ['soon', undefined],
  ])('Retry-After: %s', (header, expected) => expect(retryAfterMs(header, Date.parse('2026-11-20T10:00:00Z'))).toBe(expected));
});
