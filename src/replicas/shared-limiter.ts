import { createLimiter, type Limiter, type Slot, type SlotRequest } from '../api/limiter.ts';
import type { Clock } from '../lib/clock.ts';
import type { Lease, LeaseLane, Leases } from './leases.ts';

/**
 * Holds back calls so that those of all replicas together stay below the limits of a project. Sessions take turns within a replica,
 * replicas take turns among each other; without Redis each replica keeps to its share of the limits, one call at least.
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
  const limits = { clock, concurrency, speedConcurrency };
  const turns = createLimiter(limits);
  const share = createLimiter({ ...limits, sharersOf: (project) => leases.sharersOf(project) });
  const all: LeaseLane = { name: 'all', limit: concurrency };
  const speed: LeaseLane = { name: 'speed', limit: speedConcurrency };

  /** A lease and a place in the share; a call that waited for its share while Redis came back needs a lease after all. */
  async function enter(request: SlotRequest): Promise<{ lease: Lease; own: Slot }> {
    const { project, signal } = request;
    const lanes = request.speed ? [all, speed] : [all];
    for (;;) {
      const lease = await leases.take(project, lanes, signal);
      try {
        const own = await share.acquire(request);
        if (lease) return { lease, own };
        if (leases.isAlone()) return { lease: leases.note(project, lanes), own };
        own.release();
      } catch (error) {
        lease?.release(false);
        throw error;
      }
    }
  }

  return {
    async acquire(request) {
      const turn = await turns.acquire(request);
      try {
        const { lease, own } = await enter(request);
        return {
          release(refused = false) {
            own.release();
            lease.release(refused);
            turn.release(refused);
          },
        };
      } catch (error) {
        turn.release();
        throw error;
      }
    },
    load() {
      const { inFlight } = share.load();
      const { inFlight: admitted, waiting } = turns.load();
      return { waiting: waiting + admitted - inFlight, inFlight };
    },
  };
}
