import { randomUUID } from 'node:crypto';
import { rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Ask } from '../api/client.ts';
import { listExportJobs } from '../api/operations/data-export.ts';
import { isLoopback } from '../lib/address.ts';
import type { Clock } from '../lib/clock.ts';
import { createFairSemaphore, endOrTime } from '../lib/concurrency.ts';
import { hint } from '../lib/hint.ts';
import { conversionFailure, conversionsIn, convertWaiting } from './convert/conversions.ts';
import { type Download, type DownloadOptions, downloadOf, removeTempFiles, startDownload, tempFilesIn } from './download/download-run.ts';
import { createFileStore } from './download/file-store.ts';
import { diskFailure, namesIn, tryDirectory, WorkspaceError } from './store/disk.ts';
import { type Holder, type Lock, type LockKind, removeDeadLocks, takeLock, waitForLock } from './store/lock.ts';
import {
  byTime,
  type Owner,
  plansDirectory,
  principalDirectory,
  projectDirectory,
  type RunId,
  type RunManifest,
  readManifest,
  resultsDirectory,
  runDirectory,
  runsIn,
} from './store/manifest.ts';
import { bytesBelow, createQuota } from './store/quota.ts';
import { removeStaleSpillDirectories } from './store/spill.ts';
import { complete, storedRuns } from './store/stored-runs.ts';
import { openProjectWarehouse } from './warehouse/project-warehouse.ts';
import type { Warehouse } from './warehouse/warehouse.ts';

const REMOVED = '.removed-';

/** How long a reader waits while a run is cleaned up, completed or removed; each is short. */
const READ_WAIT_MS = 5_000;
/** How long a removal waits for a reader. */
const WRITE_WAIT_MS = 1_000;

/** Locks a run for reading or removing; throws a `WorkspaceError` where it is not there or in use for longer than a short wait. */
async function lockRun(kind: 'read' | 'write', directory: string, { jobId, runId }: RunId): Promise<Lock> {
  const run = `Run ${runId} of job ${jobId}`;
  const waitMs = kind === 'read' ? READ_WAIT_MS : WRITE_WAIT_MS;
  const lock = await waitForLock(directory, kind, waitMs).catch(() => {
    throw missingRun({ jobId, runId });
  });
  if ('release' in lock) return lock;
  throw new WorkspaceError('busy', `${run} is ${USES[lock.kind]} ${placeOf(lock)}; call again when that is done.`);
}

/** The error for a run that is not in the workspace. */
function missingRun({ jobId, runId }: RunId): WorkspaceError {
  return new WorkspaceError(
    'gone',
    `Run ${runId} of job ${jobId} is not in the workspace.${hint('download_export_run', ' download_export_run fetches it.')}`,
  );
}

const USES: Readonly<Record<LockKind, string>> = {
  read: 'read by a query of',
  add: 'being converted by',
  load: 'being loaded by',
  write: 'being written by',
};

function placeOf({ pid, isSamePlace }: Holder): string {
  if (!isSamePlace) return 'a server on another machine or in another container';
  return pid === process.pid ? 'this server' : `process ${pid}`;
}

/** Runs `task` while no process can remove a file of these runs; throws a `WorkspaceError` where one is missing or being removed. */
async function readRuns<T>(projectDir: string, runs: readonly RunId[], task: (found: RunManifest[]) => Promise<T>): Promise<T> {
  const locks: Lock[] = [];
  try {
    for (const run of runs) locks.push(await lockRun('read', runDirectory(projectDir, run), run));
    const found = await Promise.all(runs.map((run) => readManifest(projectDir, run)));
    const gone = runs.find((_, index) => found[index] === undefined);
    if (gone) throw missingRun(gone);
    return await task(found.filter((run) => run !== undefined));
  } finally {
    await Promise.all(locks.map((lock) => lock.release()));
  }
}

/** Removes a run, complete or not, and gives the bytes that are free now. */
async function removeRun(projectDir: string, id: RunId): Promise<number> {
  const directory = runDirectory(projectDir, id);
  const lock = await lockRun('write', directory, id);
  try {
    const bytes = await bytesBelow(directory);
    // Renamed first, so that a kill in the middle leaves no partial run.
    const removed = join(dirname(directory), `${REMOVED}${randomUUID()}`);
    await rename(directory, removed);
    await rm(removed, { recursive: true, force: true });
    await rmdir(dirname(directory)).catch(() => undefined); // other runs of the job are there
    // Results that were read out of the run are removed with it.
    await rm(resultsDirectory(projectDir), { recursive: true, force: true });
    return bytes;
  } catch (error) {
    throw diskFailure(error, directory);
  } finally {
    await lock.release();
  }
}

/** Removes what an ended process left beside complete runs, and runs that it was removing. */
async function tidy(projectDir: string): Promise<void> {
  for (const id of await runsIn(projectDir)) {
    const directory = runDirectory(projectDir, id);
    const manifest = await readManifest(projectDir, id);
    // The lock of a reader is left; that of a killed process is removed.
    await removeDeadLocks(directory);
    if (!manifest || (await tempFilesIn(directory, manifest)).length === 0) continue;
    const lock = await takeLock(directory, 'write');
    if (!('release' in lock)) continue;
    await removeTempFiles(directory, manifest);
    await lock.release();
  }
  await removeStaleSpillDirectories(projectDir);
  for (const job of await namesIn(projectDir)) {
    const removed = (await namesIn(join(projectDir, job))).filter((name) => name.startsWith(REMOVED));
    for (const name of removed) await rm(join(projectDir, job, name), { recursive: true, force: true });
  }
}

/** A directory of a run without a manifest: what a download has left so far. */
export interface UnfinishedRun extends RunId {
  readonly bytes: number;
}

/** Who owns the workspace and what its downloads go through. */
export interface WorkspaceParts extends Owner {
  readonly quotaMb: number;
  readonly ask: Ask;
  /** The same for answers that may be some minutes old. */
  readonly askKept: Ask;
  /** Whether downloaded files stay when their run has become a table. */
  readonly keepSource?: boolean | undefined;
  /** Where converted runs are loaded; left out: they stay on the disk alone. */
  readonly warehouse?: Warehouse | undefined;
  readonly clock: Clock;
  /** Chooses the back-off, 0 to 1. */
  readonly random?: () => number;
}

/** Runs that this server fetches at a time where many are wanted, half of them for one principal. */
const RUNS_AT_ONCE = 6;
const inTurn = createFairSemaphore(RUNS_AT_ONCE);

/** Starts downloads; `started` are those that have not ended. */
function createStarter(context: Parameters<typeof startDownload>[1], onComplete: (manifest: RunManifest) => void) {
  const started = new Set<Download>();
  function start(id: RunId, options: DownloadOptions): Download {
    const download = startDownload(id, context, options);
    started.add(download);
    download.result.then(onComplete, () => undefined).finally(() => started.delete(download));
    return download;
  }
  return { start, started };
}

/** Opens the part of the data directory that belongs to this owner; directories are made when something is written. */
export function openProjectWorkspace(parts: WorkspaceParts) {
  const { quotaMb, ask, askKept, keepSource = false, warehouse: shared, clock, random = Math.random, ...owner } = parts;
  const dir = projectDirectory(owner);
  // Each principal has a quota of its own: none can fill that of another, or learn how much another uses.
  const ownDir = principalDirectory(owner);
  const quota = createQuota(ownDir, quotaMb * 1_000_000);
  const ending = new AbortController();
  const { signal } = ending;
  const store = createFileStore({ allowInner: isLoopback(new URL(owner.authUrl).hostname) });
  const warehouse = shared && openProjectWarehouse(shared, { ...owner, permit: () => askKept(listExportJobs, { limit: 1 }) });
  let tidied: Promise<void> | undefined;
  // What ended processes left is removed before the first list.
  const runList = (jobId?: number) => (tidied ??= tidy(dir)).then(() => storedRuns(dir, jobId));
  const directoryOf = (run: RunId) => runDirectory(dir, run);
  const reading = <T>(runs: readonly RunId[], task: (manifests: RunManifest[]) => Promise<T>) => readRuns(dir, runs, task);
  const loading = { holder: ownDir, signal, reading, directoryOf };
  const onConverted = (runs: readonly RunManifest[]) => warehouse?.load(runs, loading);
  const converting = { projectDir: dir, holder: ownDir, keepSource, signal, onConverted };
  const context = { projectDir: dir, ask, askKept, clock, random, store, quota, signal };
  const { start, started } = createStarter(context, (manifest) => convertWaiting([manifest], converting));

  return {
    projectId: owner.projectId,
    /** Directory of the project. */
    dir,
    /** Directory of its export plans; may not be there yet. */
    plansDir: plansDirectory(dir),
    /** Identifies the principal for the fair order. */
    holder: ownDir,
    /** Most bytes that all projects of the principal may take. */
    quotaBytes: quota.limitBytes,
    /** Bytes that they take. */
    usedBytes: () => bytesBelow(ownDir),
    /** Throws a `WorkspaceError` where no file can be written in the data directory. */
    checkWritable: () => tryDirectory(owner.dir),
    /** Complete runs of a job, or of all: by `from`, then by `exportedAt`. */
    async runs(jobId?: number): Promise<RunManifest[]> {
      const found = complete(await runList(jobId));
      convertWaiting(found, converting);
      return found.toSorted(byTime);
    },
    /** One run where it is complete. */
    find: (id: RunId) => readManifest(dir, id),
    /** Runs whose files are not all there; those under way included. */
    async unfinished(jobId?: number): Promise<UnfinishedRun[]> {
      const ids = (await runList(jobId)).filter(({ manifest }) => !manifest).map(({ id }) => id);
      return Promise.all(ids.map(async (id) => ({ ...id, bytes: await bytesBelow(directoryOf(id)) })));
    },
    /** Absolute path of a run. */
    directoryOf,
    /**
     * Runs `task` with the manifests of these runs while no process can remove any of their files; throws a `WorkspaceError` where one is
     * being removed.
     */
    reading,
    /** Where the runs of the project are loaded and queried; undefined where that is the disk. */
    warehouse,
    /** Why a run could not be converted; undefined where that has not failed in this process. */
    conversionFailure: (run: RunId) => conversionFailure(run, dir),
    /** Starts or joins the download of a run; it continues until the workspace is closed. */
    download: (id: RunId, listed?: DownloadOptions['listed']) => start(id, { listed }),
    /** The same through the queue, for many runs. */
    downloadInTurn: (id: RunId, listed?: DownloadOptions['listed']) => start(id, { listed, inTurn: (task) => inTurn(ownDir, task) }),
    /** The download of a run that is under way in this process. */
    underWay: (id: RunId) => downloadOf(dir, id),
    /** Resolves when all of these have ended, however, or at `untilMs` by the clock; they go on when `until` ends the wait. */
    async settled(downloads: readonly Download[], untilMs: number, until: AbortSignal): Promise<void> {
      const leftMs = untilMs - clock.now();
      if (leftMs > 0) await endOrTime(Promise.allSettled(downloads.map(({ result }) => result)), (own) => clock.sleep(leftMs, own), until);
    },
    /** Removes a run, complete or not, and gives the bytes that are free now; throws a `WorkspaceError` where it is in use. */
    remove: (id: RunId) => Promise.all(conversionsIn(dir, new Set([id.jobId]))).then(() => removeRun(dir, id)),
    /** Resolves when no conversion of this process is running, of these jobs or of all, and no load. */
    async converted(jobIds?: ReadonlySet<number>): Promise<void> {
      while (conversionsIn(dir, jobIds).length > 0) await Promise.all(conversionsIn(dir, jobIds));
      await warehouse?.settled();
    },
    /** Ends the downloads and conversions that were started here; what has arrived stays. */
    async close(): Promise<void> {
      ending.abort(new WorkspaceError('busy', 'The server stopped the download because the session ended; what has arrived is kept.'));
      await Promise.allSettled([...[...started].map(({ result }) => result), ...conversionsIn(dir)]);
      await warehouse?.settled('own');
      await store.close();
    },
  };
}

/** The downloaded exports of one project of one principal. */
export type ProjectWorkspace = ReturnType<typeof openProjectWorkspace>;
