import { allPages } from '../../api/all-pages.ts';
import type { Ask } from '../../api/client.ts';
import { listExportRuns } from '../../api/operations/data-export.ts';
import { hint } from '../../lib/hint.ts';
import { WorkspaceError } from '../store/disk.ts';
import { runDirectory } from '../store/layout.ts';
import type { RunId, RunManifest } from '../store/manifest.ts';
import { type DownloadContext, type DownloadProgress, downloadRun } from './download-run.ts';
import { type SuccessfulRun, successfulRuns } from './run-rows.ts';

/** A run to download, with its row in the list of successful runs, if there is one. */
export interface ChosenRun {
  readonly runId: number;
  readonly listed?: SuccessfulRun;
}

/** The run of a job that completed last; where none has, the newest that has not failed. Throws a `WorkspaceError` where there is none. */
export async function latestRun(jobId: number, ask: Ask): Promise<ChosenRun> {
  const [listed] = await successfulRuns(ask, [jobId]);
  if (listed) return { runId: listed.runId, listed };
  const runs = await allPages(
    (paging) => ask(listExportRuns, { jobId, ...paging }),
    ({ jobRunId }) => jobRunId,
  );
  const [newest] = runs
    .flatMap(({ jobRunId, state }) => (typeof jobRunId === 'number' && !/^fail/i.test(state ?? '') ? jobRunId : []))
    .toSorted((a, b) => b - a);
  if (newest !== undefined) return { runId: newest };
  const has = `Job ${jobId} has nothing to download: `;
  if (runs.length > 0)
    throw new WorkspaceError('gone', `${has}none of its runs succeeded${hint('list_export_runs', ' (list_export_runs)')}.`);
  const next = hint('get_export_job', ' (get_export_job says when it will)');
  throw new WorkspaceError('pending', `${has}it has not run yet${next}.`);
}

/** A download that goes on whether or not a call waits for it. */
export interface Download {
  readonly id: RunId;
  readonly progress: DownloadProgress;
  /** Rejects with a `WorkspaceError` or `ApiError`, or with the reason of its end. */
  readonly result: Promise<RunManifest>;
  /** Calls `listener` after each change until the returned function is called. */
  onChange(listener: () => void): () => void;
}

/** The surroundings of one download. */
export interface DownloadOptions {
  /** The row of the run in the list of successful runs, where the caller has read it. */
  readonly listed?: SuccessfulRun | undefined;
  /** Starts it when its turn comes. */
  readonly inTurn?: <T>(task: () => Promise<T>) => Promise<T>;
}

/** Downloads of this process by directory: two sessions of one principal share them. */
const underWay = new Map<string, Download>();

/** Starts the download of a run, or joins the one that is under way. */
export function startDownload(id: RunId, context: Omit<DownloadContext, 'report'>, options: DownloadOptions = {}): Download {
  const directory = runDirectory(context.projectDir, id);
  const known = underWay.get(directory);
  if (known) return known;
  const { listed, inTurn = (task) => task() } = options;
  const listeners = new Set<() => void>();
  let progress: DownloadProgress = { phase: 'waiting' };
  const report = (now: DownloadProgress) => {
    progress = now;
    for (const listener of listeners) listener();
  };
  const result = inTurn(() => downloadRun(id, { ...context, report }, listed)).finally(() => underWay.delete(directory));
  // No call may be waiting for it; the next call reports what is wrong.
  result.catch(() => undefined);
  const download: Download = {
    id,
    get progress() {
      return progress;
    },
    result,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  underWay.set(directory, download);
  return download;
}

/** The download of a run that is under way in this process. */
export function downloadOf(projectDir: string, id: RunId): Download | undefined {
  return underWay.get(runDirectory(projectDir, id));
}
