import type { IncomingMessage, ServerResponse } from 'node:http';
import { localhostAllowedHostnames, validateHostHeader } from '@modelcontextprotocol/server';
import { isLoopback } from '../../lib/address.ts';
import type { Refusal } from './era-handler.ts';

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
export type Guard = (request: IncomingMessage) => Refusal | undefined;

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
