import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../lib/clock.ts';
import { createAnswerer, ENDPOINT } from './answer-requests.ts';
import { type Connections, createConnections } from './connections.ts';
import { type Era, refuse } from './era-handler.ts';
import type { HttpOptions } from './http-options.ts';
import { createInFlightLimit } from './in-flight-limit.ts';
import { createRouter } from './router.ts';

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
function createListener({ log, onAnswer }: HttpOptions, connections: Connections, answer: ReturnType<typeof createAnswerer>) {
  let leaving = false;
  const responses = new Set<ServerResponse>();
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
