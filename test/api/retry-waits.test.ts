import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import { retry, retryAfterMs } from '../../src/api/retry.ts';
import type { Clock } from '../../src/lib/clock.ts';

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
const busy = new ApiError('busy', 'refused', { transient: true });

test('the span of the jitter doubles, and two repetitions are all', async () => {
  expect(await waitsOf(down, { chance: 1 })).toEqual({ waits: [400, 800], given: down });
});

describe('after an attempt that was given up', () => {
  test('the pause is at least 50 ms', async () => expect((await waitsOf(late, { chance: 0 })).waits).toEqual([50, 50]));
  test('the jitter counts where it is longer', async () => expect((await waitsOf(late, { chance: 0.5 })).waits).toEqual([200, 400]));
  test('it takes at most half of what is left', async () =>
    expect((await waitsOf(late, { chance: 1, leftMs: 60 })).waits).toEqual([30, 15]));
  test('nothing is repeated where no time is left', async () =>
    expect(await waitsOf(late, { leftMs: 0 })).toEqual({ waits: [], given: late }));
});

test('a pause that ends with the deadline is not begun', async () => {
  expect((await waitsOf(down, { chance: 1, leftMs: 400 })).waits).toEqual([]);
  expect((await waitsOf(down, { chance: 1, leftMs: 401 })).waits).toEqual([400]);
});

describe('refusals of too many calls', () => {
  test('are repeated until the deadline while other replicas may be the reason, with pauses of at most a second', async () => {
    const { waits } = await waitsOf(busy, { chance: 1, leftMs: 5_000, isAlone: () => true });
    expect(waits).toEqual([400, 800, 1_000, 1_000, 1_000]);
  });
  test('are given up after two repetitions otherwise', async () => {
    expect((await waitsOf(busy, { chance: 1, isAlone: () => false })).waits).toEqual([400, 800]);
    expect((await waitsOf(busy, { chance: 1 })).waits).toEqual([400, 800]);
  });
  test('are no reason to repeat other failures for longer', async () => {
    expect((await waitsOf(down, { chance: 1, isAlone: () => true })).waits).toEqual([400, 800]);
  });
});

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
