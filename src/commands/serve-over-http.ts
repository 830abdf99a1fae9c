import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { isLoopback } from '../lib/address.ts';
import { fixedLimits, type HttpServing, serveHttp } from '../mcp/http/http-server.ts';
import type { Served } from '../mcp/http/leg.ts';
import { createServer, type ServerParts } from '../mcp/server.ts';
import { createSubscriptions } from '../mcp/subscriptions.ts';
import { type Settings, SettingsError, settingDeclarations } from '../settings.ts';
import type { Principal, SignIn } from '../sign-in/principal.ts';
import { createPlatform } from './platform.ts';
import type { WorldOptions } from './world-options.ts';

/** What may not be left open where others than this machine can call. */
function requireSafe({ host, allowedHosts }: Settings, signIn: SignIn | undefined): void {
  if (isLoopback(host.includes(':') ? `[${host}]` : host)) return;
  const missing = [
    ...(signIn ? [] : ['sign-in']),
    ...(allowedHosts ? [] : ['WEB_ANALYTICS_ALLOWED_HOSTS (the names that clients reach this server by)']),
  ];
  if (missing.length === 0) return;
  throw new SettingsError(`--host "${host}": others than this machine could call, so set ${missing.join(' and ')}; or listen on 127.0.0.1`);
}

function certificateOf({ tlsCertFile, tlsKeyFile }: Settings): { cert: string; key: string } | undefined {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  const read = (variable: string, path: string) => {
    try {
      return readFileSync(path, 'utf8');
    } catch {
      throw new SettingsError(`${variable}: cannot read "${path}"; expected a readable PEM file`);
    }
  };
  return {
    cert: read(settingDeclarations.tlsCertFile.variable, tlsCertFile),
    key: read(settingDeclarations.tlsKeyFile.variable, tlsKeyFile),
  };
}

const CODES: Readonly<Record<string, string>> = {
  EADDRINUSE: 'is taken: choose another --port',
  EACCES: 'may not be used by this user: choose another --port',
  EADDRNOTAVAIL: 'is not an address of this machine: choose another --host',
};

/** Serves MCP over Streamable HTTP until the process is asked to stop; says on stderr where. */
export async function serveOverHttp(
  settings: Settings,
  world: WorldOptions,
  catalogue: Omit<ServerParts, 'session' | 'subscriptions'>,
): Promise<number> {
  const { host, port, allowedHosts, allowedOrigins, maxSessions, sessionIdleMinutes, maxRequests } = settings;
  const signIn: SignIn | undefined = undefined;
  requireSafe(settings, signIn);
  const tls = certificateOf(settings);
  const platform = createPlatform(settings, catalogue.tools, world);
  const writing = new Set(catalogue.tools.filter(({ annotations }) => !annotations.readOnlyHint).map(({ name }) => name));

  function open(principal: Principal): Served {
    const session = platform.openSession(principal);
    const subscriptions = createSubscriptions(session, catalogue.resources);
    const parts = { ...catalogue, session, subscriptions };
    return { createServer: () => createServer(parts), subscriptions, close: () => session.close() };
  }

  const { clock, log } = platform;
  const serving: HttpServing = await serveHttp({
    host,
    port,
    tls,
    allowedHosts,
    allowedOrigins,
    signIn,
    clock,
    log,
    limits: { ...fixedLimits, maxSessions, idleMs: sessionIdleMinutes * 60_000, maxRequests, maxConnections: 3 * maxSessions + 1_000 },
    writes: (toolName) => writing.has(toolName),
    open,
  }).catch((error: unknown) => {
    const words = error instanceof Error && 'code' in error ? CODES[String(error.code)] : undefined;
    throw words === undefined ? error : new SettingsError(`${host}:${port} ${words}`);
  });
  process.stderr.write(`web-analytics-mcp listens on ${serving.url}\n`);
  const stopped = new AbortController();
  const { signal } = stopped;
  await Promise.race([once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })]);
  stopped.abort();
  await serving.close();
  await platform.close();
  return 0;
}
