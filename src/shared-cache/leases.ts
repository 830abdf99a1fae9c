import { randomUUID } from 'node:crypto';
import { RECOVERY_MS } from '../api/limiter.ts';
import { leaseScripts } from './lease-scripts.ts';
import { type Link, RETURN_MS } from './link.ts';
import type { Vault } from './vault.ts';

/** A limit that a call counts for: all calls of the project, or those of speed analysis. */
export interface LeaseLane {
  readonly name: 'all' | 'speed';
  readonly limit: number;
}

export interface Lease {
  /** Gives it back, once; `refused` when the service found too many calls in flight. */
  release(refused: boolean): void;
}

/** The calls in flight that all replicas count together. A replica that is killed leaves its leases to run out. */
export interface Leases {
  /** Waits for a lease, in turn with the other replicas; undefined where Redis cannot be reached. */
  take(project: string, lanes: readonly LeaseLane[], signal: AbortSignal): Promise<Lease | undefined>;
  /** Among how many replicas the limits of a project are to be divided: 1 while Redis counts the calls of all. */
  sharersOf(project: string): number;
  close(): void;
}

/** The leases of a killed replica come free after this long; the others are held on three times as often. */
const LEASE_MS = 5_000;
/** Who waits asks again this often, and at once when a lease comes free. */
const ASK_MS = 100;
/** Who has not asked for this long waits no more. */
const WAITING_MS = 4 * ASK_MS;
/** A replica counts for a project this long after its last call. */
const INTEREST_MS = 60_000;
/** There is a shared cache because there are several. */
const FEWEST_REPLICAS = 2;

const { take: TAKE, hold: HOLD, give: GIVE } = leaseScripts({ recoveryMs: RECOVERY_MS, keepMs: INTEREST_MS });

export interface LeaseOptions {
  readonly link: Link;
  readonly vault: Vault;
  /** Where it is told that a lease came free. */
  readonly channel: string;
  /** Another life of leases than the product's, for tests. */
  readonly leaseMs?: number | undefined;
}

interface Held {
  readonly place: string;
  readonly lanes: string;
}

/** Makes the leases of one replica. */
export function createLeases({ link, vault, channel, leaseMs = LEASE_MS }: LeaseOptions): Leases {
  const replica = randomUUID();
  const held = new Map<string, Held>();
  const replicas = new Map<string, number>();
  const waiting = new Map<string, Set<() => void>>();
  let timer: NodeJS.Timeout | undefined;

  const stopHearing = link.onTold((text) => {
    const place = text.startsWith('free ') ? text.slice('free '.length) : '';
    for (const wake of waiting.get(place) ?? []) wake();
  });

  function holdOn(): void {
    const byPlace = new Map<string, string[]>();
    for (const [id, { place, lanes }] of held) byPlace.set(place, [...(byPlace.get(place) ?? []), id, lanes]);
    for (const [place, leases] of byPlace) void link.run(HOLD, place, [replica, leaseMs, INTEREST_MS, ...leases]);
  }

  link.onBack(holdOn);

  /** When Redis last would not count a call. */
  let uncountedAtMs = Number.NEGATIVE_INFINITY;
  const isAlone = () => !link.isUp || performance.now() - Math.max(link.backAtMs, uncountedAtMs) < RETURN_MS;

  function keepTime(): void {
    if (held.size > 0) timer ??= setInterval(holdOn, leaseMs / 3).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  }

  /** Ends when a lease came free, when it is time to ask again, or with the signal; armed before asking, so that no word is missed. */
  function nextChance(place: string, signal: AbortSignal): Promise<void> & { done: () => void } {
    const wakers = waiting.get(place) ?? new Set();
    waiting.set(place, wakers);
    let done: () => void = () => undefined;
    const promise = new Promise<void>((resolve) => {
      const asking = setTimeout(() => done(), ASK_MS * (0.75 + Math.random() / 2)).unref();
      done = () => {
        clearTimeout(asking);
        wakers.delete(done);
        if (wakers.size === 0 && waiting.get(place) === wakers) waiting.delete(place);
        signal.removeEventListener('abort', done);
        resolve();
      };
      wakers.add(done);
      signal.addEventListener('abort', done, { once: true });
    });
    return Object.assign(promise, { done });
  }

  function leaseOf(id: string, place: string, lanes: readonly LeaseLane[], seen: readonly unknown[]): Lease {
    held.set(id, { place, lanes: lanes.map(({ name }) => name).join(' ') });
    keepTime();
    return {
      release(refused) {
        if (!held.delete(id)) return;
        keepTime();
        const lowered = refused ? lanes.flatMap(({ name, limit }, index) => [name, limit, Number(seen[index])]) : [];
        void link.run(GIVE, place, [id, channel, `free ${place}`, ...lowered]);
      },
    };
  }

  return {
    async take(project, lanes, signal) {
      const place = vault.place('leases', project);
      const limits = lanes.flatMap(({ name, limit }) => [name, limit]);
      for (;;) {
        signal.throwIfAborted();
        const id = randomUUID();
        const chance = nextChance(place, signal);
        const taken = await link.run(TAKE, place, [replica, id, leaseMs, WAITING_MS, INTEREST_MS, ...limits]);
        if (!taken || !Array.isArray(taken.answer)) {
          chance.done();
          uncountedAtMs = performance.now();
          return undefined;
        }
        const [granted, others, ...seen] = taken.answer as unknown[];
        // A Redis that has just begun knows only those who have found it.
        replicas.set(place, isAlone() ? Math.max(Number(others), replicas.get(place) ?? 0) : Number(others));
        if (granted !== 1) {
          await chance;
          continue;
        }
        chance.done();
        const lease = leaseOf(id, place, lanes, seen);
        if (!signal.aborted) return lease;
        lease.release(false);
      }
    },
    sharersOf: (project) => (isAlone() ? Math.max(replicas.get(vault.place('leases', project)) ?? 0, FEWEST_REPLICAS) : 1),
    close() {
      stopHearing();
      clearInterval(timer);
      for (const wakers of waiting.values()) for (const wake of wakers) wake();
    },
  };
}
