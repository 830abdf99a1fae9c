import { withoutFragment } from './document.ts';
import type { HarEntry, ResourceType } from './model.ts';
import { isCompressible } from './resource-type.ts';
import { shortUrl } from './sanitise-url.ts';
import type { DuplicateRow, Finding, HarSummary } from './summary-types.ts';
import { count, noRequests, requestRow, topBy, weightOf } from './totals.ts';

/** Below it a text fits one packet and packing it saves no time. */
const WORTH_PACKING_BYTES = 1400;
const SHORT_CACHE_SECONDS = 7 * 86_400;
const STATIC_TYPES = new Set<ResourceType>(['script', 'stylesheet', 'image', 'font', 'media']);
const PACKED = /\b(?:gzip|br|zstd|deflate|dcb|dcz|sdch)\b/;

/** What a page could save, each finding with the bytes it concerns. Entries without response headers prove nothing and are left out. */
export function findWaste(entries: HarEntry[], top: number): HarSummary['findings'] {
  const fetched = entries.filter((entry) => entry.status === 200 && !entry.fromCache);
  const told = fetched.filter((entry) => entry.headersKnown);
  const files = told.filter((entry) => STATIC_TYPES.has(entry.type) && entry.method === 'GET' && entry.host !== null);
  return {
    uncompressedText: finding(told.filter(isUnpackedText), top),
    missingCache: finding(
      files.filter((entry) => entry.cacheLifetimeSeconds === null || entry.cacheLifetimeSeconds === 0),
      top,
    ),
    shortCache: finding(
      files.filter((entry) => isBetween(entry.cacheLifetimeSeconds, 0, SHORT_CACHE_SECONDS)),
      top,
    ),
    duplicates: findDuplicates(fetched, top),
  };
}

function isUnpackedText(entry: HarEntry): boolean {
  return (
    isCompressible(entry.mime) &&
    (entry.contentBytes ?? 0) >= WORTH_PACKING_BYTES &&
    !(entry.contentEncoding && PACKED.test(entry.contentEncoding))
  );
}

function isBetween(value: number | null, above: number, below: number): boolean {
  return value !== null && value > above && value < below;
}

function finding(entries: HarEntry[], top: number): Finding {
  const totals = noRequests();
  for (const entry of entries) count(totals, entry);
  return { ...totals, heaviest: topBy(entries, weightOf, top).map(requestRow) };
}

function findDuplicates(entries: HarEntry[], top: number): HarSummary['findings']['duplicates'] {
  const pages = new Map<string | null, Map<string, DuplicateRow>>();
  const repeated = new Set<DuplicateRow>();
  for (const entry of entries) {
    if (entry.method !== 'GET' || entry.host === null) continue;
    let seen = pages.get(entry.pageId);
    if (!seen) pages.set(entry.pageId, (seen = new Map()));
    const url = withoutFragment(entry.url);
    const row = seen.get(url);
    if (!row) {
      seen.set(url, { url, repeats: 0, transferBytes: null, contentBytes: null });
      continue;
    }
    row.repeats += 1;
    row.transferBytes = sum(row.transferBytes, entry.transferBytes);
    row.contentBytes = sum(row.contentBytes, entry.contentBytes);
    repeated.add(row);
  }
  let repeats = 0;
  let transferBytes: number | null = null;
  for (const row of repeated) {
    repeats += row.repeats;
    transferBytes = sum(transferBytes, row.transferBytes);
  }
  const heaviest = topBy(repeated, (row) => weightOf(row) ?? 0, top).map(shownRow);
  return { addresses: repeated.size, repeats, transferBytes, heaviest };
}

function shownRow({ url, repeats, transferBytes, contentBytes }: DuplicateRow): DuplicateRow {
  return { url: shortUrl(url), repeats, transferBytes, contentBytes };
}

function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}
