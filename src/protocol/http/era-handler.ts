import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpServer } from '@modelcontextprotocol/server';
import type { Log } from '../../lib/log.ts';
import type { Subscriptions } from '../subscriptions.ts';

/** What answers one session: its state, and servers over it. */
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
  /** Answers one request whose headers and body have been looked at; resolves when the answer is written or streams. */
  handle(request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void>;
  /** Ends its streams and running calls. */
  close(): Promise<void>;
}

/** What a leg is made from. */
export interface EraHandlerParts {
  readonly served: Served;
  readonly log: Log;
}

/** Keeps a stream alive through proxies that cut silent ones. */
export const KEEP_ALIVE_MS = 15_000;
