import type { IncomingMessage, ServerResponse } from 'node:http';

/** Headers that clients in a page send, and those that they must be able to read. */
const ASKED = 'authorization, content-type, accept, last-event-id, mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, traceparent';
const SHOWN = 'mcp-session-id, www-authenticate, retry-after';

/** Tells a browser that a page, whose origin has been let through, may read the answer; true where that was all it asked. */
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
