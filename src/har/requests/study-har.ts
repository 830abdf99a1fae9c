import { formatMs } from '../../lib/number-text.ts';
import { present } from '../../lib/sentences.ts';
import type { Har } from '../read/read-har.ts';
import { blockingOf } from './blocking.ts';
import { largestPaintOf, type PaintTimes } from './largest-paint.ts';
import { type EntityOf, partiesOf } from './third-parties.ts';
import { documentTimes, firstByteOf, loadTotals } from './totals.ts';

/** Everything derived from a load, once for all answers. */
export type HarStudy = ReturnType<typeof studyHar>;

/** By so much may the first byte of a document come after a paint on another clock. */
const CLOCKS_MS = 50;

/** The paints as far as they agree with the file: none can come before the document's first byte. */
function agreeing(paints: PaintTimes, firstByteMs: number | null) {
  const early = [paints.fcpMs, paints.lcpMs].find((ms) => ms !== null && firstByteMs !== null && ms < firstByteMs - CLOCKS_MS);
  if (early == null) return { paints, notes: [] };
  const note =
    `By its report the page was painted after ${formatMs(early)}, before the first byte of its document in this file ` +
    `(${formatMs(firstByteMs)}): the two do not fit together, so no paint is explained by a request.`;
  return { paints: { ...paints, fcpMs: null, lcpMs: null }, notes: [note] };
}

function fileNotes({ entries, pages, notes }: Har): string[] {
  const headless = entries.filter(({ headersKnown }) => !headersKnown).length;
  return present(
    ...notes,
    pages.length > 1 && `The load spans ${pages.length} pages of the file; onContentLoad and onLoad are those of the page of its document.`,
    headless > 0 &&
      `${headless} of ${entries.length} requests have no response headers: nothing is known of their caching and compression.`,
  );
}

const NO_PAINTS: PaintTimes = { fcpMs: null, lcpMs: null, tbtMs: null, loadMs: null };

/** Studies a HAR file; the entities give the names of third parties, the report of the step its paints. */
export function studyHar(har: Har, entityOf: EntityOf, reported: PaintTimes = NO_PAINTS) {
  // Hosts of one entity are of one party, whatever their names.
  const own = har.document?.host && entityOf(har.document.host)?.name;
  for (const entry of har.entries) if (own && entry.host && entityOf(entry.host)?.name === own) entry.party = 'first';
  const { paints, notes } = agreeing(reported, firstByteOf(har));
  const blocking = blockingOf(har, paints.fcpMs);
  const blocks = new Set(blocking.entries);
  return {
    har,
    entries: har.entries,
    entityOf,
    /** The document and the redirects that led to it. */
    main: new Set(har.document ? [...har.redirects, har.document] : []),
    document: documentTimes(har),
    totals: loadTotals(har),
    blocking,
    blocks,
    parties: partiesOf(har.entries, entityOf, blocks),
    /** As the report of the step says, all null where none was read. */
    paints,
    /** The likely element of the largest paint; null where its time is unknown. */
    largest: largestPaintOf(har, paints, blocking),
    /** Parts that could not be read of the file or is not known of it, and why it and the report do not fit together. */
    notes: [...notes, ...fileNotes(har)],
  };
}
