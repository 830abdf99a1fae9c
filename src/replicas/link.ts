import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import { createRedactor } from '../lib/redact.ts';
import { connectRedis, type Redis } from './redis.ts';

/**
 * The way to Redis that never makes a caller wait for a Redis that is gone: what fails once is given up, everybody goes on alone at
 * once, and a new connection is made in the background.
 */
export interface Link {
  /** The answer to one command about one key; undefined where Redis cannot be reached or refuses it. */
  ask(key: string, args: readonly string[]): Promise<{ readonly answer: unknown } | undefined>;
  /** Runs one script about one key. */
  run(script: string, key: string, args: readonly (string | number)[]): Promise<{ readonly answer: unknown } | undefined>;
  /** Tells all replicas, this one included; what is told while Redis is gone is lost. */
  tell(text: string): void;
  /** Calls `listener` with all that is told, until the returned function is called. */
  onTold(listener: (text: string) => void): () => void;
  /** Calls `listener` each time that Redis answers again, before anybody else is heard. */
  onBack(listener: () => void): void;
  readonly isUp: boolean;
  /** How often a connection was made; what was told between two of them was not heard. */
  readonly connections: number;
  /** When Redis answered again after it had been gone, by `performance.now()`; minus infinity while it never was. */
  readonly backAtMs: number;
  close(): void;
}

export interface LinkOptions {
  readonly url: string;
  readonly channel: string;
  readonly log: Log;
  /** Another time between two signs of life than the product's, for tests. */
  readonly aliveMs?: number | undefined;
}

/** No answer may take longer; the machine of a slow Redis costs this once, and then nothing. */
const ANSWER_MS = 500;
const CONNECT_MS = 2_000;
/** Pauses between attempts to connect; the first is short, since most breaks are. */
const PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
/** A connection that breaks before this was of no use: the next waits twice as long as the last, up to the longest rest. */
const SHORT_MS = 10_000;
const LONGEST_REST_MS = 30_000;
/** Connections without traffic are cut by servers and networks after some minutes, and not always with a word. */
const ALIVE_MS = 30_000;
const ALIVE = 'alive';
/** The same refusal is told no more often. */
const REFUSAL_PAUSE_MS = 60_000;
/** Every replica that can has found a Redis that is back after this long. */
export const RETURN_MS = LONGEST_PAUSE_MS + CONNECT_MS;
/** Words that begin the refusal of a server which will not serve anybody for now. */
const NOT_SERVING = /^(LOADING|READONLY|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|NOAUTH)\b/;
/** How Redis begins what it refuses; all other errors are of the connection. */
const REFUSAL = /^[A-Z]{2,}\b/;

class Silence extends Error {
  override name = 'Silence';
}

/** Rejects after `ms`, unless the answer was on its way while this process was busy with something else. */
async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    const give = () => reject(new Silence(`Redis did not answer within ${ms} ms.`));
    // In two halves, so that a standstill of this process uses up one of them at most; and timers come before the network in a turn
    // of the event loop, so what has arrived is read first.
    timer = setTimeout(() => {
      timer = setTimeout(() => setImmediate(give), ms / 2);
    }, ms / 2);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message || error.name : String(error));

/** Opens the link and waits for its first attempt to connect, whatever becomes of it. */
export async function openLink({ url, channel, log, aliveMs = ALIVE_MS }: LinkOptions): Promise<Link> {
  const closed = new AbortController();
  const listeners = new Set<(text: string) => void>();
  const backListeners = new Set<() => void>();
  const redact = createRedactor([url, new URL(url).password, decodeURIComponent(new URL(url).password)]);
  let redis: Redis | undefined;
  let connections = 0;
  let backAtMs = Number.NEGATIVE_INFINITY;
  let connectedAtMs = 0;
  let wasUp = true;
  /** Connections in a row that broke soon. */
  let useless = 0;
  /** When each kind of refusal was last told. */
  const refusals = new Map<string, number>();

  let hasHeard = true;

  function onMessage(text: string): void {
    hasHeard = true;
    for (const listener of listeners) listener(text);
  }

  function lose(lost: Redis | undefined, reason: unknown): void {
    if (!lost || lost !== redis) return;
    redis = undefined;
    lost.close();
    note(reason);
    useless = performance.now() - connectedAtMs < SHORT_MS ? useless + 1 : 0;
    void connectOnAndOn();
  }

  function noteRefusal(message: string): void {
    const [kind = ''] = message.split(' ');
    const nowMs = performance.now();
    if (nowMs - (refusals.get(kind) ?? Number.NEGATIVE_INFINITY) < REFUSAL_PAUSE_MS) return;
    refusals.set(kind, nowMs);
    log('warn', `The shared cache refuses commands, so this replica does without: ${redact(message)}`);
  }

  /** Says once that sharing rests, and once that it goes on. */
  function note(reason?: unknown): void {
    const isUp = redis !== undefined;
    if (isUp === wasUp || closed.signal.aborted) return;
    wasUp = isUp;
    if (isUp) log('warn', 'The shared cache answers again; replicas share from now on.');
    else log('warn', `The shared cache is out of reach, so this replica goes on alone until it answers: ${redact(messageOf(reason))}`);
  }

  async function connect(): Promise<void> {
    const attempt = new AbortController();
    let connected: Redis | undefined;
    let failure: { reason: unknown } | undefined;
    const onLost = (reason: unknown) => {
      failure ??= { reason };
      lose(connected, reason);
    };
    try {
      const connecting = connectRedis({ url, connectTimeoutMs: CONNECT_MS, channel, onMessage, onLost }, attempt.signal);
      connected = await within(CONNECT_MS, connecting);
      if (failure || closed.signal.aborted) {
        connected.close();
        throw failure?.reason ?? closed.signal.reason;
      }
      redis = connected;
      hasHeard = true;
      connections += 1;
      connectedAtMs = performance.now();
      if (wasUp) return;
      backAtMs = connectedAtMs;
      for (const listener of backListeners) listener();
      note();
    } catch (error) {
      attempt.abort(error);
      throw error;
    }
  }

  async function connectOnAndOn(): Promise<void> {
    // The first break is followed by an attempt at once.
    let pauseMs = Math.min(PAUSE_MS * 2 ** Math.max(0, useless - 1), LONGEST_REST_MS);
    for (; !redis && !closed.signal.aborted; pauseMs = Math.max(pauseMs, Math.min(2 * pauseMs, LONGEST_PAUSE_MS))) {
      try {
        await delay(pauseMs, undefined, { signal: closed.signal, ref: false });
        await connect();
      } catch (error) {
        note(error);
      }
    }
  }

  /** Tells everybody and listens for the echo: what is told must have come by the next time. */
  function lookAlive(): void {
    if (!redis) return;
    if (!hasHeard) return lose(redis, new Error('What was told was not heard.'));
    hasHeard = false;
    link.tell(ALIVE);
  }
  const looking = setInterval(lookAlive, aliveMs).unref();

  const link: Link = {
    async ask(key, args) {
      const asked = redis;
      if (!asked) return undefined;
      try {
        return { answer: await within(ANSWER_MS, asked.command(key, args)) };
      } catch (error) {
        const message = messageOf(error);
        if (NOT_SERVING.test(message) || !REFUSAL.test(message)) lose(asked, error);
        else noteRefusal(message);
        return undefined;
      }
    },
    run: (script, key, args) => link.ask(key, ['EVAL', script, '1', key, ...args.map(String)]),
    tell(text) {
      void link.ask(channel, ['PUBLISH', channel, text]);
    },
    onTold(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    onBack: (listener) => void backListeners.add(listener),
    get isUp() {
      return redis !== undefined;
    },
    get connections() {
      return connections;
    },
    get backAtMs() {
      return backAtMs;
    },
    close() {
      closed.abort(new Error('The link to the shared cache is closed.'));
      clearInterval(looking);
      const last = redis;
      redis = undefined;
      last?.close();
      listeners.clear();
      backListeners.clear();
    },
  };
  await connect().catch((error: unknown) => {
    note(error);
    void connectOnAndOn();
  });
  return link;
}
