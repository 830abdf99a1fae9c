import type { HarEntry } from '../read/har-model.ts';
import { shortUrl } from '../sanitise/sanitise-url.ts';
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

/** Adds a request to the totals of its group. */
export function countIn<Key>(groups: Map<Key, RequestTotals>, key: Key, entry: HarEntry): void {
  let totals = groups.get(key);
  if (!totals) groups.set(key, (totals = noRequests()));
  count(totals, entry);
}

/** Adds the totals of one group to those of another in place. */
export function addTotals(totals: RequestTotals, more: RequestTotals): void {
  totals.requests += more.requests;
  totals.transferBytes = sum(totals.transferBytes, more.transferBytes);
  totals.requestsWithoutTransferSize += more.requestsWithoutTransferSize;
  totals.contentBytes = sum(totals.contentBytes, more.contentBytes);
  totals.requestsWithoutContentSize += more.requestsWithoutContentSize;
}

/** The sum of what is known; null where nothing is. */
export function sum(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0);
}

/** Bytes by which requests and groups are ranked: those transferred, the content where these are unknown, null where both are. */
export function weightOf(sized: { transferBytes: number | null; contentBytes: number | null }): number | null {
  return sized.transferBytes ?? sized.contentBytes;
}

/** The items with the largest values so far. */
export interface Top<Item> {
  add(item: Item, value: number | null): void;
  /** Largest first, earlier ones first among equals. */
  items(): Item[];
}

/** Keeps the `limit` items with the largest values, those without a value never; a short list instead of a sort of all. */
export function keepTop<Item>(limit: number): Top<Item> {
  const top: { item: Item; value: number }[] = [];
  let lowest = limit < 1 ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  return {
    add(item, value) {
      if (value === null || value <= lowest) return;
      let at = top.length;
      while (at > 0 && (top[at - 1]?.value ?? 0) < value) at -= 1;
      top.splice(at, 0, { item, value });
      if (top.length > limit) top.pop();
      if (top.length === limit) lowest = top[limit - 1]?.value ?? lowest;
    },
    items: () => top.map(({ item }) => item),
  };
}

/** The `limit` items with the largest value, as `keepTop` orders them. */
export function topBy<Item>(items: Iterable<Item>, valueOf: (item: Item) => number | null, limit: number): Item[] {
  const top = keepTop<Item>(limit);
  for (const item of items) top.add(item, valueOf(item));
  return top.items();
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE']);

/** The method where it is one of HTTP; any other may be anything. */
export function shownMethod(method: string): string {
  return METHODS.has(method) ? method : 'other';
}

/** The entry as a row that is safe to show. */
export function requestRow(entry: HarEntry): RequestRow {
  return {
    index: entry.index,
    url: shortUrl(entry.url),
    method: shownMethod(entry.method),
    status: entry.status,
    type: entry.type,
    party: entry.party,
    startMs: entry.startMs,
    durationMs: entry.durationMs,
    transferBytes: entry.transferBytes,
    contentBytes: entry.contentBytes,
  };
}
