import { setMaxListeners } from 'node:events';
import { onTestFinished } from 'vitest';
import { createTokenCache, type Token, type TokenRequest } from '../../src/api/tokens.ts';
import { type Clock, HOUR_MS } from '../../src/lib/clock.ts';
import { type Owner, openSharedCache, type SharedCache } from '../../src/replicas/index.ts';
import { CACHE_KEY, makeRedis, type TestRedis } from '../support/redis.ts';

/** A signal that never aborts. */
export const never = new AbortController().signal;
setMaxListeners(0, never);

export const REQUEST: TokenRequest = {
  credential: { clientId: 'canary-id', clientSecret: 'canary-secret' },
  projectId: 1201,
  scopes: ['metrics'],
};

/** A principal with the credential of `REQUEST`. */
export const ownerOf = (principalId: string): Owner => ({
  principalId,
  authUrl: 'https://auth.example.com',
  credential: REQUEST.credential,
});

/** A Redis of the test's own, not started yet, ended with the test. */
export async function ownRedis(extra?: readonly string[]): Promise<TestRedis> {
  const redis = await makeRedis(extra);
  onTestFinished(() => redis.kill());
  return redis;
}

/** The shared cache of one replica, closed when the test ends, with the lines that it logged. */
export async function openReplica(
  url: string,
  { key = CACHE_KEY, ...times }: { key?: string; leaseMs?: number; heartbeatMs?: number } = {},
): Promise<SharedCache & { readonly lines: string[] }> {
  const lines: string[] = [];
  const cache = await openSharedCache({ url, key, ...times, log: (_level, message) => void lines.push(message) });
  onTestFinished(() => cache.close());
  return Object.defineProperties({ lines } as SharedCache & { lines: string[] }, Object.getOwnPropertyDescriptors(cache));
}

/** A token service that counts; each token is another, and lives an hour. */
export function tokenService(clock: Clock) {
  const service = {
    asked: 0,
    /** What each request waits for before it is answered. */
    before: async (): Promise<void> => undefined,
    async fetchToken(request: TokenRequest): Promise<Token> {
      service.asked += 1;
      const accessToken = `canary-token-${service.asked}`;
      await service.before();
      const obtainedAtMs = clock.now();
      return {
        accessToken,
        endpoint: 'https://canary.example.com',
        scopes: request.scopes,
        obtainedAtMs,
        expiresAtMs: obtainedAtMs + HOUR_MS,
      };
    },
  };
  return service;
}

/** The token cache of a principal on one replica. */
export function tokensOn(cache: SharedCache, clock: Clock, service: ReturnType<typeof tokenService>, principalId = 'anna') {
  const adopted: string[] = [];
  const tokens = createTokenCache({
    clock,
    fetchToken: (request) => service.fetchToken(request),
    replicas: cache.tokensOf(ownerOf(principalId)),
    onAdopted: (accessToken) => void adopted.push(accessToken),
  });
  const get = async () => (await tokens.get(REQUEST, never)).token.accessToken;
  return { tokens, get, adopted };
}

/** Waits until something is so; fails when the test's time is over. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5));
}
