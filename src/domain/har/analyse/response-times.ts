import type { HarEntry } from '../read/har-model.ts';
import { isCompressible } from '../read/resource-type.ts';
import { hasFailed } from '../summary/entry-counts.ts';
import { isCompressed } from '../summary/waste.ts';

/** From this wait on a server's answer counts as slow. */
export const SLOW_ANSWER_MS = 500;

/** What the answers of servers were like. */
export interface Answers {
  /** Requests beside the document that waited long for their first byte. */
  readonly slow: readonly HarEntry[];
  /** Failed requests by status, 0 for no response, and the longest duration of one. */
  readonly failures: ReadonlyMap<number, number>;
  readonly longestFailureMs: number;
  /** The share that compression leaves of a text, measured on the compressed texts of the file; null where there are none. */
  readonly compressedShare: number | null;
}

/** Collects what answers were like; the main document and what led to it are never slow answers, they have a finding of their own. */
export function collectAnswers(main: ReadonlySet<HarEntry>) {
  const slow: HarEntry[] = [];
  const failures = new Map<number, number>();
  let longestFailureMs = 0;
  let packedBytes = 0;
  let unpackedBytes = 0;
  return {
    add(entry: HarEntry): void {
      if (answersSlowly(entry, main)) slow.push(entry);
      if (hasFailed(entry)) {
        failures.set(entry.status, (failures.get(entry.status) ?? 0) + 1);
        longestFailureMs = Math.max(longestFailureMs, entry.durationMs ?? 0);
      }
      const { transferBytes, contentBytes } = entry;
      if (!transferBytes || !contentBytes || transferBytes > contentBytes || !isCompressed(entry) || !isCompressible(entry.mime)) return;
      packedBytes += transferBytes;
      unpackedBytes += contentBytes;
    },
    answers: (): Answers => ({
      slow,
      failures,
      longestFailureMs,
      compressedShare: unpackedBytes > 0 ? packedBytes / unpackedBytes : null,
    }),
  };
}

/** The request that waited longest for its first byte; null where none waited. */
export function longestWait(entries: readonly HarEntry[]): { entry: HarEntry; waitMs: number } | null {
  let longest: { entry: HarEntry; waitMs: number } | null = null;
  for (const entry of entries) {
    const { waitMs } = entry.timings;
    if (waitMs !== null && waitMs > (longest?.waitMs ?? 0)) longest = { entry, waitMs };
  }
  return longest;
}

/** True for a request that waited long for its first byte, those of the main document aside. */
export function answersSlowly(entry: HarEntry, main: ReadonlySet<HarEntry>): boolean {
  return (entry.timings.waitMs ?? 0) >= SLOW_ANSWER_MS && !main.has(entry);
}
