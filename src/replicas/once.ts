import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Link } from './link.ts';

/** What is done by one replica for all. */
export interface Errand<T> {
  /** What another replica has done; undefined while none has. */
  readonly find: () => Promise<T | undefined>;
  /** Does it. */
  readonly run: () => Promise<T>;
}

/** The lock of a replica that was killed comes free after this long. */
const LOCK_MS = 5_000;
/** Who waits looks this often, half as much more or less. */
const LOOK_MS = 40;
/** Nobody waits longer for another replica; then each does it alone. */
const PATIENCE_MS = 10_000;

/** Ends or prolongs a lock only while it is one's own: it may have come free and been taken by another. */
const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";
const PROLONG = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end return 0";

/** Runs an errand in one replica at a time; the others wait for what it brings. Without Redis each replica runs its own at once. */
export async function once<T>(link: Link, place: string, { find, run }: Errand<T>): Promise<T> {
  const lock = `${place}:lock`;
  const owner = randomUUID();
  const startMs = performance.now();
  while (performance.now() - startMs < PATIENCE_MS) {
    const taken = await link.ask(lock, ['SET', lock, owner, 'NX', 'PX', String(LOCK_MS)]);
    if (!taken) break;
    if (taken.answer === 'OK') return holding(link, lock, owner, { find, run });
    await delay(LOOK_MS * (0.5 + Math.random()), undefined, { ref: false });
    const found = await find();
    if (found !== undefined) return found;
  }
  return run();
}

async function holding<T>(link: Link, lock: string, owner: string, { find, run }: Errand<T>): Promise<T> {
  const timer = setInterval(() => void link.run(PROLONG, lock, [owner, LOCK_MS]), LOCK_MS / 3).unref();
  try {
    // Another may have been there a moment ago.
    return (await find()) ?? (await run());
  } finally {
    clearInterval(timer);
    void link.run(RELEASE, lock, [owner]);
  }
}
