import { formatMs } from '../../../lib/number-text.ts';
import { addressText } from '../read/addresses.ts';
import { withoutFragment } from '../read/find-document.ts';
import type { Har, HarEntry } from '../read/har-model.ts';
import { isApiAnswer } from '../read/resource-type.ts';
import { sanitiseUrl } from '../sanitise-url.ts';
import { hasFailed } from '../summary/entry-counts.ts';
import { type RequestTotals, sumOf, topBy, weightOf } from '../summary/har-summary.ts';
import { cacheFault, isUncompressedText, repeatFinder } from '../summary/waste.ts';

/** A request that a problem concerns: what is wrong with it, and what orders it among the others (ms or bytes). */
export interface ConcernedRequest {
  readonly entry: HarEntry;
  readonly detail: string;
  readonly cost: number;
}

/** Problems that a request has by itself or by those before it. */
type Kind =
  | 'errors'
  | 'slow_answers'
  | 'uncompressed_text'
  | 'uncompressed_answers'
  | 'duplicates'
  | 'duplicated_scripts'
  | 'http1'
  | 'reconnects'
  | 'no_cache'
  | 'short_cache';

/** The requests of each problem in order of start; every count, size and row of a problem comes from here. */
export type ConcernedRequests = Readonly<Record<Kind, readonly ConcernedRequest[]>>;

/** From this wait on a server's answer counts as slow. */
export const SLOW_ANSWER_MS = 500;

/** Over the network: neither from the cache nor without any response. */
function wasSent(entry: HarEntry): boolean {
  return entry.host !== null && !entry.fromCache && !entry.isStream && entry.status !== 0;
}

function opensConnection(entry: HarEntry): boolean {
  return (entry.timings.connectMs ?? 0) > 0;
}

function isHttp1({ protocol }: HarEntry): boolean {
  return protocol === 'http/1.1' || protocol === 'http/1.0';
}

/** Finds the connections that a host opened after its first for a protocol that needs one only (HTTP/2, HTTP/3, SPDY). */
function reconnectFinder(): (entry: HarEntry) => boolean {
  const opened = new Set<string>();
  return (entry) => {
    const { host, protocol } = entry;
    if (host === null || protocol === null || !wasSent(entry) || isHttp1(entry) || !opensConnection(entry)) return false;
    const again = opened.has(host);
    opened.add(host);
    return again;
  };
}

/** Smaller scripts have equal sizes by chance. */
const LEAST_COPY_BYTES = 5000;

/** Name of a script's file without hash, version and `min`: two builds of one library have the same. */
function libraryOf(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  const file = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return file.replace(/\.m?js$/, '').replaceAll(/[.\-_@]?(?:min|v?\d+(?:\.\d+)*|[0-9a-f]{4,40})(?=[.\-_@]|$)/g, '');
}

/** Finds scripts that came under another address before: the same name and exactly the same size on one page. */
function copyFinder(): (entry: HarEntry) => HarEntry | undefined {
  const known = new Map<string, HarEntry>();
  return (entry) => {
    const { type, status, contentBytes, pageId, url } = entry;
    if (type !== 'script' || status !== 200 || (contentBytes ?? 0) < LEAST_COPY_BYTES) return undefined;
    const key = `${pageId} ${contentBytes} ${libraryOf(url)}`;
    const before = known.get(key);
    if (!before) known.set(key, entry);
    return before && withoutFragment(before.url) !== withoutFragment(url) ? before : undefined;
  };
}

/** Collects the requests that have a problem, one by one in order of start. */
export interface ConcernedCollector {
  add(entry: HarEntry): void;
  concerned(): ConcernedRequests;
}

/** The main document and the redirects that led to it are never slow answers: they have findings of their own. */
export function collectConcerned(main: ReadonlySet<HarEntry>): ConcernedCollector {
  const found: Record<Kind, ConcernedRequest[]> = {
    errors: [],
    slow_answers: [],
    uncompressed_text: [],
    uncompressed_answers: [],
    duplicates: [],
    duplicated_scripts: [],
    http1: [],
    reconnects: [],
    no_cache: [],
    short_cache: [],
  };
  const repeatedUrl = repeatFinder();
  const copyOf = copyFinder();
  const reconnects = reconnectFinder();
  const note = (kind: Kind, entry: HarEntry, detail: string, cost: number | null): void => {
    found[kind].push({ entry, detail, cost: cost ?? 0 });
  };
  return {
    add(entry) {
      const { status, durationMs, timings } = entry;
      const bytes = weightOf(entry);
      if (hasFailed(entry)) note('errors', entry, status === 0 ? 'no response' : `status ${status}`, durationMs);
      if ((timings.waitMs ?? 0) >= SLOW_ANSWER_MS && !main.has(entry))
        note('slow_answers', entry, `waited ${formatMs(timings.waitMs)}`, timings.waitMs);
      if (isUncompressedText(entry))
        note(isApiAnswer(entry) ? 'uncompressed_answers' : 'uncompressed_text', entry, 'sent uncompressed', bytes);
      if (repeatedUrl(entry) !== null) note('duplicates', entry, 'fetched again', bytes);
      const original = copyOf(entry);
      if (original) note('duplicated_scripts', entry, `same name and size as ${addressText(sanitiseUrl(original.url))}`, bytes);
      if (isHttp1(entry) && wasSent(entry)) note('http1', entry, queueWords(timings.blockedMs), timings.blockedMs);
      if (reconnects(entry)) note('reconnects', entry, `connecting took ${formatMs(openingMs(entry))}`, openingMs(entry));
      const fault = cacheFault(entry);
      if (fault !== null) note(fault === 'missing' ? 'no_cache' : 'short_cache', entry, lifetimeWords(entry), bytes);
    },
    concerned: () => found,
  };
}

const queueWords = (blockedMs: number | null) => (blockedMs === null ? 'over HTTP/1.x' : `queued ${formatMs(blockedMs)}`);

/** Name resolution and connecting together, TLS included. */
function openingMs({ timings: { dnsMs, connectMs } }: HarEntry): number {
  return (dnsMs ?? 0) + (connectMs ?? 0);
}

function lifetimeWords({ cacheLifetimeSeconds: seconds }: HarEntry): string {
  if (seconds === null) return 'says no lifetime';
  return seconds === 0 ? 'may not be reused' : `may be kept ${formatMs(seconds * 1000)}`;
}

/** Sizes of these requests together. */
export function totalsOf(requests: readonly ConcernedRequest[]): RequestTotals {
  return sumOf(requests.map(({ entry }) => entry));
}

/** The heaviest of these requests; undefined without any of known size. */
export function heaviestOf(requests: readonly ConcernedRequest[]): HarEntry | undefined {
  return topBy(requests, ({ entry }) => weightOf(entry), 1)[0]?.entry;
}

/** The largest cost; 0 without any request. */
export function largestCost(requests: readonly ConcernedRequest[]): number {
  return requests.reduce((most, { cost }) => Math.max(most, cost), 0);
}

/** The fewest requests that together weigh at least this many bytes, heaviest first. */
export function heaviestTogether({ entries }: Har, bytes: number): ConcernedRequest[] {
  const chosen: ConcernedRequest[] = [];
  let left = bytes;
  for (const entry of entries.toSorted((a, b) => (b.transferBytes ?? 0) - (a.transferBytes ?? 0))) {
    if (left <= 0) break;
    chosen.push({ entry, detail: 'among the heaviest', cost: entry.transferBytes ?? 0 });
    left -= entry.transferBytes ?? 0;
  }
  return chosen;
}
