import { createLimiter, type Limiter, type Slot, type SlotRequest } from '../api/limiter.ts';
import type { SharedTokens } from '../api/tokens.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createCipher } from './cipher.ts';
import { createLeases, type Lease, type LeaseOptions, type LeaseRequest, type Leases } from './leases.ts';
import { loadRedis } from './redis.ts';
import { openRedisConnection, type RedisConnectionOptions } from './redis-connection.ts';
import { createPubSub, createSharedLists, createSharedTokens, createSharedWatches, createUseOnce } from './shared-caches.ts';

/**
 * Limits the calls of all replicas together to what a project may have in flight. Callers take turns across all replicas, the sessions
 * of a caller within each; without Redis each replica keeps to its share of the limits, at least one call.
 */
function createSharedLimiter({
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

/** The owner of shared state: another principal, or the same one with another credential, does not find it. */
export interface Owner {
  readonly principalId: string;
  readonly authUrl: string;
  readonly credential: { readonly clientId: string; readonly clientSecret: string };
}

/** The state that the replicas of a server share through Redis: nothing readable, and nothing that a replica cannot do without. */
export interface SharedCache {
  /** The limiter of this process, which counts with those of the other replicas. */
  limiter(limits: { clock: Clock; concurrency: number; speedConcurrency: number }): Limiter;
  /** The tokens of a principal. */
  tokensOf(owner: Owner): SharedTokens;
  /** The confirmations that a principal has used. */
  useOnceOf(owner: Owner): ReturnType<typeof createUseOnce>;
  /** The name lists of a principal. */
  listsOf(owner: Owner): ReturnType<typeof createSharedLists>;
  /** The watches of one session of a principal. */
  watchesOf(owner: Owner): ReturnType<typeof createSharedWatches>;
  /** False while Redis cannot be reached; everything goes on without it. */
  readonly isUp: boolean;
  close(): void;
}

/** Address and key of the shared store; times for tests. */
interface SharedCacheOptions extends Pick<LeaseOptions, 'leaseMs'>, Pick<RedisConnectionOptions, 'heartbeatMs'> {
  readonly url: string;
  /** 32 random bytes, the same on all replicas. */
  readonly key: string;
  readonly log: Log;
}

function partsOf({ principalId, authUrl, credential }: Owner): string[] {
  return [principalId, authUrl, credential.clientId, credential.clientSecret];
}

/** Connects to Redis; throws an `ApiError` only where its package is missing, since a Redis that is gone may come back. */
export async function openSharedCache({ url, key, log, leaseMs, heartbeatMs }: SharedCacheOptions): Promise<SharedCache> {
  await loadRedis();
  const cipher = createCipher(key);
  const channel = cipher.key('channel');
  const connection = await openRedisConnection({ url, channel, log, heartbeatMs });
  const pubSub = createPubSub(connection, cipher);
  const leases = createLeases({ connection, cipher, channel, leaseMs });
  return {
    limiter: (limits) => createSharedLimiter({ ...limits, leases }),
    tokensOf: (owner) => createSharedTokens(connection, cipher, partsOf(owner)),
    useOnceOf: (owner) => createUseOnce(connection, cipher, partsOf(owner)),
    listsOf: (owner) => createSharedLists({ connection, cipher, pubSub, owner: partsOf(owner) }),
    watchesOf: (owner) => createSharedWatches({ connection, cipher, pubSub, owner: partsOf(owner) }),
    get isUp() {
      return connection.isUp;
    },
    close() {
      leases.close();
      connection.close();
    },
  };
}
