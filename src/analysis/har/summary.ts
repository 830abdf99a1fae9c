import { countEntries, type EntryCounts, type HostCounts } from './counts.ts';
import { findDocument } from './document.ts';
import { HarError } from './har-error.ts';
import type { Har, HarEntry, HarPage, Party } from './model.ts';
import { sanitiseHost, sanitiseText, shortUrl } from './sanitise-url.ts';
import type { DocumentSummary, HarSummary, PageRow, RequestTotals } from './summary-types.ts';
import { addTotals, noRequests, requestRow, weightOf } from './totals.ts';

/** How much a summary lists, and of what. */
export interface SummaryOptions {
  /** Rows of `largest`, `slowest` and each finding; default 5. */
  top?: number;
  /** Rows of `errors`; default 20. */
  errors?: number;
  /** One page of the file by its position from 0; default the whole file. */
  page?: number;
}

/** Sums a HAR file up in one pass: what an engineer reads first, in that order. Throws `HarError` for a page that is not there. */
export function summarizeHar(har: Har, { top = 5, errors = 20, page }: SummaryOptions = {}): HarSummary {
  const pages = page === undefined ? har.pages : [pageAt(har, page)];
  const entries = page === undefined ? har.entries : har.entries.filter((entry) => entry.pageId === pages[0]?.id);
  const chain = page === undefined ? har : (findDocument(entries) ?? { document: null, redirects: [] });
  const counts = countEntries(entries, top, errors);
  const { byParty, byDomain } = foldHosts(counts.byHost);
  return {
    document: chain.document && summarizeDocument(chain.document, chain.redirects),
    pages: pages.map((each, index) => pageRow(each, page ?? index, counts)),
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
    notes: [...har.notes, ...notesAbout(entries, counts, har, page)],
  };
}

function pageAt(har: Har, page: number): HarPage {
  const found = har.pages[page];
  if (!found) throw new HarError(`The HAR file has no page ${page}: it holds ${har.pages.length}, counted from 0.`, `log.pages[${page}]`);
  return found;
}

function pageRow({ id, title, startMs, onContentLoadMs, onLoadMs }: HarPage, index: number, { requestsByPage }: EntryCounts): PageRow {
  return {
    id: /^page_[\d_]{1,20}$/.test(id) ? id : `page_${index + 1}`,
    title: sanitiseText(title),
    requests: requestsByPage.get(id) ?? 0,
    startMs,
    onContentLoadMs,
    onLoadMs,
  };
}

/** What the document cost before its first byte; its texts are sanitised. */
export function summarizeDocument(document: HarEntry, redirects: HarEntry[]): DocumentSummary {
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

function foldStatuses(byStatus: Map<number, RequestTotals>): HarSummary['byStatus'] {
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

function statusClass(status: number): string {
  if (status === 0) return '0';
  return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : 'other';
}

function notesAbout(entries: HarEntry[], { headless }: EntryCounts, har: Har, page: number | undefined): string[] {
  const notes: string[] = [];
  if (har.pages.length > 1 && page === undefined) {
    notes.push(
      `The file holds ${har.pages.length} pages; the numbers cover all of them, the document, onContentLoad and onLoad are those of the first.`,
    );
  }
  if (headless > 0)
    notes.push(`${headless} of ${entries.length} requests have no response headers: nothing is known of their caching and compression.`);
  return notes;
}
