import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { KEEP_ALIVE_MS, type Leg, type LegParts } from './leg.ts';

/** A session of the 2025 era: one server for as long as the client keeps the id. */
export interface Leg2025 extends Leg {
  /** False when the first request was refused, so that nobody knows the id. */
  isOpen(): boolean;
}

/** Makes a session of the 2025 era; `onEnd` is called when its client deletes it. */
export function createLeg2025({ served, log, id, onEnd }: LegParts & { id: string; onEnd: () => void }): Leg2025 {
  const server = served.createServer();
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: () => id,
    onsessionclosed: onEnd,
    keepAliveMs: KEEP_ALIVE_MS,
  });
  Object.assign(transport, { onerror: (error: Error) => log('debug', `2025 era: ${error.message}`) });
  const connected = server.connect(transport);
  return {
    era: '2025',
    isOpen: () => transport.sessionId !== undefined,
    async handle(request, response, body) {
      await connected;
      await transport.handleRequest(request, response, body);
    },
    async close() {
      await server.close();
      served.subscriptions.close();
      await served.close();
    },
  };
}
