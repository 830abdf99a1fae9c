import type { Ask } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import type { PayloadOf } from '../api/operation.ts';
import { getExportRun } from '../api/operations/data-export.ts';
import type { Clock } from '../lib/clock.ts';
import type { RunId } from './read-manifests.ts';
import { WorkspaceError } from './workspace-error.ts';

export type RunRecord = PayloadOf<typeof getExportRun>;

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 15_000;
/** Failures of the platform in a row; each was repeated already. */
const MAX_FAILURES = 5;

interface Following {
  readonly ask: Ask;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Hears the state, as the platform spells it, and how far the run is: 0–1 or 0–100, the reference does not say. */
  readonly onState: (state: string, completionRate: number | undefined) => void;
}

/** Whether a state ends the run without files; other states than the documented ones go on. */
function isFailed(state: string): boolean {
  return /^(fail|error|cancel|delet)/i.test(state);
}

/** Looks again and again until the run has succeeded, and gives it with its files; throws a `WorkspaceError` where it fails. */
export async function followRun({ jobId, runId }: RunId, { ask, clock, signal, onState }: Following): Promise<RunRecord> {
  let [waitMs, failures] = [FIRST_WAIT_MS, 0];
  for (;;) {
    try {
      const run = await ask(getExportRun, { jobId, runId });
      failures = 0;
      const state = run.state ?? 'without a state';
      onState(state, run.completionRate ?? undefined);
      if (/^success/i.test(state)) return run;
      if (isFailed(state)) {
        const next = 'find_export_gaps plans an export of the same range.';
        throw new WorkspaceError('failed', `Run ${runId} of job ${jobId} has no files: its state is ${state}. ${next}`);
      }
    } catch (error) {
      if (!(error instanceof ApiError) || !['down', 'timeout', 'busy'].includes(error.kind)) throw error;
      failures += 1;
      if (failures >= MAX_FAILURES) throw error;
    }
    await clock.sleep(waitMs, signal);
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 1.5);
  }
}
