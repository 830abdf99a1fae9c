import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
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

/** Both only while the lock is one's own: it may have expired and been taken by another replica. */
const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
const RENEW = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";

/** Runs a task in one replica at a time; the others wait for its result. Without Redis each replica runs it at once. */
export async function singleFlight<T>(connection: RedisConnection, key: string, { find, run }: SharedTask<T>): Promise<T> {
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
