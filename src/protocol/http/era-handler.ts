import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/server';
import type { Log } from '../../lib/log.ts';
import type { Subscriptions } from '../subscriptions.ts';

/** The answer to a request that is refused before the protocol handles it. */
export interface Refusal {
  readonly status: number;
  /** A sentence for the log of the client; holds nothing from the request. */
  readonly message: string;
  /** Code of the JSON-RPC error; -32000 where the protocol names none. */
  readonly code?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of the request that it answers; left out where that could not be read. */
  readonly id?: string | number;
}

/** Answers with a JSON-RPC error. */
export function refuse(response: ServerResponse, { status, message, code = -32_000, headers = {}, id }: Refusal): void {
  answerJson(response, status, { jsonrpc: '2.0', error: { code, message }, id: id ?? null }, headers);
}

const TURNED_AWAY: ReadonlySet<number> = new Set([401, 403, 404, 405]);

/** Answers with JSON, once; does nothing where the client has gone, and does not wait for the rest of the body. */
export function answerJson(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  if (response.headersSent || response.destroyed) return;
  const text = JSON.stringify(body);
  const { complete, method } = response.req;
  // Refused callers do not keep a connection.
  const isOver = TURNED_AWAY.has(status) || (!complete && method !== 'GET');
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(isOver && { connection: 'close' }),
    ...headers,
  });
  response.end(text);
}

/** The server side of one session: its state, and servers over it. */
export interface Served {
  /** A server over the session; with `onlyTool` one that serves a call of it and nothing else. */
  createServer(onlyTool?: string): McpServer;
  readonly subscriptions: Subscriptions;
  /** Forgets the session's tokens and names. */
  close(): Promise<void>;
}

/** The eras of the protocol: with sessions, and since 2026-07-28 without. */
export type Era = '2025' | '2026';

/** A session of one protocol era over HTTP. */
export interface EraHandler {
  readonly era: Era;
  /** Answers one request whose headers and body have been checked; resolves when the answer is written or streams. */
  handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>;
  /** Ends its streams and running calls. */
  close(): Promise<void>;
}

/** The parts of an era handler. */
export interface EraHandlerParts {
  readonly served: Served;
  readonly log: Log;
}

/** Keeps a stream alive through proxies that cut silent ones. */
export const KEEP_ALIVE_MS = 15_000;
