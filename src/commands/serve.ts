import type { Log } from '../lib/log.ts';
import { prompts } from '../prompts/index.ts';
import { createServer } from '../protocol/server.ts';
import { serveOverStdio } from '../protocol/stdio.ts';
import { createSubscriptions } from '../protocol/subscriptions.ts';
import { resources } from '../resources/index.ts';
import { type SettingName, type Settings, settingDeclarations } from '../settings/settings.ts';
import { localPrincipal } from '../sign-in/principal.ts';
import { name, version } from './about.ts';
import { enabledTools, listedTools, loadTool } from './catalogue.ts';
import type { WorldOptions } from './emulator.ts';
import { traceCalls } from './monitoring.ts';
import { createPlatform } from './platform.ts';
import type { Catalogue } from './serve-over-http.ts';

/** Settings that have no effect over stdio. */
const HTTP_ALONE: readonly SettingName[] = ['allowedHosts', 'allowedOrigins', 'tlsCertFile', 'issuer', 'tokensFile'];

/** Warns that settings have no effect: without --http the server would end at once without a reason. */
function warnOfHttpSettings(settings: Settings, log: Log): void {
  const { host } = settingDeclarations;
  const idle = HTTP_ALONE.filter((each) => settings[each] !== undefined).map((each) => settingDeclarations[each].variable);
  const names = settings.host === host.default ? idle : [host.variable, ...idle];
  if (names.length > 0) log('warn', `Over stdio nothing becomes of ${names.join(', ')}; --http serves over HTTP`);
}

/** Loads tools; the first call also begins to limit the heap, because a start need not wait for the modules of Node that watch it. */
function createToolLoader(): typeof loadTool {
  let limiting: Promise<void> | undefined;
  return async (tool) => {
    limiting ??= import('./heap.ts').then(({ limitNewSpace }) => limitNewSpace());
    const [loaded] = await Promise.all([loadTool(tool), limiting]);
    return loaded;
  };
}

/** Serves MCP over stdio until the host closes it, both protocol eras on one session; or over HTTP until the process is asked to stop. */
export async function serve(settings: Settings, world: WorldOptions): Promise<number> {
  const { tools, absent } = enabledTools(await listedTools(), settings);
  const catalogue: Catalogue = { name, version, tools, absent, load: loadTool, resources, prompts };
  if (settings.http) return (await import('./serve-over-http.ts')).serveOverHttp(settings, world, catalogue);
  const platform = createPlatform(settings, tools, world);
  warnOfHttpSettings(settings, platform.log);
  void import('./directories.ts').then(({ warnOfDataDirectory }) => warnOfDataDirectory(settings, platform.log));
  const tracing = await traceCalls(platform);
  const session = platform.openSession(localPrincipal, { watch: tracing?.watch({ principalId: localPrincipal.id }) });
  const subscriptions = createSubscriptions(session, resources);
  const load = createToolLoader();
  await serveOverStdio(() => createServer({ ...catalogue, load, session, subscriptions }), subscriptions, platform.log);
  subscriptions.close();
  await session.close();
  await platform.close();
  await tracing?.close();
  return 0;
}
