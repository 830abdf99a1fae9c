import { once } from 'node:events';
import type { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Log } from '../lib/log.ts';

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

/** Serves until the host closes the connection or the process is asked to stop. */
export async function serveOverStdio(factory: () => McpServer, log: Log): Promise<void> {
  const transport = new StdioServerTransport();
  const handle = serveStdio(factory, { transport, onerror: (error) => log('warn', error.message) });
  const stopped = new AbortController();
  const { signal } = stopped;
  await Promise.race([overOf(transport), once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })]);
  stopped.abort();
  await handle.close();
}
