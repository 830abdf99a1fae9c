import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { formatBytes } from '../lib/number-text.ts';
import { WorkspaceError } from './workspace-error.ts';

/** Others write into the directory too, so it is counted anew after so much was written here, or so long. */
const RECOUNT_BYTES = 64 * 1024 * 1024;
const RECOUNT_MS = 30_000;

/** The room that a data directory may take, whoever fills it. */
export interface Quota {
  readonly limitBytes: number;
  /** Throws a `WorkspaceError` of kind `full` where so much more does not fit. */
  check(bytes: number): Promise<void>;
  /** The same for what is written now, which counts from here on. */
  claim(bytes: number): Promise<void>;
}

/** Bytes of all files below a directory; what vanishes meanwhile counts nothing. */
export async function bytesBelow(directory: string): Promise<number> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  let bytes = 0;
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) bytes += await bytesBelow(path);
    else if (entry.isFile()) bytes += await stat(path).then(({ size }) => size, () => 0); // biome-ignore format: one thought
  }
  return bytes;
}

/** Watches over the room of one directory. */
export function createQuota(directory: string, limitBytes: number): Quota {
  let counted = { bytes: 0, atMs: Number.NEGATIVE_INFINITY };
  let writtenSince = 0;

  async function check(bytes: number): Promise<void> {
    const isFresh = performance.now() - counted.atMs < RECOUNT_MS && writtenSince < RECOUNT_BYTES;
    if (isFresh && counted.bytes + writtenSince + bytes <= limitBytes) return;
    counted = { bytes: await bytesBelow(directory), atMs: performance.now() };
    writtenSince = 0;
    if (counted.bytes + bytes <= limitBytes) return;
    const used = `${formatBytes(counted.bytes)} of ${formatBytes(limitBytes)} are taken in ${directory}`;
    const next = 'Make room with purge_workspace or raise WEB_ANALYTICS_DATA_QUOTA_MB, then call again: what has arrived is kept.';
    throw new WorkspaceError('full', `No room for another ${formatBytes(bytes)}: ${used}. ${next}`);
  }

  return {
    limitBytes,
    check,
    async claim(bytes) {
      await check(bytes);
      writtenSince += bytes;
    },
  };
}
