import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * How a balancer chooses: in turn, or so that a session of the 2025 era stays where it was opened, known by its header or by a cookie of
 * the balancer.
 */
export type Affinity = 'none' | 'header' | 'cookie';

/** A load balancer in front of replicas. */
export interface Balancer {
  readonly url: string;
  /** Requests that each replica has had. */
  readonly counts: readonly number[];
  /** Sends nothing more to this one. */
  remove(index: number): void;
  close(): Promise<void>;
}

const COOKIE = 'replica';

/**
 * Balances between these addresses, each with the path of the endpoint. A replica that cannot be reached is passed over; what was in work
 * there is answered with 502.
 */
export async function balance(urls: readonly string[], affinity: Affinity = 'none'): Promise<Balancer> {
  const counts = urls.map(() => 0);
  const removed = new Set<number>();
  const homes = new Map<string, number>();
  let turn = 0;

  function inTurn(): number {
    do turn = (turn + 1) % urls.length;
    while (removed.has(turn) && removed.size < urls.length);
    return turn;
  }

  function choose({ headers }: IncomingMessage): number {
    const session = affinity === 'header' ? headers['mcp-session-id'] : /replica=(\d+)/.exec(headers.cookie ?? '')?.[1];
    const home = affinity === 'cookie' && session !== undefined ? Number(session) : homes.get(String(session));
    return home === undefined || removed.has(home) || affinity === 'none' ? inTurn() : home;
  }

  function forward(incoming: IncomingMessage, response: ServerResponse, body: Buffer, index: number, attempt = 1): void {
    const target = new URL(urls[index] ?? '');
    // A connection for each request: a kept one breaks when its replica dies, whatever was sent.
    const outgoing = request(target, { agent: false, method: incoming.method, headers: { ...incoming.headers, host: target.host } });
    outgoing.on('response', (answer) => {
      const session = answer.headers['mcp-session-id'];
      if (typeof session === 'string') homes.set(session, index);
      const cookie = affinity === 'cookie' ? { 'set-cookie': `${COOKIE}=${index}` } : {};
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...cookie });
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' && attempt < urls.length) forward(incoming, response, body, (index + 1) % urls.length, attempt + 1);
      else if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    response.on('close', () => outgoing.destroy());
    counts[index] = (counts[index] ?? 0) + 1;
    outgoing.end(body);
  }

  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => forward(incoming, response, Buffer.concat(chunks), choose(incoming)));
  });
  // Longer than a test: a client may be about to send over a connection that is closed for being idle.
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    counts,
    remove: (index) => void removed.add(index),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
