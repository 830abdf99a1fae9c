import { createLog } from '../lib/log.ts';
import { createServer } from '../mcp/server.ts';
import { serveOverStdio } from '../mcp/stdio.ts';
import { createSubscriptions } from '../mcp/subscriptions.ts';
import { prompts } from '../prompts/index.ts';
import { resources } from '../resources/index.ts';
import type { Settings } from '../settings.ts';
import { name, version } from './about.ts';
import { listedTools, loadTool } from './catalogue.ts';
import { enabledTools } from './enabled-tools.ts';
import { openSession } from './open-session.ts';
import type { WorldOptions } from './world-options.ts';

/** Serves MCP over stdio until the host closes it; both protocol eras share one session. */
export async function serve(settings: Settings, world: WorldOptions): Promise<number> {
  const tools = enabledTools(await listedTools(), settings);
  const session = openSession(settings, tools, world);
  const subscriptions = createSubscriptions(session, resources);
  const parts = { name, version, tools, load: loadTool, resources, prompts, session, subscriptions };
  await serveOverStdio(() => createServer(parts), subscriptions, createLog(settings.logLevel));
  subscriptions.close();
  await session.close();
  return 0;
}
