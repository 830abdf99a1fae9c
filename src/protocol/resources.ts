import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { Client } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { shownHints } from '../lib/hint.ts';
import { ORDERS_ARE_DATA, readsAsOrders, unrendered } from '../lib/strangers-text.ts';
import type { CallOutcome, RequestFacts } from '../telemetry/call-watch.ts';
import type { FaultReport } from '../tooling/call-errors.ts';
import { addressed, type DefinedResource, type ListedResource } from '../tooling/resource.ts';
import type { Session } from '../tooling/session.ts';

/** Why the caller of the running request may only read, in words for it; undefined where it may change something too. */
export const readOnlyReason = new AsyncLocalStorage<string | undefined>();

/** Longest address that an error repeats. */
const LONGEST_URI = 300;

/** A failure of a resource as a protocol error; secrets are removed, and an unexpected error is not shown. */
export async function protocolError(error: unknown, uri: string, report: FaultReport): Promise<Error> {
  if (error instanceof ProtocolError) return error;
  const address = uri.length > LONGEST_URI ? `${uri.slice(0, LONGEST_URI - 1)}…` : uri;
  const kind = error instanceof ApiError ? error.kind : undefined;
  if (kind === undefined) {
    // Loaded when first needed: it brings the kinds of errors of all use cases along.
    const { resourceErrorText } = await import('../tooling/call-errors.ts');
    return new ProtocolError(ProtocolErrorCode.InternalError, report.redact(`${address}: ${resourceErrorText(error, report)}`));
  }
  const { message, retryAfterMs } = error as ApiError; // nothing else has a kind
  const wait = kind === 'busy' && retryAfterMs !== undefined ? ` Wait ${Math.ceil(retryAfterMs / 1000)} seconds, then read again.` : '';
  const words = report.redact(`${address}: ${message}${wait}`);
  if (kind === 'missing') return new ResourceNotFoundError(address, words);
  return new ProtocolError(kind === 'invalid' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, words);
}

/** Facts that a client states about its request: the trace stands in `_meta`, or else in the HTTP header. */
export function requestFacts({ mcpReq: { id, _meta }, http }: ServerContext): RequestFacts {
  const own: unknown = _meta?.['traceparent'];
  const traceparent = typeof own === 'string' ? own : (http?.req?.headers.get('traceparent') ?? undefined);
  return { requestId: id, traceparent };
}

/**
 * Those resources of a template that are few enough to be listed; none where they cannot be had, because one failure would hide all others.
 */
function listOf({ known, list, mimeType, uri }: DefinedResource, session: Session) {
  if (!known && !list) return undefined;
  return async ({ mcpReq: { signal } }: { mcpReq: { signal: AbortSignal } }) => {
    const found: ListedResource[] = [...(known ?? [])];
    if (list) {
      // Loaded when first asked for: it brings the operations along.
      const { listedProjects } = await import('./listed-projects.ts');
      found.push(...(await listedProjects(session, signal)).flatMap((project) => list(project)));
    }
    return { resources: found.map(({ variables, ...words }) => ({ uri: uri(variables), ...words, mimeType })) };
  };
}

/** How a read failed, in one word for logs and counters. */
async function outcomeOfRead(error: unknown, signal: AbortSignal): Promise<CallOutcome> {
  const { outcomeOf } = await import('../tooling/call-errors.ts');
  if (signal.aborted || !(error instanceof ProtocolError)) return outcomeOf(error, signal);
  const internal: number = ProtocolErrorCode.InternalError;
  return error.code === internal ? 'fault' : 'invalid';
}

/** Spellings in JSON of line breaks and of characters that move what is read; those before them may be spelt backslashes. */
const ESCAPES = /(?<!\\)((?:\\\\)*)\\(?:[nrtvf]|u(?:00[0189][0-9a-f]|007f|2028|2029))/gi;

/** JSON whose texts are each on one line. */
function withoutEscapes(json: string): string {
  return json.replaceAll(ESCAPES, '$1 ').replaceAll(/[\u0085\u2028\u2029]/g, ' ');
}

/** The platform's text without anything that renders; where it reads like orders, a second content says that it is data. */
function strangersContents(uri: string, mimeType: string, text: string) {
  const main = { uri, mimeType, text: unrendered(mimeType === 'application/json' ? withoutEscapes(text) : text) };
  return readsAsOrders(text) ? [main, { uri, mimeType: 'text/plain', text: ORDERS_ARE_DATA }] : [main];
}

/** For whom a resource is read; `absent` are the tools that its texts may not name. */
interface Reader {
  readonly session: Session;
  readonly absent: ReadonlySet<string>;
}

/** Makes one resource template readable for a session; connects only for what is asked of the platform. */
export function registerResource(server: McpServer, resource: DefinedResource, { session, absent }: Reader): void {
  const { name, title, mimeType, template } = resource;
  const description = shownHints(resource.description, absent);
  server.registerResource(
    name,
    new ResourceTemplate(template, { list: listOf(resource, session) }),
    { title, description, mimeType },
    async (uri, encoded, context) => {
      let client: Client | undefined;
      const redact = (given: string) => {
        const shown = shownHints(given, absent);
        return client?.redact(shown) ?? shown;
      };
      const { signal } = context.mcpReq;
      const watched = session.options.watch?.begin({ kind: 'resource', name, ...requestFacts(context) });
      try {
        session.options.admit?.();
        const { variables, projectId } = addressed(resource, encoded);
        const options = { signal, observe: watched?.observe, ...(projectId !== undefined && { projectId }) };
        const text = await resource.read(variables, {
          ask: async (operation, input) => {
            client = await session.client();
            return client.call(operation, input, options);
          },
          session,
        });
        watched?.end('ok');
        if (resource.verbatim?.(session)) return { contents: [{ uri: uri.href, mimeType, text }] };
        const shown = redact(text);
        // Without a client nothing was asked of the platform: the text is the server's own.
        return { contents: client ? strangersContents(uri.href, mimeType, shown) : [{ uri: uri.href, mimeType, text: shown }] };
      } catch (error) {
        if (watched) watched.end(await outcomeOfRead(error, signal));
        throw await protocolError(error, uri.href, { log: session.options.log, redact, signal });
      }
    },
  );
}
