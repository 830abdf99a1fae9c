import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { isLoopback } from '../lib/address.ts';
import type { Clock } from '../lib/clock.ts';
import { createTurns } from '../lib/concurrency.ts';
import { createLog, type Log } from '../lib/log.ts';
import { answerJson, type Era, refuse, type Served } from '../protocol/http/era-handler.ts';
import { fixedLimits, type HttpLimits, type HttpServing, type Page, serveHttp } from '../protocol/http/http-server.ts';
import { createServer, type ServerParts } from '../protocol/server.ts';
import { createSubscriptions } from '../protocol/subscriptions.ts';
import { type Settings, SettingsError, settingDeclarations } from '../settings/settings.ts';
import type { Principal, ResourceMetadata, SignIn } from '../sign-in/principal.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { changesSomething } from '../tooling/tool.ts';
import { logOf, name as product } from './about.ts';
import type { WorldOptions } from './emulator.ts';
import { compactHeap, createIdleCompaction, limitHeapGrowth } from './heap.ts';
import { openMonitoring, traceCalls } from './monitoring.ts';
import { createPlatform, type Platform } from './platform.ts';
import { openCredentials, openSignIn, withCredentials } from './sign-in.ts';
import { logStart, warnOfMissing } from './startup-warnings.ts';
import { openCache } from './warehouse.ts';

/** The protected-resource metadata at each of its paths, for clients that have no token yet. */
export function metadataPages({ paths, document }: ResourceMetadata): Map<string, Page> {
  const page: Page = (request, response) => {
    if (request.method === 'GET' || request.method === 'HEAD')
      answerJson(response, 200, document, { 'cache-control': 'public, max-age=3600' });
    else refuse(response, { status: 405, message: 'Method not allowed.', headers: { allow: 'GET, HEAD' } });
  };
  return new Map(paths.map((path) => [path, page]));
}

type FileSetting = 'tlsCertFile' | 'tlsKeyFile';

function fault(name: FileSetting, words: string): SettingsError {
  return new SettingsError(`${settingDeclarations[name].variable}: ${words}`);
}

function readPem(name: FileSetting, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    throw fault(name, `cannot read "${path}"; expected a readable PEM file`);
  }
}

function parsed<T>(name: FileSetting, what: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw fault(name, `holds no ${what}`);
  }
}

/**
 * Certificate chain and key of HTTP serving, PEM; undefined for plain HTTP. Throws a `SettingsError` for files that no client could be
 * served with, and warns of a certificate that none would accept at present.
 */
export function readCertificate({ tlsCertFile, tlsKeyFile }: Pick<Settings, FileSetting>, { clock, log }: { clock: Clock; log: Log }) {
  if (tlsCertFile === undefined || tlsKeyFile === undefined) return undefined;
  const [cert, key] = [readPem('tlsCertFile', tlsCertFile), readPem('tlsKeyFile', tlsKeyFile)];
  const certificate = parsed('tlsCertFile', 'certificate in PEM', () => new X509Certificate(cert));
  const privateKey = parsed('tlsKeyFile', 'private key in PEM, or one behind a passphrase; expected one without', () =>
    createPrivateKey(key),
  );
  // A key of another kind would be taken, and every handshake fail.
  if (!certificate.checkPrivateKey(privateKey)) throw fault('tlsKeyFile', 'the key does not belong to the certificate');
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^error:\w+:/, '') : String(error);
    throw fault('tlsCertFile', `cannot be served (${why}); expected another certificate`);
  }
  const { validFrom, validTo } = certificate;
  if (clock.now() < Date.parse(validFrom) || clock.now() > Date.parse(validTo))
    log(
      'warn',
      `${settingDeclarations.tlsCertFile.variable}: clients refuse the certificate, which is valid from ${validFrom} to ${validTo}`,
    );
  return { cert, key };
}

/** The parts of a server that every session shares: all but its state. */
export type Catalogue = Omit<ServerParts, 'session' | 'subscriptions'>;

/** How many calls begin in one turn of the event loop: chosen by measuring the throughput of short calls and the delay of mixed ones. */
const TURN_LIMITS = { atOnce: 4, shortMs: 10, now: () => performance.now() };

/** The parts of HTTP serving beside the settings. */
export interface HttpServingParts {
  readonly platform: Platform;
  readonly catalogue: Catalogue;
  /** Left out: every caller is the local user. */
  readonly signIn?: SignIn | undefined;
  readonly tracing?: Tracing | undefined;
  /** Called at the start of each call. */
  readonly onCall?: (() => void) | undefined;
  /** Other limits than the product's, for tests. */
  readonly limits?: Partial<HttpLimits>;
}

/** Refuses settings that are unsafe where other machines can call. */
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
  EADDRNOTAVAIL: 'is not an address of this machine: choose another --host',
  ENOTFOUND: 'is not an address of this machine: choose another --host',
};

/** Begins to serve over HTTP; throws a `SettingsError` where the settings do not allow it. */
export async function startHttpServing(
  settings: Settings,
  { platform, catalogue, signIn, tracing, onCall, limits }: HttpServingParts,
): Promise<HttpServing> {
  const { host, port, allowedHosts, allowedOrigins, maxSessions, sessionIdleMinutes, maxRequests } = settings;
  requireSafe(settings, signIn);
  const tls = readCertificate(settings, platform);

  let serving: HttpServing | undefined;
  const monitoring = await openMonitoring(settings, { platform, signIn, tracing, sessions: () => serving?.sessionsByEra() ?? {} });

  const turns = createTurns(TURN_LIMITS);

  function open(principal: Principal, era: Era, sessionId?: string): Served {
    const watched = monitoring.of({ principalId: principal.id, sessionId });
    const takeTurn = () => {
      onCall?.();
      return turns(principal.id);
    };
    const session = platform.openSession(principal, { spansReplicas: era === '2026', takeTurn, ...watched });
    const subscriptions = createSubscriptions(session, catalogue.resources);
    const parts: ServerParts = { ...catalogue, session, subscriptions };
    return { createServer: (onlyTool) => createServer(parts, onlyTool), subscriptions, close: () => session.close() };
  }

  const { clock, log } = platform;
  const changing = new Set(catalogue.tools.filter(changesSomething).map((tool) => tool.name));
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
      changesSomething: (tool) => changing.has(tool),
      limits: { ...fixedLimits, ...settled, ...limits },
      probes: monitoring.pages,
      onAnswer: monitoring.onAnswer,
      ...(signIn?.metadata && { pages: metadataPages(signIn.metadata) }),
    });
    return serving;
  } catch (error) {
    const words = error instanceof Error && 'code' in error ? LISTEN_FAULTS[String(error.code)] : undefined;
    throw words === undefined ? error : new SettingsError(`${host}:${port} ${words}`);
  }
}

/** How long clients that keep connections have to notice that this server stops for another; then idle connections are closed. */
const LINGER_MS = 3_000;

/** Written at every log level: with --port 0 the port is not known otherwise. */
function sayWhere(url: string, { logFormat = 'json' }: Settings): void {
  if (logFormat === 'json') createLog('info', { format: 'json' })('info', `listens on ${url}`);
  else process.stderr.write(`${product} listens on ${url}\n`);
}

/** Between the memory of a server that stays as large as its busiest minute and the time of collections, which all callers wait for. */
const HEAP_GROWTH_PERCENT = 70;

/** Serves MCP over Streamable HTTP until the process is asked to stop; says on stderr where. */
export async function serveOverHttp(settings: Settings, world: WorldOptions, catalogue: Catalogue): Promise<number> {
  limitHeapGrowth(HEAP_GROWTH_PERCENT);
  const credentials = await openCredentials(settings, logOf(settings));
  const platform = createPlatform(settings, catalogue.tools, world, credentials, await openCache(settings, logOf(settings)));
  let tracing: Awaited<ReturnType<typeof traceCalls>>;
  const compaction = createIdleCompaction({ compact: compactHeap, heapBytes: () => process.memoryUsage().heapTotal });
  try {
    const signIn = await openSignIn(settings, platform);
    const signInWithCredentials = signIn && credentials ? withCredentials(signIn, credentials) : signIn;
    tracing = await traceCalls(platform);
    // Nobody shall wait while the first question of another loads the code of its tools.
    for (const { name } of catalogue.tools) await catalogue.load(name);
    const serving = await startHttpServing(settings, {
      platform,
      catalogue,
      signIn: signInWithCredentials,
      tracing,
      onCall: compaction.onCall,
    });
    sayWhere(serving.url, settings);
    logStart(settings, platform.log);
    warnOfMissing(settings, platform.log);
    const stopped = new AbortController();
    const { signal } = stopped;
    const why = await Promise.race([
      once(process, 'SIGINT', { signal }).then(() => 'SIGINT' as const),
      once(process, 'SIGTERM', { signal }).then(() => 'SIGTERM' as const),
    ]);
    stopped.abort();
    platform.log('info', 'stopping', { why, inWork: serving.inWork(), sessions: serving.sessions() });
    await serving.close(why === 'SIGTERM' ? LINGER_MS : 0);
  } finally {
    compaction.close();
    // An open connection would keep a process alive that could not begin to serve.
    await platform.close();
    await tracing?.close();
  }
  return 0;
}
