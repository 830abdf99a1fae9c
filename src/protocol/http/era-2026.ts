import type { IncomingMessage } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { Watch } from '../subscriptions.ts';
import { type EraHandler, type EraHandlerParts, KEEP_ALIVE_MS } from './era-handler.ts';
import { calledTools, listenedUris } from './messages.ts';

/** Open `subscriptions/listen` of one principal. */
const MAX_SUBSCRIPTIONS = 64;

/** Makes what answers one principal in the 2026-07-28 era: stateless on the wire, while tokens and names are kept between requests. */
export function createEra2026Handler({ served, log }: EraHandlerParts): EraHandler {
  const onerror = (error: Error) => log('debug', `2026 era: ${error.message}`);
  /** The tool that a request calls, for the server that is made for it. */
  const called = new WeakMap<Request, string>();
  // One handler for each principal: its streams receive everything that is published in it.
  const handler = createMcpHandler(({ requestInfo }) => served.createServer(requestInfo && called.get(requestInfo)), {
    legacy: 'reject',
    maxSubscriptions: MAX_SUBSCRIPTIONS,
    keepAliveMs: KEEP_ALIVE_MS,
    onerror,
  });
  /** Listeners by address: a change is published once, and each stream takes what it asked for. */
  const listeners = new Map<string, { count: number; watch: Watch }>();

  function begin(uri: string): void {
    const known = listeners.get(uri);
    if (known) {
      known.count += 1;
      return;
    }
    try {
      listeners.set(uri, { count: 1, watch: served.subscriptions.watch(uri, () => handler.notify.resourceUpdated(uri)) });
    } catch (error) {
      log('info', `nothing to listen to at an address: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  function end(uri: string): void {
    const known = listeners.get(uri);
    if (!known || --known.count > 0) return;
    known.watch.stop();
    listeners.delete(uri);
  }

  /** The SDK answers `subscriptions/listen` itself without calling the server; the watches last as long as its stream. */
  async function fetch(request: Request, options?: { parsedBody?: unknown }): Promise<Response> {
    const [toolName] = calledTools(options?.parsedBody);
    if (toolName !== undefined) called.set(request, toolName);
    const answer = await handler.fetch(request, options);
    const uris = new Set(listenedUris(options?.parsedBody));
    const streams = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (uris.size === 0 || !streams || request.signal.aborted) return answer;
    for (const uri of uris) begin(uri);
    request.signal.addEventListener('abort', () => uris.forEach(end), { once: true });
    return answer;
  }

  const respond = toNodeHandler({ fetch }, { onerror });
  return {
    era: '2026',
    // A request that a server receives has a method and an address, although its type leaves them open.
    handle: async (request, response, body) => respond(request as IncomingMessage & { method: string; url: string }, response, body),
    async close() {
      await handler.close();
      served.subscriptions.close();
      await served.close();
    },
  };
}
