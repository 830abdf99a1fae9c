import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Client } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import type { Http } from '../api/http.ts';
import type { Limiter } from '../api/limiter.ts';
import type { Observer } from '../api/observer.ts';
import type { SharedTokens } from '../api/tokens.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Owner, SharedCache } from '../replicas/index.ts';
import { missingCredential } from '../settings/missing-credential.ts';
import { type Settings, settingDeclarations } from '../settings/settings.ts';
import {
  CredentialsError,
  localPrincipal,
  type PlatformCredential,
  type PlatformCredentials,
  type Principal,
} from '../sign-in/principal.ts';
import { createConfirmations, type UseOnce } from '../tooling/confirmation.ts';
import { createSession, neededScopes, type Session, type SessionOptions } from '../tooling/session.ts';
import type { SharedState } from '../tooling/shared-state.ts';
import type { ListedTool } from '../tooling/tool.ts';
import { logOf, version } from './about.ts';
import { dataDirectory, demoDirectory, sweepDemoDirectories } from './directories.ts';
import type { WorldOptions } from './emulator.ts';
import { warehouseOf } from './warehouse.ts';

type Caller = Pick<Principal, 'id' | 'credentialVersion'>;

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
  openSession(principal?: Caller, how?: SessionHooks): Session;
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

/** Where sessions connect to, and as whom unless principals have credentials of their own. */
interface Access extends Partial<PlatformCredential> {
  readonly authUrl: string;
  readonly close?: () => Promise<void>;
}

/** Largest answer of the authentication server to the readiness check. */
const PING_BYTES = 65_536;
const AUTH_URL = settingDeclarations.authUrl.variable;

/** The error of a call that has no credential to be made with. */
function lackOf(settings: Settings): ApiError {
  return new ApiError('settings', missingCredential(settings) ?? 'No credential is set.');
}

function configured(settings: Settings): Access {
  const { authUrl, clientId, clientSecret, enrichmentClientId, enrichmentClientSecret, projectId } = settings;
  if (!authUrl) throw lackOf(settings);
  const enrichment = enrichmentClientId && enrichmentClientSecret && { clientId: enrichmentClientId, clientSecret: enrichmentClientSecret };
  return {
    authUrl,
    ...(clientId && clientSecret && { credential: { clientId, clientSecret } }),
    ...(enrichment && { enrichmentCredential: enrichment }),
    ...(projectId !== undefined && { defaultProjectId: projectId }),
  };
}

/** The embedded emulator with its account credential; the shop is the project when none is chosen. */
async function demonstrated({ projectId }: Settings, clock: Clock, { seed, faults, size }: WorldOptions): Promise<Access> {
  const { startEmulator } = await import('../emulator/start-emulator.ts');
  const emulator = await startEmulator({ clock, seed, faults, size });
  const { account, enrichment, shop } = emulator.credentials;
  void sweepDemoDirectories();
  return {
    authUrl: emulator.authUrl,
    credential: account,
    enrichmentCredential: enrichment,
    defaultProjectId: projectId ?? shop.projects[0]?.id ?? 0,
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
  const { timeZone, maxResultTokens, rawHar, ownDomains, endpointDomains, timeoutMs, country, specialDays } = settings;
  let reaching: Promise<Access> | undefined;
  const warehouse = warehouseOf(settings);
  let loading: ReturnType<typeof loadShared> | undefined;
  let authUrl = '';
  let closed = false;
  const observers: Observer[] = [];
  let limiter: Limiter | undefined;

  async function reach(): Promise<Access> {
    // A call may come this far after its client has gone; an emulator that started now would keep the process alive for ever.
    if (closed) throw new ApiError('down', 'The server is stopping.');
    reaching ??= settings.demo ? demonstrated(settings, clock, world) : Promise.resolve(configured(settings));
    try {
      return await reaching;
    } catch (error) {
      reaching = undefined;
      throw error;
    }
  }

  async function credentialOf(principal: Pick<Principal, 'id'>, access: Access): Promise<PlatformCredential> {
    const { credential, enrichmentCredential, defaultProjectId } = access;
    if (!credentials) {
      if (!credential) throw lackOf(settings);
      return {
        credential,
        ...(enrichmentCredential && { enrichmentCredential }),
        ...(defaultProjectId !== undefined && { defaultProjectId }),
      };
    }
    try {
      return await credentials.credentialsOf(principal);
    } catch (error) {
      throw error instanceof CredentialsError ? new ApiError('settings', error.message) : error;
    }
  }

  async function connect(principal: Caller, joinReplicas: (owner: Owner) => SharedTokens | undefined): Promise<Client> {
    const access = await reach();
    authUrl = access.authUrl;
    const own = await credentialOf(principal, access);
    loading ??= loadShared(settings, clock, cache);
    const { createClient, http, reads, ...shared } = await loading;
    limiter ??= shared.limiter;
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
      sharedTokens: joinReplicas({ principalId: principal.id, authUrl, credential: own.credential }),
    });
  }

  return {
    clock,
    log,
    openSession(principal = localPrincipal, { spansReplicas = false, ...manner } = {}) {
      const conversion = settings.keepSource ? ('keep source' as const) : ('drop source' as const);
      const where = { dir, quotaMb: settings.dataQuotaMb, conversion, warehouse: warehouse?.open };
      const workspace = { ...where, principal: principal.id, authUrl: () => authUrl };
      let shared: SharedState | undefined;
      let useOnce: UseOnce | undefined;
      function joinReplicas(owner: Owner): SharedTokens | undefined {
        if (!cache) return undefined;
        shared = { watches: cache.watchesOf(owner), ...(spansReplicas && { lists: cache.listsOf(owner) }) };
        if (!spansReplicas) return undefined;
        useOnce = cache.useOnceOf(owner);
        return cache.tokensOf(owner);
      }
      // A session that other replicas know too is named by its caller alone.
      const owner = [principal.id, principal.credentialVersion ?? '', ...(spansReplicas ? [] : [randomUUID()])];
      return createSession({
        connect: () => connect(principal, joinReplicas),
        clock,
        log,
        timeZone,
        maxResultTokens,
        rawHar,
        ownDomains,
        calendar: { country, specialDays },
        workspace,
        shared: () => shared,
        confirmations: confirmationsOf(owner, () => useOnce),
        ...manner,
      });
    },
    observe: (observer) => void observers.push(observer),
    load: () => limiter?.load() ?? { waiting: 0, inFlight: 0 },
    async reachTokens(signal) {
      const access = await reach();
      if (!credentials && !access.credential) throw lackOf(settings);
      loading ??= loadShared(settings, clock, cache);
      const { http } = await loading;
      // Any answer will do: what is asked of it needs a credential.
      const ping = { method: 'GET', url: access.authUrl, headers: {}, safe: true, maxBytes: PING_BYTES, signal } as const;
      const { status } = await http.send(ping).catch((error: unknown) => {
        const code = error instanceof ApiError && error.code !== undefined ? ` (${error.code})` : '';
        throw new ApiError('down', `The authentication server at ${AUTH_URL} cannot be reached${code}.`);
      });
      if (status >= 500) throw new ApiError('down', `The authentication server at ${AUTH_URL} answers with HTTP ${status}.`);
    },
    isCacheUp: () => cache?.isUp,
    async close() {
      closed = true;
      // A part that could not be loaded was reported to the call that needed it; the rest is closed all the same.
      const shared: { http: Http } | undefined = await loading?.catch(() => undefined);
      await shared?.http.close();
      await (await reaching?.catch(() => undefined))?.close?.();
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
