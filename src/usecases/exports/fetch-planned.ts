import { ApiError } from '../../api/errors.ts';
import { hint } from '../../lib/hint.ts';
import type { ExportPlan, PlanPart } from '../../workspace/plans.ts';
import { WorkspaceError } from '../../workspace/store/disk.ts';
import type { Context } from '../context.ts';
import { followDownload, progressWords, USUAL_WAIT_SECONDS } from './sync-exports.ts';

type FetchContext = Pick<Context, 'ask' | 'workspace' | 'clock' | 'signal'>;

/** The words for a job whose run is fetched, as far as that came within the wait. */
async function fetchOne({ jobId, body }: PlanPart, { ask, workspace: open, clock, signal }: FetchContext): Promise<string> {
  const later = hint('download_export_run', `; download_export_run {"jobId":"${jobId}"} waits for them`);
  try {
    const [workspace, { latestRun }] = await Promise.all([open(), import('../../workspace/download/downloads.ts')]);
    const { runId, listed } = await latestRun(Number(jobId), ask);
    const id = { jobId: Number(jobId), runId };
    await workspace.checkWritable();
    const download = workspace.download(id, listed);
    const waiting = { progress: () => undefined, nowMs: clock.now(), signal, waitSeconds: USUAL_WAIT_SECONDS };
    const manifest = (await workspace.find(id)) ?? (await followDownload(workspace, download, waiting));
    if (manifest) return `The files of "${body.name}" are here: ask again.`;
    return `"${body.name}": ${progressWords(download)}. Its files are fetched once they are there: ask again in some minutes${later}.`;
  } catch (error) {
    if (!(error instanceof ApiError || error instanceof WorkspaceError)) throw error;
    return `The files of "${body.name}" are not here yet: ${error.message}${later}.`;
  }
}

/** How far the files of a once job are that this server fetches at the moment; undefined where it does not. */
export async function arrivalWords(
  jobId: number,
  { ask, workspace: open }: Pick<Context, 'ask' | 'workspace'>,
): Promise<string | undefined> {
  try {
    const [workspace, { latestRun }] = await Promise.all([open(), import('../../workspace/download/downloads.ts')]);
    const download = workspace.underWay({ jobId, runId: (await latestRun(jobId, ask)).runId });
    return download && progressWords(download);
  } catch (error) {
    if (error instanceof ApiError || error instanceof WorkspaceError) return undefined;
    throw error;
  }
}

/** Fetches the runs of the jobs that a plan for a question made, as far as they come soon, and says how far that is. */
export async function fetchPlanned({ parts }: ExportPlan, context: FetchContext): Promise<string[]> {
  return Promise.all(parts.map((part) => fetchOne(part, context)));
}
