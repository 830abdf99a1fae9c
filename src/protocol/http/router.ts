import type { IncomingMessage, ServerResponse } from 'node:http';
import { classifyInboundRequest } from '@modelcontextprotocol/server';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { Principal } from '../../sign-in/principal.ts';
import { acceptsStreams } from './direct-answers.ts';
import { createEra2025Handler, type Era2025Handler } from './era-2025.ts';
import { createEra2026Handler } from './era-2026.ts';
import { type Era, type EraHandler, type Refusal, refuse, type Served } from './era-handler.ts';
import { isInitialize } from './messages.ts';
import { createSessionTable, type SessionEntry, type TableLimits } from './session-table.ts';

/** Leads each request to the session that it belongs to, opening one where that is due. */
export interface Router {
  /** Answers a request of a known principal; `body` is undefined for GET and DELETE. */
  handle(request: IncomingMessage, response: ServerResponse, principal: Principal, body: unknown): Promise<void>;
  /** Sessions that are open. */
  readonly size: number;
  readonly sizeByEra: Readonly<Record<Era, number>>;
  /** Ends all sessions, their streams and calls. */
  close(): Promise<void>;
}

/** The parts of a router. */
export interface RouterOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly limits: TableLimits;
  /** Opens the state of one session; must cost nothing before its first call. The 2026-07-28 era has no session id. */
  readonly open: (principal: Principal, era: Era, sessionId?: string) => Served;
}

/** Fits the SDK's own answer to an id that it does not know. */
const NOT_FOUND: Refusal = {
  status: 404,
  code: -32_001,
  message: 'Session not found: it has ended, or it is not yours. Initialize a new one.',
};
const NO_SESSION: Refusal = { status: 400, message: 'Bad Request: the Mcp-Session-Id header is missing; initialize first.' };
const FULL: Refusal = { status: 503, message: 'Too many sessions are in use; try again later.', headers: { 'retry-after': '5' } };

/** Whose a session is: the principal's, for as long as its platform credential is the one that the session was opened with. */
function ownerOf({ id, credentialVersion }: Principal): string {
  return credentialVersion === undefined ? id : `${id} ${credentialVersion}`;
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Whether the request is of the 2025 era, as the SDK decides it; GET and DELETE are. */
function isOf2025(request: IncomingMessage, body: unknown): boolean {
  const protocolVersionHeader = headerOf(request, 'mcp-protocol-version');
  const mcpMethodHeader = headerOf(request, 'mcp-method');
  const mcpNameHeader = headerOf(request, 'mcp-name');
  const { kind } = classifyInboundRequest({
    httpMethod: request.method ?? 'GET',
    ...(protocolVersionHeader !== undefined && { protocolVersionHeader }),
    ...(mcpMethodHeader !== undefined && { mcpMethodHeader }),
    ...(mcpNameHeader !== undefined && { mcpNameHeader }),
    ...(body !== undefined && { body }),
  });
  return kind === 'legacy';
}

/** Leads each request to the session or the handler of its era, and ends idle sessions. */
export function createRouter({ clock, log, limits, open }: RouterOptions): Router {
  const sizeByEra: Record<Era, number> = { '2025': 0, '2026': 0 };
  const table = createSessionTable<EraHandler>({
    clock,
    limits,
    finish(handler) {
      sizeByEra[handler.era] -= 1;
      return handler.close().catch((error: unknown) => log('warn', `a session did not end well: ${String(error)}`));
    },
  });

  function counted<H extends EraHandler>(handler: H): H {
    sizeByEra[handler.era] += 1;
    return handler;
  }

  async function use(entry: SessionEntry<EraHandler>, request: IncomingMessage, response: ServerResponse, body: unknown): Promise<void> {
    const leave = table.use(entry);
    response.once('close', leave);
    await entry.value.handle(request, response, body);
  }

  async function handle2025(request: IncomingMessage, response: ServerResponse, principal: Principal, body: unknown): Promise<void> {
    const id = headerOf(request, 'mcp-session-id');
    if (id !== undefined) {
      const entry = table.find(id, ownerOf(principal));
      return entry?.value.era === '2025' ? use(entry, request, response, body) : refuse(response, NOT_FOUND);
    }
    if (!isInitialize(body)) return refuse(response, NO_SESSION);
    let handler: Era2025Handler | undefined;
    const entry: SessionEntry<EraHandler> | undefined = table.open(
      ownerOf(principal),
      (newId) =>
        (handler = counted(
          createEra2025Handler({
            served: open(principal, '2025', newId),
            log,
            id: newId,
            streams: acceptsStreams(request),
            onEnd: () => entry && void table.end(entry),
          }),
        )),
    );
    if (!entry) return refuse(response, FULL);
    await use(entry, request, response, body);
    if (!handler?.isOpen()) await table.end(entry);
  }

  async function handle2026(request: IncomingMessage, response: ServerResponse, principal: Principal, body: unknown): Promise<void> {
    // One for each principal, whatever session id the client sends.
    const owner = ownerOf(principal);
    const id = `2026 ${owner}`;
    const entry =
      table.find(id, owner) ?? table.open(owner, () => counted(createEra2026Handler({ served: open(principal, '2026'), log })), id);
    return entry ? use(entry, request, response, body) : refuse(response, FULL);
  }

  return {
    handle: (request, response, principal, body) => (isOf2025(request, body) ? handle2025 : handle2026)(request, response, principal, body),
    get size() {
      return table.size;
    },
    sizeByEra,
    close: () => table.close(),
  };
}
