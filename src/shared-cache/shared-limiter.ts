import { createLimiter, type Limiter } from '../api/limiter.ts';
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

  return {
    async acquire(request) {
      const turn = await turns.acquire(request);
      let lease: Lease | undefined;
      try {
        lease = await leases.take(request.project, request.speed ? [all, speed] : [all], request.signal);
        const own = await share.acquire(request);
        return {
          release(refused = false) {
            own.release();
            lease?.release(refused);
            turn.release(refused);
          },
        };
      } catch (error) {
        lease?.release(false);
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
