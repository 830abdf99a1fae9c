import { createHmac, randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { RECOVERY_MS } from '../api/limiter.ts';
import { type SealKey, seal, sealKey, unseal } from '../lib/seal.ts';
import { countOf } from '../lib/tally.ts';
import { RECONNECT_MS, type RedisConnection } from './redis-connection.ts';

/** Changes with the format, so that replicas of two versions do not read each other's values. */
const FORMAT = '1';

/** Makes the cipher of all replicas that have the same secret (32 random bytes, as `sealKey` takes them). */
export function createCipher(secret: string) {
  const values: SealKey = sealKey(secret, `shared cache ${FORMAT}`);
  const places: SealKey = sealKey(secret, `places in the shared cache ${FORMAT}`);
  /** Stands for a text where two must be compared but neither need be read; the same on every replica. */
  const digest = (...parts: readonly string[]) => createHmac('sha256', places.bytes).update(JSON.stringify(parts)).digest('base64url');
  return {
    /** The key in Redis of what these parts name; a cluster keeps keys with the same text in braces on one node. */
    key: (...parts: readonly string[]) => `web-analytics:{${digest(...parts)}}`,
    /** A key on the same node of a cluster as another one. */
    subkey: (key: string, name: string) => `${key}${digest(name).slice(0, 12)}`,
    digest,
    /** Encrypts a text for one key. */
    encrypt: (text: string, key: string) => seal(text, values, [key]),
    /** The text that was encrypted for this key; undefined for anything else, which then counts as absent. */
    decrypt(encrypted: unknown, key: string) {
      if (typeof encrypted !== 'string') return undefined;
      try {
        return unseal(encrypted, [values], [key]);
      } catch {
        return undefined;
      }
    },
  };
}

/** Turns names and texts into what Redis may hold: it can read neither. */
export type Cipher = ReturnType<typeof createCipher>;

/**
 * Calls in flight are counted in two lanes: all calls of a project, and those of speed analysis. KEYS are `replicas`, then `held`,
 * `waiting`, `turns` and `lowered` of each lane. `replicas`, `held` and `waiting` are sorted sets of ids by the instant at which they
 * expire; `turns` holds callers, and callers with their replica, by the instant of their last lease; `lowered` is the limit after a
 * refusal by the service, and when that was. All instants are those of Redis in ms, because the clocks of replicas differ.
 */
const COMMON = `
local time = redis.call('TIME')
local nowMs = time[1] * 1000 + time[2] / 1000
local function laneAt(index)
  local at = 4 * index - 3
  return { held = KEYS[at + 1], waiting = KEYS[at + 2], turns = KEYS[at + 3], lowered = KEYS[at + 4] }
end
local function addUntil(set, member, ms)
  redis.call('ZADD', set, nowMs + ms, member)
  redis.call('PEXPIRE', set, ms)
end
local function expire(set)
  redis.call('ZREMRANGEBYSCORE', set, '-inf', nowMs)
end
local function turnOf(lane, member)
  return tonumber(redis.call('ZSCORE', lane.turns, member) or 0)
end
local function callerOf(member)
  return string.match(member, '%S+')
end
local function isBefore(lane, one, other)
  local caller, otherCaller = callerOf(one), callerOf(other)
  if caller == otherCaller then return turnOf(lane, one) < turnOf(lane, other) end
  return turnOf(lane, caller) < turnOf(lane, otherCaller)
end
local function loweredOf(lane)
  local to, at = string.match(redis.call('GET', lane.lowered) or '', '(%S+) (%S+)')
  return tonumber(to), tonumber(at)
end
local function limitOf(lane, limit)
  local to, at = loweredOf(lane)
  return to and math.min(limit, to + math.floor((nowMs - at) / RECOVERY_MS)) or limit
end
local function freeIn(lane, limit)
  expire(lane.held)
  expire(lane.waiting)
  return limitOf(lane, limit) - redis.call('ZCARD', lane.held)
end
local function announce(lane, limit, channel)
  if freeIn(lane, limit) <= 0 then return end
  local next
  for _, member in ipairs(redis.call('ZRANGE', lane.waiting, 0, -1)) do
    if not next or isBefore(lane, member, next) then next = member end
  end
  if next then redis.call('PUBLISH', channel, 'free ' .. lane.held .. ' ' .. next) end
end
`;

/**
 * ARGV: replica, lease, member (caller and replica), channel, then ms of the lease, of waiting and of interest, then the limit of each
 * lane. The caller whose last lease is the oldest goes first, and of one caller the replica whose last lease is. Answers whether the lease
 * is granted, how many replicas call this project, and the instant. It begins with a command that a Redis without memory refuses, because
 * after another one Redis would run it to the end, while it refuses to renew the leases.
 */
const ACQUIRE = `
local replica, lease, member, channel = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local leaseMs, waitingMs, interestMs = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
addUntil(KEYS[1], replica, interestMs)
expire(KEYS[1])
local replicas = redis.call('ZCARD', KEYS[1])
for index = 1, #ARGV - 7 do
  local lane = laneAt(index)
  local free = freeIn(lane, tonumber(ARGV[7 + index]))
  for _, other in ipairs(redis.call('ZRANGE', lane.waiting, 0, -1)) do
    if isBefore(lane, other, member) then free = free - 1 end
  end
  if free <= 0 then
    addUntil(lane.waiting, member, waitingMs)
    return { 0, replicas, '0' }
  end
end
for index = 1, #ARGV - 7 do
  local lane = laneAt(index)
  addUntil(lane.held, lease, leaseMs)
  redis.call('ZREM', lane.waiting, member)
  redis.call('ZADD', lane.turns, nowMs, member, nowMs, callerOf(member))
  redis.call('ZREMRANGEBYSCORE', lane.turns, '-inf', nowMs - interestMs)
  redis.call('PEXPIRE', lane.turns, interestMs)
  announce(lane, tonumber(ARGV[7 + index]), channel)
end
return { 1, replicas, tostring(nowMs) }`;

/**
 * ARGV: replica, ms of the lease and of interest, then id and number of lanes of each lease. Those that Redis has lost are counted again.
 */
const RENEW = `
addUntil(KEYS[1], ARGV[1], tonumber(ARGV[3]))
for at = 4, #ARGV, 2 do
  for index = 1, tonumber(ARGV[at + 1]) do addUntil(laneAt(index).held, ARGV[at], tonumber(ARGV[2])) end
end
return 1`;

/**
 * ARGV: lease, member that waits no more (or empty), channel, instant at which the call began if the service refused it (or empty), then
 * the limit of each lane. A refusal halves the limit, unless it was lowered since the call began.
 */
const RELEASE = `
local lease, member, channel, refusedFrom = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
for index = 1, #ARGV - 4 do
  local lane, limit = laneAt(index), tonumber(ARGV[4 + index])
  redis.call('ZREM', lane.held, lease)
  redis.call('ZREM', lane.waiting, member)
  local _, loweredAt = loweredOf(lane)
  if refusedFrom and refusedFrom >= (loweredAt or 0) then
    local to = math.max(1, math.floor(limitOf(lane, limit) / 2))
    redis.call('SET', lane.lowered, to .. ' ' .. nowMs, 'PX', limit * RECOVERY_MS)
  end
  announce(lane, limit, channel)
end
return 1`;

/** The scripts about the leases of one project. A lowered limit grows by one each time that `recoveryMs` have passed. */
function leaseScripts(recoveryMs: number) {
  const script = (body: string) => (COMMON + body).replaceAll('RECOVERY_MS', String(recoveryMs));
  return { acquire: script(ACQUIRE), renew: script(RENEW), release: script(RELEASE) };
}

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
  let woken = new AbortController();
  const wake = () => woken.abort();
  for (const lane of lanes) freed.on(lane, wake);
  signal.addEventListener('abort', wake, { once: true });
  let isWaiting = false;
  try {
    for (;;) {
      signal.throwIfAborted();
      woken = new AbortController();
      const found = await ask();
      if (!found) return undefined;
      const { lease } = found;
      isWaiting = !lease;
      if (lease && !signal.aborted) return lease;
      lease?.release(false);
      const pauseMs = POLL_MS * (0.75 + Math.random() / 2);
      if (!lease) await delay(pauseMs, undefined, { signal: woken.signal, ref: false }).catch(() => undefined);
    }
  } finally {
    signal.removeEventListener('abort', wake);
    for (const lane of lanes) freed.off(lane, wake);
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

/** The leases that a replica holds, by id, renewed three times in their life. */
function createHeldLeases(
  { connection, cipher, leaseMs }: Pick<LeaseOptions, 'connection' | 'cipher'> & { leaseMs: number },
  replica: string,
) {
  const held = new Map<string, LeaseRequest>();
  /** Renews all, and the interest of this replica in further projects. */
  function renew(more: Iterable<string>): void {
    for (const project of new Set([...more, ...[...held.values()].map((request) => request.project)])) {
      const own = [...held].filter(([, request]) => request.project === project).flatMap(([id, { limits }]) => [id, limits.length]);
      void connection.run(SCRIPTS.renew, keysOf(cipher, project), [replica, leaseMs, INTEREST_MS, ...own]);
    }
  }
  const timer = setInterval(() => renew([]), leaseMs / 3).unref();
  return { held, renew, close: () => clearInterval(timer) };
}

/** Makes the leases of one replica. */
export function createLeases({ connection, cipher, channel, leaseMs = LEASE_MS }: LeaseOptions) {
  const replica = randomUUID();
  const { held, renew, close } = createHeldLeases({ connection, cipher, leaseMs }, replica);
  const { end, endLater, repeatAll } = createEndings({ connection, cipher, channel });
  const replicasOf = new Map<string, number>();
  /** By lane and member: a caller with its replica. */
  const freed = new EventEmitter().setMaxListeners(0);
  let refusedAtMs = Number.NEGATIVE_INFINITY;
  const isAlone = () => !connection.isUp || performance.now() - Math.max(connection.reconnectedAtMs, refusedAtMs) < RECONNECT_MS;

  const unsubscribe = connection.subscribe((text) => text.startsWith('free ') && freed.emit(text.slice('free '.length)));

  connection.onReconnect(() => {
    renew(replicasOf.keys());
    repeatAll();
  });

  function keep(request: LeaseRequest, id: string, grantedAt: string): Lease {
    held.set(id, request);
    return {
      release(refused) {
        if (held.delete(id)) void end(request, id, { refusedFrom: refused ? grantedAt : '' });
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
    /** Waits for a lease; undefined where Redis cannot be reached. */
    async acquire(request: LeaseRequest) {
      const member = `${cipher.digest('caller', request.caller)} ${replica}`;
      const keys = keysOf(cipher, request.project);
      const lanes = request.limits.map((_, lane) => `${keys[1 + KEYS_PER_LANE.length * lane]} ${member}`);
      const waiting = { ask: () => ask(request, member), leave: () => void end(request, '', { member }), freed, lanes };
      return waitForLease(waiting, request.signal);
    },
    /** A lease for a call that Redis could not count: it is counted when Redis is back. */
    addUncounted(request: LeaseRequest) {
      const lease = keep(request, randomUUID(), '');
      if (connection.isUp) renew([]);
      return lease;
    },
    /** True while Redis does not count all calls: it is away, has just come back, or refused a command lately. */
    isAlone,
    /** Among how many replicas the limits of a project are to be divided: 1 while Redis counts all calls. */
    sharersOf: (project: string) => (isAlone() ? Math.max(countOf(replicasOf, project), FEWEST_REPLICAS) : 1),
    close() {
      unsubscribe();
      close();
      for (const lane of freed.eventNames()) freed.emit(lane);
    },
  };
}
