import { once } from 'node:events';
import { createLog } from '../lib/log.ts';
import type { Settings } from '../settings.ts';
import { name } from './about.ts';
import { type Catalogue, startHttpServing } from './http-serving.ts';
import { createPlatform } from './platform.ts';
import { openCredentials, openSignIn } from './sign-in.ts';
import type { WorldOptions } from './world-options.ts';

/** Serves MCP over Streamable HTTP until the process is asked to stop; says on stderr where. */
export async function serveOverHttp(settings: Settings, world: WorldOptions, catalogue: Catalogue): Promise<number> {
  const credentials = await openCredentials(settings, createLog(settings.logLevel));
  const platform = createPlatform(settings, catalogue.tools, world, credentials);
  const signIn = await openSignIn(settings, platform);
  const serving = await startHttpServing(settings, { platform, catalogue, signIn });
  process.stderr.write(`${name} listens on ${serving.url}\n`);
  const stopped = new AbortController();
  const { signal } = stopped;
  await Promise.race([once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })]);
  stopped.abort();
  await serving.close();
  await platform.close();
  return 0;
}
