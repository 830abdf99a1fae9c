import { createLimiter, type Limiter, type Slot, type SlotRequest } from '../api/limiter.ts';
import type { Clock } from '../lib/clock.ts';
import type { Lease, LeaseRequest, Leases } from './leases.ts';

/**
 * Limits the calls of all replicas together to what a project may have in flight. Callers take turns across all replicas, the sessions
 * of a caller within each; without Redis each replica keeps to its share of the limits, at least one call.
 */
export function createSharedLimiter({
  leases,
  clock,
  concurrency,
  speedConcurrency,
}: {
  leases: Leases;
  clock: Clock;
  concurrency: number;
  speedConcurrency: number;
}): Limiter {
  // One call of each caller asks for a lease at a time; Redis decides between callers.
  const asking = createLimiter({ clock, concurrency: 1, speedConcurrency: 1 });
  const share = createLimiter({ clock, concurrency, speedConcurrency, sharersOf: (project) => leases.sharersOf(project) });

  /** Where the calls of one caller wait for a lease. */
  function queueOf({ project, principalId, sessionId, speed }: Omit<SlotRequest, 'signal'>): string {
    return JSON.stringify([project, principalId ?? sessionId, speed]);
  }

  async function acquireLease(request: SlotRequest, leased: LeaseRequest): Promise<Lease | undefined> {
    const turn = await asking.acquire({ ...request, project: queueOf(request) });
    try {
      return await leases.acquire(leased);
    } finally {
      turn.release();
    }
  }

  /** A lease and a slot of the share; a call that waited for its share while Redis came back also needs a lease. */
  async function acquireSlot(request: SlotRequest): Promise<{ lease: Lease; own: Slot }> {
    const { project, principalId, sessionId, speed, signal } = request;
    const limits = speed ? [concurrency, speedConcurrency] : [concurrency];
    const leased: LeaseRequest = { project, caller: principalId ?? sessionId, limits, signal };
    for (;;) {
      const lease = await acquireLease(request, leased);
      try {
        const own = await share.acquire(request);
        if (lease) return { lease, own };
        if (leases.isAlone()) return { lease: leases.addUncounted(leased), own };
        own.release();
      } catch (error) {
        lease?.release(false);
        throw error;
      }
    }
  }

  return {
    async acquire(request) {
      const { lease, own } = await acquireSlot(request);
      return {
        release(refused = false) {
          own.release(refused);
          lease.release(refused);
        },
      };
    },
    // A call asks for its lease as long as it waits for its turn among all replicas.
    expectedWaitMs: (request) => asking.expectedWaitMs?.({ ...request, project: queueOf(request) }),
    isAlone: () => leases.isAlone(),
    load() {
      const [ask, call] = [asking.load(), share.load()];
      return { waiting: ask.waiting + ask.inFlight + call.waiting, inFlight: call.inFlight };
    },
  };
}
