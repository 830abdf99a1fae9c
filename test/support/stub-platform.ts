import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../src/api/client.ts';
import { createLimiter } from '../../src/api/limiter.ts';
import type { Clock } from '../../src/lib/clock.ts';

/** A request as it arrived, with its body read. */
export interface Arrived {
  readonly method: string;
  /** Path and query, as sent. */
  readonly target: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (response: ServerResponse, request: Arrived) => void;

/** A server under the test's control; it is stopped when the test ends. */
export async function listen(listener: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { server, url: `http://127.0.0.1:${port}` };
}

/** Answers JSON. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

/** Answers any text. */
export function text(status: number, body: string | Buffer, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, headers).end(body);
  };
}

/** Answers a payload in the envelope. */
export const payload = (value: unknown): Answer => json(200, { payload: value, success: true });

/** Takes the request and breaks the connection without an answer. */
export const lost: Answer = (response) => response.socket?.destroy();

/** Breaks the connection within the answer. */
export const cutOff: Answer = (response) => {
  response.writeHead(200, { 'content-length': '500' });
  response.write('{"payload":', () => response.socket?.destroy());
};

/**
 * A platform whose every answer the test decides: token and grants have defaults, operations are answered in the order of `answers`, the
 * last again and again.
 */
export interface Stub {
  readonly url: string;
  /** Base address of the service: below a path, so that a client which guesses it fails. */
  readonly endpoint: string;
  /** Requests of operations. */
  readonly calls: Arrived[];
  readonly tokenRequests: Arrived[];
  readonly meRequests: Arrived[];
  /** What the service answers next. */
  answers: Answer[];
  token: Answer;
  me: Answer;
}

/** What the token endpoint answers: `token-1`, `token-2` … */
export function tokenBody(stub: Pick<Stub, 'endpoint' | 'tokenRequests'>, changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    access_token: `token-${stub.tokenRequests.length}`,
    token_type: 'bearer',
    expires_in: 3600,
    scope: 'data-export metrics speed-analysis',
    project_id: 7,
    endpoint: stub.endpoint,
    ...changes,
  };
}

export const SHOP = { id: 7, name: 'Shop' };

/** What the credential may do, and in which projects. */
export const grants = (scopes: string, ...projects: (typeof SHOP)[]): Answer => json(200, { scopes, permissions: { projects } });

/** What a write sends. */
export const releaseEvent = { key: 'release', text: 'Release', date: '2026-11-20T10:00:00Z' };

export async function openStub(changes: Partial<Pick<Stub, 'answers' | 'token' | 'me'>> = {}): Promise<Stub> {
  const { url } = await listen((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url: target = '', headers } = request;
      const arrived = { method, target, headers, body: Buffer.concat(chunks).toString() };
      if (target === '/v1/oauth/token') {
        stub.tokenRequests.push(arrived);
        return stub.token(response, arrived);
      }
      if (target === '/v1/oauth/me') {
        stub.meRequests.push(arrived);
        return stub.me(response, arrived);
      }
      stub.calls.push(arrived);
      const answer = stub.answers.length > 1 ? stub.answers.shift() : stub.answers[0];
      return answer?.(response, arrived);
    });
  });
  const stub: Stub = {
    url,
    endpoint: `${url}/eu`,
    calls: [],
    tokenRequests: [],
    meRequests: [],
    answers: [payload([])],
    token: (response, request) => json(200, tokenBody(stub))(response, request),
    me: grants('speed-analysis data-export metrics', SHOP),
    ...changes,
  };
  return stub;
}

/** A clock on which every sleep ends at once and lasts its full time. */
export interface SkippingClock extends Clock {
  /** All sleeps, in ms. */
  readonly slept: number[];
  /** Sets the clock forward or back. */
  jump(ms: number): void;
}

export function skippingClock(startIso = '2026-11-20T10:00:00.000Z'): SkippingClock {
  let nowMs = Date.parse(startIso);
  const slept: number[] = [];
  return {
    slept,
    now: () => nowMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      slept.push(ms);
      nowMs += ms;
    },
    jump(ms) {
      nowMs += ms;
    },
  };
}

export const SECRET = 'canary/secret+7f3a9c';

/** A client of the stub, closed when the test ends. */
export function openClient({ url }: { url: string }, options: Partial<ClientOptions> = {}): Client {
  const clock = options.clock ?? skippingClock();
  const client = createClient({
    authUrl: url,
    credential: { clientId: 'client-1', clientSecret: SECRET },
    neededScopes: ['speed-analysis', 'data-export', 'metrics'],
    timeoutMs: 5_000,
    limiter: createLimiter({ clock }),
    sessionId: 'session-1',
    clock,
    random: () => 0.5,
    version: '1.2.3',
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}
