import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SlotRequest } from '../../src/api/limiter.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { manualClock } from '../support/clock.ts';
import { START } from '../support/emulator.ts';
import { hasRedis, type TestRedis } from '../support/redis.ts';
import { never, openReplica, ownerOf, ownRedis, REQUEST, tokenService, tokensOn, until } from './replica.ts';

const REQUESTED: SlotRequest = { project: 'p', sessionId: 'a', speed: false, signal: never };

/** Replicas that call without pause until `stop`: each call takes a token and a slot. Tells how long they took. */
async function underLoad(redis: TestRedis, count: number) {
  const clock = manualClock(START);
  const service = tokenService(clock);
  const caches = await Promise.all(Array.from({ length: count }, () => openReplica(redis.url)));
  const people = caches.map((cache) => ({
    ...tokensOn(cache, clock, service),
    limiter: cache.limiter({ clock: systemClock, concurrency: 8, speedConcurrency: 1 }),
  }));
  const took: number[] = [];
  const wrong: unknown[] = [];
  let ended = 0;
  let inFlight = 0;
  let mostInFlight = 0;
  const stopped = new AbortController();

  async function callOnAndOn({ get, limiter }: (typeof people)[number]): Promise<void> {
    while (!stopped.signal.aborted) {
      const startMs = performance.now();
      try {
        const token = await get();
        const slot = await limiter.acquire(REQUESTED);
        inFlight += 1;
        mostInFlight = Math.max(mostInFlight, inFlight);
        took.push(performance.now() - startMs);
        await delay(2);
        inFlight -= 1;
        slot.release();
        ended += 1;
        if (!/^canary-token-\d+$/.test(token)) wrong.push(token);
      } catch (error) {
        wrong.push(error);
      }
      await delay(1);
    }
  }

  onTestFinished(() => stopped.abort());
  await Promise.all(people.map(({ get }) => get()));
  const running = people.flatMap((person) => [callOnAndOn(person), callOnAndOn(person)]);
  return {
    caches,
    people,
    service,
    clock,
    wrong,
    /** Calls since the last look. */
    look: () => {
      const calls = took.splice(0).toSorted((a, b) => a - b);
      return { usualMs: calls[calls.length >> 1] ?? Number.POSITIVE_INFINITY, slowestMs: calls.at(-1) ?? 0, calls: calls.length };
    },
    mostInFlight: () => mostInFlight,
    /** Resolves when so many further calls have ended. */
    callsMade: (further: number) => {
      const target = ended + further;
      return until(() => ended >= target);
    },
    async stop() {
      stopped.abort();
      await Promise.all(running);
    },
  };
}

describe.skipIf(!hasRedis)('Redis', () => {
  it('killed and started again under load costs nothing but sharing, which begins again by itself', { tags: 'nightly' }, async () => {
    const redis = await ownRedis();
    await redis.start();
    const load = await underLoad(redis, 3);
    await delay(300);
    const shared = load.look();
    expect(load.service.asked).toBe(1);
    await redis.kill();
    await until(() => load.caches.every(({ isUp }) => !isUp));
    load.look();
    await delay(300);
    const without = load.look();
    await redis.start();
    await until(() => load.caches.every(({ isUp }) => isUp));
    load.look();
    await delay(300);
    const again = load.look();
    // A machine that is too busy for that is so with Redis too, before or behind it.
    expect(without.calls).toBeGreaterThan(Math.min(30, Math.min(shared.calls, again.calls) / 2));
    expect(without.usualMs).toBeLessThan(Math.max(100, 3 * Math.max(shared.usualMs, again.usualMs)));
    await load.callsMade(30);
    // The token that all had at hand is shared again, though Redis had lost it.
    const late = tokensOn(await openReplica(redis.url), load.clock, load.service);
    expect(await late.get()).toBe('canary-token-1');
    await load.stop();
    expect(load.wrong).toEqual([]);
    expect(load.service.asked).toBe(1);
    for (const { lines } of load.caches) {
      expect(lines).toEqual([
        expect.stringMatching(/^The shared cache is out of reach, so this replica goes on alone until it answers: ./),
        'The shared cache answers again; replicas share from now on.',
      ]);
    }
  });

  it('that does not answer is waited for once and shortly, then not at all', { tags: 'nightly' }, async () => {
    const redis = await ownRedis();
    await redis.start();
    const load = await underLoad(redis, 2);
    await delay(100);
    redis.freeze();
    await until(() => load.caches.every(({ isUp }) => !isUp));
    const atFirst = load.look();
    expect(atFirst.slowestMs).toBeLessThan(2_000);
    await delay(300);
    expect(load.look().usualMs).toBeLessThan(100);
    redis.thaw();
    await until(() => load.caches.every(({ isUp }) => isUp));
    await load.stop();
    expect(load.wrong).toEqual([]);
    expect(load.service.asked).toBe(1);
  });

  it('that is away from the start is missed by nobody, and found when it comes', { tags: 'nightly' }, async () => {
    const redis = await ownRedis();
    const startMs = performance.now();
    const load = await underLoad(redis, 2);
    expect(performance.now() - startMs).toBeLessThan(3_000);
    await delay(100);
    expect(load.look().usualMs).toBeLessThan(100);
    // Each for itself: nobody could tell the other.
    expect(load.service.asked).toBe(2);
    await redis.start();
    await until(() => load.caches.every(({ isUp }) => isUp));
    for (const { tokens } of load.people) tokens.drop(REQUEST, (await tokens.get(REQUEST, never)).token);
    await delay(50);
    await load.stop();
    const found = await Promise.all(load.people.map(({ get }) => get()));
    expect(new Set(found).size).toBe(1);
    expect(load.wrong).toEqual([]);
  });

  it('that is gone leaves each replica its share of the limit', async () => {
    const redis = await ownRedis();
    await redis.start();
    const caches = await Promise.all([openReplica(redis.url), openReplica(redis.url)]);
    const limiters = caches.map((cache) => cache.limiter({ clock: systemClock, concurrency: 8, speedConcurrency: 1 }));
    for (const limiter of limiters) (await limiter.acquire(REQUESTED)).release();
    await redis.kill();
    await until(() => caches.every(({ isUp }) => !isUp));
    expect(limiters.map((limiter) => limiter.isAlone())).toEqual([true, true]);
    for (const limiter of limiters) for (let call = 0; call < 10; call += 1) void limiter.acquire(REQUESTED);
    await delay(50);
    expect(limiters.map((limiter) => limiter.load())).toEqual([
      { waiting: 6, inFlight: 4 },
      { waiting: 6, inFlight: 4 },
    ]);
  });

  it('counts again the calls that it had forgotten, before more begin', { tags: 'nightly' }, async () => {
    const redis = await ownRedis();
    await redis.start();
    const caches = await Promise.all([openReplica(redis.url), openReplica(redis.url)]);
    const [one, two] = caches.map((cache) => cache.limiter({ clock: systemClock, concurrency: 2, speedConcurrency: 1 }));
    const held = await one?.acquire(REQUESTED);
    const other = await two?.acquire(REQUESTED);
    await redis.kill();
    await redis.start();
    await until(() => caches.every(({ isUp }) => isUp));
    // One that never missed Redis counts what it finds there.
    const third = (await openReplica(redis.url)).limiter({ clock: systemClock, concurrency: 2, speedConcurrency: 1 });
    await expect(third.acquire({ ...REQUESTED, signal: AbortSignal.timeout(300) })).rejects.toThrow('timeout');
    held?.release();
    other?.release();
    (await third.acquire(REQUESTED)).release();
  });

  it('counts the calls that began while it was away, when it is back', { tags: 'nightly' }, async () => {
    const redis = await ownRedis();
    const caches = await Promise.all([openReplica(redis.url), openReplica(redis.url)]);
    const limiters = caches.map((cache) => cache.limiter({ clock: systemClock, concurrency: 4, speedConcurrency: 1 }));
    const begun = await Promise.all(limiters.flatMap((limiter) => [limiter.acquire(REQUESTED), limiter.acquire(REQUESTED)]));
    await redis.start();
    await until(() => caches.every(({ isUp }) => isUp));
    const late = (await openReplica(redis.url)).limiter({ clock: systemClock, concurrency: 4, speedConcurrency: 1 });
    await expect(late.acquire({ ...REQUESTED, signal: AbortSignal.timeout(300) })).rejects.toThrow('timeout');
    for (const slot of begun) slot.release();
    (await late.acquire(REQUESTED)).release();
  });

  it('that stood still gives leases late, to nobody: they come free at once', { tags: 'nightly' }, async () => {
    const redis = await ownRedis();
    await redis.start();
    const cache = await openReplica(redis.url);
    const limiter = cache.limiter({ clock: systemClock, concurrency: 1, speedConcurrency: 1 });
    (await limiter.acquire(REQUESTED)).release();
    redis.freeze();
    (await limiter.acquire(REQUESTED)).release();
    redis.thaw();
    await until(() => cache.isUp);
    const other = (await openReplica(redis.url)).limiter({ clock: systemClock, concurrency: 1, speedConcurrency: 1 });
    (await other.acquire({ ...REQUESTED, signal: AbortSignal.timeout(2_000) })).release();
    expect(other.load().inFlight).toBe(0);
  });

  it('that takes no more is told of once, and each replica keeps to its share', { tags: 'nightly' }, async () => {
    const redis = await ownRedis();
    await redis.start();
    await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    const load = await underLoad(redis, 2);
    await delay(300);
    await load.stop();
    expect(load.wrong).toEqual([]);
    for (const { lines } of load.caches) expect(lines).toEqual([expect.stringMatching(/^The shared cache refuses commands.*OOM/)]);
    for (const { limiter } of load.people) {
      for (let call = 0; call < 10; call += 1) void limiter.acquire(REQUESTED);
      await until(() => limiter.load().inFlight === 4);
    }
    await delay(50);
    expect(load.people.map(({ limiter }) => limiter.load().inFlight)).toEqual([4, 4]);
  });

  it('of a cluster is used as one', { tags: 'nightly' }, async () => {
    const redis = await ownRedis(['--cluster-enabled', 'yes']);
    await redis.start();
    await redis.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await until(async () => String(await redis.command('CLUSTER', 'INFO')).includes('cluster_state:ok'));
    const load = await underLoad(redis, 2);
    await delay(200);
    await load.stop();
    expect(load.caches.map(({ isUp, lines }) => [isUp, lines])).toEqual([
      [true, []],
      [true, []],
    ]);
    expect(load.wrong).toEqual([]);
    expect(load.service.asked).toBe(1);
    const [lists, others] = load.caches.map((cache) => cache.listsOf(ownerOf('a')));
    const heard = new Promise<void>((resolve) => void others?.onForgotten(resolve));
    lists?.forget();
    await heard;
  });
});
