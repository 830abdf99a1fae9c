import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Client } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import type { Http } from '../api/http.ts';
import type { Limiter } from '../api/limiter.ts';
import type { Observer } from '../api/operation.ts';
import type { SharedTokens } from '../api/tokens.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Owner, SharedCache } from '../replicas/index.ts';
import { type Settings, settingDeclarations } from '../settings/settings.ts';
import { missingCredential } from '../settings/unknown-variables.ts';
import {
  CredentialsError,
  localPrincipal,
  type PlatformCredential,
  type PlatformCredentials,
  type Principal,
} from '../sign-in/principal.ts';
import { createConfirmations, type UseOnce } from '../tooling/confirmation.ts';
import { createSession, neededScopes, type Session, type SessionOptions, type SharedState } from '../tooling/session.ts';
import type { ListedTool } from '../tooling/tool.ts';
import { logOf, version } from './about.ts';
import { dataDirectory, demoDirectory, sweepDemoDirectories } from './directories.ts';
import type { WorldOptions } from './emulator.ts';
import { warehouseOf } from './warehouse.ts';

/** Whom a session belongs to. */
type SessionOwner = Pick<Principal, 'id' | 'credentialVersion'>;

/** Where sessions connect to, and as whom unless principals have credentials of their own. */
interface Access {
  readonly authUrl: string;
  /** That of principals without one of their own; left out where there is none. */
  readonly own?: PlatformCredential | undefined;
  readonly close?: () => Promise<void>;
}

/** Largest answer of the authentication server to the readiness check. */
const PING_BYTES = 65_536;
const AUTH_URL = settingDeclarations.authUrl.variable;

/** The error of a call that has no credential to be made with. */
function lackOf(settings: Settings): ApiError {
  return new ApiError('settings', missingCredential(settings) ?? 'No credential is set.');
}

/** The parts of a credential as settings and files name them. */
interface CredentialParts extends Readonly<Record<'clientId' | 'clientSecret', string>> {
  readonly enrichmentClientId?: string | undefined;
  readonly enrichmentClientSecret?: string | undefined;
  readonly projectId?: number | undefined;
}

/** The credential of these parts; one for enrichment alone where both of its own are there. */
export function credentialIn(parts: CredentialParts): PlatformCredential {
  const { clientId, clientSecret, enrichmentClientId: id, enrichmentClientSecret: secret, projectId } = parts;
  return {
    credential: { clientId, clientSecret },
    ...(id && secret && { enrichmentCredential: { clientId: id, clientSecret: secret } }),
    ...(projectId !== undefined && { defaultProjectId: projectId }),
  };
}

function configured(settings: Settings): Access {
  const { authUrl, clientId, clientSecret, enrichmentClientId, enrichmentClientSecret, projectId } = settings;
  if (!authUrl) throw lackOf(settings);
  const parts = { enrichmentClientId, enrichmentClientSecret, projectId };
  return { authUrl, own: clientId && clientSecret ? credentialIn({ clientId, clientSecret, ...parts }) : undefined };
}

/** The embedded emulator with its account credential; the shop is the project when none is chosen. */
async function demonstrated({ projectId }: Settings, clock: Clock, { seed, faults, size }: WorldOptions): Promise<Access> {
  const { startEmulator } = await import('../emulator/start-emulator.ts');
  const emulator = await startEmulator({ clock, seed, faults, size });
  const { account, enrichment, shop } = emulator.credentials;
  void sweepDemoDirectories();
  return {
    authUrl: emulator.authUrl,
    own: { credential: account, enrichmentCredential: enrichment, defaultProjectId: projectId ?? shop.projects[0]?.id ?? 0 },
    close: () => emulator.close(),
  };
}

/** The parts that all clients of a process share; undici is loaded by the first request. */
async function loadShared(settings: Settings, clock: Clock, cache: SharedCache | undefined) {
  const [{ createClient }, { createLimiter }, { createHttp }, { createReadCache }] = await Promise.all([
    import('../api/client.ts'),
    import('../api/limiter.ts'),
    import('../api/http.ts'),
    import('../api/read-cache.ts'),
  ]);
  const { concurrency, speedConcurrency, reportCacheMb } = settings;
  const limits = { clock, concurrency, speedConcurrency };
  const reads = createReadCache({ maxBytes: reportCacheMb * 1_048_576, clock });
  return { createClient, limiter: cache?.limiter(limits) ?? createLimiter(limits), http: createHttp(), reads };
}

/** Opens the way to the platform with the first call that needs it; an emulator that could not start is tried again by the next. */
function createAccess(settings: Settings, clock: Clock, world: WorldOptions) {
  let reaching: Promise<Access> | undefined;
  let closed = false;
  return {
    async reach(): Promise<Access> {
      // A call may come this far after its client has gone; an emulator that started now would keep the process alive for ever.
      if (closed) throw new ApiError('down', 'The server is stopping.');
      reaching ??= settings.demo ? demonstrated(settings, clock, world) : Promise.resolve(configured(settings));
      try {
        return await reaching;
      } catch (error) {
        reaching = undefined;
        throw error;
      }
    },
    end() {
      closed = true;
    },
    async close(): Promise<void> {
      await (await reaching?.catch(() => undefined))?.close?.();
    },
  };
}

/** The credential of a principal: its own, or that of the settings where principals have none. */
async function credentialOf(
  principal: Pick<Principal, 'id'>,
  { own }: Access,
  { settings, credentials }: { readonly settings: Settings; readonly credentials: PlatformCredentials | undefined },
): Promise<PlatformCredential> {
  if (!credentials) {
    if (!own) throw lackOf(settings);
    return own;
  }
  try {
    return await credentials.credentialsOf(principal);
  } catch (error) {
    throw error instanceof CredentialsError ? new ApiError('settings', error.message) : error;
  }
}

/** Throws a publishable message where the authentication server does not answer; any answer will do, a token needs a credential. */
async function pingAuth(http: Http, authUrl: string, signal: AbortSignal): Promise<void> {
  const ping = { method: 'GET', url: authUrl, headers: {}, safe: true, maxBytes: PING_BYTES, signal } as const;
  const { status } = await http.send(ping).catch((error: unknown) => {
    const code = error instanceof ApiError && error.code !== undefined ? ` (${error.code})` : '';
    throw new ApiError('down', `The authentication server at ${AUTH_URL} cannot be reached${code}.`);
  });
  if (status >= 500) throw new ApiError('down', `The authentication server at ${AUTH_URL} answers with HTTP ${status}.`);
}

/** Settings and parts that the sessions of a process are connected with. */
interface ConnectionParts {
  readonly world: WorldOptions;
  readonly settings: Settings;
  readonly tools: readonly ListedTool[];
  readonly clock: Clock;
  readonly log: Log;
  readonly credentials: PlatformCredentials | undefined;
  readonly cache: SharedCache | undefined;
}

/** Makes the clients of sessions, which share connections, limits and the emulator of the demo. */
function createConnector({ settings, tools, world, clock, log, credentials, cache }: ConnectionParts) {
  const access = createAccess(settings, clock, world);
  const observers: Observer[] = [];
  let loading: ReturnType<typeof loadShared> | undefined;
  const load = () => (loading ??= loadShared(settings, clock, cache));
  let authUrl = '';
  let limiter: Limiter | undefined;

  async function connect(principal: SessionOwner, join: (owner: Owner) => SharedTokens | undefined): Promise<Client> {
    const reached = await access.reach();
    authUrl = reached.authUrl;
    const own = await credentialOf(principal, reached, { settings, credentials });
    const { createClient, http, reads, ...shared } = await load();
    limiter ??= shared.limiter;
    const { endpointDomains, timeoutMs } = settings;
    return createClient({
      authUrl,
      ...own,
      neededScopes: neededScopes(tools),
      ...(endpointDomains && { endpointDomains }),
      timeoutMs,
      limiter,
      principalId: principal.id,
      sessionId: randomUUID(),
      clock,
      version,
      log,
      http,
      reads,
      credentialVersion: principal.credentialVersion,
      observe: (event) => {
        for (const observe of observers) observe(event);
      },
      sharedTokens: join({ principalId: principal.id, authUrl, credential: own.credential }),
    });
  }

  return {
    connect,
    /** Known once a session was connected. */
    authUrl: () => authUrl,
    /** Calls `observer` with every event on the way to the platform from now on. */
    observe: (observer: Observer) => void observers.push(observer),
    /** Requests of all sessions that wait for their turn, and those that are on their way. */
    load: () => limiter?.load() ?? { waiting: 0, inFlight: 0 },
    /**
     * Rejects with a publishable message where sessions could get no token: no credential is set, or the authentication server cannot be
     * reached.
     */
    async reachTokens(signal: AbortSignal) {
      const reached = await access.reach();
      if (!credentials && !reached.own) throw lackOf(settings);
      await pingAuth((await load()).http, reached.authUrl, signal);
    },
    async close() {
      access.end();
      // A part that could not be loaded was reported to the call that needed it; the rest is closed all the same.
      const shared: { http: Http } | undefined = await loading?.catch(() => undefined);
      await shared?.http.close();
      await access.close();
    },
  };
}

/** How a session is opened. */
interface SessionHooks extends Pick<SessionOptions, 'watch' | 'admit' | 'takeTurn'> {
  readonly spansReplicas?: boolean;
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
) {
  const clock = world.clock ?? systemClock;
  const log = logOf(settings);
  const confirmationsOf = createConfirmations({ clock, secret: settings.cacheKey });
  const demoDir = settings.demo ? demoDirectory() : undefined;
  const dir = demoDir ?? dataDirectory(settings);
  const connector = createConnector({ settings, tools, world, clock, log, credentials, cache });
  const warehouse = warehouseOf(settings);

  function openSessionOf(principal: SessionOwner, { spansReplicas = false, ...manner }: SessionHooks): Session {
    const { timeZone, maxResultTokens, rawHar, ownDomains, country, specialDays, keepSource, dataQuotaMb: quotaMb } = settings;
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
      workspace: { dir, quotaMb, keepSource, warehouse: warehouse?.open, principal: principal.id, authUrl: connector.authUrl },
      shared: () => joined.shared,
      confirmations: confirmationsOf(owner, () => joined.useOnce),
      ...manner,
    });
  }

  return {
    clock,
    log,
    /**
     * A session of this principal; nothing is opened, fetched or started before its first call. One that `spansReplicas` shares tokens
     * and names with those of the same principal on other replicas.
     */
    openSession: (principal: SessionOwner = localPrincipal, how: SessionHooks = {}) => openSessionOf(principal, how),
    observe: connector.observe,
    load: connector.load,
    reachTokens: (signal: AbortSignal) => connector.reachTokens(signal),
    /** False while what the replicas share is out of reach; undefined where they share nothing. */
    isCacheUp: () => cache?.isUp,
    /** Ends what the sessions share; they are closed before. */
    async close() {
      await connector.close();
      cache?.close();
      await warehouse?.close();
      if (demoDir !== undefined) await rm(demoDir, { recursive: true, force: true });
    },
  };
}

/** The platform as one process sees it: sessions share the connections, the limits of each project and the demo's emulator. */
export type Platform = ReturnType<typeof createPlatform>;

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
