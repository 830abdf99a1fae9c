import { countOf } from '../../../lib/tally.ts';
import type { Har, HarEntry, HarPage, Party } from '../read/har-model.ts';
import { sanitiseHost, sanitiseTitle, shortUrl } from '../sanitise-url.ts';
import { countEntry, type EntryCounts, type HostCounts, noCounts } from './entry-counts.ts';
import {
  addTotals,
  type DocumentSummary,
  type HarSummary,
  noRequests,
  type PageRow,
  type RequestTotals,
  requestRow,
  weightOf,
} from './har-summary.ts';

/** How much a summary lists, and of what. */
export interface SummaryOptions {
  /** Rows of `largest`, `slowest` and each finding; default 5. */
  top?: number;
  /** Rows of `errors`; default 20. */
  errors?: number;
}

/** Sums a page load up in one pass: what an engineer reads first, in that order. */
export function summarizeHar(har: Har, options: SummaryOptions = {}): HarSummary {
  const collector = collectSummary(har, options);
  for (const entry of har.entries) collector.add(entry);
  return collector.summary();
}

/** Sums up requests that are handed over one by one, so that others may look at them in the same pass. */
export interface SummaryCollector {
  /** Adds the next request in order of start. */
  add(entry: HarEntry): void;
  summary(): HarSummary;
}

/** Collects the requests of a page load. */
export function collectSummary(har: Har, { top = 5, errors = 20 }: SummaryOptions = {}): SummaryCollector {
  const counts = noCounts(top);
  return {
    add: (entry) => countEntry(counts, entry, errors),
    summary: () => summaryOf(har, counts),
  };
}

function summaryOf({ document, redirects, pages, notes }: Har, counts: EntryCounts): HarSummary {
  const { byParty, byDomain } = foldHosts(counts.byHost);
  return {
    document: document && summarizeDocument(document, redirects),
    pages: pages.map((each, index) => pageRow(each, index, counts)),
    totals: totalsOf(counts, byDomain.length, pages[0]),
    byType: heaviestFirst(Array.from(counts.byType, ([type, totals]) => ({ type, ...totals }))),
    byParty,
    byDomain,
    byStatus: foldStatuses(counts.byStatus),
    protocols: heaviestFirst(Array.from(counts.byProtocol, ([protocol, totals]) => ({ protocol, ...totals }))),
    errors: { requests: counts.failed.requests, listed: counts.failed.first.map(requestRow) },
    largest: counts.largest.items().map(requestRow),
    slowest: counts.slowest.items().map(requestRow),
    findings: counts.waste.findings(),
    notes: [...notes, ...notesAbout(counts, pages.length)],
  };
}

function pageRow({ id, title, startMs, onContentLoadMs, onLoadMs }: HarPage, index: number, { requestsByPage }: EntryCounts): PageRow {
  return {
    id: /^page_[\d_]{1,20}$/.test(id) ? id : `page_${index + 1}`,
    title: sanitiseTitle(title),
    requests: countOf(requestsByPage, id),
    startMs,
    onContentLoadMs,
    onLoadMs,
  };
}

function summarizeDocument(document: HarEntry, redirects: HarEntry[]): DocumentSummary {
  const { timings } = document;
  const { blockedMs, dnsMs, connectMs, sendMs, waitMs } = timings;
  const firstMs = redirects[0] ? redirects[0].startMs : document.startMs;
  return {
    url: shortUrl(document.url),
    status: document.status,
    redirects: redirects.map(requestRow),
    redirectMs: firstMs === null || document.startMs === null ? null : document.startMs - firstMs,
    ttfbMs: waitMs === null ? null : (blockedMs ?? 0) + (dnsMs ?? 0) + (connectMs ?? 0) + (sendMs ?? 0) + waitMs,
    ...timings,
    protocol: document.protocol,
    transferBytes: document.transferBytes,
    contentBytes: document.contentBytes,
  };
}

function totalsOf(counts: EntryCounts, domains: number, page: HarPage | undefined): HarSummary['totals'] {
  const { byHost, byType, firstMs, lastMs, connectionsOpened, fromCache, redirects } = counts;
  const totals = noRequests();
  for (const more of byType.values()) addTotals(totals, more);
  return {
    ...totals,
    durationMs: firstMs === null || lastMs === null ? null : lastMs - firstMs,
    onContentLoadMs: page?.onContentLoadMs ?? null,
    onLoadMs: page?.onLoadMs ?? null,
    hosts: byHost.size - (byHost.has(null) ? 1 : 0),
    domains,
    connectionsOpened,
    fromCache,
    redirects,
  };
}

function foldHosts(byHost: Map<string | null, HostCounts>): Pick<HarSummary, 'byParty' | 'byDomain'> {
  const parties = new Map<Party | null, RequestTotals>();
  const domains = new Map<string, HarSummary['byDomain'][number]>();
  for (const { sample, totals } of byHost.values()) {
    const { domain, party } = sample;
    const known = parties.get(party);
    if (known) addTotals(known, totals);
    else parties.set(party, { ...totals });
    if (domain === null) continue;
    const row = domains.get(domain);
    if (!row) {
      domains.set(domain, { domain: sanitiseHost(domain), party, hosts: 1, ...totals });
      continue;
    }
    row.hosts += 1;
    addTotals(row, totals);
  }
  const order: Party[] = ['first', 'third'];
  const byParty = order.flatMap((party) => {
    const totals = parties.get(party);
    return totals ? [{ party, ...totals }] : [];
  });
  return { byParty, byDomain: heaviestFirst([...domains.values()]) };
}

function heaviestFirst<Row extends { transferBytes: number | null; contentBytes: number | null; requests: number }>(rows: Row[]): Row[] {
  return rows.toSorted((a, b) => (weightOf(b) ?? 0) - (weightOf(a) ?? 0) || b.requests - a.requests);
}

function foldStatuses(byStatus: EntryCounts['byStatus']): HarSummary['byStatus'] {
  const classes = new Map<string, RequestTotals>();
  for (const [status, totals] of byStatus) {
    const name = statusClass(status);
    const known = classes.get(name);
    if (known) addTotals(known, totals);
    else classes.set(name, { ...totals });
  }
  return Array.from(classes, ([name, totals]) => ({ statusClass: name, ...totals })).toSorted((a, b) =>
    a.statusClass < b.statusClass ? -1 : 1,
  );
}

function statusClass(status: HarEntry['status']): string {
  if (status === null) return 'unknown';
  if (status === 0) return '0';
  // Nothing leads elsewhere: the file was already there.
  if (status === 304) return '304';
  return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : 'other';
}

function notesAbout({ headless, byType }: EntryCounts, pages: number): string[] {
  const notes: string[] = [];
  if (pages > 1) notes.push(`The load spans ${pages} pages of the file; onContentLoad and onLoad are those of the page of its document.`);
  const requests = [...byType.values()].reduce((sum, totals) => sum + totals.requests, 0);
  if (headless > 0)
    notes.push(`${headless} of ${requests} requests have no response headers: nothing is known of their caching and compression.`);
  return notes;
}
