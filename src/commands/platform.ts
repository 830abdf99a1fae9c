import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Limiter } from '../api/limiter.ts';
import type { Observer } from '../api/observer.ts';
import type { SharedTokens } from '../api/tokens.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Owner, SharedCache } from '../replicas/index.ts';
import type { Settings } from '../settings/settings.ts';
import { localPrincipal, type PlatformCredentials } from '../sign-in/principal.ts';
import { createConfirmations, type UseOnce } from '../tooling/confirmation.ts';
import { createSession, type Session, type SessionOptions } from '../tooling/session.ts';
import type { SharedState } from '../tooling/shared-state.ts';
import type { ListedTool } from '../tooling/tool.ts';
import { logOf } from './about.ts';
import { createConnector, type SessionOwner } from './connector.ts';
import { dataDirectory, demoDirectory } from './directories.ts';
import type { WorldOptions } from './emulator.ts';
import { warehouseOf } from './warehouse.ts';

/** How a session is opened. */
export interface SessionHooks extends Pick<SessionOptions, 'watch' | 'admit' | 'takeTurn' | 'onNameLookup'> {
  readonly spansReplicas?: boolean;
}

/** The platform as one process sees it: sessions share the connections, the limits of each project and the demo's emulator. */
export interface Platform {
  readonly clock: Clock;
  readonly log: Log;
  /**
   * A session of this principal; nothing is opened, fetched or started before its first call. One that `spansReplicas` shares tokens
   * and names with those of the same principal on other replicas.
   */
  openSession(principal?: SessionOwner, how?: SessionHooks): Session;
  /** Calls `observer` with every event on the way to the platform from now on. */
  observe(observer: Observer): void;
  /** Requests of all sessions that wait for their turn, and those that are on their way. */
  load(): ReturnType<Limiter['load']>;
  /**
   * Rejects with a publishable message where sessions could get no token: no credential is set, or the authentication server cannot be
   * reached.
   */
  reachTokens(signal: AbortSignal): Promise<void>;
  /** False while what the replicas share is out of reach; undefined where they share nothing. */
  isCacheUp(): boolean | undefined;
  /** Ends what the sessions share; they are closed before. */
  close(): Promise<void>;
}

/** The state that a session has in common with those of the same owner on other replicas; empty before it is connected. */
interface Joined {
  shared?: SharedState;
  useOnce?: UseOnce;
}

/** Joins the replicas as an owner; gives the tokens that they share. */
function joinReplicas(joined: Joined, owner: Owner, cache: SharedCache | undefined, spansReplicas: boolean): SharedTokens | undefined {
  if (!cache) return undefined;
  joined.shared = { watches: cache.watchesOf(owner), ...(spansReplicas && { lists: cache.listsOf(owner) }) };
  if (!spansReplicas) return undefined;
  joined.useOnce = cache.useOnceOf(owner);
  return cache.tokensOf(owner);
}

/** The platform as the settings say; `credentials` are those of principals that have their own, `cache` is closed with it. */
export function createPlatform(
  settings: Settings,
  tools: readonly ListedTool[],
  world: WorldOptions,
  credentials?: PlatformCredentials,
  cache?: SharedCache,
): Platform {
  const clock = world.clock ?? systemClock;
  const log = logOf(settings);
  const confirmationsOf = createConfirmations({ clock, secret: settings.cacheKey });
  const demoDir = settings.demo ? demoDirectory() : undefined;
  const dir = demoDir ?? dataDirectory(settings);
  const connector = createConnector({ settings, tools, world, clock, log, credentials, cache });
  const warehouse = warehouseOf(settings);

  function openSessionOf(principal: SessionOwner, { spansReplicas = false, ...manner }: SessionHooks): Session {
    const { timeZone, maxResultTokens, rawHar, ownDomains, country, specialDays, keepSource, dataQuotaMb: quotaMb } = settings;
    const conversion = keepSource ? ('keep source' as const) : ('drop source' as const);
    const joined: Joined = {};
    // A session that other replicas know too is named by its caller alone.
    const owner = [principal.id, principal.credentialVersion ?? '', ...(spansReplicas ? [] : [randomUUID()])];
    return createSession({
      connect: () => connector.connect(principal, (own) => joinReplicas(joined, own, cache, spansReplicas)),
      clock,
      log,
      timeZone,
      maxResultTokens,
      rawHar,
      ownDomains,
      calendar: { country, specialDays },
      workspace: { dir, quotaMb, conversion, warehouse: warehouse?.open, principal: principal.id, authUrl: connector.authUrl },
      shared: () => joined.shared,
      confirmations: confirmationsOf(owner, () => joined.useOnce),
      ...manner,
    });
  }

  return {
    clock,
    log,
    openSession: (principal = localPrincipal, how = {}) => openSessionOf(principal, how),
    observe: connector.observe,
    load: connector.load,
    reachTokens: (signal) => connector.reachTokens(signal),
    isCacheUp: () => cache?.isUp,
    async close() {
      await connector.close();
      cache?.close();
      await warehouse?.close();
      if (demoDir !== undefined) await rm(demoDir, { recursive: true, force: true });
    },
  };
}

/** The only session of a process; closing it closes the platform too. */
export function openSession(settings: Settings, tools: readonly ListedTool[], world: WorldOptions): Session {
  const platform = createPlatform(settings, tools, world);
  const session = platform.openSession();
  return {
    ...session,
    async close() {
      await session.close();
      await platform.close();
    },
  };
}
