import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { RECOVERY_MS } from '../api/limiter.ts';
import { countOf } from '../lib/tally.ts';
import type { Cipher } from './cipher.ts';
import { leaseScripts } from './lease-scripts.ts';
import type { RedisConnection } from './redis-connection.ts';
import { RECONNECT_MS } from './redis-link.ts';

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

/** The leases that this replica holds, renewed as long as there are any. */
interface HeldLeases {
  add(id: string, lease: HeldLease): void;
  /** False where it was not held. */
  remove(id: string): boolean;
  readonly projects: readonly string[];
  /** Each id of a project followed by the number of its lanes. */
  of(project: string): (string | number)[];
  close(): void;
}

function createHeldLeases(renewMs: number, renew: (projects: readonly string[]) => void): HeldLeases {
  const held = new Map<string, HeldLease>();
  let timer: NodeJS.Timeout | undefined;
  const projects = () => [...held.values()].map(({ project }) => project);
  function updateTimer(): void {
    if (held.size > 0) timer ??= setInterval(() => renew(projects()), renewMs).unref();
    else {
      clearInterval(timer);
      timer = undefined;
    }
  }
  return {
    add(id, lease) {
      held.set(id, lease);
      updateTimer();
    },
    remove(id) {
      const wasHeld = held.delete(id);
      updateTimer();
      return wasHeld;
    },
    get projects() {
      return projects();
    },
    of: (project) => [...held].filter(([, lease]) => lease.project === project).flatMap(([id, { lanes }]) => [id, lanes]),
    close: () => clearInterval(timer),
  };
}

/** The keys of a project: that of its replicas, then those of each lane. */
function keysOf(cipher: Cipher, project: string): string[] {
  const base = cipher.key('leases', project);
  const lanes = LANES.flatMap((lane) => KEYS_PER_LANE.map((name) => cipher.subkey(base, `${lane} ${name}`)));
  return [cipher.subkey(base, 'replicas'), ...lanes];
}

/** How a call waits for its lease. */
interface WaitingCall {
  /** Asks once; undefined where Redis does not answer. */
  readonly ask: () => Promise<{ lease?: Lease } | undefined>;
  /** Says that it waits no longer. */
  readonly leave: () => void;
  /** Wakes waiting calls, by lane and member. */
  readonly freed: EventEmitter;
  readonly lanes: readonly string[];
}

/** Asks again and again until there is a lease; undefined where Redis does not answer. */
async function waitForLease({ ask, leave, freed, lanes }: WaitingCall, signal: AbortSignal): Promise<Lease | undefined> {
  const waiter = createWaiter();
  for (const lane of lanes) freed.on(lane, waiter.wake);
  signal.addEventListener('abort', waiter.wake, { once: true });
  let isWaiting = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      waiter.reset();
      const found = await ask();
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
    if (isWaiting && signal.aborted) leave();
  }
}

/** The answer to one question for a lease; undefined where Redis gives none. */
async function askOnce(connection: RedisConnection, keys: readonly string[], parameters: readonly (string | number)[]) {
  const asked = await connection.run(SCRIPTS.acquire, [...keys], [...parameters]);
  if (!asked || !Array.isArray(asked.answer)) return undefined;
  const [granted, replicas, grantedAt]: unknown[] = asked.answer;
  return { isGranted: granted === 1, replicas: Number(replicas), grantedAt: String(grantedAt) };
}

/** Ends leases, again when Redis is back where it did not confirm that. */
function createEndings({ connection, cipher, channel }: Omit<LeaseOptions, 'leaseMs'>) {
  /** Calls to repeat: Redis may hold leases that it did not confirm, and not know that others have ended. */
  const unconfirmed = new Set<() => void>();

  /** Ends a lease, and the waiting of a member unless that is empty. */
  async function end(request: Pick<LeaseRequest, 'project' | 'limits'>, id: string, { member = '', refusedFrom = '' } = {}): Promise<void> {
    const { project, limits } = request;
    const ended = await connection.run(SCRIPTS.release, keysOf(cipher, project), [id, member, channel, refusedFrom, ...limits]);
    if (!ended) unconfirmed.add(() => void end(request, id, { member }));
  }

  return {
    end,
    endLater: (request: LeaseRequest, id: string) => void unconfirmed.add(() => void end(request, id)),
    repeatAll: () => {
      const repeats = [...unconfirmed];
      unconfirmed.clear();
      for (const repeat of repeats) repeat();
    },
  };
}

/** Makes the leases of one replica. */
export function createLeases({ connection, cipher, channel, leaseMs = LEASE_MS }: LeaseOptions): Leases {
  const replica = randomUUID();
  const held = createHeldLeases(leaseMs / 3, renew);
  const { end, endLater, repeatAll } = createEndings({ connection, cipher, channel });
  const replicasOf = new Map<string, number>();
  /** By lane and member: a caller with its replica. */
  const freed = new EventEmitter().setMaxListeners(0);
  let refusedAtMs = Number.NEGATIVE_INFINITY;
  const isAlone = () => !connection.isUp || performance.now() - Math.max(connection.reconnectedAtMs, refusedAtMs) < RECONNECT_MS;

  const unsubscribe = connection.subscribe((text) => text.startsWith('free ') && freed.emit(text.slice('free '.length)));

  function renew(projects: Iterable<string>): void {
    for (const project of new Set(projects))
      void connection.run(SCRIPTS.renew, keysOf(cipher, project), [replica, leaseMs, INTEREST_MS, ...held.of(project)]);
  }

  connection.onReconnect(() => {
    renew([...replicasOf.keys(), ...held.projects]);
    repeatAll();
  });

  function keep(request: LeaseRequest, id: string, grantedAt: string): Lease {
    held.add(id, { project: request.project, lanes: request.limits.length });
    return {
      release(refused) {
        if (held.remove(id)) void end(request, id, { refusedFrom: refused ? grantedAt : '' });
      },
    };
  }

  async function ask(request: LeaseRequest, member: string): Promise<{ lease?: Lease } | undefined> {
    const id = randomUUID();
    const keys = keysOf(cipher, request.project);
    const found = await askOnce(connection, keys, [replica, id, member, channel, leaseMs, WAITING_MS, INTEREST_MS, ...request.limits]);
    if (!found) {
      refusedAtMs = performance.now();
      endLater(request, id);
      return undefined;
    }
    const { isGranted, replicas, grantedAt } = found;
    // A Redis that has just started knows only the replicas that have found it.
    replicasOf.set(request.project, isAlone() ? Math.max(replicas, countOf(replicasOf, request.project)) : replicas);
    return isGranted ? { lease: keep(request, id, grantedAt) } : {};
  }

  return {
    async acquire(request) {
      const member = `${cipher.digest('caller', request.caller)} ${replica}`;
      const keys = keysOf(cipher, request.project);
      const lanes = request.limits.map((_, lane) => `${keys[1 + KEYS_PER_LANE.length * lane]} ${member}`);
      const waiting = { ask: () => ask(request, member), leave: () => void end(request, '', { member }), freed, lanes };
      return waitForLease(waiting, request.signal);
    },
    addUncounted(request) {
      const lease = keep(request, randomUUID(), '');
      if (connection.isUp) renew([request.project]);
      return lease;
    },
    isAlone,
    sharersOf: (project) => (isAlone() ? Math.max(countOf(replicasOf, project), FEWEST_REPLICAS) : 1),
    close() {
      unsubscribe();
      held.close();
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
