import type { IncomingHttpHeaders } from 'node:http';
import { messageId } from '../read-message.ts';
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
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

/** What a header says that no header could carry as it is: clients send it as base64. */
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
