import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { createLimiter, type Limiter, type Slot, type SlotRequest } from '../api/limiter.ts';
import type { SharedTokens, Token } from '../api/tokens.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type Cipher, createCipher, createLeases, type Lease, type LeaseOptions, type LeaseRequest } from './leases.ts';
import { loadRedis } from './redis.ts';
import { openRedisConnection, type RedisConnection, type RedisConnectionOptions } from './redis-connection.ts';

/** Work that one replica does for all. */
interface SharedTask<T> {
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

/** Both only while this replica owns the lock: it may have expired and been taken by another one. */
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
const WRITE_TOKEN = `
if redis.call('HGET', KEYS[1], 'dropped') == ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'token', ARGV[3], 'mark', ARGV[2])
${EXPIRE}
return 1`;
const DROP_TOKEN = `
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
function createSharedTokens(connection: RedisConnection, cipher: Cipher, owner: readonly string[]): SharedTokens {
  const keyOf = (name: string) => cipher.key('token', ...owner, name);
  const markOf = ({ accessToken }: Token) => cipher.digest('token mark', accessToken);
  const lifeOf = (lifeMs: number) => String(Math.max(1, Math.ceil(lifeMs)));

  return {
    async read(name) {
      const key = keyOf(name);
      const found = await connection.command(key, ['HMGET', key, 'token', 'dropped']);
      if (!found || !Array.isArray(found.answer)) return undefined;
      const [encrypted, dropped]: unknown[] = found.answer;
      return { token: parsed(cipher.decrypt(encrypted, key)), isDropped: (token) => markOf(token) === dropped };
    },
    async write(name, token, lifeMs) {
      const key = keyOf(name);
      await connection.run(WRITE_TOKEN, [key], [lifeOf(lifeMs), markOf(token), cipher.encrypt(JSON.stringify(token), key)]);
    },
    drop(name, token, lifeMs) {
      // Sent at once: a read after it does not find the token any more.
      void connection.run(DROP_TOKEN, [keyOf(name)], [lifeOf(lifeMs), markOf(token)]);
    },
    singleFlight: (name, task) => singleFlight(connection, keyOf(name), task),
  };
}

/** Marks ids of one principal as used for a time, in ms: true for the first replica alone; without Redis each decides for itself. */
function createUseOnce(connection: RedisConnection, cipher: Cipher, owner: readonly string[]) {
  return async (id: string, lifeMs: number): Promise<boolean> => {
    const key = cipher.key('use', ...owner, id);
    const taken = await connection.command(key, ['SET', key, '1', 'NX', 'PX', String(lifeMs)]);
    return !taken || taken.answer === 'OK';
  };
}

const messageSchema = z.object({ topic: z.string(), sender: z.string(), uri: z.string().optional(), newest: z.number().optional() });

/** A message from one session to the others about a topic; `sender` identifies the session. */
type Message = z.output<typeof messageSchema>;

/** Stands for the key in the encryption of messages, which have none. */
const ENCRYPTED_FOR = 'news';

/** Sends and receives messages over the connection, each encrypted. */
function createPubSub(connection: RedisConnection, cipher: Cipher) {
  const listeners = new Map<string, Set<(message: Message) => void>>();

  connection.subscribe((text) => {
    const decrypted = cipher.decrypt(text, ENCRYPTED_FOR);
    const message = decrypted === undefined ? undefined : messageSchema.safeParse(JSON.parse(decrypted)).data;
    if (!message) return;
    for (const listener of listeners.get(message.topic) ?? []) listener(message);
  });

  return {
    /** Sends to all sessions; the message is lost where Redis cannot be reached. */
    publish(message: Message) {
      connection.publish(cipher.encrypt(JSON.stringify(message), ENCRYPTED_FOR));
    },
    /** Calls `listener` with the messages of other senders than `self` about a topic, until the returned function is called. */
    subscribe(topic: string, self: string, listener: (message: Message) => void) {
      const ofTopic = listeners.get(topic) ?? new Set();
      const receive = (message: Message) => {
        if (message.sender !== self) listener(message);
      };
      listeners.set(topic, ofTopic.add(receive));
      return () => {
        ofTopic.delete(receive);
        if (ofTopic.size === 0 && listeners.get(topic) === ofTopic) listeners.delete(topic);
      };
    },
  };
}

/** All lists of a principal are forgotten together, so they are one hash; it expires when none was added for this time. */
const LIFE_MS = 10 * 60_000;
/** With more questions than this the hash is emptied, so that no principal fills Redis. */
const MAX_LISTS = 500;
/** Each replica asks for longer answers itself. */
const MAX_CHARS = 512 * 1024;

const WRITE_LIST = `
if (redis.call('HGET', KEYS[1], 'forgotten') or '0') ~= ARGV[2] then return 0 end
if redis.call('HLEN', KEYS[1]) > ${MAX_LISTS} then redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], ARGV[3], ARGV[4], 'forgotten', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`;
const FORGET_LISTS = `
local forgotten = (redis.call('HGET', KEYS[1], 'forgotten') or 0) + 1
redis.call('DEL', KEYS[1])
redis.call('HSET', KEYS[1], 'forgotten', forgotten)
redis.call('PEXPIRE', KEYS[1], ARGV[1])
return 1`;

interface List {
  readonly atMs: number;
  readonly answer: unknown;
}

/** The parts that the lists and watches of one principal are made of. */
interface SharedParts {
  readonly connection: RedisConnection;
  readonly cipher: Cipher;
  readonly pubSub: ReturnType<typeof createPubSub>;
  /** Identifies the principal on all replicas. */
  readonly owner: readonly string[];
}

/** Lists of names of one principal, by question. */
function createSharedLists({ connection, cipher, pubSub, owner }: SharedParts) {
  const key = cipher.key('lists', ...owner);
  const self = randomUUID();
  return {
    /** The list that answers a question, if any; undefined where Redis cannot be reached. */
    async look(question: string) {
      const field = cipher.digest('question', ...owner, question);
      const found = await connection.command(key, ['HMGET', key, field, 'forgotten']);
      if (!found || !Array.isArray(found.answer)) return undefined;
      const [encrypted, forgotten]: unknown[] = found.answer;
      const text = cipher.decrypt(encrypted, field);
      return {
        list: text === undefined ? undefined : (JSON.parse(text) as List), // encrypted by `write` of a replica with the same key
        write(list: List) {
          const written = JSON.stringify(list);
          if (written.length > MAX_CHARS) return;
          const version = typeof forgotten === 'string' ? forgotten : '0';
          void connection.run(WRITE_LIST, [key], [LIFE_MS, version, field, cipher.encrypt(written, field)]);
        },
      };
    },
    forget() {
      void connection.run(FORGET_LISTS, [key], [LIFE_MS]);
      pubSub.publish({ topic: key, sender: self });
    },
    onForgotten: (listener: () => void) => pubSub.subscribe(key, self, listener),
  };
}

const TAKE = `
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1`;

/** Decides which session of a principal polls a resource for all of them, and passes on its findings; one watcher for each session. */
function createSharedWatches({ connection, cipher, pubSub, owner }: SharedParts) {
  const topic = cipher.key('watches', ...owner);
  const self = randomUUID();
  const pollerKeyOf = (uri: string) => cipher.key('poller', ...owner, uri);
  /** Resources that this watcher polls. */
  const polling = new Set<string>();
  /** Since which connection it has received all messages about a resource. */
  const receivedSince = new Map<string, number>();

  return {
    async mayPoll(uri: string, forMs: number): Promise<boolean> {
      const since = receivedSince.get(uri) ?? connection.connections;
      receivedSince.set(uri, connection.connections);
      const taken = await connection.run(TAKE, [pollerKeyOf(uri)], [self, Math.ceil(forMs)]);
      if (taken?.answer !== 0) polling.add(uri);
      else polling.delete(uri);
      // Messages may have been missed while Redis was gone.
      return taken?.answer !== 0 || since !== connection.connections;
    },
    release(uri: string): void {
      receivedSince.delete(uri);
      if (polling.delete(uri)) void connection.run(RELEASE, [pollerKeyOf(uri)], [self]);
    },
    publish(uri: string, newest: number): void {
      pubSub.publish({ topic, sender: self, uri, newest });
    },
    onMessage(listener: (uri: string, newest: number) => void): () => void {
      return pubSub.subscribe(topic, self, ({ uri, newest }) => {
        if (uri !== undefined && newest !== undefined) listener(uri, newest);
      });
    },
  };
}

/**
 * Limits the calls of all replicas together to what a project may have in flight. Callers take turns across all replicas, the sessions
 * of a caller within each; without Redis each replica keeps to its share of the limits, at least one call.
 */
function createSharedLimiter({
  leases,
  clock,
  concurrency,
  speedConcurrency,
}: {
  leases: ReturnType<typeof createLeases>;
  clock: Clock;
  concurrency: number;
  speedConcurrency: number;
}): Limiter {
  // One call of each caller asks for a lease at a time; Redis decides between callers.
  const asking = createLimiter({ clock, concurrency: 1, speedConcurrency: 1 });
  const share = createLimiter({ clock, concurrency, speedConcurrency, sharersOf: (project) => leases.sharersOf(project) });

  /** Where the calls of one caller wait for a lease. */
  function queueOf({ project, principalId, sessionId, speed }: Omit<SlotRequest, 'signal'>): string {
    return JSON.stringify([project, principalId ?? sessionId, speed]);
  }

  async function acquireLease(request: SlotRequest, leased: LeaseRequest): Promise<Lease | undefined> {
    const turn = await asking.acquire({ ...request, project: queueOf(request) });
    try {
      return await leases.acquire(leased);
    } finally {
      turn.release();
    }
  }

  /** A lease and a slot of the share; a call that waited for its share while Redis came back also needs a lease. */
  async function acquireSlot(request: SlotRequest): Promise<{ lease: Lease; own: Slot }> {
    const { project, principalId, sessionId, speed, signal } = request;
    const limits = speed ? [concurrency, speedConcurrency] : [concurrency];
    const leased: LeaseRequest = { project, caller: principalId ?? sessionId, limits, signal };
    for (;;) {
      const lease = await acquireLease(request, leased);
      try {
        const own = await share.acquire(request);
        if (lease) return { lease, own };
        if (leases.isAlone()) return { lease: leases.addUncounted(leased), own };
        own.release();
      } catch (error) {
        lease?.release(false);
        throw error;
      }
    }
  }

  return {
    async acquire(request) {
      const { lease, own } = await acquireSlot(request);
      return {
        release(refused = false) {
          own.release(refused);
          lease.release(refused);
        },
      };
    },
    // A call asks for its lease as long as it waits for its turn among all replicas.
    expectedWaitMs: (request) => asking.expectedWaitMs({ ...request, project: queueOf(request) }),
    isAlone: () => leases.isAlone(),
    load() {
      const [ask, call] = [asking.load(), share.load()];
      return { waiting: ask.waiting + ask.inFlight + call.waiting, inFlight: call.inFlight };
    },
  };
}

/** The owner of shared state: another principal, or the same one with another credential, does not find it. */
export interface Owner {
  readonly principalId: string;
  readonly authUrl: string;
  readonly credential: { readonly clientId: string; readonly clientSecret: string };
}

/** Address and key of the shared store; times for tests. */
interface SharedCacheOptions extends Pick<LeaseOptions, 'leaseMs'>, Pick<RedisConnectionOptions, 'heartbeatMs'> {
  readonly url: string;
  /** 32 random bytes, the same on all replicas. */
  readonly key: string;
  readonly log: Log;
}

function partsOf({ principalId, authUrl, credential }: Owner): string[] {
  return [principalId, authUrl, credential.clientId, credential.clientSecret];
}

/** Connects to Redis; throws an `ApiError` only where its package is missing, since a Redis that is gone may come back. */
export async function openSharedCache({ url, key, log, leaseMs, heartbeatMs }: SharedCacheOptions) {
  await loadRedis();
  const cipher = createCipher(key);
  const channel = cipher.key('channel');
  const connection = await openRedisConnection({ url, channel, log, heartbeatMs });
  const pubSub = createPubSub(connection, cipher);
  const leases = createLeases({ connection, cipher, channel, leaseMs });
  return {
    /** The limiter of this process, which counts with those of the other replicas. */
    limiter: (limits: { clock: Clock; concurrency: number; speedConcurrency: number }): Limiter =>
      createSharedLimiter({ ...limits, leases }),
    /** The tokens of a principal. */
    tokensOf: (owner: Owner): SharedTokens => createSharedTokens(connection, cipher, partsOf(owner)),
    /** The confirmations that a principal has used. */
    useOnceOf: (owner: Owner) => createUseOnce(connection, cipher, partsOf(owner)),
    /** The name lists of a principal. */
    listsOf: (owner: Owner) => createSharedLists({ connection, cipher, pubSub, owner: partsOf(owner) }),
    /** The watches of one session of a principal. */
    watchesOf: (owner: Owner) => createSharedWatches({ connection, cipher, pubSub, owner: partsOf(owner) }),
    /** False while Redis cannot be reached; everything goes on without it. */
    get isUp() {
      return connection.isUp;
    },
    close() {
      leases.close();
      connection.close();
    },
  };
}

/** The state that the replicas of a server share through Redis: nothing readable, and nothing that a replica cannot do without. */
export type SharedCache = Awaited<ReturnType<typeof openSharedCache>>;
