import { once } from 'node:events';
import { createLog } from '../lib/log.ts';
import type { Settings } from '../settings.ts';
import { name } from './about.ts';
import { type Catalogue, startHttpServing } from './http-serving.ts';
import { logOf } from './log-of.ts';
import { createPlatform } from './platform.ts';
import { openCache } from './shared-cache.ts';
import { openCredentials, openSignIn, withCredentials } from './sign-in.ts';
import { traceCalls } from './trace-calls.ts';
import type { WorldOptions } from './world-options.ts';

/** How long clients that keep connections have to notice that this server stops for another; then idle connections are closed. */
const LINGER_MS = 3_000;

/** Said whatever the level of the log: with --port 0 nobody else knows. */
function sayWhere(url: string, { logFormat = 'json' }: Settings): void {
  if (logFormat === 'json') createLog('info', { format: 'json' })('info', `listens on ${url}`);
  else process.stderr.write(`${name} listens on ${url}\n`);
}

/** Serves MCP over Streamable HTTP until the process is asked to stop; says on stderr where. */
export async function serveOverHttp(settings: Settings, world: WorldOptions, catalogue: Catalogue): Promise<number> {
  const credentials = await openCredentials(settings, logOf(settings));
  const platform = createPlatform(settings, catalogue.tools, world, credentials, await openCache(settings, logOf(settings)));
  let tracing: Awaited<ReturnType<typeof traceCalls>>;
  try {
    const signIn = await openSignIn(settings, platform);
    const told = signIn && credentials ? withCredentials(signIn, credentials) : signIn;
    tracing = await traceCalls(platform);
    const serving = await startHttpServing(settings, { platform, catalogue, signIn: told, tracing });
    sayWhere(serving.url, settings);
    const stopped = new AbortController();
    const { signal } = stopped;
    const lingerMs = await Promise.race([
      once(process, 'SIGINT', { signal }).then(() => 0),
      once(process, 'SIGTERM', { signal }).then(() => LINGER_MS),
    ]);
    stopped.abort();
    await serving.close(lingerMs);
  } finally {
    // An open connection would keep a process alive that could not begin to serve.
    await platform.close();
    await tracing?.close();
  }
  return 0;
}
