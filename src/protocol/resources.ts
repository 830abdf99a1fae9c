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
import type { CallOutcome, RequestFacts } from '../telemetry/call-watch.ts';
import { addressed, type DefinedResource, type ListedResource } from '../tooling/resource.ts';
import type { Session } from '../tooling/session.ts';

/** A failure that concerns an address as a protocol error with words; secrets removed. */
export function protocolError(error: unknown, uri: string, redact: (text: string) => string): Error {
  if (error instanceof ProtocolError) return error;
  const due = error instanceof ApiError && error.kind === 'busy' ? error.retryAfterMs : undefined;
  const wait = due === undefined ? '' : ` Wait ${Math.ceil(due / 1000)} seconds, then read again.`;
  const words = redact(`${uri}: ${error instanceof Error ? error.message : String(error)}${wait}`);
  const kind = error instanceof ApiError ? error.kind : undefined;
  if (kind === 'missing') return new ResourceNotFoundError(uri, words);
  return new ProtocolError(kind === 'invalid' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, words);
}

/** What a client says of its request: the trace that it belongs to stands in `_meta`, or else in the HTTP header of all that it sends. */
export function requestFacts({ mcpReq: { id, _meta }, http }: ServerContext): RequestFacts {
  const own: unknown = _meta?.['traceparent'];
  const traceparent = typeof own === 'string' ? own : (http?.req?.headers.get('traceparent') ?? undefined);
  return { requestId: id, traceparent };
}

/** Those resources of a template that are few enough to be listed; none where they cannot be had, because one failure would hide all others. */
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

/** Makes one resource template readable for a session; connects only for what is asked of the platform. */
export function registerResource(server: McpServer, resource: DefinedResource, session: Session): void {
  const { name, title, description, mimeType, template } = resource;
  server.registerResource(
    name,
    new ResourceTemplate(template, { list: listOf(resource, session) }),
    { title, description, mimeType },
    async (uri, encoded, context) => {
      let client: Client | undefined;
      const redact = (text: string) => client?.redact(text) ?? text;
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
        return { contents: [{ uri: uri.href, mimeType, text: resource.verbatim?.(session) ? text : redact(text) }] };
      } catch (error) {
        if (watched) watched.end(await outcomeOfRead(error, signal));
        throw protocolError(error, uri.href, redact);
      }
    },
  );
}
