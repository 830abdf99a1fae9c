import { randomUUID } from 'node:crypto';
import { RECOVERY_MS } from '../api/limiter.ts';
import { ASK_MS, createLeaseQueue } from './lease-queue.ts';
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
  /** A lease for a call that Redis would not count: it is counted when Redis is back. */
  note(project: string, lanes: readonly LeaseLane[]): Lease;
  /** True while Redis does not count all calls: it is away, has just come back, or would not count one lately. */
  isAlone(): boolean;
  /** Among how many replicas the limits of a project are to be divided: 1 while Redis counts all calls. */
  sharersOf(project: string): number;
  close(): void;
}

/** The leases of a killed replica come free after this long; the others are held on three times as often. */
const LEASE_MS = 5_000;
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
  /** Leases that were asked for and may have been given. */
  const asked = new Map<string, string>();
  const replicas = new Map<string, number>();
  const queue = createLeaseQueue();
  let timer: NodeJS.Timeout | undefined;
  /** When Redis last would not count a call. */
  let uncountedAtMs = Number.NEGATIVE_INFINITY;
  const isAlone = () => !link.isUp || performance.now() - Math.max(link.backAtMs, uncountedAtMs) < RETURN_MS;

  const stopHearing = link.onTold((text) => {
    const [word, place = '', by] = text.split(' ');
    if (word === 'free' && by !== replica) queue.wake(place);
  });

  /** Says which leases of this replica there are, so that those it knows nothing of come free: a Redis that stood still gives late. */
  function holdOn(places: Iterable<string>): void {
    const leases = new Map([...places].map((place): [string, string[]] => [place, []]));
    for (const [id, { place, lanes }] of held) leases.get(place)?.push(id, lanes);
    for (const [id, place] of asked) leases.get(place)?.push(id, '');
    for (const [place, known] of leases) void link.run(HOLD, place, [replica, leaseMs, INTEREST_MS, ...known]);
  }

  link.onBack(() => holdOn([...replicas.keys(), ...[...held.values()].map(({ place }) => place)]));

  function keepTime(): void {
    if (held.size > 0) timer ??= setInterval(() => holdOn([...held.values()].map(({ place }) => place)), leaseMs / 3).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  }

  function leaseOf(id: string, place: string, lanes: readonly LeaseLane[], seen: readonly unknown[]): Lease {
    held.set(id, { place, lanes: lanes.map(({ name }) => name).join(' ') });
    keepTime();
    return {
      release(refused) {
        if (!held.delete(id)) return;
        keepTime();
        const lowered = refused ? lanes.flatMap(({ name, limit }, index) => [name, limit, Number(seen[index])]) : [];
        void link.run(GIVE, place, [id, replica, channel, `free ${place} ${replica}`, ...lowered]);
        queue.wake(place);
      },
    };
  }

  /** One question for a lease, which is absent where none is free; undefined where Redis would not say. */
  async function ask(place: string, lanes: readonly LeaseLane[]): Promise<{ lease?: Lease; isLast?: boolean } | undefined> {
    const id = randomUUID();
    const limits = lanes.flatMap(({ name, limit }) => [name, limit]);
    asked.set(id, place);
    const taken = await link.run(TAKE, place, [replica, id, leaseMs, WAITING_MS, INTEREST_MS, ...limits]);
    asked.delete(id);
    if (!taken || !Array.isArray(taken.answer)) {
      uncountedAtMs = performance.now();
      return undefined;
    }
    const [granted, others, free, ...seen] = taken.answer as unknown[];
    // A Redis that has just begun knows only those who have found it.
    replicas.set(place, isAlone() ? Math.max(Number(others), replicas.get(place) ?? 0) : Number(others));
    return granted === 1 ? { lease: leaseOf(id, place, lanes, seen), isLast: Number(free) <= 0 } : {};
  }

  return {
    async take(project, lanes, signal) {
      const place = vault.place('leases', project);
      const waiting = queue.join(place, lanes.at(-1)?.name ?? '', signal);
      try {
        if (link.isUp && !waiting.isFirst()) await waiting.chance();
        for (;;) {
          signal.throwIfAborted();
          waiting.arm();
          const found = await ask(place, lanes);
          if (!found) {
            queue.wakeAll();
            return undefined;
          }
          const { lease, isLast } = found;
          if (lease) waiting.leave();
          if (lease && !isLast) queue.wake(place);
          if (lease && !signal.aborted) return lease;
          if (!lease) await waiting.chance();
          else lease.release(false);
        }
      } finally {
        waiting.leave();
      }
    },
    note(project, lanes) {
      const place = vault.place('leases', project);
      const lease = leaseOf(randomUUID(), place, lanes, []);
      if (link.isUp) holdOn([place]);
      return lease;
    },
    isAlone,
    sharersOf: (project) => (isAlone() ? Math.max(replicas.get(vault.place('leases', project)) ?? 0, FEWEST_REPLICAS) : 1),
    close() {
      stopHearing();
      clearInterval(timer);
      queue.wakeAll();
    },
  };
}
