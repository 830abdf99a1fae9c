import { grouped } from '../../lib/grouped.ts';
import { formatMs } from '../../lib/number-text.ts';
import { byMost } from '../../lib/order.ts';
import { firstOf } from '../../lib/sentences.ts';
import type { HarEntry } from '../read/read-entry.ts';
import type { Har } from '../read/read-har.ts';
import { sanitiseHost } from '../sanitise-url.ts';

/** Sizes of a request or of several; null where the file does not say. */
export interface ByteSizes {
  readonly transferBytes: number | null;
  readonly contentBytes: number | null;
}

/** Numbers of some requests; a size is the sum of what is known, null where nothing is. */
export interface Totals extends ByteSizes {
  readonly requests: number;
}

/** Bytes by which requests and groups are ranked: those transferred, the content where these are unknown, null where both are. */
export function weightOf({ transferBytes, contentBytes }: ByteSizes): number | null {
  return transferBytes ?? contentBytes;
}

/** The same with 0 for the unknown. */
export const weight = (sizes: ByteSizes): number => weightOf(sizes) ?? 0;

/** Hosts of requests in their order, each once, at most so many by name. */
export const hostNames = (entries: readonly HarEntry[], most: number): string =>
  firstOf([...new Set(entries.map(({ host }) => (host === null ? 'no host' : sanitiseHost(host))))], most);

/** End of a request; its start where the duration is unknown, 0 where nothing is. */
export function endOf({ startMs, durationMs }: HarEntry): number {
  return (startMs ?? 0) + (durationMs ?? 0);
}

/** Status 4xx, 5xx, or 0: no response arrived. Of an entry that says no status nothing is known. */
export function hasFailed({ status }: HarEntry): boolean {
  return status !== null && (status === 0 || status >= 400);
}

/** `dns 20 ms, wait 1 s`: the times that are known. */
export const timesText = (times: Readonly<Record<string, number | null | undefined>>, between = ', ') =>
  Object.entries(times)
    .flatMap(([name, ms]) => (ms == null ? [] : [`${name} ${formatMs(ms)}`]))
    .join(between);

/** An answer with its numbers to a tenth, which is finer than any recorder measures. */
export function rounded<Answer>(answer: Answer): Answer {
  const text = JSON.stringify(answer, (_name, value: unknown) => (typeof value === 'number' ? Math.round(value * 10) / 10 : value));
  return JSON.parse(text) as Answer; // the same members
}

function sumOf(entries: readonly ByteSizes[], name: keyof ByteSizes): number | null {
  return entries.reduce<number | null>((sum, { [name]: bytes }) => (bytes === null ? sum : (sum ?? 0) + bytes), null);
}

/** The numbers of these requests together. */
export function totalsOf(entries: readonly ByteSizes[]): Totals {
  return { requests: entries.length, transferBytes: sumOf(entries, 'transferBytes'), contentBytes: sumOf(entries, 'contentBytes') };
}

/** The groups of these requests, heaviest first, then what has most requests. */
export function groupsOf<Key>(entries: readonly HarEntry[], keyOf: (entry: HarEntry) => Key) {
  return Array.from(grouped(entries, keyOf), ([key, members]) => ({ key, entries: members, totals: totalsOf(members) })).toSorted(
    byMost(
      ({ totals }) => weight(totals),
      ({ totals }) => totals.requests,
    ),
  );
}

/** How many of these requests have each key, by key. */
export function countsBy(entries: readonly HarEntry[], keyOf: (entry: HarEntry) => string): Record<string, number> {
  const counts = Array.from(grouped(entries, keyOf), ([key, same]) => [key, same.length] as const);
  return Object.fromEntries(counts.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The few items with the largest values, largest first, earlier ones first among equals; those without a value never. */
export const largestBy = <Item>(items: readonly Item[], valueOf: (item: Item) => number | null, most: number): Item[] =>
  items
    .filter((item) => valueOf(item) !== null)
    .toSorted(byMost((item) => valueOf(item) ?? 0))
    .slice(0, most);

/** `1xx` to `5xx`, `304` and `0` for no response, `unknown` where the file does not say, `other`. */
export function statusClass({ status }: HarEntry): string {
  if (status === null) return 'unknown';
  // Nothing leads elsewhere from 304: the file was already there.
  if (status === 0 || status === 304) return String(status);
  return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : 'other';
}

/** All requests of a load in numbers, the same for every answer about it; times in ms, null where the file does not say. */
export function loadTotals({ entries, pages: [page] }: Har) {
  const started = entries.filter(({ startMs }) => startMs !== null);
  const lastMs = started.reduce((last, entry) => Math.max(last, endOf(entry)), 0);
  const distinct = (name: 'host' | 'domain') => {
    const values = new Set(entries.map((entry) => entry[name]));
    return values.size - Number(values.has(null));
  };
  return {
    ...totalsOf(entries),
    durationMs: started[0] ? lastMs - (started[0].startMs ?? 0) : null,
    onContentLoadMs: page?.onContentLoadMs ?? null,
    onLoadMs: page?.onLoadMs ?? null,
    hosts: distinct('host'),
    domains: distinct('domain'),
    fromCache: entries.filter(({ fromCache }) => fromCache).length,
    connectionsOpened: entries.filter(opensConnection).length,
  };
}

/** Whether a connection was opened for a request. */
export function opensConnection({ timings }: HarEntry): boolean {
  return (timings.connectMs ?? 0) > 0;
}

/** First byte of the document, ms after the start of the load; null where its times are unknown. */
export function firstByteOf({ document }: Har): number | null {
  if (!document || document.startMs === null || document.durationMs === null) return null;
  return endOf(document) - (document.timings.receiveMs ?? 0);
}

/**
 * What the document cost: `redirectMs` from the start of the first redirect to its own, 0 without any; `ttfbMs` of the document alone, null
 * where the wait is unknown.
 */
export function documentTimes({ document, redirects }: Har) {
  if (!document) return null;
  const { timings, startMs } = document;
  const { blockedMs, dnsMs, connectMs, sendMs, waitMs } = timings;
  const firstMs = (redirects[0] ?? document).startMs;
  return {
    redirectMs: firstMs === null || startMs === null ? null : startMs - firstMs,
    ttfbMs: waitMs === null ? null : (blockedMs ?? 0) + (dnsMs ?? 0) + (connectMs ?? 0) + (sendMs ?? 0) + waitMs,
    ...timings,
  };
}
