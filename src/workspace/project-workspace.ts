import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Ask } from '../api/client.ts';
import { listExportJobs } from '../api/operations/data-export.ts';
import { isLoopback } from '../lib/address.ts';
import type { Clock } from '../lib/clock.ts';
import { createFairSemaphore, mapConcurrent } from '../lib/concurrency.ts';
import { conversionFailure, convertJob, waitingJobs } from './convert/conversions.ts';
import { removeTempFiles } from './download/download-run.ts';
import { type Download, type DownloadOptions, downloadOf, startDownload } from './download/downloads.ts';
import { createFileStore } from './download/file-store.ts';
import { diskFailure, tryDirectory, WorkspaceError } from './store/disk.ts';
import {
  MANIFEST,
  type Owner,
  plansDirectory,
  principalDirectory,
  projectDirectory,
  resultsDirectory,
  runDirectory,
} from './store/layout.ts';
import { isLockName, type Lock, removeDeadLocks, takeLock } from './store/lock.ts';
import { lockRun, missingRun } from './store/lock-run.ts';
import { filesOnDisk, type RunId, type RunManifest, readManifest, runsIn } from './store/manifest.ts';
import { bytesBelow, createQuota } from './store/quota.ts';
import { removeStaleSpillDirectories } from './store/spill.ts';
import { openProjectWarehouse, type ProjectWarehouse } from './warehouse/project-warehouse.ts';
import type { Warehouse } from './warehouse/warehouse.ts';

/** A directory of a run without a manifest: what a download has left so far. */
export interface UnfinishedRun extends RunId {
  readonly bytes: number;
}

/** The downloaded exports of one project of one principal; directories are made when something is written. */
export interface ProjectWorkspace {
  readonly projectId: number;
  /** Directory of the project. */
  readonly dir: string;
  /** Directory of its export plans; may not be there yet. */
  readonly plansDir: string;
  /** Identifies the principal for the fair order. */
  readonly holder: string;
  /** Most bytes that all projects of the principal may take. */
  readonly quotaBytes: number;
  /** Bytes that they take. */
  usedBytes(): Promise<number>;
  /** Throws a `WorkspaceError` where no file can be written in the data directory. */
  checkWritable(): Promise<void>;
  /** Complete runs of a job, or of all: by `from`, then by `exportedAt`. */
  runs(jobId?: number): Promise<RunManifest[]>;
  /** One run where it is complete. */
  find(run: RunId): Promise<RunManifest | undefined>;
  /** Runs whose files are not all there; those under way included. */
  unfinished(jobId?: number): Promise<UnfinishedRun[]>;
  /** Absolute path of a run. */
  directoryOf(run: RunId): string;
  /** Absolute path of a file of a run. */
  pathOf(run: RunId, file: { readonly name: string }): string;
  /**
   * Runs `task` with the manifests of these runs while no process can remove any of their files; throws a `WorkspaceError` where one is
   * being removed.
   */
  reading<T>(runs: readonly RunId[], task: (manifests: RunManifest[]) => Promise<T>): Promise<T>;
  /** Starts or joins the download of a run; it continues until the workspace is closed. */
  download(run: RunId, listed?: DownloadOptions['listed']): Download;
  /** The same through the queue, for many runs. */
  downloadInTurn(run: RunId, listed?: DownloadOptions['listed']): Download;
  /** The download of a run that is under way in this process. */
  underWay(run: RunId): Download | undefined;
  /** Resolves when all of these have ended, however, or at `untilMs` by the clock; they go on when `signal` ends the wait. */
  settled(downloads: readonly Download[], untilMs: number, signal: AbortSignal): Promise<void>;
  /** Removes a run, complete or not, and gives the bytes that are free now; throws a `WorkspaceError` where it is in use. */
  remove(run: RunId): Promise<number>;
  /** Where the runs of the project are loaded and queried; undefined where that is the disk. */
  readonly warehouse?: ProjectWarehouse | undefined;
  /** Why a run could not be converted; undefined where that has not failed in this process. */
  conversionFailure(run: RunId): string | undefined;
  /** Resolves when no conversion of this process is running, and no load that followed one. */
  converted(): Promise<void>;
  /** Ends the downloads and conversions that were started here; what has arrived stays. */
  close(): Promise<void>;
}

/** Who owns the workspace and what its downloads go through. */
export interface WorkspaceParts extends Owner {
  readonly quotaMb: number;
  readonly ask: Ask;
  /** The same for answers that may be some minutes old. */
  readonly askKept: Ask;
  /** Whether downloaded runs become tables, and whether their files stay then; left out: they stay as they are. */
  readonly conversion?: 'drop source' | 'keep source' | undefined;
  /** Where converted runs are loaded; left out: they stay on the disk alone. */
  readonly warehouse?: Warehouse | undefined;
  readonly clock: Clock;
  /** Chooses the back-off, 0 to 1. */
  readonly random?: () => number;
}

/** Runs that this server fetches at a time where many are wanted, half of them for one principal. */
const RUNS_AT_ONCE = 6;
const inTurn = createFairSemaphore(RUNS_AT_ONCE);
const REMOVED = '.removed-';

/** Opens the part of the data directory that belongs to this owner; nothing is written before something is downloaded. */
export function openProjectWorkspace({
  quotaMb,
  ask,
  askKept,
  conversion,
  warehouse: shared,
  clock,
  random = Math.random,
  ...owner
}: WorkspaceParts): ProjectWorkspace {
  const dir = projectDirectory(owner);
  // Each principal has a quota of its own: none can fill that of another, or learn how much another uses.
  const ownDir = principalDirectory(owner);
  const quota = createQuota(ownDir, quotaMb * 1_000_000);
  const ending = new AbortController();
  const store = createFileStore({ allowInner: isLoopback(new URL(owner.authUrl).hostname) });
  const context = { projectDir: dir, ask, askKept, clock, random, store, quota, signal: ending.signal };
  const started = new Set<Download>();
  const converting = new Set<Promise<void>>();
  const permit = () => askKept(listExportJobs, { limit: 1 });
  const warehouse = shared && openProjectWarehouse(shared, { ...owner, permit });
  let tidied: Promise<void> | undefined;

  function start(id: RunId, options: DownloadOptions): Download {
    const download = startDownload(id, context, options);
    started.add(download);
    const end = () => void started.delete(download);
    download.result
      .then(
        (manifest) => convert([manifest]),
        () => undefined,
      )
      .finally(end);
    return download;
  }

  /** Starts the waiting conversions, one for each job. */
  function convert(runs: readonly RunManifest[]): void {
    if (!conversion || ending.signal.aborted) return;
    warehouse?.load(runs, loading);
    const options = { projectDir: dir, holder: ownDir, keepSource: conversion === 'keep source', signal: ending.signal };
    for (const jobId of waitingJobs(runs, options)) {
      const work = convertJob(jobId, options);
      if (!work) continue;
      const following = work.then(async () =>
        warehouse?.load(
          (await manifests(jobId)).flatMap(({ manifest }) => manifest ?? []),
          loading,
        ),
      );
      converting.add(following);
      void following.finally(() => converting.delete(following));
    }
  }

  async function manifests(jobId?: number): Promise<{ id: RunId; manifest: RunManifest | undefined }[]> {
    tidied ??= tidy(dir);
    await tidied;
    const ids = await runsIn(dir, jobId);
    const read = await mapConcurrent(ids, 16, async (id) => ({ id, manifest: await readManifest(dir, id) }));
    return read.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  }

  async function reading<T>(runs: readonly RunId[], task: (found: RunManifest[]) => Promise<T>): Promise<T> {
    const locks: Lock[] = [];
    try {
      for (const run of runs) locks.push(await lockRun('read', runDirectory(dir, run), run));
      const found = await Promise.all(runs.map((run) => readManifest(dir, run)));
      const gone = runs.find((_, index) => found[index] === undefined);
      if (gone) throw missingRun(gone);
      return await task(found.filter((run) => run !== undefined));
    } finally {
      await Promise.all(locks.map((lock) => lock.release()));
    }
  }
  const loading = { holder: ownDir, signal: ending.signal, reading, directoryOf: (run: RunId) => runDirectory(dir, run) };

  return {
    projectId: owner.projectId,
    dir,
    plansDir: plansDirectory(dir),
    holder: ownDir,
    quotaBytes: quota.limitBytes,
    usedBytes: () => bytesBelow(ownDir),
    checkWritable: () => tryDirectory(owner.dir),
    async runs(jobId) {
      const found = (await manifests(jobId)).flatMap(({ manifest }) => manifest ?? []);
      convert(found);
      return found.toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from) || Date.parse(a.exportedAt) - Date.parse(b.exportedAt));
    },
    find: (id) => readManifest(dir, id),
    async unfinished(jobId) {
      const ids = (await manifests(jobId)).filter(({ manifest }) => !manifest).map(({ id }) => id);
      return Promise.all(ids.map(async (id) => ({ ...id, bytes: await bytesBelow(runDirectory(dir, id)) })));
    },
    directoryOf: (run) => runDirectory(dir, run),
    pathOf: (run, { name }) => join(runDirectory(dir, run), name),
    reading,
    warehouse,
    conversionFailure: (run) => conversionFailure(run, dir),
    download: (id, listed) => start(id, { listed }),
    downloadInTurn: (id, listed) => start(id, { listed, inTurn: (task) => inTurn(ownDir, task) }),
    underWay: (id) => downloadOf(dir, id),
    async settled(downloads, untilMs, signal) {
      if (untilMs <= clock.now()) return;
      const enough = new AbortController();
      const time = clock.sleep(Math.max(0, untilMs - clock.now()), AbortSignal.any([signal, enough.signal]));
      try {
        await Promise.race([time, Promise.allSettled(downloads.map(({ result }) => result))]);
      } finally {
        enough.abort();
        time.catch(() => undefined);
      }
    },
    async remove(id) {
      const directory = runDirectory(dir, id);
      const lock = await lockRun('write', directory, id);
      try {
        const bytes = await bytesBelow(directory);
        // Renamed first, so that a kill in the middle leaves no partial run.
        const removed = join(dirname(directory), `${REMOVED}${randomUUID()}`);
        await rename(directory, removed);
        await rm(removed, { recursive: true, force: true });
        await rmdir(dirname(directory)).catch(() => undefined); // other runs of the job are there
        // What was read out of a run goes with it.
        await rm(resultsDirectory(dir), { recursive: true, force: true });
        return bytes;
      } catch (error) {
        throw diskFailure(error, directory);
      } finally {
        await lock.release();
      }
    },
    async converted() {
      while (converting.size > 0) await Promise.all(converting);
      await warehouse?.settled();
    },
    async close() {
      ending.abort(new WorkspaceError('busy', 'The server stopped the download because the session ended; what has arrived is kept.'));
      await Promise.allSettled([...[...started].map(({ result }) => result), ...converting]);
      await warehouse?.settled('own');
      await store.close();
    },
  };
}

/** Removes what an ended process left beside complete runs, and runs that it was removing. */
async function tidy(projectDir: string): Promise<void> {
  for (const id of await runsIn(projectDir)) {
    const directory = runDirectory(projectDir, id);
    const manifest = await readManifest(projectDir, id);
    const needed = manifest && new Set([MANIFEST, ...filesOnDisk(manifest).map(({ name }) => name)]);
    const names = await readdir(directory).catch(() => []);
    // The lock of a reader is left; that of a killed process is removed.
    if (names.some(isLockName)) await removeDeadLocks(directory);
    if (!needed || names.every((name) => needed.has(name) || isLockName(name))) continue;
    const lock = await takeLock(directory, 'write');
    if (!('release' in lock)) continue;
    await removeTempFiles(directory, manifest);
    await lock.release();
  }
  await removeStaleSpillDirectories(projectDir);
  for (const job of await readdir(projectDir).catch(() => [])) {
    const removed = (await readdir(join(projectDir, job)).catch(() => [])).filter((name) => name.startsWith(REMOVED));
    for (const name of removed) await rm(join(projectDir, job, name), { recursive: true, force: true });
  }
}
