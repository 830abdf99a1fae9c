import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Limiter, SlotRequest } from '../../src/api/limiter.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { hasRedis, sharedRedis } from '../support/redis.ts';
import { times } from '../support/times.ts';
import { never, openReplica, until } from './replica.ts';

const redis = sharedRedis();
let projects = 0;

/** Counts the calls in flight of all limiters together. */
function counter() {
  const seen = { now: 0, most: 0, order: [] as string[] };
  /** A call that takes `ms`, in its turn. */
  async function call(limiter: Limiter, name: string, request: SlotRequest, ms: number): Promise<void> {
    const slot = await limiter.acquire(request);
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    seen.order.push(name);
    await delay(ms);
    seen.now -= 1;
    slot.release();
  }
  return { seen, call };
}

/** Limiters of several replicas, and a request for a project of the test's own. */
async function limiters(count: number, { concurrency = 4, speedConcurrency = 1, leaseMs = 5_000 } = {}) {
  projects += 1;
  const request: SlotRequest = { project: `project ${projects}`, sessionId: 'a', speed: false, signal: never };
  const caches = await Promise.all(times(count, () => openReplica(redis().url, { leaseMs })));
  return { caches, request, limits: caches.map((cache) => cache.limiter({ clock: systemClock, concurrency, speedConcurrency })) };
}

const every = <T>(count: number, make: (index: number) => Promise<T>) => Promise.all(times(count, (index) => make(index)));

afterEach(() => redis().thaw());

describe.skipIf(!hasRedis)('calls of one project on several replicas', () => {
  it('are never more in flight than the limit, and as many while there are calls', async () => {
    const { limits, request } = await limiters(3);
    const { seen, call } = counter();
    await every(90, (index) => call(limits[index % 3] as Limiter, '', request, 3 + (index % 5)));
    expect(seen.most).toBe(4);
    expect(limits.map((limiter) => limiter.load())).toEqual(limits.map(() => ({ waiting: 0, inFlight: 0 })));
  });

  it('to speed analysis are one at a time, while others pass', async () => {
    const { limits, request } = await limiters(2);
    const speed = counter();
    const all = counter();
    await every(20, async (index) => {
      const limiter = limits[index % 2] as Limiter;
      await (index % 4 < 2 ? speed.call(limiter, '', { ...request, speed: true }, 4) : all.call(limiter, '', request, 4));
    });
    expect(speed.seen.most).toBe(1);
    expect(all.seen.most).toBeGreaterThan(1);
    expect(all.seen.most + speed.seen.most).toBeLessThanOrEqual(4 + 1);
  });

  it.each([
    // Both places may have been taken just before the modest call came, and it runs for one more.
    { what: 'go', concurrency: 2, speed: false, calls: 60, begun: 6, between: 5 },
    { what: 'to speed analysis go', concurrency: 1, speed: true, calls: 30, begun: 3, between: 3 },
  ])(
    '$what to callers in turn, whichever replicas they call',
    { tags: 'nightly' },
    async ({ concurrency, speed, calls, begun, between }) => {
      const { limits, request } = await limiters(3, speed ? {} : { concurrency });
      const { seen, call } = counter();
      const callAs = (principalId: string, index: number) =>
        call(limits[index % 3] as Limiter, principalId, { ...request, speed, principalId }, 10);
      const greedy = every(calls, (index) => callAs('greedy', index));
      await until(() => seen.order.length >= begun);
      for (let turn = 0; turn < 6; turn += 1) {
        const before = seen.order.length;
        await callAs('modest', turn);
        expect(seen.order.length - before).toBeLessThanOrEqual(between);
      }
      await greedy;
      expect(seen.most).toBe(concurrency);
    },
  );

  it('of different projects do not count together', async () => {
    const { limits, request } = await limiters(2, { concurrency: 1 });
    const [one, two] = limits as [Limiter, Limiter];
    const slot = await one.acquire(request);
    const other = await two.acquire({ ...request, project: `${request.project} other` });
    expect([one.load().inFlight, two.load().inFlight]).toEqual([1, 1]);
    slot.release();
    other.release();
  });

  it('leave the queue when they are aborted, without keeping a place', async () => {
    const { limits, request } = await limiters(2, { concurrency: 1 });
    const [one, two] = limits as [Limiter, Limiter];
    const slot = await one.acquire(request);
    const giveUp = new AbortController();
    const waiting = two.acquire({ ...request, signal: giveUp.signal });
    setTimeout(() => giveUp.abort(new Error('enough')), 30);
    await expect(waiting).rejects.toThrow('enough');
    expect(two.load()).toEqual({ waiting: 0, inFlight: 0 });
    slot.release();
    (await two.acquire(request)).release();
  });

  it('become fewer on all replicas when the service refuses one', async () => {
    const { limits, request } = await limiters(2, { concurrency: 4 });
    const [one, two] = limits as [Limiter, Limiter];
    const refused = await one.acquire(request);
    refused.release(true);
    await delay(20);
    const { seen, call } = counter();
    await every(12, () => call(two, '', request, 5));
    expect(seen.most).toBe(2);
  });

  it('of a replica that dies make room when their leases run out, and those of one that lives do not', { tags: 'nightly' }, async () => {
    const { limits, caches, request } = await limiters(3, { concurrency: 2, leaseMs: 600 });
    const [dying, living, third] = limits as [Limiter, Limiter, Limiter];
    await dying.acquire(request);
    const held = await living.acquire(request);
    // As a killed process: nothing is released and nothing is held on.
    caches[0]?.close();
    const started = performance.now();
    const { seen, call } = counter();
    await call(third, 'third', request, 1);
    expect(performance.now() - started).toBeGreaterThan(300);
    const [slot, more] = [await third.acquire(request), third.acquire({ ...request, signal: AbortSignal.timeout(900) })];
    await expect(more).rejects.toThrow('timeout');
    expect(seen.most).toBe(1);
    slot.release();
    held.release();
  });
});
