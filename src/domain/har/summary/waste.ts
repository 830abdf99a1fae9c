import { withoutFragment } from '../read/find-document.ts';
import type { HarEntry, ResourceType } from '../read/har-model.ts';
import { isApiAnswer, isCompressible } from '../read/resource-type.ts';
import { shortUrl } from '../sanitise-url.ts';
import {
  count,
  type DuplicateRow,
  type HarSummary,
  keepTop,
  noRequests,
  requestRow,
  sum,
  topBy,
  type WasteFinding,
  weightOf,
} from './har-summary.ts';

/** Below it a text fits one packet and packing it saves no time. */
const WORTH_PACKING_BYTES = 1400;
const SHORT_CACHE_SECONDS = 7 * 86_400;
const STATIC_TYPES = new Set<ResourceType>(['script', 'stylesheet', 'image', 'font', 'media']);
const PACKED = /\b(?:gzip|br|zstd|deflate|dcb|dcz|sdch)\b/;

/** Collects what a page could save, request by request. */
export interface WasteCollector {
  add(entry: HarEntry): void;
  findings(): HarSummary['findings'];
}

/** Came with a content encoding that packs; `identity` does not. */
export function isCompressed({ contentEncoding }: HarEntry): boolean {
  return contentEncoding !== null && PACKED.test(contentEncoding);
}

/** Text that was fetched and is worth packing, but came without content encoding. */
export function isUncompressedText(entry: HarEntry): boolean {
  return (
    wasFetched(entry) &&
    entry.headersKnown &&
    (entry.contentBytes ?? 0) >= WORTH_PACKING_BYTES &&
    !isCompressed(entry) &&
    isCompressible(entry.mime)
  );
}

/** How a static file fails to be kept: it may not be reused or does not say for how long (`missing`), or for less than a week (`short`). */
export function cacheFault(entry: HarEntry): 'missing' | 'short' | null {
  if (!wasFetched(entry) || !entry.headersKnown) return null;
  const { cacheLifetimeSeconds: seconds } = entry;
  if (seconds !== null && seconds >= SHORT_CACHE_SECONDS) return null;
  if (!STATIC_TYPES.has(entry.type) || entry.method !== 'GET' || entry.host === null) return null;
  if (isApiAnswer(entry) || isPixel(entry)) return null;
  return seconds === null || seconds === 0 ? 'missing' : 'short';
}

/** Images of one pixel that count visits have 35 to 100 bytes and must be fetched each time. */
const MOST_PIXEL_BYTES = 150;

/** An image that is asked for to tell its server something, not to be seen. */
function isPixel({ type, contentBytes, transferBytes, url }: HarEntry): boolean {
  if (type !== 'image' || url.startsWith('data:')) return false;
  const bytes = contentBytes ?? transferBytes;
  return bytes !== null && bytes <= MOST_PIXEL_BYTES;
}

function wasFetched(entry: HarEntry): boolean {
  return entry.status === 200 && !entry.fromCache;
}

/**
 * Finds the repeats among requests that come in order of start: each fetch of an address after the first on the same page, from the
 * network.
 */
export function repeatFinder(): (entry: HarEntry) => string | null {
  const pages = new Map<string | null, Set<string>>();
  return (entry) => {
    if (!wasFetched(entry) || entry.method !== 'GET' || entry.host === null) return null;
    let seen = pages.get(entry.pageId);
    if (!seen) pages.set(entry.pageId, (seen = new Set()));
    const url = withoutFragment(entry.url);
    const before = seen.size;
    seen.add(url);
    return seen.size === before ? url : null;
  };
}

/** Collects possible savings, each finding with the bytes it concerns. Entries without response headers prove nothing and are left out. */
export function collectWaste(top: number): WasteCollector {
  const uncompressedText = collectFinding(top);
  const uncompressedAnswers = collectFinding(top);
  const missingCache = collectFinding(top);
  const shortCache = collectFinding(top);
  const repeatedUrl = repeatFinder();
  const pages = new Map<string | null, Map<string, DuplicateRow>>();
  const repeated: DuplicateRow[] = [];
  const countRepeat = (url: string, entry: HarEntry): void => {
    let rows = pages.get(entry.pageId);
    if (!rows) pages.set(entry.pageId, (rows = new Map()));
    let row = rows.get(url);
    if (!row) {
      rows.set(url, (row = { url, repeats: 0, transferBytes: null, contentBytes: null }));
      repeated.push(row);
    }
    row.repeats += 1;
    row.transferBytes = sum(row.transferBytes, entry.transferBytes);
    row.contentBytes = sum(row.contentBytes, entry.contentBytes);
  };
  return {
    add(entry) {
      if (isUncompressedText(entry)) (isApiAnswer(entry) ? uncompressedAnswers : uncompressedText).add(entry);
      const fault = cacheFault(entry);
      if (fault !== null) (fault === 'missing' ? missingCache : shortCache).add(entry);
      const url = repeatedUrl(entry);
      if (url !== null) countRepeat(url, entry);
    },
    findings: () => ({
      uncompressedText: uncompressedText.finding(),
      uncompressedAnswers: uncompressedAnswers.finding(),
      missingCache: missingCache.finding(),
      shortCache: shortCache.finding(),
      duplicates: {
        addresses: repeated.length,
        repeats: repeated.reduce((repeats, row) => repeats + row.repeats, 0),
        transferBytes: repeated.reduce<number | null>((bytes, row) => sum(bytes, row.transferBytes), null),
        heaviest: topBy(repeated, (row) => weightOf(row) ?? 0, top).map((row) => ({ ...row, url: shortUrl(row.url) })),
      },
    }),
  };
}

function collectFinding(top: number) {
  const totals = noRequests();
  const heaviest = keepTop<HarEntry>(top);
  return {
    add(entry: HarEntry): void {
      count(totals, entry);
      heaviest.add(entry, weightOf(entry));
    },
    finding: (): WasteFinding => ({ ...totals, heaviest: heaviest.items().map(requestRow) }),
  };
}
