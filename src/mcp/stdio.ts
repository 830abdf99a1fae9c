import { once } from 'node:events';
import type { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Log } from '../lib/log.ts';

/** Serves until stdin ends or the process is asked to stop. */
export async function serveOverStdio(factory: () => McpServer, log: Log): Promise<void> {
  const handle = serveStdio(factory, { onerror: (error) => log('warn', error.message) });
  const stopped = new AbortController();
  const { signal } = stopped;
  await Promise.race([
    once(process.stdin, 'end', { signal }),
    once(process.stdin, 'close', { signal }),
    once(process, 'SIGINT', { signal }),
    once(process, 'SIGTERM', { signal }),
  ]);
  stopped.abort();
  await handle.close();
}
