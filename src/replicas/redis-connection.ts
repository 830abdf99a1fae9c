import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import { createRedactor } from '../lib/redact.ts';
import { connectRedis, type Redis } from './redis.ts';

/** Redis is slow when commands have taken longer than this for some time; a line in the log says so, because calls wait for it. */
const SLOW_MS = 150;
const SLOW_FOR_MS = 2_000;
const SLOW_PAUSE_MS = 10_000;
const CONNECT_MS = 2_000;
/** Pauses between attempts to connect; the first is short, because most interruptions are. */
const PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** After a connection that broke sooner than this the pause doubles, up to the longest rest. */
const SHORT_MS = 10_000;
const LONGEST_REST_MS = 30_000;
/** The same warning is logged no more often. */
const WARNING_PAUSE_MS = 60_000;
/** Every replica that can reach a Redis that is back has found it after this time. */
export const RECONNECT_MS = LONGEST_PAUSE_MS + CONNECT_MS;

/**
 * Calls `act` after `ms` without an answer, unless the returned function is called before. In two halves, so that a standstill of this
 * process uses up one of them at most; and timers come before the network in the event loop, so what has arrived is read first.
 */
function afterSilence(ms: number, act: () => void): () => void {
  let isOver = false;
  let timer = setTimeout(() => {
    timer = setTimeout(() => setImmediate(() => isOver || act()), ms / 2);
  }, ms / 2);
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}

/** Rejects after `ms`. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let cancel: () => void = () => undefined;
  const timeout = new Promise<never>((_, reject) => {
    cancel = afterSilence(ms, () => reject(new Error(`no answer within ${ms} ms.`)));
  });
  return Promise.race([promise, timeout]).finally(cancel);
}

/** The words of an error. */
const messageOf = (error: unknown) => (error instanceof Error ? error.message || error.name : String(error));

/** Makes the words about the cache; none are logged of its state once it is closed. */
function createCacheLog(log: Log, redact: (text: string) => string, closed: AbortSignal) {
  /** When each kind of warning was last logged. */
  const warnings = new Map<string, number>();
  /** The first and the last slow command of a row. */
  let slowFromMs = Number.NEGATIVE_INFINITY;
  let slowAtMs = Number.NEGATIVE_INFINITY;
  let wasUp = true;

  function warn(kind: string, message: string): void {
    const nowMs = performance.now();
    if (nowMs - (warnings.get(kind) ?? Number.NEGATIVE_INFINITY) < WARNING_PAUSE_MS) return;
    warnings.set(kind, nowMs);
    log('warn', message);
  }

  return {
    /** Logs a kind of warning once in a while. */
    warn,
    /** Hears of each command that was slow. */
    noteSlow() {
      const nowMs = performance.now();
      if (nowMs - slowAtMs > SLOW_PAUSE_MS) slowFromMs = nowMs;
      slowAtMs = nowMs;
      if (nowMs - slowFromMs < SLOW_FOR_MS) return;
      warn(
        'slow',
        `The shared cache often takes longer than ${SLOW_MS} ms to answer, and calls wait for it: check its load and the network.`,
      );
    },
    /** Logs once that sharing has stopped, and once that it goes on. */
    noteState(isUp: boolean, reason?: unknown) {
      if (isUp === wasUp || closed.aborted) return;
      wasUp = isUp;
      if (isUp) log('warn', 'The shared cache answers again; replicas share from now on.');
      else log('warn', `The shared cache is out of reach, so this replica goes on alone until it answers: ${redact(messageOf(reason))}`);
    },
    /** The state that was noted last. */
    get wasUp() {
      return wasUp;
    },
  };
}

/** Where to connect, and who hears of it. */
interface LinkOptions {
  readonly url: string;
  readonly channel: string;
  readonly cacheLog: ReturnType<typeof createCacheLog>;
  readonly onMessage: (message: string) => void;
  /** Called when Redis answers again. */
  readonly onReconnect: () => void;
  /** Ends it. */
  readonly closed: AbortSignal;
}

/** Connects once, within its time; `onLost` hears of the end of the connection, which is a failure if it comes first. */
async function attemptConnection(
  { url, channel, onMessage, closed }: LinkOptions,
  onConnected: (connected: Redis) => void,
  onLost: (lost: Redis | undefined, reason: unknown) => void,
): Promise<void> {
  const attempt = new AbortController();
  let connected: Redis | undefined;
  let failure: { reason: unknown } | undefined;
  const lose = (reason: unknown) => {
    failure ??= { reason };
    onLost(connected, reason);
  };
  try {
    const connecting = connectRedis({ url, connectTimeoutMs: CONNECT_MS, channel, onMessage, onLost: lose }, attempt.signal);
    connected = await within(CONNECT_MS, connecting);
    // At once: what is lost a moment later must be found in its place.
    if (!failure && !closed.aborted) return onConnected(connected);
    connected.close();
    throw failure?.reason ?? closed.reason;
  } catch (error) {
    attempt.abort(error);
    throw error;
  }
}

/** Makes the link; nothing is sent before it is opened. */
function createLink(options: LinkOptions) {
  const { cacheLog, onReconnect, closed } = options;
  let redis: Redis | undefined;
  let connections = 0;
  let reconnectedAtMs = Number.NEGATIVE_INFINITY;
  let connectedAtMs = 0;
  /** Connections in a row that broke soon. */
  let brokenSoon = 0;

  function lose(lost: Redis | undefined, reason: unknown): void {
    if (!lost || lost !== redis) return;
    redis = undefined;
    lost.close();
    cacheLog.noteState(false, reason);
    brokenSoon = performance.now() - connectedAtMs < SHORT_MS ? brokenSoon + 1 : 0;
    void reconnect();
  }

  async function connect(): Promise<void> {
    await attemptConnection(options, (connected) => (redis = connected), lose);
    connections += 1;
    connectedAtMs = performance.now();
    if (cacheLog.wasUp) return;
    reconnectedAtMs = connectedAtMs;
    onReconnect();
    cacheLog.noteState(true);
  }

  async function reconnect(): Promise<void> {
    let pauseMs = Math.min(PAUSE_MS * 2 ** Math.max(0, brokenSoon - 1), LONGEST_REST_MS);
    for (; !redis && !closed.aborted; pauseMs = Math.max(pauseMs, Math.min(2 * pauseMs, LONGEST_PAUSE_MS))) {
      try {
        await delay(pauseMs, undefined, { signal: closed, ref: false });
        await connect();
      } catch (error) {
        cacheLog.noteState(redis !== undefined, error);
      }
    }
  }

  return {
    /** Undefined while there is none. */
    get redis() {
      return redis;
    },
    get connections() {
      return connections;
    },
    get reconnectedAtMs() {
      return reconnectedAtMs;
    },
    /** Gives a connection up, unless that was done before. */
    lose,
    /** Waits for the first attempt, however it ends. */
    open: () =>
      connect().catch((error: unknown) => {
        cacheLog.noteState(redis !== undefined, error);
        void reconnect();
      }),
    close() {
      const last = redis;
      redis = undefined;
      last?.close();
    },
  };
}

/** An answer of Redis; undefined where it cannot be reached or refuses the command. */
type Answer = { readonly answer: unknown } | undefined;

/** Address, key and times of the connection. */
export interface RedisConnectionOptions {
  readonly url: string;
  readonly channel: string;
  readonly log: Log;
  /** Pause between two heartbeats; for tests. */
  readonly heartbeatMs?: number | undefined;
}

/** A command that takes longer has failed. */
const ANSWER_MS = 500;
/** Servers and networks cut connections without traffic after some minutes, and not always with a message. */
const HEARTBEAT_MS = 30_000;
const HEARTBEAT = 'alive';
/** How a server refuses that serves no one for now. */
const NOT_SERVING = /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOAUTH)\b/;
/** How Redis begins a refusal; all other errors are those of the connection. */
const REFUSAL = /^[A-Z]{2,}\b/;

/** Sends commands; one that fails for the state of the server or the line gives the connection up. */
function createCommand(link: ReturnType<typeof createLink>, cacheLog: ReturnType<typeof createCacheLog>, redact: (text: string) => string) {
  return async (key: string, args: readonly string[]): Promise<Answer> => {
    const asked = link.redis;
    if (!asked) return undefined;
    const cancel = afterSilence(SLOW_MS, () => cacheLog.noteSlow());
    try {
      return { answer: await within(ANSWER_MS, asked.command(key, args)) };
    } catch (error) {
      const message = messageOf(error);
      if (NOT_SERVING.test(message) || !REFUSAL.test(message)) link.lose(asked, error);
      else
        cacheLog.warn(message.split(' ')[0] ?? '', `The shared cache refuses commands, so this replica does without: ${redact(message)}`);
      return undefined;
    } finally {
      cancel();
    }
  };
}

/** Opens the connection and waits for the end of its first attempt, even if that fails. */
export async function openRedisConnection(options: RedisConnectionOptions) {
  const { url, channel, log, heartbeatMs = HEARTBEAT_MS } = options;
  const closed = new AbortController();
  const listeners = new Set<(message: string) => void>();
  const reconnectListeners = new Set<() => void>();
  const redact = createRedactor([url, new URL(url).password, decodeURIComponent(new URL(url).password)]);
  const cacheLog = createCacheLog(log, redact, closed.signal);
  let hasReceived = true;

  function onMessage(message: string): void {
    hasReceived = true;
    for (const listener of listeners) listener(message);
  }
  function onReconnect(): void {
    for (const listener of reconnectListeners) listener();
  }
  const link = createLink({ url, channel, cacheLog, onMessage, onReconnect, closed: closed.signal });

  const command = createCommand(link, cacheLog, redact);
  const publish = (message: string) => void command(channel, ['PUBLISH', channel, message]);

  /** Sends a heartbeat to this replica too: it must have come back by the next one. */
  function checkHeartbeat(): void {
    if (!link.redis) return;
    if (!hasReceived) return link.lose(link.redis, new Error('Messages that were published did not arrive.'));
    hasReceived = false;
    publish(HEARTBEAT);
  }
  const heartbeat = setInterval(checkHeartbeat, heartbeatMs).unref();

  await link.open();
  return {
    /** Sends one command about one key. */
    command,
    /** Runs one script about keys of one node. */
    run: (script: string, keys: readonly string[], args: readonly (string | number)[]) =>
      command(keys[0] ?? '', ['EVAL', script, String(keys.length), ...keys, ...args.map(String)]),
    /** Sends a message to all replicas, this one included; it is lost while Redis is gone. */
    publish,
    /** Calls `listener` with every message until the returned function is called. */
    subscribe(listener: (message: string) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Calls `listener` each time that Redis answers again, before any other command is sent. */
    onReconnect: (listener: () => void) => void reconnectListeners.add(listener),
    get isUp() {
      return link.redis !== undefined;
    },
    /** How many connections were made; messages between two of them were not received. */
    get connections() {
      return link.connections;
    },
    /** When Redis last answered again, by `performance.now()`; minus infinity while it never was away. */
    get reconnectedAtMs() {
      return link.reconnectedAtMs;
    },
    close() {
      closed.abort(new Error('The connection to the shared cache is closed.'));
      clearInterval(heartbeat);
      link.close();
      listeners.clear();
      reconnectListeners.clear();
    },
  };
}

/**
 * A connection that never makes a caller wait for a Redis that is gone. A command that fails is given up, all calls go on without Redis at
 * once, and a new connection is made in the background.
 */
export type RedisConnection = Awaited<ReturnType<typeof openRedisConnection>>;
