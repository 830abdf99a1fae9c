import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { RECOVERY_MS } from '../api/limiter.ts';
import type { Cipher } from './cipher.ts';
import { leaseScripts } from './lease-scripts.ts';
import { RECONNECT_MS, type RedisConnection } from './redis-connection.ts';

/** A call that wants a lease. */
export interface LeaseRequest {
  readonly project: string;
  /** Leases go to callers in turn, whichever replicas they call. */
  readonly caller: string;
  /** Limit of all calls of the project, then of those to speed analysis if the call is one. */
  readonly limits: readonly number[];
  readonly signal: AbortSignal;
}

/** One call that counts as in flight. */
export interface Lease {
  /** Ends the lease, once; `refused` when the service found too many calls in flight. */
  release(refused: boolean): void;
}

/** A semaphore in Redis for the calls in flight of all replicas. Leases of a replica that was killed expire. */
export interface Leases {
  /** Waits for a lease; undefined where Redis cannot be reached. */
  acquire(request: LeaseRequest): Promise<Lease | undefined>;
  /** A lease for a call that Redis could not count: it is counted when Redis is back. */
  addUncounted(request: LeaseRequest): Lease;
  /** True while Redis does not count all calls: it is away, has just come back, or refused a command lately. */
  isAlone(): boolean;
  /** Among how many replicas the limits of a project are to be divided: 1 while Redis counts all calls. */
  sharersOf(project: string): number;
  close(): void;
}

/** The connection and the limits that leases are counted with. */
export interface LeaseOptions {
  /** Life of a lease; for tests. */
  readonly leaseMs?: number | undefined;
  readonly connection: RedisConnection;
  readonly cipher: Cipher;
  readonly channel: string;
}

/** The leases of a killed replica expire after this time; live ones are renewed three times as often. */
const LEASE_MS = 5_000;
/** A waiting call is woken when it is its turn; it asks again after this time, a quarter more or less, in case a replica was killed. */
const POLL_MS = 200;
const WAITING_MS = 4 * POLL_MS;
/** A replica counts for a project, and the turn of a caller is remembered, this long after the last call. */
const INTEREST_MS = 60_000;
/** A shared cache is set because there are several replicas. */
const FEWEST_REPLICAS = 2;
const LANES = ['all', 'speed'];
const KEYS_PER_LANE = ['held', 'waiting', 'turns', 'lowered'];

const SCRIPTS = leaseScripts(RECOVERY_MS);

interface HeldLease {
  readonly project: string;
  readonly lanes: number;
}

/** Makes the leases of one replica. */
export function createLeases({ connection, cipher, channel, leaseMs = LEASE_MS }: LeaseOptions): Leases {
  const replica = randomUUID();
  const held = new Map<string, HeldLease>();
  /** Calls to repeat when Redis is back: it may hold leases that it did not confirm, and not know that others have ended. */
  const unconfirmed = new Set<() => void>();
  const replicasOf = new Map<string, number>();
  /** Wakes waiting calls, by lane and member: a caller with its replica. */
  const freed = new EventEmitter().setMaxListeners(0);
  let timer: NodeJS.Timeout | undefined;
  let refusedAtMs = Number.NEGATIVE_INFINITY;
  const isAlone = () => !connection.isUp || performance.now() - Math.max(connection.reconnectedAtMs, refusedAtMs) < RECONNECT_MS;

  const keysOf = (project: string) => {
    const base = cipher.key('leases', project);
    const lanes = LANES.flatMap((lane) => KEYS_PER_LANE.map((name) => cipher.subkey(base, `${lane} ${name}`)));
    return [cipher.subkey(base, 'replicas'), ...lanes];
  };

  const unsubscribe = connection.subscribe((text) => {
    if (text.startsWith('free ')) freed.emit(text.slice('free '.length));
  });

  function renew(projects: Iterable<string>): void {
    for (const project of new Set(projects)) {
      const leases = [...held].filter(([, lease]) => lease.project === project).flatMap(([id, { lanes }]) => [id, lanes]);
      void connection.run(SCRIPTS.renew, keysOf(project), [replica, leaseMs, INTEREST_MS, ...leases]);
    }
  }
  const renewHeld = () => renew([...held.values()].map(({ project }) => project));

  connection.onReconnect(() => {
    renew([...replicasOf.keys(), ...[...held.values()].map(({ project }) => project)]);
    const repeats = [...unconfirmed];
    unconfirmed.clear();
    for (const repeat of repeats) repeat();
  });

  function updateTimer(): void {
    if (held.size > 0) timer ??= setInterval(renewHeld, leaseMs / 3).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  }

  /** Ends a lease, and the waiting of a member unless that is empty; repeated when Redis is back if it cannot be reached. */
  async function end(request: LeaseRequest, id: string, { member = '', refusedFrom = '' } = {}): Promise<void> {
    const ended = await connection.run(SCRIPTS.release, keysOf(request.project), [id, member, channel, refusedFrom, ...request.limits]);
    if (!ended) unconfirmed.add(() => void end(request, id, { member }));
  }

  function keep(request: LeaseRequest, id: string, grantedAt: string): Lease {
    held.set(id, { project: request.project, lanes: request.limits.length });
    updateTimer();
    return {
      release(refused) {
        if (!held.delete(id)) return;
        updateTimer();
        void end(request, id, { refusedFrom: refused ? grantedAt : '' });
      },
    };
  }

  /** Asks once; undefined where Redis does not answer. */
  async function ask(request: LeaseRequest, member: string): Promise<{ lease?: Lease } | undefined> {
    const { project, limits } = request;
    const id = randomUUID();
    const times = [leaseMs, WAITING_MS, INTEREST_MS];
    const asked = await connection.run(SCRIPTS.acquire, keysOf(project), [replica, id, member, channel, ...times, ...limits]);
    if (!asked || !Array.isArray(asked.answer)) {
      refusedAtMs = performance.now();
      unconfirmed.add(() => void end(request, id));
      return undefined;
    }
    const [granted, replicas, grantedAt]: unknown[] = asked.answer;
    // A Redis that has just started knows only the replicas that have found it.
    replicasOf.set(project, isAlone() ? Math.max(Number(replicas), replicasOf.get(project) ?? 0) : Number(replicas));
    return granted === 1 ? { lease: keep(request, id, String(grantedAt)) } : {};
  }

  return {
    async acquire(request) {
      const { project, limits, signal } = request;
      const member = `${cipher.digest('caller', request.caller)} ${replica}`;
      const waiter = createWaiter();
      const keys = keysOf(project);
      const lanes = limits.map((_, lane) => `${keys[1 + KEYS_PER_LANE.length * lane]} ${member}`);
      for (const lane of lanes) freed.on(lane, waiter.wake);
      signal.addEventListener('abort', waiter.wake, { once: true });
      let isWaiting = false;
      try {
        for (;;) {
          signal.throwIfAborted();
          waiter.reset();
          const found = await ask(request, member);
          if (!found) return undefined;
          const { lease } = found;
          isWaiting = !lease;
          if (lease && !signal.aborted) return lease;
          lease?.release(false);
          if (!lease) await waiter.wait(POLL_MS * (0.75 + Math.random() / 2));
        }
      } finally {
        signal.removeEventListener('abort', waiter.wake);
        for (const lane of lanes) freed.off(lane, waiter.wake);
        if (isWaiting && signal.aborted) void end(request, '', { member });
      }
    },
    addUncounted(request) {
      const lease = keep(request, randomUUID(), '');
      if (connection.isUp) renew([request.project]);
      return lease;
    },
    isAlone,
    sharersOf: (project) => (isAlone() ? Math.max(replicasOf.get(project) ?? 0, FEWEST_REPLICAS) : 1),
    close() {
      unsubscribe();
      clearInterval(timer);
      for (const lane of freed.eventNames()) freed.emit(lane);
    },
  };
}

/** A pause that can be ended early, also before it begins. */
function createWaiter() {
  let isWoken = false;
  let end: () => void = () => undefined;
  return {
    wake: (): void => {
      isWoken = true;
      end();
    },
    reset() {
      isWoken = false;
    },
    async wait(ms: number): Promise<void> {
      if (isWoken) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms).unref();
        end = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
