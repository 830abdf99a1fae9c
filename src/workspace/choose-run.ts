import { allPages } from '../api/all-pages.ts';
import type { Ask } from '../api/client.ts';
import { listExportRuns } from '../api/operations/data-export.ts';
import { type SuccessfulRun, successfulRuns } from './successful-runs.ts';
import { WorkspaceError } from './workspace-error.ts';

/** A run to fetch, with what the list of successful runs says of it, where it stands there. */
export interface ChosenRun {
  readonly runId: number;
  readonly listed?: SuccessfulRun;
}

/** The run of a job that completed last; where none has, the newest that has not failed. Throws a `WorkspaceError` where there is none. */
export async function latestRun(jobId: number, ask: Ask): Promise<ChosenRun> {
  const listed = (await successfulRuns(ask)).find((run) => run.jobId === jobId);
  if (listed) return { runId: listed.runId, listed };
  const runs = await allPages((paging) => ask(listExportRuns, { jobId, ...paging }), ({ jobRunId }) => jobRunId); // biome-ignore format: one thought
  const [newest] = runs
    .flatMap(({ jobRunId, state }) => (typeof jobRunId === 'number' && !/^fail/i.test(state ?? '') ? [jobRunId] : []))
    .toSorted((a, b) => b - a);
  if (newest !== undefined) return { runId: newest };
  const why = runs.length > 0 ? 'none of its runs succeeded (list_export_runs)' : 'it has not run yet (get_export_job says when it will)';
  throw new WorkspaceError('gone', `Job ${jobId} has nothing to download: ${why}.`);
}
