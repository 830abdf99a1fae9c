import type { Log } from '../lib/log.ts';
import { createRedactor } from '../lib/redact.ts';
import { afterSilence, type CacheLog, createCacheLog, createLink, type Link, messageOf, SLOW_MS, within } from './redis-link.ts';

/** An answer of Redis; undefined where it cannot be reached or refuses the command. */
export type Answer = { readonly answer: unknown } | undefined;

/**
 * A connection that never makes a caller wait for a Redis that is gone. A command that fails is given up, all calls go on without Redis at
 * once, and a new connection is made in the background.
 */
export interface RedisConnection {
  /** Sends one command about one key. */
  command(key: string, args: readonly string[]): Promise<Answer>;
  /** Runs one script about keys of one node. */
  run(script: string, keys: readonly string[], args: readonly (string | number)[]): Promise<Answer>;
  /** Sends a message to all replicas, this one included; it is lost while Redis is gone. */
  publish(message: string): void;
  /** Calls `listener` with every message until the returned function is called. */
  subscribe(listener: (message: string) => void): () => void;
  /** Calls `listener` each time that Redis answers again, before any other command is sent. */
  onReconnect(listener: () => void): void;
  readonly isUp: boolean;
  /** How many connections were made; messages between two of them were not received. */
  readonly connections: number;
  /** When Redis last answered again, by `performance.now()`; minus infinity while it never was away. */
  readonly reconnectedAtMs: number;
  close(): void;
}

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
function createCommand(link: Link, cacheLog: CacheLog, redact: (text: string) => string): RedisConnection['command'] {
  return async (key, args) => {
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
export async function openRedisConnection(options: RedisConnectionOptions): Promise<RedisConnection> {
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
    command,
    run: (script, keys, args) => command(keys[0] ?? '', ['EVAL', script, String(keys.length), ...keys, ...args.map(String)]),
    publish,
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onReconnect: (listener) => void reconnectListeners.add(listener),
    get isUp() {
      return link.redis !== undefined;
    },
    get connections() {
      return link.connections;
    },
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
