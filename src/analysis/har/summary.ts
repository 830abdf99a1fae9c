import { findDocument } from './document.ts';
import { findWaste } from './findings.ts';
import { HarError } from './har-error.ts';
import type { Har, HarEntry, HarPage, Party } from './model.ts';
import { sanitiseHost, sanitiseText, shortUrl } from './sanitise-url.ts';
import type { DocumentSummary, HarSummary } from './summary-types.ts';
import { count, groupBy, noRequests, requestRow, topBy, weightOf } from './totals.ts';

/** How much a summary lists, and of what. */
export interface SummaryOptions {
  /** Rows of `largest`, `slowest` and each finding; default 5. */
  top?: number;
  /** Rows of `errors`; default 20. */
  errors?: number;
  /** One page of the file by its position from 0; default the whole file. */
  page?: number;
}

/** Sums a HAR file up in one pass per subject: what an engineer reads first, in that order. Throws `HarError` for a page that is not there. */
export function summarizeHar(har: Har, { top = 5, errors = 20, page }: SummaryOptions = {}): HarSummary {
  const pages = page === undefined ? har.pages : [pageAt(har, page)];
  const entries = page === undefined ? har.entries : har.entries.filter((entry) => entry.pageId === pages[0]?.id);
  const chain = page === undefined ? har : (findDocument(entries) ?? { document: null, redirects: [] });
  const failed = entries.filter((entry) => entry.status === 0 || entry.status >= 400);
  const requestsByPage = groupBy(entries, (entry) => entry.pageId);
  return {
    document: chain.document && summarizeDocument(chain.document, chain.redirects),
    pages: pages.map(({ id, title, startMs, onContentLoadMs, onLoadMs }, index) => ({
      id: /^page_[\d_]{1,20}$/.test(id) ? id : `page_${(page ?? index) + 1}`,
      title: sanitiseText(title),
      requests: requestsByPage.get(id)?.requests ?? 0,
      startMs,
      onContentLoadMs,
      onLoadMs,
    })),
    totals: totalsOf(entries, pages[0]),
    byType: heaviestFirst(
      Array.from(
        groupBy(entries, (entry) => entry.type),
        ([type, totals]) => ({ type, ...totals }),
      ),
    ),
    byParty: byParty(entries),
    byDomain: byDomain(entries),
    byStatus: Array.from(groupBy(entries, statusClass), ([name, totals]) => ({ statusClass: name, ...totals })).toSorted((a, b) =>
      a.statusClass < b.statusClass ? -1 : 1,
    ),
    protocols: heaviestFirst(
      Array.from(
        groupBy(entries, (entry) => entry.protocol),
        ([protocol, totals]) => ({ protocol, ...totals }),
      ),
    ),
    errors: { requests: failed.length, listed: failed.slice(0, errors).map(requestRow) },
    largest: topBy(entries, weightOf, top).map(requestRow),
    slowest: topBy(entries, (entry) => entry.durationMs, top).map(requestRow),
    findings: findWaste(entries, top),
    notes: [...har.notes, ...notesAbout(entries, har, page)],
  };
}

function pageAt(har: Har, page: number): HarPage {
  const found = har.pages[page];
  if (!found) throw new HarError(`The HAR file has no page ${page}: it holds ${har.pages.length}, counted from 0.`, `log.pages[${page}]`);
  return found;
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

function totalsOf(entries: HarEntry[], page: HarPage | undefined): HarSummary['totals'] {
  const totals = noRequests();
  const hosts = new Set<string>();
  const domains = new Set<string>();
  let firstMs: number | null = null;
  let lastMs: number | null = null;
  let connectionsOpened = 0;
  let fromCache = 0;
  let redirects = 0;
  for (const entry of entries) {
    count(totals, entry);
    if (entry.host !== null) hosts.add(entry.host);
    if (entry.domain !== null) domains.add(entry.domain);
    if (entry.startMs !== null) {
      firstMs = Math.min(firstMs ?? entry.startMs, entry.startMs);
      lastMs = Math.max(lastMs ?? entry.startMs, entry.startMs + (entry.durationMs ?? 0));
    }
    if ((entry.timings.connectMs ?? 0) > 0) connectionsOpened += 1;
    if (entry.fromCache) fromCache += 1;
    if (entry.redirectUrl !== null) redirects += 1;
  }
  return {
    ...totals,
    durationMs: firstMs === null || lastMs === null ? null : lastMs - firstMs,
    onContentLoadMs: page?.onContentLoadMs ?? null,
    onLoadMs: page?.onLoadMs ?? null,
    hosts: hosts.size,
    domains: domains.size,
    connectionsOpened,
    fromCache,
    redirects,
  };
}

function byParty(entries: HarEntry[]): HarSummary['byParty'] {
  const groups = groupBy(entries, (entry) => entry.party);
  const parties: Party[] = ['first', 'third'];
  return parties.flatMap((party) => {
    const totals = groups.get(party);
    return totals ? [{ party, ...totals }] : [];
  });
}

function byDomain(entries: HarEntry[]): HarSummary['byDomain'] {
  const about = new Map<string | null, { hosts: Set<string | null>; party: Party | null }>();
  for (const { domain, host, party } of entries) {
    const known = about.get(domain);
    if (known) known.hosts.add(host);
    else about.set(domain, { hosts: new Set([host]), party });
  }
  return heaviestFirst(
    [...groupBy(entries, (entry) => entry.domain)].flatMap(([domain, totals]) => {
      const known = about.get(domain);
      return domain === null || !known ? [] : [{ domain: sanitiseHost(domain), party: known.party, hosts: known.hosts.size, ...totals }];
    }),
  );
}

function heaviestFirst<Row extends { transferBytes: number | null; contentBytes: number | null; requests: number }>(rows: Row[]): Row[] {
  return rows.toSorted((a, b) => (weightOf(b) ?? 0) - (weightOf(a) ?? 0) || b.requests - a.requests);
}

function statusClass({ status }: HarEntry): string {
  if (status === 0) return '0';
  return status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : 'other';
}

function notesAbout(entries: HarEntry[], har: Har, page: number | undefined): string[] {
  const notes: string[] = [];
  if (har.pages.length > 1 && page === undefined) {
    notes.push(
      `The file holds ${har.pages.length} pages; the numbers cover all of them, the document, onContentLoad and onLoad are those of the first.`,
    );
  }
  const headless = entries.filter((entry) => !entry.headersKnown).length;
  if (headless > 0)
    notes.push(`${headless} of ${entries.length} requests have no response headers: nothing is known of their caching and compression.`);
  return notes;
}
