import type { Settings } from '../settings/settings.ts';
import type { ListedTool } from '../tooling/listing.ts';
import type { Session } from '../tooling/session.ts';
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
