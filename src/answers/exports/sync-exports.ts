import type { ToolContext } from '../../mcp/tool.ts';
import { planSync, type SyncPlan } from '../../workspace/plan-sync.ts';
import type { ProjectWorkspace } from '../../workspace/project-workspace.ts';
import { successfulRuns } from '../../workspace/successful-runs.ts';
import type { SyncOutcome } from '../../workspace/sync-table.ts';
import { outcomesOf } from './follow-downloads.ts';

interface Wish {
  readonly jobIds: readonly number[] | undefined;
  /** Only runs that completed since, ms since 1970. */
  readonly sinceMs: number | undefined;
  readonly waitSeconds: number;
}

/** Where a sync stands when the call ends; what is under way goes on. */
export interface SyncState {
  readonly plan: SyncPlan;
  /** One for each wanted run of the plan. */
  readonly outcomes: readonly SyncOutcome[];
  readonly failures: readonly { readonly jobId: number; readonly runId: number; readonly message: string }[];
  readonly count: (outcome: SyncOutcome) => number;
}

type Context = Pick<ToolContext, 'ask' | 'progress' | 'nowMs' | 'signal'>;

/** Starts or joins the download of every run that is wanted, and waits for them as long as is wished. */
export async function syncExports(workspace: ProjectWorkspace, wish: Wish, { ask, progress, nowMs, signal }: Context): Promise<SyncState> {
  const [listed, here] = await Promise.all([successfulRuns(ask), workspace.runs()]);
  const plan = planSync(listed, here, { ...wish, nowMs });
  const downloads = plan.wanted.map((run) => workspace.downloadInTurn({ jobId: run.jobId, runId: run.runId }, run));
  let ended = 0;
  const tell = () => progress(ended, downloads.length, `${ended} of ${downloads.length} runs fetched`);
  const count = () => {
    ended += 1;
    if (!signal.aborted) tell();
  };
  for (const { result } of downloads) result.then(count, count);
  if (downloads.length > 0) tell();
  await workspace.settled(downloads, nowMs + wish.waitSeconds * 1_000, signal);
  const ends = await outcomesOf(downloads);
  const outcomes = ends.map((end): SyncOutcome => {
    if (end === undefined) return 'under way';
    return end.status === 'fulfilled' ? 'fetched' : 'failed';
  });
  const failures = plan.wanted.flatMap(({ jobId, runId }, index) => {
    const end = ends[index];
    return end?.status === 'rejected' ? [{ jobId, runId, message: end.reason instanceof Error ? end.reason.message : String(end.reason) }] : []; // biome-ignore format: one thought
  });
  return { plan, outcomes, failures, count: (outcome) => outcomes.filter((each) => each === outcome).length };
}
