import type { Ask } from '../../api/client.ts';
import { ApiError } from '../../api/errors.ts';
import type { PayloadOf } from '../../api/operation.ts';
import { getExportRun } from '../../api/operations/data-export.ts';
import type { Clock } from '../../lib/clock.ts';
import { hint } from '../../lib/hint.ts';
import { WorkspaceError } from '../store/disk.ts';
import type { RunId } from '../store/manifest.ts';

/** A run as the platform describes it. */
export type RunRecord = PayloadOf<typeof getExportRun>;

interface Following {
  readonly ask: Ask;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Hears the state, as the platform spells it, how far the run is: 0–1 or 0–100, the reference does not say, and when it should end. */
  readonly onState: (state: string, completionRate: number | undefined, endsMs: number | undefined) => void;
}

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 15_000;
/** Failures of the platform in a row; each was repeated already. */
const MAX_FAILURES = 5;

/** How far a run was at an instant. */
interface Pace {
  readonly atMs: number;
  readonly rate: number;
}

/** When a run should end by the pace between two looks; undefined where it did not move. */
function endOf(first: Pace | undefined, last: Pace): number | undefined {
  if (!first || last.rate <= first.rate) return undefined;
  const whole = last.rate > 1 ? 100 : 1;
  return last.atMs + ((whole - last.rate) * (last.atMs - first.atMs)) / (last.rate - first.rate);
}

/** The pause before the next look: longer each time, but none beyond the instant at which the run should end. */
function pauseOf(usualMs: number, endsMs: number | undefined, nowMs: number): number {
  return endsMs === undefined ? usualMs : Math.min(usualMs, Math.max(FIRST_WAIT_MS, endsMs - nowMs));
}

/** Whether a state ends the run without files; other states than the documented ones go on. */
function isFailed(state: string): boolean {
  return /^(fail|error|cancel|delet)/i.test(state);
}

/** Polls until the run has succeeded, and returns it with its files; throws a `WorkspaceError` where it fails. */
export async function followRun({ jobId, runId }: RunId, { ask, clock, signal, onState }: Following): Promise<RunRecord> {
  let [waitMs, failures] = [FIRST_WAIT_MS, 0];
  let first: Pace | undefined;
  let endsMs: number | undefined;
  for (;;) {
    try {
      const run = await ask(getExportRun, { jobId, runId });
      failures = 0;
      const state = run.state ?? 'without a state';
      const rate = run.completionRate ?? undefined;
      const pace = rate === undefined ? undefined : { atMs: clock.now(), rate };
      endsMs = pace && endOf(first, pace);
      if (pace && pace.rate > 0) first ??= pace;
      onState(state, rate, endsMs);
      if (/^success/i.test(state)) return run;
      if (isFailed(state)) {
        const next = hint('find_export_gaps', 'find_export_gaps plans an export of the same range.');
        throw new WorkspaceError('failed', `Run ${runId} of job ${jobId} has no files: its state is ${state}. ${next}`);
      }
    } catch (error) {
      if (!(error instanceof ApiError) || !['down', 'timeout', 'busy'].includes(error.kind)) throw error;
      failures += 1;
      if (failures >= MAX_FAILURES) throw error;
    }
    await clock.sleep(pauseOf(waitMs, endsMs, clock.now()), signal);
    waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 1.5);
  }
}
