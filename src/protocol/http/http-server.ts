import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { addTo, countOf } from '../../lib/tally.ts';
import { localPrincipal, type Principal, type SignIn } from '../../sign-in/principal.ts';
import { digest } from '../../telemetry/call-watch.ts';
import { paramsFault } from '../read-message.ts';
import { readOnlyReason } from '../resources.ts';
import { answerJson, type Era, type Refusal, refuse } from './era-handler.ts';
import {
  type BodyLimits,
  calledTools,
  createBodyReader,
  createCrossOrigin,
  createGuard,
  type GuardOptions,
  headerMismatch,
  listenedUris,
  requestIds,
} from './messages.ts';
import { createRouter, type RouterOptions, type TableLimits } from './router.ts';

/** The limits of one process. */
export interface HttpLimits extends TableLimits, BodyLimits, ConnectionLimits {
  /** Requests in work at once; streams do not count. */
  readonly maxRequests: number;
  /** Until the headers have come. */
  readonly headersTimeoutMs: number;
  /** Until the body has come. */
  readonly requestTimeoutMs: number;
  /** How long nothing may move over a connection with a request; streams send signs of life more often. */
  readonly silenceMs: number;
  /** How long running calls may go on after the server was asked to close. */
  readonly drainMs: number;
}

/** Limits that no setting changes. */
export const fixedLimits = {
  maxBodyBytes: 4 * 2 ** 20,
  maxHeldBytes: 64 * 2 ** 20,
  shortBodyBytes: 16 * 2 ** 10,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  silenceMs: 120_000,
  drainMs: 10_000,
} satisfies Partial<HttpLimits>;

/** A page beside `/mcp` that needs no sign-in. */
export type Page = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** Options of HTTP serving. */
interface HttpOptions extends GuardOptions, Omit<RouterOptions, 'limits'> {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Certificate chain and key, PEM; left out: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly limits: HttpLimits;
  /** Left out: every caller is the local one. */
  readonly signIn?: SignIn | undefined;
  /** Whether a tool of this name changes what it is called for, so that a caller needs the scope write. */
  readonly changesSomething: (tool: string) => boolean;
  /** By path. */
  readonly pages?: ReadonlyMap<string, Page> | undefined;
  /** By path too: pages for probes and scrapers, which call by whatever address they find this machine at. */
  readonly probes?: ReadonlyMap<string, Page> | undefined;
  /** Called with the status of each answer. */
  readonly onAnswer?: ((status: number) => void) | undefined;
}

/** Number of open connections. */
interface ConnectionLimits {
  readonly maxConnections: number;
}

interface AddressEntry {
  readonly socket: Socket;
  readonly address: string;
  uses: number;
  proved: boolean;
}

/** Share of all places that one address may take without a proof: behind a proxy many callers share an address. */
const SHARE_OF_ADDRESS = 1 / 4;

/** Both sides of a TLS connection have it in common. */
function keyOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

const isUnproved = (entry: AddressEntry): boolean => !entry.proved;

/** Puts an entry behind all others, unless it is gone. */
function moveToEnd(entries: Map<string, AddressEntry>, key: string, entry: AddressEntry): void {
  if (entries.get(key) !== entry) return;
  entries.delete(key);
  entries.set(key, entry);
}

/** Makes the table; `maxConnections` counts all of them. */
function createConnections({ maxConnections }: ConnectionLimits) {
  /** In the order of their last use, the longest ago first. */
  const entries = new Map<string, AddressEntry>();
  const unproved = new Map<string, number>();
  const maxOfAddress = Math.max(1, Math.ceil(maxConnections * SHARE_OF_ADDRESS));

  function count(address: string, change: number): void {
    if (addTo(unproved, address, change) <= 0) unproved.delete(address);
  }

  function drop(key: string, entry: AddressEntry): void {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    if (!entry.proved) count(entry.address, -1);
  }

  /** Closes the one that idles longest among those; false where all are in use. */
  function closeIdle(fits: (entry: AddressEntry) => boolean): boolean {
    for (const [key, entry] of entries) {
      if (entry.uses > 0 || !fits(entry)) continue;
      drop(key, entry);
      entry.socket.destroy();
      return true;
    }
    return false;
  }

  function makeRoom(address: string): boolean {
    if (countOf(unproved, address) >= maxOfAddress && !closeIdle((entry) => isUnproved(entry) && entry.address === address)) return false;
    return entries.size < maxConnections || closeIdle(isUnproved) || closeIdle(() => true);
  }

  return {
    add(socket: Socket) {
      const { remoteAddress: address = '' } = socket;
      const key = keyOf(socket);
      if (!makeRoom(address)) {
        socket.destroy();
        return;
      }
      const entry: AddressEntry = { socket, address, uses: 0, proved: false };
      entries.set(key, entry);
      count(address, 1);
      socket.once('close', () => drop(key, entry));
    },
    /** Marks a request over this connection until the returned function is called. */
    use(socket: Socket) {
      const key = keyOf(socket);
      const entry = entries.get(key);
      if (!entry) return () => undefined;
      entry.uses += 1;
      return () => {
        entry.uses -= 1;
        moveToEnd(entries, key, entry);
      };
    },
    /** Marks the connection as authenticated. */
    prove(socket: Socket) {
      const entry = entries.get(keyOf(socket));
      if (!entry || entry.proved) return;
      entry.proved = true;
      count(entry.address, -1);
    },
    closeAll() {
      for (const { socket } of entries.values()) socket.destroy();
    },
  };
}

/** Makes the limit: `max` for all, of which one caller may take `maxOfOne`. */
function createInFlightLimit({ max, maxOfOne }: { max: number; maxOfOne: number }) {
  const byPrincipal = new Map<string, number>();
  const waiting = new Set<() => void>();
  let taken = 0;

  function add(principalId: string, count: number): void {
    taken += count;
    if (addTo(byPrincipal, principalId, count) <= 0) byPrincipal.delete(principalId);
    if (taken > 0) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  }

  return {
    /** Takes this many slots until the returned function is called; or says whose limit is reached. */
    take(principalId: string, count: number) {
      if (taken + count > max) return 'all';
      if (countOf(byPrincipal, principalId) + count > maxOfOne) return 'caller';
      add(principalId, count);
      let held = true;
      return () => {
        if (held) add(principalId, -count);
        held = false;
      };
    },
    /** How many are taken. */
    taken: () => taken,
    /** Resolves when none is taken. */
    idle: () => (taken === 0 ? Promise.resolve() : new Promise<void>((resolve) => void waiting.add(resolve))),
  };
}

/** A request that was turned away; what the caller sent is written as digests alone. */
interface Refused {
  readonly status: number;
  /** Words of this server. */
  readonly reason: string;
  readonly token?: string | undefined;
  readonly host?: string | undefined;
  readonly origin?: string | undefined;
}

/** More lines a minute would let a sender of nonsense fill a disk; the next line says how many were left out. */
const LINES = 60;
const WINDOW_MS = 60_000;

/** Writes a line for each refused caller, with digests by which an operator finds the lines of a known token or name again. */
export function createRefusalLog({ clock, log }: { clock: Clock; log: Log }): (level: 'info' | 'warn', refused: Refused) => void {
  let [startMs, lines, omitted] = [Number.NEGATIVE_INFINITY, 0, 0];
  const hashed = (text: string | undefined) => (text === undefined ? undefined : digest(text.replace(/^bearer /i, '').trim()));
  return (level, { status, reason, token, host, origin }) => {
    const nowMs = clock.now();
    if (nowMs - startMs >= WINDOW_MS) [startMs, lines] = [nowMs, 0];
    lines += 1;
    if (lines > LINES) {
      omitted += 1;
      return;
    }
    const more = omitted > 0 ? omitted : undefined;
    log(level, 'refused', { status, reason, token: hashed(token), host: hashed(host), origin: hashed(origin), omitted: more });
    omitted = 0;
  };
}

/** Where the protocol is served. */
const ENDPOINT = '/mcp';

const METHODS = ['POST', 'GET', 'DELETE'];
const BUSY: Refusal = { status: 503, message: 'Too many requests at once; try again later.', headers: { 'retry-after': '1' } };
const GREEDY: Refusal = {
  status: 429,
  message: 'Too many of your requests are being processed; try again later.',
  headers: { 'retry-after': '1' },
};
const CLOSING: Refusal = {
  status: 503,
  message: 'This server is about to stop; try again later.',
  headers: { connection: 'close', 'retry-after': '1' },
};
/** How often the caller of a stream is authenticated again. */
const PROOF_MS = 4_000;

/** The server's parts that requests go through. */
interface AnsweringParts {
  readonly options: HttpOptions;
  readonly connections: ReturnType<typeof createConnections>;
  readonly places: ReturnType<typeof createInFlightLimit>;
  /** Known once the server listens. */
  readonly router: () => ReturnType<typeof createRouter>;
  /** Whether nothing new is taken. */
  readonly isClosing: () => boolean;
}

/** Finds out who calls; undefined where the request was refused. */
function createProver({ signIn }: HttpOptions, logRefusal: ReturnType<typeof createRefusalLog>) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<Principal | undefined> => {
    if (!signIn) return localPrincipal;
    const { authorization } = request.headers;
    const found = await signIn.authenticate({ authorization });
    if ('principal' in found) return found.principal;
    const { status, body } = found.challenge;
    // A first request without a token only asks where to get one.
    logRefusal(authorization === undefined ? 'info' : 'warn', { status, reason: body.error_description, token: authorization });
    answerJson(response, status, body, found.challenge.headers);
    return undefined;
  };
}

/** A stream must end with the right of its caller, which is checked repeatedly, because a token may be withdrawn. */
async function endWhenRefused(
  { headers: { authorization } }: IncomingMessage,
  proved: Principal,
  response: ServerResponse,
  { signIn, clock }: HttpOptions,
): Promise<void> {
  if (!signIn) return;
  const over = new AbortController();
  response.once('close', () => over.abort());
  const restMs = ({ expiresAtMs = Number.POSITIVE_INFINITY }: Principal) => expiresAtMs - clock.now();
  for (let principal = proved; restMs(principal) > 0; ) {
    await clock.sleep(Math.min(PROOF_MS, restMs(principal)), over.signal);
    const found = await signIn.authenticate({ authorization });
    if ('principal' in found) ({ principal } = found);
    else if (found.challenge.status !== 503) break;
    if (principal.id !== proved.id || principal.credentialVersion !== proved.credentialVersion) break;
  }
  response.destroy();
}

function keepProved(request: IncomingMessage, principal: Principal, response: ServerResponse, options: HttpOptions): void {
  endWhenRefused(request, principal, response, options).catch(() => undefined); // ends with the stream
}

type AnswerMessage = (request: IncomingMessage, response: ServerResponse, principal: Principal) => Promise<void>;

/** Why a body is not given to the router; one that is, is as its host means it. */
function bodyRefusal(headers: IncomingMessage['headers'], body: unknown): Refusal | undefined {
  const mismatch = headerMismatch(headers, body);
  if (mismatch) return mismatch;
  const fault = paramsFault(body);
  return fault && { status: 200, ...fault };
}

/** Answers a message of a caller: its body is read and checked before the router gets it. */
function createMessageAnswerer(
  { options, places, router, isClosing }: AnsweringParts,
  logRefusal: ReturnType<typeof createRefusalLog>,
): AnswerMessage {
  const { signIn, changesSomething, limits } = options;
  const readBody = createBodyReader(limits);

  /** Takes what the work on a body needs until the response is over; the refusal where that cannot be had. */
  function begin(request: IncomingMessage, response: ServerResponse, principal: Principal, body: unknown): Refusal | undefined {
    const asked = requestIds(body).length;
    if (isClosing() && asked > 0) return CLOSING;
    if (listenedUris(body)) keepProved(request, principal, response, options);
    else {
      const leave = places.take(principal.id, asked);
      if (leave === 'all') return BUSY;
      if (leave === 'caller') return GREEDY;
      response.once('close', leave);
    }
    return undefined;
  }

  return async (request, response, principal) => {
    const read = await readBody(request);
    if (!read) return;
    if ('refusal' in read) return refuse(response, read.refusal);
    const { body } = read;
    const wrong = bodyRefusal(request.headers, body);
    if (wrong) return refuse(response, wrong);
    const stepUp = principal.scopes.has('write') ? undefined : signIn?.stepUp('write');
    // A token of an issuer can be exchanged for one with more scopes; who holds one from a file reads the words of the tool.
    if (stepUp && signIn?.metadata && calledTools(body).some(changesSomething)) {
      logRefusal('info', { status: stepUp.status, reason: stepUp.body.error_description });
      return answerJson(response, stepUp.status, stepUp.body, stepUp.headers);
    }
    const full = begin(request, response, principal, body);
    if (full) return refuse(response, full);
    await readOnlyReason.run(stepUp?.body.error_description, () => router().handle(request, response, principal, body));
  };
}

/** Answers every request: probes and pages, then names and origins, then who calls, then what is asked. */
function createAnswerer(parts: AnsweringParts): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  const { options, connections, router, isClosing } = parts;
  const guard = createGuard(options);
  const crossOrigin = createCrossOrigin(METHODS);
  const logRefusal = createRefusalLog(options);
  const principalOf = createProver(options, logRefusal);
  const answerMessage = createMessageAnswerer(parts, logRefusal);

  async function answerCaller(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!METHODS.includes(request.method ?? ''))
      return refuse(response, { status: 405, message: 'Method not allowed.', headers: { allow: METHODS.join(', ') } });
    const principal = await principalOf(request, response);
    if (!principal) return;
    connections.prove(request.socket);
    if (request.method === 'POST') return answerMessage(request, response, principal);
    if (isClosing()) return refuse(response, CLOSING);
    keepProved(request, principal, response, options);
    await router().handle(request, response, principal, undefined);
  }

  return async (request, response) => {
    const [written = ''] = (request.url ?? '').split('?');
    // Some hosts add a slash to every address, and follow no redirection.
    const path = written.endsWith('/') ? written.slice(0, -1) : written;
    const probe = options.probes?.get(path);
    if (probe) return probe(request, response);
    const page = options.pages?.get(path);
    if (path !== ENDPOINT && !page)
      return refuse(response, { status: 404, message: `There is nothing here; the endpoint is ${ENDPOINT}.` });
    const refusal = guard(request);
    if (refusal) {
      const { host, origin } = request.headers;
      logRefusal('warn', { status: refusal.status, reason: refusal.message, host, origin });
      return refuse(response, refusal);
    }
    if (crossOrigin(request, response)) return;
    return page ? page(request, response) : answerCaller(request, response);
  };
}

/** A server that listens. */
export interface HttpServing {
  /** Address of the endpoint, with the port that was taken. */
  readonly url: string;
  /** Sessions that are open. */
  readonly sessions: () => number;
  /** Requests in work; streams do not count. */
  readonly inWork: () => number;
  readonly sessionsByEra: () => Readonly<Record<Era, number>>;
  /**
   * Takes nothing new, lets running calls end, closes streams and sessions. Before that, for up to `lingerMs` (default 0), answers
   * over the connections that are open, each once more, so that clients open their next one elsewhere.
   */
  close(lingerMs?: number): Promise<void>;
}

/** Listens to requests; after `leave` every answer asks its client to open its next connection elsewhere. */
function createListener(
  { log, onAnswer }: HttpOptions,
  { use }: Pick<AnsweringParts['connections'], 'use'>,
  answer: ReturnType<typeof createAnswerer>,
) {
  let leaving = false;
  const responses = new Set<ServerResponse>();
  const listener: RequestListener = (request, response) => {
    responses.add(response);
    response.once('close', () => responses.delete(response));
    if (leaving) response.setHeader('connection', 'close');
    // One that went away before its answer began got none.
    if (onAnswer) response.once('close', () => response.headersSent && onAnswer(response.statusCode));
    response.once('close', use(request.socket));
    answer(request, response).catch((error: unknown) => {
      log('error', `a request failed: ${error instanceof Error ? error.message : String(error)}`);
      refuse(response, { status: 500, code: -32_603, message: 'Internal server error.' });
    });
  };
  function leave(): void {
    leaving = true;
    for (const response of responses) if (!response.headersSent) response.setHeader('connection', 'close');
  }
  return { listener, leave };
}

function createWebServer({ tls, limits }: HttpOptions, listener: RequestListener) {
  const timeouts = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    // Longer than load balancers keep theirs; otherwise they send into a connection that is being closed.
    keepAliveTimeout: 75_000,
  };
  return tls
    ? createTlsServer({ ...timeouts, handshakeTimeout: limits.headersTimeoutMs, ...tls }, listener)
    : createServer(timeouts, listener);
}

/** Waits for an end, but no longer than this. */
async function settledWithin(end: Promise<void>, longestMs: number, clock: Clock): Promise<void> {
  const over = new AbortController();
  const late = clock.sleep(longestMs, over.signal).catch(() => undefined);
  await Promise.race([end, late]);
  over.abort();
}

/** Serves MCP over Streamable HTTP in both protocol eras until it is closed. Rejects where the address cannot be had. */
export async function serveHttp(options: HttpOptions): Promise<HttpServing> {
  const { host, port, tls, limits, signIn, clock, log } = options;
  const connections = createConnections(limits);
  const { maxRequests } = limits;
  // Where callers are known, none may use the whole limit. Streams do not count.
  const places = createInFlightLimit({ max: maxRequests, maxOfOne: signIn ? Math.ceil(maxRequests / 2) : maxRequests });
  let closing = false;
  const { listener, leave } = createListener(
    options,
    connections,
    createAnswerer({ options, connections, places, router: () => router, isClosing: () => closing }),
  );
  const server = createWebServer(options, listener);
  // A client that does not read its answer would keep its slot forever.
  server.setTimeout(limits.silenceMs);
  // Of connections that have not shaken hands yet the server itself knows nothing, and would wait for them at its end.
  server.on('connection', (socket: Socket) => connections.add(socket));
  // After all that can fail: what looks for idle sessions keeps the process alive.
  const router = createRouter(options);
  server.listen({ host, port });
  await once(server, 'listening').catch(async (error: unknown) => {
    await router.close();
    throw error;
  });
  const { port: taken } = server.address() as AddressInfo; // what a server on a port has

  async function close(lingerMs: number): Promise<void> {
    leave();
    const closed = once(server, 'close');
    // That of the HTTP server closes idle connections at once, over which clients may be sending a call.
    NetServer.prototype.close.call(server);
    if (lingerMs > 0) await Promise.race([closed, delay(lingerMs, undefined, { ref: false })]);
    closing = true;
    server.close();
    server.closeIdleConnections();
    await settledWithin(places.idle(), limits.drainMs, clock);
    const unfinished = places.taken();
    log(unfinished > 0 ? 'warn' : 'info', 'stopped', { unfinished });
    await router.close();
    connections.closeAll();
    await closed;
  }

  let ending: Promise<void> | undefined;
  return {
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${taken}${ENDPOINT}`,
    sessions: () => router.size,
    inWork: () => places.taken(),
    sessionsByEra: () => router.sizeByEra,
    close: (lingerMs = 0) => (ending ??= close(lingerMs)),
  };
}
