import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { hint } from '../../lib/hint.ts';
import { formatBytes } from '../../lib/number-text.ts';
import { statOf, WorkspaceError } from './disk.ts';

/** Other processes write into the directory too, so it is measured again after this many bytes or this time. */
const RECOUNT_BYTES = 64 * 1024 * 1024;
const RECOUNT_MS = 30_000;

/** Ends the name of a file that a conversion makes for itself and removes again: no data that is kept, so it takes no room from them. */
export const SCRATCH = '.scratch';

/** Lists a directory. */
export type List = (directory: string) => Promise<Dirent[]>;
const listed: List = (directory) => readdir(directory, { withFileTypes: true });

/** A directory whose files are renamed all the time is listed so often; then the largest sum counts. */
const MOST_LISTS = 20;

/**
 * Bytes of all files below a directory. A file that has gone when its size is asked may have another name by then, because a file that
 * arrives is renamed when it is whole. Its directory is listed again, so that it is counted.
 */
export async function bytesBelow(directory: string, list: List = listed): Promise<number> {
  let most = 0;
  for (let lists = 1; ; lists += 1) {
    const entries = await list(directory).catch(() => []);
    let [bytes, hasChanged] = [0, false];
    for (const entry of entries) {
      const path = join(directory, entry.name);
      if (entry.isDirectory()) bytes += await bytesBelow(path, list);
      else if (entry.isFile() && !entry.name.endsWith(SCRATCH)) {
        const found = await statOf(path);
        bytes += found?.size ?? 0;
        hasChanged ||= found === undefined;
      }
    }
    most = Math.max(most, bytes);
    if (!hasChanged) return bytes;
    if (lists >= MOST_LISTS) return most;
  }
}

/** Watches over the room that a directory may take, for all processes together. */
export function createQuota(directory: string, limitBytes: number, list?: List) {
  // One after the other, so that two files are not promised the same room.
  const inTurn = pLimit(1);
  let counted = { bytes: 0, atMs: Number.NEGATIVE_INFINITY };
  let writtenSince = 0;
  let kept = 0;

  async function keep(bytes: number): Promise<void> {
    const isFresh = performance.now() - counted.atMs < RECOUNT_MS && writtenSince < RECOUNT_BYTES;
    if (!isFresh || counted.bytes + writtenSince + kept + bytes > limitBytes) {
      writtenSince = 0;
      counted = { bytes: await bytesBelow(directory, list), atMs: performance.now() };
    }
    if (counted.bytes + writtenSince + kept + bytes > limitBytes) {
      const usedBytes = counted.bytes + writtenSince + kept;
      const used = `${formatBytes(usedBytes)} of ${formatBytes(limitBytes)} are used or reserved`;
      const next =
        'Make room' +
        hint('purge_workspace', ' with purge_workspace') +
        ' or raise WEB_ANALYTICS_DATA_QUOTA_MB, then call again: what has arrived is kept.';
      throw new WorkspaceError('full', `No room for another ${formatBytes(bytes)}: ${used}. ${next}`);
    }
    kept += bytes;
  }

  return {
    limitBytes,
    /** Room for one file, empty at first, which is kept until its bytes are written. */
    room() {
      let left = 0;
      return {
        /** Checks that this many more bytes may be written; throws a `WorkspaceError` of kind `full` where they do not fit. */
        async need(bytes: number): Promise<void> {
          const missing = bytes - left;
          if (missing <= 0) return;
          await inTurn(() => keep(missing));
          left += missing;
        },
        /** This many of its bytes are on the disk now. */
        written(bytes: number): void {
          const own = Math.min(left, bytes);
          left -= own;
          kept -= own;
          writtenSince += bytes;
        },
        /** Releases the part that was not written. */
        release(): void {
          kept -= left;
          left = 0;
        },
      };
    },
  };
}

/** The room of a directory. */
export type Quota = ReturnType<typeof createQuota>;
