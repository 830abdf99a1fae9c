import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import type { SharedTokens, Token } from '../api/tokens.ts';
import type { Cipher } from './cipher.ts';
import type { RedisConnection } from './redis-connection.ts';

/** Work that one replica does for all. */
export interface SharedTask<T> {
  /** The result of another replica; undefined while there is none. */
  readonly find: () => Promise<T | undefined>;
  readonly run: () => Promise<T>;
}

/** The lock of a replica that was killed expires after this time. */
const LOCK_MS = 5_000;
/** A waiting replica looks for the result this often, half as much more or less. */
const POLL_MS = 40;
/** No replica waits longer for another; then it does the work itself. */
const LONGEST_WAIT_MS = 10_000;

/** Both only while the lock is held by this replica: it may have expired and been taken by another one. */
const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
const RENEW = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";

/** Runs a task in one replica at a time; the others wait for its result. Without Redis each replica runs it at once. */
async function singleFlight<T>(connection: RedisConnection, key: string, { find, run }: SharedTask<T>): Promise<T> {
  const lock = `${key}:lock`;
  const owner = randomUUID();
  const startMs = performance.now();
  while (performance.now() - startMs < LONGEST_WAIT_MS) {
    const taken = await connection.command(lock, ['SET', lock, owner, 'NX', 'PX', String(LOCK_MS)]);
    if (!taken) break;
    if (taken.answer === 'OK') return runLocked(connection, lock, owner, { find, run });
    await delay(POLL_MS * (0.5 + Math.random()), undefined, { ref: false });
    const found = await find();
    if (found !== undefined) return found;
  }
  return run();
}

async function runLocked<T>(connection: RedisConnection, lock: string, owner: string, { find, run }: SharedTask<T>): Promise<T> {
  const timer = setInterval(() => void connection.run(RENEW, [lock], [owner, LOCK_MS]), LOCK_MS / 3).unref();
  try {
    // Another replica may have finished a moment ago.
    return (await find()) ?? (await run());
  } finally {
    clearInterval(timer);
    void connection.run(RELEASE, [lock], [owner]);
  }
}

/** A token that another replica, perhaps of another version, has written. */
const tokenSchema = z.object({
  accessToken: z.string(),
  endpoint: z.string(),
  projectId: z.number().optional(),
  scopes: z.array(z.string()),
  obtainedAtMs: z.number(),
  expiresAtMs: z.number(),
}) satisfies z.ZodType<Token>;

/**
 * Each token is one hash, so that a script changes it as a whole: `token` encrypted, `mark` with the digest of that token, `dropped` with
 * the digest of the last one that was dropped. The hash expires with its token.
 */
const EXPIRE = "if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end";
const WRITE = `
if redis.call('HGET', KEYS[1], 'dropped') == ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'token', ARGV[3], 'mark', ARGV[2])
${EXPIRE}
return 1`;
const DROP = `
redis.call('HSET', KEYS[1], 'dropped', ARGV[2])
if redis.call('HGET', KEYS[1], 'mark') == ARGV[2] then redis.call('HDEL', KEYS[1], 'token', 'mark') end
${EXPIRE}
return 1`;

function parsed(text: string | undefined): Token | undefined {
  if (text === undefined) return undefined;
  const checked = tokenSchema.safeParse(JSON.parse(text));
  return checked.success ? checked.data : undefined;
}

/** The tokens of one principal, `owner`. */
export function createSharedTokens(connection: RedisConnection, cipher: Cipher, owner: readonly string[]): SharedTokens {
  const keyOf = (name: string) => cipher.key('token', ...owner, name);
  const markOf = ({ accessToken }: Token) => cipher.digest('token mark', accessToken);
  const lifeOf = (lifeMs: number) => String(Math.max(1, Math.ceil(lifeMs)));

  return {
    async read(name) {
      const key = keyOf(name);
      const found = await connection.command(key, ['HMGET', key, 'token', 'dropped']);
      if (!found || !Array.isArray(found.answer)) return undefined;
      const [encrypted, dropped] = found.answer as unknown[];
      return { token: parsed(cipher.decrypt(encrypted, key)), isDropped: (token) => markOf(token) === dropped };
    },
    async write(name, token, lifeMs) {
      const key = keyOf(name);
      await connection.run(WRITE, [key], [lifeOf(lifeMs), markOf(token), cipher.encrypt(JSON.stringify(token), key)]);
    },
    drop(name, token, lifeMs) {
      // Sent at once: a read after it does not find the token any more.
      void connection.run(DROP, [keyOf(name)], [lifeOf(lifeMs), markOf(token)]);
    },
    singleFlight: (name, task) => singleFlight(connection, keyOf(name), task),
  };
}
