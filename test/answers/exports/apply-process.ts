import { applyExportPlan } from '../../../src/answers/exports/apply-export-plan.ts';
import { createClient } from '../../../src/api/client.ts';
import { createLimiter } from '../../../src/api/limiter.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { openProjectWorkspace } from '../../../src/workspace/project-workspace.ts';

/** What a process of its own is told to apply. */
export interface ApplyOrder {
  readonly dir: string;
  readonly authUrl: string;
  readonly credential: { clientId: string; clientSecret: string };
  readonly planId: string;
  readonly nowMs: number;
}

// Applies a plan as the server does, with the consent given; writes the words of a failure, and ends by itself.
const { dir, authUrl, credential, planId, nowMs } = JSON.parse(process.argv[2] ?? '{}') as ApplyOrder;
const projectId = 1201;
const client = createClient({
  authUrl,
  credential,
  neededScopes: ['data-export'],
  timeoutMs: 20_000,
  limiter: createLimiter({ clock: systemClock }),
  sessionId: 'process',
  clock: systemClock,
  version: '0.0.0',
});
const ask: Parameters<typeof openProjectWorkspace>[0]['ask'] = (operation, input) => client.call(operation, input, { projectId });
const owner = { dir, principal: 'local', authUrl, projectId };
const nothing = (): void => undefined;
try {
  await applyExportPlan(planId, {
    ask,
    confirm: nothing,
    note: nothing,
    progress: nothing,
    projectId: async () => projectId,
    workspace: async () => openProjectWorkspace({ ...owner, quotaMb: 1_000, ask, askKept: ask, clock: systemClock }),
    nowMs,
    signal: new AbortController().signal,
  });
} catch (error) {
  process.stdout.write(error instanceof Error ? error.message : String(error));
}
await client.close();
