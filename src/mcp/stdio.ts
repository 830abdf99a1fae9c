import { once } from 'node:events';
import type { McpServer, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Log } from '../lib/log.ts';
import { listeningTransport } from './listening-transport.ts';
import { sendUpdated } from './register-subscriptions.ts';
import type { Subscriptions, Watch } from './subscriptions.ts';

/** Resolves when the connection is over, whichever end of it closed. */
function overOf(transport: StdioServerTransport): Promise<void> {
  return new Promise((resolve) => {
    const { onclose } = transport;
    // Not only the end of stdin: when the host stops reading, the transport stops reading too, and no end would ever be seen.
    Object.assign(transport, {
      onclose() {
        onclose?.();
        resolve();
      },
    });
  });
}

/** Serves one connection of either era, with what it listens to in the 2026 era. */
export function serveConnection(
  transport: Transport,
  { factory, subscriptions, log }: { factory: () => McpServer; subscriptions: Subscriptions; log: Log },
) {
  const watches = new Map<string, Watch>();
  // The SDK may drop a first server after a probe; the latest one holds the connection.
  let serving: McpServer | undefined;
  const observed = listeningTransport(transport, {
    begin(uri) {
      try {
        const watch = subscriptions.watch(uri, () => serving && void sendUpdated(serving, uri));
        watches.set(uri, watch);
      } catch (error) {
        log('info', `nothing to listen to at ${uri}: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    end(uri) {
      watches.get(uri)?.stop();
      watches.delete(uri);
    },
  });
  return serveStdio(() => (serving = factory()), { transport: observed, onerror: (error) => log('warn', error.message) });
}

/** Serves until the host closes the connection or the process is asked to stop. */
export async function serveOverStdio(factory: () => McpServer, subscriptions: Subscriptions, log: Log): Promise<void> {
  const transport = new StdioServerTransport();
  const handle = serveConnection(transport, { factory, subscriptions, log });
  const stopped = new AbortController();
  const { signal } = stopped;
  await Promise.race([overOf(transport), once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })]);
  stopped.abort();
  await handle.close();
}
