import { describe, expect, test, vi } from 'vitest';
import type { Limits } from '../../src/api/deadline.ts';
import { createReadCache, type OwnReads, type SharedRead } from '../../src/api/read-cache.ts';
import { manualClock } from '../support/clock.ts';

const clockOf = () => manualClock('2026-11-20T10:00:00.000Z');
const limitsOf = (signal = new AbortController().signal): Limits => ({ deadlineMs: 1_000, signal, waitsFor: 'answer' });

/** Reads that count: each gives its number among all that were asked. */
function counting(reads: OwnReads) {
  let asked = 0;
  const ask = (key: string, more: Partial<SharedRead<number>> = {}) =>
    reads.get({ key, keepMs: 1_000, limits: limitsOf(), read: async () => (asked += 1), ...more });
  return { ask, asked: () => asked };
}

/** A read on its way, which ends when the test says so. */
function held(reads: OwnReads, more: Partial<SharedRead<unknown>> = {}) {
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

describe('room', () => {
  test.each([
    ['"four"', 'four', 32],
    ['a number', 1, 8],
    ['nothing', null, 8],
    ['an empty object', {}, 64],
    ['an object', { name: 'four', list: [1, null] }, 64 + (8 + 4 + 32) + (8 + 4 + 64 + 2 * (8 + 1 + 8))],
  ])('%s is counted by its texts and members', async (_, answer, bytes) => {
    const cache = createReadCache();
    await cache.open(['ana']).get({ key: 'a', keepMs: 1_000, limits: limitsOf(), read: async () => answer });
    expect(cache.bytes()).toBe(bytes);
  });

  test('what is too old gives its room back, and what never changes keeps it', async () => {
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
      await pass(399);
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

  test('without any room nothing is kept and nothing fails', async () => {
    const cache = createReadCache({ maxBytes: 0 });
    const reads = cache.open(['ana']);
    const { ask } = counting(reads);
    expect([await ask('a'), await ask('a', { after: 'b' }), cache.bytes()]).toEqual([1, 2, 0]);
    reads.forget();
    reads.close();
  });
});

describe('what may change', () => {
  test('is given again for its time, and not where the clock went back or nothing old will do', async () => {
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

  test('is read again after each write, and what never changes is not', async () => {
    const reads = createReadCache().open(['ana']);
    const { ask } = counting(reads);
    const forever = { keepMs: Number.POSITIVE_INFINITY };
    expect([await ask('a'), await ask('b', forever)]).toEqual([1, 2]);
    for (const expected of [3, 4]) {
      reads.separate();
      expect([await ask('a'), await ask('b', forever)]).toEqual([expected, 2]);
    }
  });

  test('a page is given again only where it was read after the one before it', async () => {
    const { ask } = counting(createReadCache().open(['ana']));
    expect([await ask('1'), await ask('2', { after: '1' }), await ask('2', { after: '1' })]).toEqual([1, 2, 2]);
    expect([await ask('1', { fresh: true }), await ask('2', { after: '1' })]).toEqual([3, 4]);
    expect(await ask('2', { after: 'unknown' })).toBe(5);
  });

  test('of two reads of the same that cross, the one that began last is kept', async () => {
    const reads = createReadCache().open(['ana']);
    const first = held(reads, { keepMs: 1_000 });
    await vi.waitUntil(() => first.begun.mock.calls.length === 1);
    const second = held(reads, { keepMs: 1_000, fresh: true });
    await vi.waitUntil(() => second.begun.mock.calls.length === 1);
    second.end('new');
    expect(await second.answer).toBe('new');
    first.end('old');
    expect(await first.answer).toBe('old');
    expect(await held(reads, { keepMs: 1_000 }).answer).toBe('new');
  });
});

describe('a shared read', () => {
  test('tells all who wait for it what it waits for, and lasts as long as the most patient of them', async () => {
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

  test('of one caller that is not kept is its own to change', async () => {
    const only = held(createReadCache().open(['ana']));
    await vi.waitUntil(() => only.begun.mock.calls.length === 1);
    const answer = { list: [] };
    only.end(answer);
    await only.answer;
    expect(Object.isFrozen(answer)).toBe(false);
  });

  test('that everybody left is ended and joined by nobody; the next one is not touched by it', async () => {
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

  test('is not ended for one caller that leaves after the answer', async () => {
    const done = held(createReadCache().open(['ana']));
    await vi.waitUntil(() => done.begun.mock.calls.length === 1);
    done.end('answer');
    await done.answer;
    expect(done.limits().signal.aborted).toBe(false);
  });

  test('of a page is not joined where the page before it began later', async () => {
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
});

describe('an owner', () => {
  test('that forgets leaves others alone; each time, what is on its way is not kept', async () => {
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

  test('is forgotten with its last session; a session ends once', async () => {
    const cache = createReadCache();
    const [one, other] = [cache.open(['ana']), cache.open(['ana'])];
    const { ask } = counting(one);
    await ask('a');
    one.close();
    one.close();
    expect([await counting(other).ask('a'), cache.bytes()]).toEqual([1, 8]);
    other.close();
    expect(cache.bytes()).toBe(0);
  });
});
