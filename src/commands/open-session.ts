import type { ListedTool } from '../mcp/listing.ts';
import type { Session } from '../mcp/session.ts';
import type { Settings } from '../settings.ts';
import { createPlatform } from './platform.ts';
import type { WorldOptions } from './world-options.ts';

/** The only session of a process; closing it closes the platform too. */
export function openSession(settings: Settings, tools: readonly ListedTool[], world: WorldOptions): Session {
  const platform = createPlatform(settings, tools, world);
  const session = platform.openSession();
  return {
    ...session,
    async close() {
      await session.close();
      await platform.close();
    },
  };
}
