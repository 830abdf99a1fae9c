import { prompts } from '../prompts/index.ts';
import { createServer } from '../protocol/server.ts';
import { serveOverStdio } from '../protocol/stdio.ts';
import { createSubscriptions } from '../protocol/subscriptions.ts';
import { resources } from '../resources/index.ts';
import type { Settings } from '../settings/settings.ts';
import { localPrincipal } from '../sign-in/principal.ts';
import { homepage, name, title, version } from './about.ts';
import { enabledTools, listedTools, loadTool } from './catalogue.ts';
import type { WorldOptions } from './emulator.ts';
import { traceCalls } from './monitoring.ts';
import { createPlatform } from './platform.ts';
import type { Catalogue } from './serve-over-http.ts';

/**
 * A server of one person stays small on their machine: reading hundreds of reports it takes two thirds of the memory that the engine would
 * take by its own choice. At 20 it would take a seventh less, for a tenth more of processor time.
 */
const HEAP_GROWTH_PERCENT = 60;

async function limitHeap(): Promise<void> {
  const { limitHeapGrowth, limitNewSpace } = await import('./heap.ts');
  limitNewSpace();
  limitHeapGrowth(HEAP_GROWTH_PERCENT);
}

/** Loads tools; the first call also begins to limit the heap, because a start need not wait for the modules of Node that watch it. */
function createToolLoader(): typeof loadTool {
  let limiting: Promise<void> | undefined;
  return async (tool) => {
    limiting ??= limitHeap();
    const [loaded] = await Promise.all([loadTool(tool), limiting]);
    return loaded;
  };
}

/** How long what was still starting may take to end by itself. */
const LINGER_MS = 5_000;

/** Serves MCP over stdio until the host closes it, both protocol eras on one session; or over HTTP until the process is asked to stop. */
export async function serve(settings: Settings, world: WorldOptions): Promise<number> {
  const { tools, absent } = enabledTools(await listedTools(), settings);
  const catalogue: Catalogue = { name, version, title, websiteUrl: homepage, tools, absent, load: loadTool, resources, prompts };
  if (settings.http) return (await import('./serve-over-http.ts')).serveOverHttp(settings, world, catalogue);
  const platform = createPlatform(settings, tools, world);
  const ending = new AbortController();
  void import('./startup-warnings.ts').then(({ warnAtStart }) => warnAtStart(settings, platform, ending.signal));
  const tracing = await traceCalls(platform);
  const session = platform.openSession(localPrincipal, { watch: tracing?.watch({ principalId: localPrincipal.id }) });
  const subscriptions = createSubscriptions(session, resources);
  const load = createToolLoader();
  await serveOverStdio(() => createServer({ ...catalogue, load, session, subscriptions }), subscriptions, platform.log);
  ending.abort();
  subscriptions.close();
  await session.close();
  await platform.close();
  await tracing?.close();
  // The host has gone: a program that was just being started, or what else keeps the process alive, is waited for no longer than this.
  setTimeout(() => process.exit(), LINGER_MS).unref();
  return 0;
}
