import type { ServerContext } from '@modelcontextprotocol/server';
import type { RequestFacts } from '../telemetry/call-watch.ts';

/** What a client says of its request: the trace that it belongs to stands in `_meta`, or else in the HTTP header of all that it sends. */
export function requestFacts({ mcpReq: { id, _meta }, http }: ServerContext): RequestFacts {
  const own: unknown = _meta?.['traceparent'];
  const traceparent = typeof own === 'string' ? own : (http?.req?.headers.get('traceparent') ?? undefined);
  return { requestId: id, traceparent };
}
