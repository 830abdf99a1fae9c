import type { HarEntry, HarTimings, Party, ResourceType } from '../read/har-model.ts';
import { shortUrl } from '../sanitise-url.ts';

/** Numbers of a group of requests; a size is the sum of what is known, null when nothing is, with the requests it lacks beside it. */
export interface RequestTotals {
  requests: number;
  transferBytes: number | null;
  requestsWithoutTransferSize: number;
  contentBytes: number | null;
  requestsWithoutContentSize: number;
}

/** One request in a list; the address is sanitised and shortened, `index` finds the entry. */
export interface RequestRow {
  index: number;
  url: string;
  method: string;
  status: number | null;
  type: ResourceType;
  party: Party | null;
  startMs: number | null;
  durationMs: number | null;
  transferBytes: number | null;
  contentBytes: number | null;
}

/** The cost of the main document before its first byte. */
export interface DocumentSummary extends HarTimings {
  url: string;
  status: number | null;
  /** Redirects that led to the document, in order. */
  redirects: RequestRow[];
  /** From the start of the first redirect to the start of the document; 0 without redirects. */
  redirectMs: number | null;
  /** Blocked to wait of the document alone, without its redirects; null when the wait is unknown. */
  ttfbMs: number | null;
  protocol: string | null;
  transferBytes: number | null;
  contentBytes: number | null;
}

/** A page of the file: a step that loads twice has two. */
export interface PageRow {
  id: string;
  title: string;
  requests: number;
  startMs: number | null;
  onContentLoadMs: number | null;
  onLoadMs: number | null;
}

/** Requests that cost more bytes than they had to: all of them counted, the heaviest listed. */
export interface WasteFinding extends RequestTotals {
  heaviest: RequestRow[];
}

/** An address fetched more than once: `repeats` counts the fetches after the first, the sizes are theirs. */
export interface DuplicateRow {
  url: string;
  repeats: number;
  transferBytes: number | null;
  contentBytes: number | null;
}

/** The summary of a HAR file, as plain data free of secrets; numbers are exact, in the units of their names. */
export interface HarSummary {
  document: DocumentSummary | null;
  pages: PageRow[];
  totals: RequestTotals & {
    /** From the first start to the last end. */
    durationMs: number | null;
    onContentLoadMs: number | null;
    onLoadMs: number | null;
    hosts: number;
    domains: number;
    /** Requests that had to open a connection. */
    connectionsOpened: number;
    fromCache: number;
    redirects: number;
  };
  byType: (RequestTotals & { type: ResourceType })[];
  byParty: (RequestTotals & { party: Party })[];
  /** Heaviest first. */
  byDomain: (RequestTotals & { domain: string; party: Party | null; hosts: number })[];
  /** `1xx` to `5xx`, `0` for no response, `unknown` where the file does not say, `other`. */
  byStatus: (RequestTotals & { statusClass: string })[];
  protocols: (RequestTotals & { protocol: string | null })[];
  /** Status 4xx, 5xx and 0, in order of start; `requests` counts all of them, `listed` holds the first. */
  errors: { requests: number; listed: RequestRow[] };
  /** By transferred bytes, by content where those are unknown. */
  largest: RequestRow[];
  slowest: RequestRow[];
  findings: {
    /** Text of at least 1,400 bytes (a packet) sent without content encoding. */
    uncompressedText: WasteFinding;
    /** Answers of programs, apart from files of the site. */
    uncompressedAnswers: WasteFinding;
    /** Static files that a browser may not reuse, or that do not say for how long. */
    missingCache: WasteFinding;
    /** Static files that may be reused for less than a week. */
    shortCache: WasteFinding;
    /** The same address fetched again with success, from the network, on the same page. */
    duplicates: { addresses: number; repeats: number; transferBytes: number | null; heaviest: DuplicateRow[] };
  };
  notes: string[];
}

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

/** Totals of these requests together. */
export function sumOf(entries: readonly HarEntry[]): RequestTotals {
  const totals = noRequests();
  for (const entry of entries) count(totals, entry);
  return totals;
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
