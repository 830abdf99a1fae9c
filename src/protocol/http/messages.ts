import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { isJsonContentType, localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server';
import { isLoopback } from '../../lib/address.ts';
import { isRecord } from '../../lib/is-record.ts';
import { messageId, parseMessage } from '../read-message.ts';
import type { Refusal } from './era-handler.ts';

/** A message of the protocol as far as the router needs it; nothing of it has been checked. */
interface Message {
  readonly method?: unknown;
  readonly id?: unknown;
  readonly params?: {
    readonly name?: unknown;
    readonly uri?: unknown;
    readonly requestId?: unknown;
    readonly notifications?: { readonly resourceSubscriptions?: unknown };
  };
}

const HEADER_MISMATCH = -32_020;

function isMessage(value: unknown): value is Message {
  return isRecord(value);
}

/** The messages of a body: one, or those of a batch. */
function messagesOf(body: unknown): readonly Message[] {
  return (Array.isArray(body) ? (body as unknown[]) : [body]).filter(isMessage);
}

/** Ids of the requests in the body; none where it holds only responses or notifications. */
export function requestIds(body: unknown): unknown[] {
  return messagesOf(body).flatMap(({ method, id }) => (method !== undefined && id !== undefined ? [id] : []));
}

/** Ids of requests that the body gives up. */
export function cancelledIds(body: unknown): unknown[] {
  return messagesOf(body).flatMap(({ method, params }) => (method === 'notifications/cancelled' ? [params?.requestId] : []));
}

/** Whether the body opens a session of the 2025 era. */
export function isInitialize(body: unknown): boolean {
  return messagesOf(body).some(({ method }) => method === 'initialize');
}

/** Names of the tools that the body calls; a name that is not text is left out, and the SDK refuses it. */
export function calledTools(body: unknown): string[] {
  return messagesOf(body).flatMap(({ method, params }) =>
    method === 'tools/call' && typeof params?.name === 'string' ? [params.name] : [],
  );
}

/** Addresses that a `subscriptions/listen` names; undefined for any other request. */
export function listenedUris(body: unknown): readonly string[] | undefined {
  if (!isMessage(body) || body.method !== 'subscriptions/listen') return undefined;
  const uris = body.params?.notifications?.resourceSubscriptions;
  return Array.isArray(uris) ? uris.filter((uri): uri is string => typeof uri === 'string') : [];
}

/** The plain text of a header value that clients had to send as base64. */
function plain(header: string): string {
  const encoded = /^=\?base64\?([\w+/=]*)\?=$/.exec(header)?.[1];
  return encoded === undefined ? header : Buffer.from(encoded, 'base64').toString();
}

/**
 * Why the headers that a gateway may decide by contradict the body. The SDK compares them in the 2026-07-28 era, where they are
 * required; a client of the 2025 era that sends them anyway must not get past a gateway with them.
 */
export function headerMismatch(headers: IncomingHttpHeaders, body: unknown): Refusal | undefined {
  const [first = {}, ...more] = messagesOf(body);
  const { method, params } = first;
  const id = more.length === 0 ? messageId(first) : undefined;
  const said = { 'mcp-method': [method], 'mcp-name': [params?.name, params?.uri] };
  for (const [name, values] of Object.entries(said)) {
    const sent = headers[name];
    if (sent !== undefined && (more.length > 0 || !values.includes(plain(String(sent)))))
      return {
        status: 400,
        code: HEADER_MISMATCH,
        message: `The header ${name} says something else than the body.`,
        ...(id !== undefined && { id }),
      };
  }
  return undefined;
}

/** How much of bodies is taken. */
export interface BodyLimits {
  /** Largest single body. */
  readonly maxBodyBytes: number;
  /** Most of all bodies that are on their way at once. */
  readonly maxHeldBytes: number;
  /** A body up to this size is always accepted, so that the large ones of some callers do not lock out others. */
  readonly shortBodyBytes: number;
}

/** The parsed body of a request, or why it is refused; undefined where the client has gone. */
type ReadBody = (request: IncomingMessage) => Promise<{ readonly body: unknown } | { readonly refusal: Refusal } | undefined>;

/** Makes the reader of all bodies of one server. How long a body may take is up to the server. */
export function createBodyReader({ maxBodyBytes, maxHeldBytes, shortBodyBytes }: BodyLimits): ReadBody {
  let heldBytes = 0;
  const tooLarge: Refusal = { status: 413, message: `A body may have ${maxBodyBytes} bytes; send less.` };
  const tooMany: Refusal = { status: 503, message: 'Too many requests at once; try again later.', headers: { 'retry-after': '1' } };

  async function readAll(request: IncomingMessage): Promise<Buffer | Refusal> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      // Without an encoding a stream yields buffers.
      for await (const chunk of request as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        heldBytes += chunk.length;
        if (bytes > maxBodyBytes) return tooLarge;
        if (heldBytes > maxHeldBytes && bytes > shortBodyBytes) return tooMany;
        chunks.push(chunk);
      }
      return Buffer.concat(chunks, bytes);
    } finally {
      heldBytes -= bytes;
    }
  }

  return async (request) => {
    const { headers } = request;
    if (!isJsonContentType(headers['content-type'] ?? null)) return { refusal: { status: 415, message: 'Send application/json.' } };
    if ((headers['content-encoding'] ?? 'identity') !== 'identity')
      return { refusal: { status: 415, message: 'Send the body without a content encoding.' } };
    if (Number(headers['content-length']) > maxBodyBytes) return { refusal: tooLarge };
    let bytes: Buffer | Refusal;
    try {
      bytes = await readAll(request);
    } catch {
      return undefined; // cut off
    }
    if (!Buffer.isBuffer(bytes)) return { refusal: bytes };
    const parsed = parseMessage(bytes);
    return 'fault' in parsed ? { refusal: { status: 400, ...parsed.fault } } : { body: parsed.value };
  };
}

/** Headers that clients in a page send, and those that they must be able to read. */
const ASKED = 'authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, traceparent';
const SHOWN = 'mcp-session-id, www-authenticate, retry-after';

/** Sends the CORS headers for an origin that has been allowed; true where the request was a preflight and is answered. */
export function createCrossOrigin(methods: readonly string[]): (request: IncomingMessage, response: ServerResponse) => boolean {
  return ({ method, headers: { origin } }, response) => {
    if (origin === undefined) return false;
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('access-control-expose-headers', SHOWN);
    response.setHeader('vary', 'origin');
    if (method !== 'OPTIONS') return false;
    response.writeHead(204, {
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': ASKED,
      'access-control-max-age': '600',
    });
    response.end();
    return true;
  };
}

/** Who may be called by what name, and from which pages. */
export interface GuardOptions {
  /** Host names without port; left out: those of loopback. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Origins with scheme and port; left out: pages of this machine where only it is served, else none. */
  readonly allowedOrigins?: readonly string[] | undefined;
}

/** Headers that something on the way may decide by: two of a kind would let it see another than we do. */
const SINGLE = [
  'host',
  'origin',
  'authorization',
  'content-type',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
] as const;

/** The first of these headers that a request has twice. */
function doubledHeader(request: IncomingMessage): (typeof SINGLE)[number] | undefined {
  // Names and values in turn: as many pairs as names, and none can be there twice.
  if (request.rawHeaders.length === 2 * Object.keys(request.headers).length) return undefined;
  const { headersDistinct } = request;
  return SINGLE.find((name) => (headersDistinct[name]?.length ?? 0) > 1);
}

/** Checks the headers of a request; undefined when they are in order. */
type Guard = (request: IncomingMessage) => Refusal | undefined;

/** Makes the guard against pages that reach this server by another name (DNS rebinding), foreign pages, and doubled headers. */
export function createGuard({ allowedHosts, allowedOrigins }: GuardOptions): Guard {
  const hosts = (allowedHosts ?? localhostAllowedHostnames()).map((host) => host.toLowerCase());
  const origins = new Set(allowedOrigins?.map((origin) => origin.toLowerCase()));

  function isKnown(origin: string): boolean {
    if (origins.has(origin.toLowerCase())) return true;
    return !allowedOrigins && !allowedHosts && URL.canParse(origin) && isLoopback(new URL(origin).hostname);
  }

  return (request) => {
    const { headers } = request;
    const doubled = doubledHeader(request);
    if (doubled) return { status: 400, message: `The header ${doubled} comes more than once; send it once.` };
    if (!validateHostHeader(headers.host?.toLowerCase(), hosts).ok)
      return { status: 403, message: 'This server is not known by the name in the Host header; its operator sets the allowed hosts.' };
    if (headers.origin !== undefined && !isKnown(headers.origin))
      return { status: 403, message: 'Pages of this origin may not call this server; its operator sets the allowed origins.' };
    return undefined;
  };
}
