import { isLoopback } from '../lib/address.ts';
import { fixedLimits, type HttpLimits, type HttpServing, serveHttp } from '../mcp/http/http-server.ts';
import type { Era, Served } from '../mcp/http/leg.ts';
import { metadataPages } from '../mcp/http/metadata-pages.ts';
import { createServer, type ServerParts } from '../mcp/server.ts';
import { createSubscriptions } from '../mcp/subscriptions.ts';
import { type Settings, SettingsError, settingDeclarations } from '../settings.ts';
import type { Principal, SignIn } from '../sign-in/principal.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { readCertificate } from './certificate.ts';
import { openOperations } from './operations.ts';
import type { Platform } from './platform.ts';

/** What every session offers: all of a server but its state. */
export type Catalogue = Omit<ServerParts, 'session' | 'subscriptions'>;

/** What HTTP serving is made of, beside the settings. */
export interface HttpServingParts {
  readonly platform: Platform;
  readonly catalogue: Catalogue;
  /** Left out: whoever reaches the server is the local user. */
  readonly signIn?: SignIn | undefined;
  readonly tracing?: Tracing | undefined;
  /** Other limits than the product's, for tests. */
  readonly limits?: Partial<HttpLimits>;
}

/** What may not be left open where others than this machine can call. */
function requireSafe({ host, allowedHosts }: Settings, signIn: SignIn | undefined): void {
  if (isLoopback(host.includes(':') ? `[${host}]` : host)) return;
  const missing = [
    ...(signIn ? [] : ['sign-in (WEB_ANALYTICS_ISSUER and WEB_ANALYTICS_AUDIENCE, or WEB_ANALYTICS_TOKENS_FILE)']),
    ...(allowedHosts ? [] : [`${settingDeclarations.allowedHosts.variable} (the names that clients reach this server by)`]),
  ];
  if (missing.length === 0) return;
  throw new SettingsError(`--host "${host}": others than this machine could call, so set ${missing.join(' and ')}; or listen on 127.0.0.1`);
}

/** Why the server could not listen, by the code of the system. */
const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken: choose another --port',
  EACCES: 'may not be used by this user: choose another --port',
  EADDRNOTAVAIL: 'is no address of this machine: choose another --host',
  ENOTFOUND: 'is no address of this machine: choose another --host',
};

/** Begins to serve over HTTP; throws a `SettingsError` where the settings do not allow it. */
export async function startHttpServing(
  settings: Settings,
  { platform, catalogue, signIn, tracing, limits }: HttpServingParts,
): Promise<HttpServing> {
  const { host, port, allowedHosts, allowedOrigins, maxSessions, sessionIdleMinutes, maxRequests } = settings;
  requireSafe(settings, signIn);
  const tls = readCertificate(settings, platform);
  const writing = new Set(catalogue.tools.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name));

  let serving: HttpServing | undefined;
  const operations = await openOperations(settings, { platform, signIn, tracing, sessions: () => serving?.sessionsByEra() ?? {} });

  function open(principal: Principal, era: Era, sessionId?: string): Served {
    const watched = operations.of({ principalId: principal.id, sessionId });
    const session = platform.openSession(principal, { spansReplicas: era === '2026', ...watched });
    const subscriptions = createSubscriptions(session, catalogue.resources);
    const parts: ServerParts = { ...catalogue, session, subscriptions };
    return { createServer: (onlyTool) => createServer(parts, onlyTool), subscriptions, close: () => session.close() };
  }

  const { clock, log } = platform;
  const settled = { maxSessions, idleMs: sessionIdleMinutes * 60_000, maxRequests, maxConnections: 3 * maxSessions + 1_000 };
  try {
    serving = await serveHttp({
      host,
      port,
      tls,
      allowedHosts,
      allowedOrigins,
      signIn,
      clock,
      log,
      open,
      limits: { ...fixedLimits, ...settled, ...limits },
      writes: (toolName) => writing.has(toolName),
      probes: operations.pages,
      onAnswer: operations.onAnswer,
      ...(signIn?.metadata && { pages: metadataPages(signIn.metadata) }),
    });
    return serving;
  } catch (error) {
    const words = error instanceof Error && 'code' in error ? LISTEN_FAULTS[String(error.code)] : undefined;
    throw words === undefined ? error : new SettingsError(`${host}:${port} ${words}`);
  }
}
