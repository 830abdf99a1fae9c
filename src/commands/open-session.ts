import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { type Clock, systemClock } from '../lib/clock.ts';
import { createLog } from '../lib/log.ts';
import type { ListedTool } from '../mcp/listing.ts';
import { createSession, neededScopes, type Session } from '../mcp/session.ts';
import type { Settings } from '../settings.ts';
import { version } from './about.ts';
import { defaultDataDirectory } from './data-directory.ts';
import type { WorldOptions } from './world-options.ts';

/** Where a client connects to, and as whom. */
interface Connection {
  readonly authUrl: string;
  readonly credential: { clientId: string; clientSecret: string };
  readonly enrichmentCredential?: { clientId: string; clientSecret: string };
  readonly defaultProjectId?: number;
  readonly close?: () => Promise<void>;
}

const MISSING =
  'No credential is set. Set WEB_ANALYTICS_AUTH_URL, WEB_ANALYTICS_CLIENT_ID and WEB_ANALYTICS_CLIENT_SECRET (or …_SECRET_FILE), or start with --demo to use the embedded emulator.';

function configured({ authUrl, clientId, clientSecret, enrichmentClientId, enrichmentClientSecret, projectId }: Settings): Connection {
  if (!authUrl || !clientId || !clientSecret) throw new ApiError('settings', MISSING);
  const enrichment = enrichmentClientId && enrichmentClientSecret && { clientId: enrichmentClientId, clientSecret: enrichmentClientSecret };
  return {
    authUrl,
    credential: { clientId, clientSecret },
    ...(enrichment && { enrichmentCredential: enrichment }),
    ...(projectId !== undefined && { defaultProjectId: projectId }),
  };
}

/** The embedded emulator with its account credential; the shop is the project when none is chosen. */
async function demonstrated({ projectId }: Settings, clock: Clock, { seed, faults }: WorldOptions): Promise<Connection> {
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

/** A session as the settings say; nothing is opened, fetched or started before its first call. */
export function openSession(settings: Settings, tools: readonly ListedTool[], world: WorldOptions): Session {
  const clock = world.clock ?? systemClock;
  const demoDir = settings.demo ? join(tmpdir(), `web-analytics-demo-${randomUUID()}`) : undefined;
  let authUrl = '';
  let closeConnection: (() => Promise<void>) | undefined;

  async function connect(): Promise<Client> {
    const connection = settings.demo ? await demonstrated(settings, clock, world) : configured(settings);
    closeConnection = connection.close;
    authUrl = connection.authUrl;
    const [{ createClient }, { createLimiter }] = await Promise.all([import('../api/client.ts'), import('../api/limiter.ts')]);
    const { concurrency, speedConcurrency, endpointDomains, timeoutMs } = settings;
    return createClient({
      ...connection,
      neededScopes: neededScopes(tools),
      ...(endpointDomains && { endpointDomains }),
      timeoutMs,
      limiter: createLimiter({ clock, concurrency, speedConcurrency }),
      sessionId: 'stdio',
      clock,
      version,
      log: createLog(settings.logLevel),
    });
  }

  const { timeZone, maxResultTokens, rawHar } = settings;
  const dir = demoDir ?? settings.dataDir ?? defaultDataDirectory();
  const workspace = { dir, quotaMb: settings.dataQuotaMb, principal: 'local', authUrl: () => authUrl };
  const session = createSession({ connect, clock, timeZone, maxResultTokens, rawHar, workspace });
  return {
    ...session,
    async close() {
      await session.close();
      await closeConnection?.();
      if (demoDir !== undefined) await rm(demoDir, { recursive: true, force: true });
    },
  };
}
