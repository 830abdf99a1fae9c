import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import type { Http } from '../api/http.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { ListedTool } from '../mcp/listing.ts';
import { createSession, neededScopes, type Session } from '../mcp/session.ts';
import type { Settings } from '../settings.ts';
import {
  CredentialsError,
  localPrincipal,
  type PlatformCredential,
  type PlatformCredentials,
  type Principal,
} from '../sign-in/principal.ts';
import { version } from './about.ts';
import { defaultDataDirectory } from './data-directory.ts';
import { logOf } from './log-of.ts';
import type { WorldOptions } from './world-options.ts';

/** The platform as one process sees it: sessions share the connections, the limits of each project and the demo's emulator. */
export interface Platform {
  readonly clock: Clock;
  readonly log: Log;
  /** A session of this principal; nothing is opened, fetched or started before its first call. */
  openSession(principal?: Pick<Principal, 'id'>): Session;
  /** Ends what the sessions share; they are closed before. */
  close(): Promise<void>;
}

/** Where sessions connect to, and as whom unless principals have credentials of their own. */
interface Access extends Partial<PlatformCredential> {
  readonly authUrl: string;
  readonly close?: () => Promise<void>;
}

const MISSING =
  'No credential is set. Set WEB_ANALYTICS_AUTH_URL, WEB_ANALYTICS_CLIENT_ID and WEB_ANALYTICS_CLIENT_SECRET (or …_SECRET_FILE), or start with --demo to use the embedded emulator.';

function configured({ authUrl, clientId, clientSecret, enrichmentClientId, enrichmentClientSecret, projectId }: Settings): Access {
  if (!authUrl) throw new ApiError('settings', MISSING);
  const enrichment = enrichmentClientId && enrichmentClientSecret && { clientId: enrichmentClientId, clientSecret: enrichmentClientSecret };
  return {
    authUrl,
    ...(clientId && clientSecret && { credential: { clientId, clientSecret } }),
    ...(enrichment && { enrichmentCredential: enrichment }),
    ...(projectId !== undefined && { defaultProjectId: projectId }),
  };
}

/** The embedded emulator with its account credential; the shop is the project when none is chosen. */
async function demonstrated({ projectId }: Settings, clock: Clock, { seed, faults }: WorldOptions): Promise<Access> {
  const { startEmulator } = await import('../emulator/index.ts');
  const emulator = await startEmulator({ clock, seed, faults });
  const { account, enrichment, shop } = emulator.credentials;
  return {
    authUrl: emulator.authUrl,
    credential: account,
    enrichmentCredential: enrichment,
    defaultProjectId: projectId ?? shop.projects[0]?.id ?? 0,
    close: () => emulator.close(),
  };
}

/** What all clients of a process share; undici is loaded by the first request. */
async function loadShared(settings: Settings, clock: Clock) {
  const [{ createClient }, { createLimiter }, { createHttp }] = await Promise.all([
    import('../api/client.ts'),
    import('../api/limiter.ts'),
    import('../api/http.ts'),
  ]);
  const { concurrency, speedConcurrency } = settings;
  return { createClient, limiter: createLimiter({ clock, concurrency, speedConcurrency }), http: createHttp() };
}

/** The platform as the settings say; `credentials` are those of principals that have their own. */
export function createPlatform(
  settings: Settings,
  tools: readonly ListedTool[],
  world: WorldOptions,
  credentials?: PlatformCredentials,
): Platform {
  const clock = world.clock ?? systemClock;
  const log = logOf(settings);
  const demoDir = settings.demo ? join(tmpdir(), `web-analytics-demo-${randomUUID()}`) : undefined;
  const dir = demoDir ?? settings.dataDir ?? defaultDataDirectory();
  const { timeZone, maxResultTokens, rawHar, endpointDomains, timeoutMs } = settings;
  let reaching: Promise<Access> | undefined;
  let loading: ReturnType<typeof loadShared> | undefined;
  let authUrl = '';

  async function reach(): Promise<Access> {
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
      if (!credential) throw new ApiError('settings', MISSING);
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

  async function connect(principal: Pick<Principal, 'id'>): Promise<Client> {
    const access = await reach();
    authUrl = access.authUrl;
    const own = await credentialOf(principal, access);
    loading ??= loadShared(settings, clock);
    const { createClient, limiter, http } = await loading;
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
    });
  }

  return {
    clock,
    log,
    openSession(principal = localPrincipal) {
      const workspace = { dir, quotaMb: settings.dataQuotaMb, principal: principal.id, authUrl: () => authUrl };
      return createSession({ connect: () => connect(principal), clock, timeZone, maxResultTokens, rawHar, workspace });
    },
    async close() {
      const shared: { http: Http } | undefined = await loading;
      await shared?.http.close();
      await (await reaching?.catch(() => undefined))?.close?.();
      if (demoDir !== undefined) await rm(demoDir, { recursive: true, force: true });
    },
  };
}
