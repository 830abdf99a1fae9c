import type { HarEntry } from './model.ts';
import { shortUrl } from './sanitise-url.ts';
import type { RequestRow, RequestTotals } from './summary-types.ts';

/** Totals of no request yet. */
export function noRequests(): RequestTotals {
  return { requests: 0, transferBytes: null, requestsWithoutTransferSize: 0, contentBytes: null, requestsWithoutContentSize: 0 };
}

/** Adds a request to totals in place. */
export function count(totals: RequestTotals, entry: HarEntry): void {
  totals.requests += 1;
  if (entry.transferBytes === null) totals.requestsWithoutTransferSize += 1;
  else totals.transferBytes = (totals.transferBytes ?? 0) + entry.transferBytes;
  if (entry.contentBytes === null) totals.requestsWithoutContentSize += 1;
  else totals.contentBytes = (totals.contentBytes ?? 0) + entry.contentBytes;
}

/** Totals by key, keys in order of their first request. */
export function groupBy<Key>(entries: HarEntry[], keyOf: (entry: HarEntry) => Key): Map<Key, RequestTotals> {
  const groups = new Map<Key, RequestTotals>();
  for (const entry of entries) {
    const key = keyOf(entry);
    let totals = groups.get(key);
    if (!totals) groups.set(key, (totals = noRequests()));
    count(totals, entry);
  }
  return groups;
}

/** Bytes by which requests and groups are ranked: those transferred, the content where these are unknown, null where both are. */
export function weightOf(sized: { transferBytes: number | null; contentBytes: number | null }): number | null {
  return sized.transferBytes ?? sized.contentBytes;
}

/** The `limit` items with the largest value, largest first, earlier ones first among equals, those without a value never; keeps a short list instead of sorting all. */
export function topBy<Item>(items: Iterable<Item>, valueOf: (item: Item) => number | null, limit: number): Item[] {
  const top: { item: Item; value: number }[] = [];
  if (limit < 1) return [];
  for (const item of items) {
    const value = valueOf(item);
    if (value === null) continue;
    const last = top.at(-1);
    if (top.length >= limit && last && value <= last.value) continue;
    let at = top.length;
    while (at > 0 && (top[at - 1]?.value ?? 0) < value) at -= 1;
    top.splice(at, 0, { item, value });
    if (top.length > limit) top.pop();
  }
  return top.map(({ item }) => item);
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE']);

/** The entry as a row that is safe to show. */
export function requestRow(entry: HarEntry): RequestRow {
  return {
    index: entry.index,
    url: shortUrl(entry.url),
    method: METHODS.has(entry.method) ? entry.method : 'other',
    status: entry.status,
    type: entry.type,
    party: entry.party,
    startMs: entry.startMs,
    durationMs: entry.durationMs,
    transferBytes: entry.transferBytes,
    contentBytes: entry.contentBytes,
  };
}
