import { applyExportPlan } from '../../src/exports/plan-export.ts';
import { clockStartingAt } from '../../src/lib/clock.ts';
import { openProcessWorkspace, PROJECT_ID, type ProcessAccess } from '../support/process-workspace.ts';

/** What a process of its own is told to apply. */
export interface ApplyOrder extends ProcessAccess {
  readonly planId: string;
  readonly nowMs: number;
}

// Applies a plan as the server does, with the consent given; writes the words of a failure, and ends by itself.
const { planId, nowMs, ...access } = JSON.parse(process.argv[2] ?? '{}') as ApplyOrder;
const clock = clockStartingAt(nowMs);
const { client, ask, workspace } = openProcessWorkspace(access, clock);
const nothing = (): void => undefined;
try {
  await applyExportPlan(
    { planId },
    {
      ask,
      confirm: nothing,
      lists: () => Promise.reject(new Error('A plan without a segment needs no name.')),
      covers: nothing,
      whole: false,
      note: nothing,
      progress: nothing,
      projectId: async () => PROJECT_ID,
      workspace: async () => workspace,
      clock,
      nowMs,
      timeZone: 'UTC',
      signal: new AbortController().signal,
    },
  );
} catch (error) {
  process.stdout.write(error instanceof Error ? error.message : String(error));
}
await client.close();
