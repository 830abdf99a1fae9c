import { createClient } from '../../src/api/client.ts';
import { createLimiter } from '../../src/api/limiter.ts';
import { openProjectWorkspace } from '../../src/exports/project-workspace.ts';
import type { Clock } from '../../src/lib/clock.ts';

/** Where a process that is killed works, and as whom. */
export interface ProcessAccess {
  readonly dir: string;
  readonly authUrl: string;
  readonly credential: { clientId: string; clientSecret: string };
}

/** The project whose exports such processes work on. */
export const PROJECT_ID = 1201;

/** The workspace of the shop as the server opens it, in a process without a server. */
export function openProcessWorkspace({ dir, authUrl, credential }: ProcessAccess, clock: Clock) {
  const client = createClient({
    authUrl,
    credential,
    neededScopes: ['data-export'],
    timeoutMs: 20_000,
    limiter: createLimiter({ clock }),
    sessionId: 'process',
    clock,
    version: '0.0.0',
  });
  const ask: Parameters<typeof openProjectWorkspace>[0]['ask'] = (operation, input) =>
    client.call(operation, input, { projectId: PROJECT_ID });
  const owner = { dir, principal: 'local', authUrl, projectId: PROJECT_ID };
  const workspace = openProjectWorkspace({ ...owner, quotaMb: 1_000, ask, askKept: ask, clock, random: () => 0 });
  return { client, ask, workspace };
}
