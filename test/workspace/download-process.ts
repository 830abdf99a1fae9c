import { createClient } from '../../src/api/client.ts';
import { createLimiter } from '../../src/api/limiter.ts';
import { clockStartingAt } from '../../src/lib/clock.ts';
import { openProjectWorkspace } from '../../src/workspace/project-workspace.ts';
import type { SuccessfulRun } from '../../src/workspace/successful-runs.ts';

/** What a process of its own is told to download. */
export interface DownloadOrder {
  readonly dir: string;
  readonly authUrl: string;
  readonly credential: { clientId: string; clientSecret: string };
  readonly startIso: string;
  readonly runs: readonly SuccessfulRun[];
}

// Downloads as the server does, through the same workspace; says when it begins, and ends by itself when all is there.
const { dir, authUrl, credential, startIso, runs } = JSON.parse(process.argv[2] ?? '{}') as DownloadOrder;
const clock = clockStartingAt(Date.parse(startIso));
const projectId = 1201;
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
const ask: Parameters<typeof openProjectWorkspace>[0]['ask'] = (operation, input) => client.call(operation, input, { projectId });
const workspace = openProjectWorkspace({
  dir,
  principal: 'local',
  authUrl,
  projectId,
  quotaMb: 1_000,
  ask,
  askKept: ask,
  clock,
  random: () => 0,
});
await client.projectId();
process.stdout.write('begins\n');
await workspace.runs();
await Promise.all(runs.map(({ jobId, runId }, index) => workspace.download({ jobId, runId }, runs[index]).result));
await workspace.close();
await client.close();
