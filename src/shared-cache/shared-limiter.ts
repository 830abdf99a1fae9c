import { createLimiter, type Limiter } from '../api/limiter.ts';
import type { Clock } from '../lib/clock.ts';
import type { Lease, LeaseLane, Leases } from './leases.ts';
import { type Link, LONGEST_PAUSE_MS } from './link.ts';

/** After Redis is back this long passes until every replica has noticed and its calls are counted there. */
const RETURN_MS = 2 * LONGEST_PAUSE_MS;

/**
 * Holds back calls so that those of all replicas together stay below the limits of a project. Sessions take turns within a replica,
 * replicas take turns among each other; without Redis each replica keeps to its share of the limits, one call at least.
 */
export function createSharedLimiter({
  link,
  leases,
  clock,
  concurrency,
  speedConcurrency,
}: {
  link: Link;
  leases: Leases;
  clock: Clock;
  concurrency: number;
  speedConcurrency: number;
}): Limiter {
  const isAlone = () => !link.isUp || performance.now() - link.backAtMs < RETURN_MS;
  const limits = { clock, concurrency, speedConcurrency };
  const turns = createLimiter(limits);
  const share = createLimiter({ ...limits, sharersOf: (project) => (isAlone() ? leases.replicasOf(project) : 1) });
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
