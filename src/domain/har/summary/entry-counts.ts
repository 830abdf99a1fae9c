import { addTo } from '../../../lib/tally.ts';
import type { HarEntry } from '../read/har-model.ts';
import { count, countIn, keepTop, noRequests, type RequestTotals, type Top, weightOf } from './har-summary.ts';
import { collectWaste, type WasteCollector } from './waste.ts';

/** Requests of one host; `sample` is any of them, for what all have in common. */
export interface HostCounts {
  sample: HarEntry;
  totals: RequestTotals;
}

/** All that one pass over the requests counts; other groups are folded from these. */
export interface EntryCounts {
  /** Addresses without a host are together under null. */
  byHost: Map<string | null, HostCounts>;
  byType: Map<HarEntry['type'], RequestTotals>;
  byStatus: Map<HarEntry['status'], RequestTotals>;
  byProtocol: Map<string | null, RequestTotals>;
  requestsByPage: Map<string | null, number>;
  largest: Top<HarEntry>;
  slowest: Top<HarEntry>;
  waste: WasteCollector;
  failed: { requests: number; first: HarEntry[] };
  /** Requests without response headers. */
  headless: number;
  firstMs: number | null;
  lastMs: number | null;
  connectionsOpened: number;
  fromCache: number;
  redirects: number;
}

/** Counts of no request yet; `top` says how many entries are kept of each list. */
export function noCounts(top: number): EntryCounts {
  return {
    byHost: new Map(),
    byType: new Map(),
    byStatus: new Map(),
    byProtocol: new Map(),
    requestsByPage: new Map(),
    largest: keepTop(top),
    slowest: keepTop(top),
    waste: collectWaste(top),
    failed: { requests: 0, first: [] },
    headless: 0,
    firstMs: null,
    lastMs: null,
    connectionsOpened: 0,
    fromCache: 0,
    redirects: 0,
  };
}

/** Counts one more request in place; of those that failed at most `errors` are kept. */
export function countEntry(counts: EntryCounts, entry: HarEntry, errors: number): void {
  countGroups(counts, entry);
  counts.largest.add(entry, weightOf(entry));
  counts.slowest.add(entry, entry.durationMs);
  counts.waste.add(entry);
  if (hasFailed(entry)) {
    counts.failed.requests += 1;
    if (counts.failed.first.length < errors) counts.failed.first.push(entry);
  }
  if (entry.startMs !== null) {
    counts.firstMs = Math.min(counts.firstMs ?? entry.startMs, entry.startMs);
    counts.lastMs = Math.max(counts.lastMs ?? 0, entry.startMs + (entry.durationMs ?? 0));
  }
  if ((entry.timings.connectMs ?? 0) > 0) counts.connectionsOpened += 1;
  if (entry.fromCache) counts.fromCache += 1;
  if (entry.redirectUrl !== null) counts.redirects += 1;
  if (!entry.headersKnown) counts.headless += 1;
}

/** Status 4xx, 5xx, or 0: no response arrived. Of an entry that says no status nothing is known. */
export function hasFailed({ status }: Pick<HarEntry, 'status'>): boolean {
  return status !== null && (status === 0 || status >= 400);
}

function countGroups({ byHost, byType, byStatus, byProtocol, requestsByPage }: EntryCounts, entry: HarEntry): void {
  let host = byHost.get(entry.host);
  if (!host) byHost.set(entry.host, (host = { sample: entry, totals: noRequests() }));
  count(host.totals, entry);
  countIn(byType, entry.type, entry);
  countIn(byStatus, entry.status, entry);
  countIn(byProtocol, entry.protocol, entry);
  addTo(requestsByPage, entry.pageId);
}
