import { randomUUID } from 'node:crypto';
import { readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { mapConcurrent } from '../lib/concurrency.ts';
import { removeTempFiles } from './download/download-run.ts';
import { diskFailure } from './store/disk.ts';
import { MANIFEST, resultsDirectory, runDirectory } from './store/layout.ts';
import { isLockName, type Lock, removeDeadLocks, takeLock } from './store/lock.ts';
import { lockRun, missingRun } from './store/lock-run.ts';
import { filesOnDisk, type RunId, type RunManifest, readManifest, runsIn } from './store/manifest.ts';
import { bytesBelow } from './store/quota.ts';
import { removeStaleSpillDirectories } from './store/spill.ts';

const REMOVED = '.removed-';

/** A directory of a run, and its manifest where it is complete. */
export interface StoredRun {
  readonly id: RunId;
  readonly manifest: RunManifest | undefined;
}

/** Lists the runs of a project directory; what ended processes left there is removed before the first list. */
export function createRunList(projectDir: string): (jobId?: number) => Promise<StoredRun[]> {
  let tidied: Promise<void> | undefined;
  return async (jobId) => {
    tidied ??= tidy(projectDir);
    await tidied;
    const ids = await runsIn(projectDir, jobId);
    const read = await mapConcurrent(ids, 16, async (id) => ({ id, manifest: await readManifest(projectDir, id) }));
    return read.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  };
}

/** Runs `task` while no process can remove a file of these runs; throws a `WorkspaceError` where one is missing or being removed. */
export async function readRuns<T>(projectDir: string, runs: readonly RunId[], task: (found: RunManifest[]) => Promise<T>): Promise<T> {
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
export async function removeRun(projectDir: string, id: RunId): Promise<number> {
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
