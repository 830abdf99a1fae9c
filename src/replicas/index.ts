import type { Limiter } from '../api/limiter.ts';
import type { SharedTokens } from '../api/tokens.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createCipher } from './cipher.ts';
import { createLeases, type LeaseOptions } from './leases.ts';
import { loadRedis } from './redis.ts';
import { openRedisConnection, type RedisConnectionOptions } from './redis-connection.ts';
import { createPubSub, createSharedLists, createSharedTokens, createSharedWatches, createUseOnce } from './shared-caches.ts';
import { createSharedLimiter } from './shared-limiter.ts';

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
export interface SharedCacheOptions extends Pick<LeaseOptions, 'leaseMs'>, Pick<RedisConnectionOptions, 'heartbeatMs'> {
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
