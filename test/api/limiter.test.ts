import { setMaxListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createLimiter, RECOVERY_MS, type Slot, type SlotRequest } from '../../src/api/limiter.ts';
import { manualClock } from '../support/clock.ts';

const never = new AbortController().signal;
setMaxListeners(0, never);

/** Follows which calls of a limiter run. */
function watch(options: Partial<Parameters<typeof createLimiter>[0]> = {}) {
  const clock = manualClock('2026-11-20T10:00:00.000Z');
  const limiter = createLimiter({ clock, ...options });
  const running = new Map<string, Slot>();
  const started: string[] = [];
  async function start(name: string, request: Partial<SlotRequest> = {}): Promise<void> {
    const slot = await limiter.acquire({ project: 'p', sessionId: 'a', speed: false, signal: never, ...request });
    started.push(name);
    running.set(name, slot);
  }
  async function end(name: string, refused = false): Promise<void> {
    running.get(name)?.release(refused);
    running.delete(name);
    await settled();
  }
  return { clock, limiter, start, end, started, running };
}

/** Lets granted calls note that they run. */
const settled = () => new Promise((resolve) => setImmediate(resolve));
const names = (count: number, prefix = '') => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

test('how many calls run 8 of a project, the next when one ends', async () => {
  const { start, end, running } = watch();
  for (const name of names(10)) void start(name);
  await settled();
  expect(running.size).toBe(8);
  await end('3');
  expect([...running.keys()]).toEqual(['0', '1', '2', '4', '5', '6', '7', '8']);
});

test('how many calls run 1 of speed analysis, while others pass it', async () => {
  const { start, end, started } = watch();
  for (const name of ['speed 1', 'speed 2']) void start(name, { speed: true });
  void start('metrics');
  await settled();
  expect(started).toEqual(['speed 1', 'metrics']);
  await end('speed 1');
  expect(started).toEqual(['speed 1', 'metrics', 'speed 2']);
});

test('how many calls run a part of that where several replicas share a project, and always one', async () => {
  const { start, limiter, running } = watch({ sharersOf: (project) => (project === 'p' ? 3 : 20) });
  for (const name of names(4)) void start(name);
  for (const name of names(2, 'of q ')) void start(name, { project: 'q' });
  await settled();
  expect([...running.keys()]).toEqual(['0', '1', 'of q 0']);
  expect(limiter.load()).toEqual({ waiting: 3, inFlight: 3 });
});

test('how many calls run projects do not wait for each other', async () => {
  const { start, running } = watch({ concurrency: 1 });
  void start('here');
  void start('there', { project: 'q' });
  await settled();
  expect(running.size).toBe(2);
});

test('how many calls run a slot given back twice counts once', async () => {
  const { start, running } = watch({ concurrency: 1 });
  await start('0');
  const slot = running.get('0');
  for (const name of ['1', '2']) void start(name);
  slot?.release();
  slot?.release();
  await settled();
  expect([...running.keys()]).toEqual(['0', '1']);
});

describe('the wait that is to be expected', () => {
  const asks = (changes: Partial<SlotRequest> = {}) => ({ project: 'p', principalId: 'ann', sessionId: 'a', speed: true, ...changes });

  test('is nothing while a place is free, unknown before a call has ended, then the time of the calls ahead', async () => {
    const { clock, limiter, start, end } = watch();
    const wait = (changes?: Partial<SlotRequest>) => limiter.expectedWaitMs(asks(changes));
    expect(wait()).toBe(0);
    for (const name of ['1', '2', '3', '4']) void start(name, asks());
    await settled();
    expect(wait()).toBeUndefined();
    await clock.advance(2_000);
    await end('1');
    // One is on its way and two wait: three calls of two seconds.
    expect(wait()).toBe(6_000);
    expect(wait({ speed: false })).toBe(0);
    await end('2');
    await end('3');
    // One is on its way; of the three that ended, two took no time.
    expect(wait()).toBe(2_000 / 3);
  });

  test('is shorter where several calls run at a time, and known for each lane apart', async () => {
    const { clock, limiter, start, end } = watch({ concurrency: 2 });
    const wait = (changes?: Partial<SlotRequest>) => limiter.expectedWaitMs(asks({ speed: false, ...changes }));
    for (const name of ['1', '2', '3']) void start(name, asks({ speed: false }));
    await clock.advance(2_000);
    await end('1');
    expect(wait()).toBe(1_000);
    void start('4', asks());
    await settled();
    // The lane of speed analysis is free, but all places are taken and one call waits there already.
    expect([wait(), wait({ speed: true }), wait({ principalId: 'bob' })]).toEqual([1_000, undefined, 1_000]);
  });

  test('does not become long by a single slow call', async () => {
    const { clock, limiter, start, end } = watch();
    for (const name of names(20, '')) void start(name, asks());
    await settled();
    for (const name of names(16, '')) {
      await clock.advance(name === '15' ? 3_400 : 200);
      await end(name);
    }
    // 15 of 200 ms and one of 3.4 s are 400 ms each on average; one is on its way and three wait.
    expect(limiter.expectedWaitMs(asks())).toBe(1_600);
    await clock.advance(200);
    await end('16');
    // The first of them is forgotten; the slow one is among the last sixteen.
    expect(limiter.expectedWaitMs(asks())).toBe(1_200);
  });

  test('counts turns: another session or principal waits for one of each, not for all', async () => {
    const { clock, limiter, start, end } = watch();
    for (const name of names(8, 'greedy ')) void start(name, asks());
    await settled();
    await clock.advance(1_000);
    await end('greedy 0');
    const wait = (changes?: Partial<SlotRequest>) => limiter.expectedWaitMs(asks(changes));
    expect([wait(), wait({ sessionId: 'b' }), wait({ principalId: 'bob', sessionId: 'c' })]).toEqual([7_000, 2_000, 2_000]);
  });
});

test('principals take turns one with 500 calls in many sessions does not hold up another', async () => {
  const { start, end, started, running } = watch({ concurrency: 2 });
  for (const name of names(500, 'greedy ')) void start(name, { principalId: 'greedy', sessionId: `greedy ${Number(name.slice(7)) % 25}` });
  for (const name of names(3, 'modest ')) void start(name, { principalId: 'modest', sessionId: 'm' });
  for (await settled(); !started.includes('modest 2'); ) await end([...running.keys()][0] ?? '');
  // Two ran before the modest one asked; after that it has every second turn.
  expect(started.map((name) => name.split(' ')[0])).toEqual([
    'greedy',
    'greedy',
    'greedy',
    'modest',
    'greedy',
    'modest',
    'greedy',
    'modest',
  ]);
});

test('principals take turns and the sessions of each take turns at those', async () => {
  const { start, end, started, running } = watch({ concurrency: 1 });
  void start('first', { principalId: 'x', sessionId: 'x1' });
  for (const name of names(3, 'x1 ')) void start(name, { principalId: 'x', sessionId: 'x1' });
  void start('x2', { principalId: 'x', sessionId: 'x2' });
  for (const name of names(3, 'y')) void start(name, { principalId: 'y', sessionId: 'y' });
  for (await settled(); running.size > 0; ) await end([...running.keys()][0] ?? '');
  expect(started).toEqual(['first', 'x1 0', 'y0', 'x2', 'y1', 'x1 1', 'y2', 'x1 2']);
});

test('sessions take turns at speed analysis too, whatever else they have waiting', async () => {
  const { start, end, started, running } = watch({ concurrency: 2 });
  for (const sessionId of ['a', 'b']) {
    for (const name of names(4, `${sessionId} speed `)) void start(name, { sessionId, speed: true });
    for (const name of names(4, sessionId)) void start(name, { sessionId });
  }
  for (await settled(); running.size > 0; ) await end([...running.keys()][0] ?? '');
  const turns = started.filter((name) => name.includes('speed')).map((name) => name[0]);
  // The first ran before anybody waited.
  expect(turns).toEqual(['a', 'a', 'b', 'a', 'b', 'a', 'b', 'b']);
});

test('an abort leaves the queue at once, with the reason of the caller', async () => {
  const { start, end, started } = watch({ concurrency: 1 });
  await start('0');
  const controller = new AbortController();
  const waiting = start('1', { signal: controller.signal });
  void start('2');
  const reason = new Error('enough');
  controller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  await expect(start('3', { signal: controller.signal })).rejects.toBe(reason);
  await end('0');
  expect(started).toEqual(['0', '2']);
});

test('an abort after the start is left to the call', async () => {
  const { start, end, started } = watch({ concurrency: 1 });
  const controller = new AbortController();
  await start('0', { signal: controller.signal });
  void start('1');
  controller.abort();
  await settled();
  expect(started).toEqual(['0']);
  await end('0');
  expect(started).toEqual(['0', '1']);
});

describe('after a refusal', () => {
  async function capacity(watched: ReturnType<typeof watch>): Promise<number> {
    for (const name of watched.running.keys()) await watched.end(name);
    const before = watched.started.length;
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const waiting = names(12, `probe ${before} `).map((name) => watched.start(name, { signal: controller.signal }).catch(() => undefined));
    await settled();
    controller.abort();
    await Promise.all(waiting);
    const size = watched.running.size;
    for (const name of watched.running.keys()) await watched.end(name);
    return size;
  }

  test('the limit is halved, grows by one at a time, and comes back', async () => {
    const watched = watch();
    await watched.start('0');
    await watched.end('0', true);
    expect(await capacity(watched)).toBe(4);
    await watched.clock.advance(RECOVERY_MS);
    expect(await capacity(watched)).toBe(5);
    await watched.clock.advance(RECOVERY_MS * 10);
    expect(await capacity(watched)).toBe(8);
  });

  test('calls that ran together count as one refusal', async () => {
    const watched = watch();
    await Promise.all(names(8).map((name) => watched.start(name)));
    for (const name of names(8)) await watched.end(name, true);
    expect(await capacity(watched)).toBe(4);
  });

  test('one call always may run', async () => {
    const watched = watch();
    for (const name of names(6)) {
      await watched.start(name);
      await watched.end(name, true);
    }
    expect(await capacity(watched)).toBe(1);
  });

  test('a clock set back does not keep the limit low for longer', async () => {
    const watched = watch();
    await watched.start('0');
    await watched.end('0', true);
    watched.clock.jump(-3_600_000);
    expect(await capacity(watched)).toBe(4);
    await watched.clock.advance(RECOVERY_MS * 4);
    expect(await capacity(watched)).toBe(8);
  });
});
