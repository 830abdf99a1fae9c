import type { McpServer } from '@modelcontextprotocol/server';
import { ApiError } from '../api/errors.ts';
import { HOUR_MS } from '../lib/clock.ts';
import { createRedactor } from '../lib/redact.ts';
import { type Addressed, type DefinedResource, findAddressed, type ResourceContext } from '../tooling/resource.ts';
import type { Session, SharedWatches } from '../tooling/session.ts';
import { protocolError } from './resources.ts';

/** A resource is polled at most this often; reports come hourly. */
const POLL_MS = 60_000;
/** With many resources each waits longer, so that all together make ten polls a minute. */
const SPACING_MS = 6_000;
/** Most resources that one session may watch. */
const MAX_WATCHED = 100;
/** Another replica takes over the polling when it is overdue by this much. */
const TAKEOVER_MS = 30_000;
/** Longest wait after failures; each failure doubles the wait. */
const LONGEST_WAIT_MS = HOUR_MS;

/** The subscription of one listener to a resource. */
export interface Watch {
  /** Settles with the latest poll of the resource; until then changes cannot be seen. */
  readonly ready: Promise<void>;
  /** Ends it; the polling ends with the last one of a resource. */
  stop(): void;
}

/** The subscriptions of one session. Nothing is sent to the platform while it has no listener. */
export interface Subscriptions {
  /** Calls `onUpdate` when something newer is there; throws an `ApiError` where the address does not name a resource that can change. */
  watch(uri: string, onUpdate: () => void): Watch;
  /** Addresses that are being polled. */
  watched(): string[];
  /** Ends every watch. */
  close(): void;
}

interface Entry {
  readonly uri: string;
  readonly addressed: Addressed;
  readonly listeners: Set<() => void>;
  /** True after the first successful poll. */
  known: boolean;
  newest: number | undefined;
  failures: number;
  /** Start of the latest poll by the clock, and how it ended. */
  polledAtMs: number;
  ready: Promise<void>;
  /** Ends the waiting between polls. */
  waiting: AbortController | undefined;
}

function changeable(resources: readonly DefinedResource[], uri: string): Addressed {
  const found = findAddressed(resources, uri);
  if (!found) throw new ApiError('missing', 'there is no such resource.');
  if (found.resource.newest) return found;
  const templates = resources.filter(({ newest }) => newest).map(({ template }) => template);
  throw new ApiError('invalid', `this resource does not change; ${templates.join(', ')} can be subscribed to.`);
}

/** A resource that was not polled yet. */
const newEntry = (uri: string, addressed: Addressed): Entry => ({
  uri,
  addressed,
  listeners: new Set(),
  known: false,
  newest: undefined,
  failures: 0,
  polledAtMs: 0,
  ready: Promise.resolve(),
  waiting: undefined,
});

/** The parts that all polls of a session go through. */
interface Polling {
  readonly session: Session;
  /** The watchers on other replicas; known once the session is connected. */
  readonly others: () => SharedWatches | undefined;
  /** Resources that are polled now. */
  readonly active: () => number;
}

/** Usual pause between two polls of a resource; each failure doubles it. */
function pauseMs({ failures }: Entry, { active }: Polling): number {
  const usualMs = Math.max(POLL_MS, active() * SPACING_MS);
  return Math.max(usualMs, Math.min(LONGEST_WAIT_MS, usualMs * 2 ** failures));
}

async function poll(entry: Entry, { session, others }: Polling): Promise<void> {
  const { resource, variables, projectId } = entry.addressed;
  const ask: ResourceContext['ask'] = async (operation, input) =>
    (await session.client()).call(operation, input, projectId === undefined ? {} : { projectId });
  try {
    const newest = await resource.newest?.(variables, { session, ask }, entry.newest);
    const hasChanged = entry.known && newest !== undefined && newest !== entry.newest;
    Object.assign(entry, { known: true, newest: newest ?? entry.newest, failures: 0 });
    const watches = others();
    if (!hasChanged) return;
    for (const notify of entry.listeners) notify();
    watches?.publish(entry.uri, newest);
  } catch (error) {
    entry.failures += 1;
    others()?.release(entry.uri);
    throw error;
  }
}

function startPoll(entry: Entry, polling: Polling): void {
  entry.polledAtMs = polling.session.options.clock.now();
  entry.ready = poll(entry, polling);
  entry.ready.catch(() => undefined); // thrown to those who wait for `ready`; the next poll may succeed
}

async function pollUntilAborted(entry: Entry, polling: Polling, signal: AbortSignal): Promise<void> {
  const { clock } = polling.session.options;
  // When another replica last took the turn.
  let yieldedAtMs = entry.polledAtMs;
  while (!signal.aborted) {
    await entry.ready.catch(() => undefined);
    const pause = pauseMs(entry, polling);
    const restMs = Math.max(entry.polledAtMs, yieldedAtMs) + pause - clock.now();
    // A clock that was set back must not prolong the wait.
    await clock.sleep(Math.min(Math.max(restMs, 0), pause), signal);
    const mayPoll = (await polling.others()?.mayPoll(entry.uri, pause + TAKEOVER_MS)) ?? true;
    signal.throwIfAborted();
    if (mayPoll) startPoll(entry, polling);
    else yieldedAtMs = clock.now();
  }
}

/** Watches resources for one session, each polled at most once a minute for all its listeners together. */
export function createSubscriptions(session: Session, resources: readonly DefinedResource[]): Subscriptions {
  const { clock } = session.options;
  const entries = new Map<string, Entry>();
  const watchedUris = () => [...entries].filter(([, { listeners }]) => listeners.size > 0).map(([uri]) => uri);
  let stopListening: (() => void) | undefined;

  function others(): SharedWatches | undefined {
    const watches = session.options.shared?.()?.watches;
    if (watches) stopListening ??= watches.onMessage(onMessage);
    return watches;
  }
  const polling: Polling = { session, others, active: () => watchedUris().length };

  function onMessage(uri: string, newest: number): void {
    const entry = entries.get(uri);
    // Before the first poll ends there is nothing to compare with; its result will hold the change.
    if (!entry?.known || newest === entry.newest) return;
    entry.newest = newest;
    for (const notify of entry.listeners) notify();
  }

  function entryOf(uri: string): Entry {
    for (const [other, { listeners, polledAtMs }] of entries) {
      if (listeners.size === 0 && Math.abs(clock.now() - polledAtMs) >= POLL_MS) entries.delete(other);
    }
    const kept = entries.get(uri);
    if (kept) return kept;
    const addressed = changeable(resources, uri);
    if (entries.size >= MAX_WATCHED) throw new ApiError('busy', `${MAX_WATCHED} resources are watched already: unsubscribe from some.`);
    const entry = newEntry(uri, addressed);
    entries.set(uri, entry);
    startPoll(entry, polling);
    return entry;
  }

  function leave(entry: Entry, listener: () => void): void {
    entry.listeners.delete(listener);
    if (entry.listeners.size > 0) return;
    entry.waiting?.abort();
    entry.waiting = undefined;
    others()?.release(entry.uri);
  }

  return {
    watch(uri, onUpdate) {
      const entry = entryOf(uri);
      const listener = () => onUpdate();
      entry.listeners.add(listener);
      if (!entry.waiting) {
        entry.waiting = new AbortController();
        pollUntilAborted(entry, polling, entry.waiting.signal).catch(() => undefined); // ends with the abort
      }
      return { ready: entry.ready, stop: () => leave(entry, listener) };
    },
    watched: watchedUris,
    close() {
      for (const entry of entries.values()) {
        entry.waiting?.abort();
        entry.listeners.clear();
        others()?.release(entry.uri);
      }
      stopListening?.();
      entries.clear();
    },
  };
}

/** Serves `resources/subscribe` and `resources/unsubscribe` of the 2025 era; all of it ends with the connection. */
export function registerSubscriptions(server: McpServer, subscriptions: Subscriptions, session: Session): void {
  const own = new Map<string, Watch>();
  const { server: protocol } = server;
  protocol.setRequestHandler('resources/subscribe', async ({ params: { uri } }) => {
    try {
      const watch = own.get(uri) ?? subscriptions.watch(uri, () => void sendUpdated(server, uri));
      own.set(uri, watch);
      await watch.ready;
      return {};
    } catch (error) {
      forget(uri);
      const client = await session.client().catch(() => undefined);
      throw await protocolError(error, uri, { log: session.options.log, redact: client?.redact ?? createRedactor([]) });
    }
  });
  protocol.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    forget(uri);
    return {};
  });
  Object.assign(protocol, {
    onclose() {
      for (const uri of own.keys()) forget(uri);
    },
  });

  function forget(uri: string): void {
    own.get(uri)?.stop();
    own.delete(uri);
  }
}

/** Notifies the client that a resource has changed; a closed connection is ignored. */
export async function sendUpdated(server: McpServer, uri: string): Promise<void> {
  await server.server.sendResourceUpdated({ uri }).catch(() => undefined);
}
