import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DIRECTORY_MODE, namesIn } from './disk.ts';
import { takeLock } from './lock.ts';

const PREFIX = 'spill-';

/**
 * Creates a private directory for data that does not fit into the memory of a process, with a lock while it is in use; rejects where
 * nothing can be written there.
 */
export async function createSpillDirectory(below: string) {
  const directory = join(below, `${PREFIX}${randomUUID()}`);
  await mkdir(directory, { mode: DIRECTORY_MODE });
  const lock = await takeLock(directory, 'write');
  return {
    directory,
    async remove(): Promise<void> {
      if ('release' in lock) await lock.release();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Removes the directories of killed processes. */
export async function removeStaleSpillDirectories(below: string): Promise<void> {
  for (const name of await namesIn(below)) {
    if (!name.startsWith(PREFIX)) continue;
    const lock = await takeLock(join(below, name), 'write').catch(() => undefined);
    if (!lock || !('release' in lock)) continue;
    await lock.release();
    await rm(join(below, name), { recursive: true, force: true });
  }
}
