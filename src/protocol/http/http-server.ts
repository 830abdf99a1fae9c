import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { localPrincipal, type Principal, type SignIn } from '../../sign-in/principal.ts';
import { readOnlyReason } from '../caller-access.ts';
import { paramsFault } from '../read-message.ts';
import { type ConnectionLimits, createConnections } from './connections.ts';
import { answerJson, type Era, type Refusal, refuse } from './era-handler.ts';
import { createCrossOrigin, createGuard, type GuardOptions } from './guard.ts';
import { createInFlightLimit } from './in-flight-limit.ts';
import { type BodyLimits, createBodyReader, headerMismatch, listenedUris, requestIds } from './messages.ts';
import { createRefusalLog } from './refusal-log.ts';
import { createRouter, type RouterOptions } from './router.ts';
import type { TableLimits } from './session-table.ts';

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
export interface HttpOptions extends GuardOptions, Omit<RouterOptions, 'limits'> {
  readonly host: string;
  /** 0 chooses a free port. */
  readonly port: number;
  /** Certificate chain and key, PEM; left out: plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string } | undefined;
  readonly limits: HttpLimits;
  /** Left out: every caller is the local one. */
  readonly signIn?: SignIn | undefined;
  /** By path. */
  readonly pages?: ReadonlyMap<string, Page> | undefined;
  /** By path too: pages for probes and scrapers, which call by whatever address they find this machine at. */
  readonly probes?: ReadonlyMap<string, Page> | undefined;
  /** Called with the status of each answer. */
  readonly onAnswer?: ((status: number) => void) | undefined;
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

/** Serves MCP over Streamable HTTP in both protocol eras until it is closed. Rejects where the address cannot be had. */
export async function serveHttp(options: HttpOptions): Promise<HttpServing> {
  const { host, port, tls, limits, signIn, clock, log, pages = new Map<string, Page>(), onAnswer } = options;
  const guard = createGuard(options);
  const crossOrigin = createCrossOrigin(METHODS);
  const readBody = createBodyReader(limits);
  const connections = createConnections(limits);
  const { maxRequests } = limits;
  // Where callers are known, none may use the whole limit. Streams do not count.
  const places = createInFlightLimit({ max: maxRequests, maxOfOne: signIn ? Math.ceil(maxRequests / 2) : maxRequests });
  const logRefusal = createRefusalLog(options);
  let leaving = false;
  let closing = false;
  const responses = new Set<ServerResponse>();

  async function principalOf(request: IncomingMessage, response: ServerResponse): Promise<Principal | undefined> {
    if (!signIn) return localPrincipal;
    const { authorization } = request.headers;
    const found = await signIn.authenticate({ authorization });
    if ('principal' in found) return found.principal;
    const { status, body } = found.challenge;
    // A first request without a token only asks where to get one.
    logRefusal(authorization === undefined ? 'info' : 'warn', { status, reason: body.error_description, token: authorization });
    answerJson(response, status, body, found.challenge.headers);
    return undefined;
  }

  /** A stream must end with the right of its caller, which is checked repeatedly, because a token may be withdrawn. */
  async function endWhenRefused(
    { headers: { authorization } }: IncomingMessage,
    proved: Principal,
    response: ServerResponse,
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

  function keepProved(request: IncomingMessage, principal: Principal, response: ServerResponse): void {
    endWhenRefused(request, principal, response).catch(() => undefined); // ends with the stream
  }

  async function answerMessage(request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void> {
    const read = await readBody(request);
    if (!read) return;
    if ('refusal' in read) return refuse(response, read.refusal);
    const { body } = read;
    const mismatch = headerMismatch(request.headers, body);
    if (mismatch) return refuse(response, mismatch);
    const fault = paramsFault(body);
    if (fault) return refuse(response, { status: 200, ...fault });
    const asked = requestIds(body).length;
    if (closing && asked > 0) return refuse(response, CLOSING);
    if (listenedUris(body)) keepProved(request, principal, response);
    else {
      const leave = places.take(principal.id, asked);
      if (leave === 'all') return refuse(response, BUSY);
      if (leave === 'caller') return refuse(response, GREEDY);
      response.once('close', leave);
    }
    const mayWrite = !signIn || principal.scopes.has('write');
    const reason = mayWrite ? undefined : signIn.stepUp('write').body.error_description;
    await readOnlyReason.run(reason, () => router.handle(request, response, principal, body));
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (request.url ?? '').split('?');
    const probe = options.probes?.get(path);
    if (probe) return probe(request, response);
    const page = pages.get(path);
    if (path !== ENDPOINT && !page)
      return refuse(response, { status: 404, message: `There is nothing here; the endpoint is ${ENDPOINT}.` });
    const refusal = guard(request);
    if (refusal) {
      const { host: name, origin } = request.headers;
      logRefusal('warn', { status: refusal.status, reason: refusal.message, host: name, origin });
      return refuse(response, refusal);
    }
    if (crossOrigin(request, response)) return;
    if (page) return page(request, response);
    if (!METHODS.includes(request.method ?? ''))
      return refuse(response, { status: 405, message: 'Method not allowed.', headers: { allow: METHODS.join(', ') } });
    const principal = await principalOf(request, response);
    if (!principal) return;
    connections.prove(request.socket);
    if (request.method === 'POST') return answerMessage(request, response, principal);
    if (closing) return refuse(response, CLOSING);
    keepProved(request, principal, response);
    await router.handle(request, response, principal, undefined);
  }

  const listener: RequestListener = (request, response) => {
    responses.add(response);
    response.once('close', () => responses.delete(response));
    if (leaving) response.setHeader('connection', 'close');
    // One that went away before its answer began got none.
    if (onAnswer) response.once('close', () => response.headersSent && onAnswer(response.statusCode));
    response.once('close', connections.use(request.socket));
    answer(request, response).catch((error: unknown) => {
      log('error', `a request failed: ${error instanceof Error ? error.message : String(error)}`);
      refuse(response, { status: 500, code: -32_603, message: 'Internal server error.' });
    });
  };
  const timeouts = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(1_000, limits.headersTimeoutMs),
    // Longer than load balancers keep theirs; otherwise they send into a connection that is being closed.
    keepAliveTimeout: 75_000,
  };
  const server = tls
    ? createTlsServer({ ...timeouts, handshakeTimeout: limits.headersTimeoutMs, ...tls }, listener)
    : createServer(timeouts, listener);
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

  async function drained(): Promise<void> {
    const over = new AbortController();
    const late = clock.sleep(limits.drainMs, over.signal).catch(() => undefined);
    await Promise.race([places.idle(), late]);
    over.abort();
  }

  async function close(lingerMs: number): Promise<void> {
    leaving = true;
    for (const response of responses) if (!response.headersSent) response.setHeader('connection', 'close');
    const closed = once(server, 'close');
    // That of the HTTP server closes idle connections at once, over which clients may be sending a call.
    NetServer.prototype.close.call(server);
    if (lingerMs > 0) await Promise.race([closed, delay(lingerMs, undefined, { ref: false })]);
    closing = true;
    server.close();
    server.closeIdleConnections();
    await drained();
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
