import { formatMs } from '../../../lib/number-text.ts';
import type { Har, HarEntry } from '../read/har-model.ts';
import { isCompressible } from '../read/resource-type.ts';
import type { HarSummary } from '../summary/har-summary.ts';
import { collectSummary } from '../summary/summarize-har.ts';
import { isCompressed } from '../summary/waste.ts';
import { type Blocking, collectBlocking, firstByteOf } from './blocking.ts';
import { type ConcernedRequests, collectConcerned } from './concerned-requests.ts';
import { type LargestPaint, largestPaintOf, type PaintTimes } from './largest-paint.ts';
import { collectParties, type EntityOf, type PartyGroup } from './third-parties.ts';

/** Measures the share that compression leaves of a text, on the compressed texts of the file; null where there are none. */
function collectCompressedShare() {
  let packedBytes = 0;
  let unpackedBytes = 0;
  return {
    add(entry: HarEntry): void {
      const { transferBytes, contentBytes } = entry;
      if (!transferBytes || !contentBytes || transferBytes > contentBytes || !isCompressed(entry) || !isCompressible(entry.mime)) return;
      packedBytes += transferBytes;
      unpackedBytes += contentBytes;
    },
    share: (): number | null => (unpackedBytes > 0 ? packedBytes / unpackedBytes : null),
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

/** Everything known of a HAR file beyond its summary, computed once for all views. */
export interface HarStudy {
  readonly har: Har;
  readonly summary: HarSummary;
  /** The document and the redirects that led to it. */
  readonly main: ReadonlySet<HarEntry>;
  readonly blocking: Blocking;
  readonly parties: readonly PartyGroup[];
  /** As the report of the step says, all null where none was read. */
  readonly paints: PaintTimes;
  /** What the largest paint probably showed; null where its time is unknown. */
  readonly largest: LargestPaint | null;
  readonly concerned: ConcernedRequests;
  /** The share that compression leaves of a text, measured on the compressed texts of the file; null where there are none. */
  readonly compressedShare: number | null;
  /** Why file and report cannot be read together, where they cannot. */
  readonly notes: readonly string[];
}

/** By so much may the first byte of a document come after a paint on another clock. */
const CLOCKS_MS = 50;

/** The paints as far as they agree with the file: none can come before the document's first byte. */
function agreeing(paints: PaintTimes, firstByteMs: number | null): { paints: PaintTimes; notes: string[] } {
  const early = [paints.fcpMs, paints.lcpMs].find((ms) => ms !== null && firstByteMs !== null && ms < firstByteMs - CLOCKS_MS);
  if (early == null) return { paints, notes: [] };
  const note =
    `By its report the page was painted after ${formatMs(early)}, before the first byte of its document in this file ` +
    `(${formatMs(firstByteMs)}): the two do not fit together, so no paint is explained by a request.`;
  return { paints: { ...paints, fcpMs: null, lcpMs: null }, notes: [note] };
}

const NO_PAINTS: PaintTimes = { fcpMs: null, lcpMs: null, tbtMs: null, loadMs: null };

/**
 * Studies a HAR file in one pass: on a large one, looking at each request is what takes time. The entities give the names of third parties,
 * the report of the step its paints.
 */
export function studyHar(har: Har, entityOf: EntityOf, reported: PaintTimes = NO_PAINTS): HarStudy {
  const { paints, notes } = agreeing(reported, firstByteOf(har));
  const main = new Set(har.document ? [...har.redirects, har.document] : []);
  const [summary, blocking] = [collectSummary(har, { top: 3, errors: 3 }), collectBlocking(har, paints.fcpMs)];
  const [parties, concerned, compressed] = [collectParties(entityOf), collectConcerned(main), collectCompressedShare()];
  for (const entry of har.entries) {
    summary.add(entry);
    blocking.add(entry);
    parties.add(entry);
    concerned.add(entry);
    compressed.add(entry);
  }
  const found = blocking.blocking();
  return {
    har,
    summary: summary.summary(),
    main,
    blocking: found,
    parties: parties.groups(found.entries),
    paints,
    largest: largestPaintOf(har, paints, found),
    concerned: concerned.concerned(),
    compressedShare: compressed.share(),
    notes,
  };
}
