import { describe, expect, it } from 'vitest';
import { readHar, readLoads } from '../../../src/domain/har/read/read-har.ts';
import { type SummaryOptions, summarizeHar } from '../../../src/domain/har/summary/summarize-har.ts';
import { RECORDED_FILES, readRecorded } from './recorded-files.ts';
import { at, entry, har, type JsonObject } from './sample.ts';

function summaryOf(entries: JsonObject[], options: SummaryOptions = {}, log: JsonObject = {}) {
  return summarizeHar(readHar(har(entries, log)), options);
}

function script(path: string, parts: Parameters<typeof entry>[0] = {}): JsonObject {
  return entry({ url: `https://www.shop.example${path}`, ...parts, headers: { 'content-type': 'text/javascript', ...parts.headers } });
}

describe('a summary', () => {
  it('tells what the document cost, its redirects apart', () => {
    const { document } = summaryOf([
      entry({ url: 'http://shop.example/?sid=1', response: { status: 301, redirectURL: 'https://www.shop.example/' } }),
      entry({ startedDateTime: at(130) }),
    ]);
    expect(document).toMatchObject({
      url: 'https://www.shop.example/',
      redirects: [{ index: 0, url: 'http://shop.example/?sid=[removed]', status: 301, type: 'document' }],
      redirectMs: 130,
      ttfbMs: 92,
      connectMs: 30,
      sslMs: 20,
      waitMs: 50,
    });
  });

  it('keeps unknown sizes apart from zero', () => {
    const { totals, byType } = summaryOf([
      entry({ response: { bodySize: -1 } }),
      script('/a.js', { response: { bodySize: -1 } }),
      script('/b.js'),
    ]);
    expect(totals).toMatchObject({
      requests: 3,
      transferBytes: 1000,
      requestsWithoutTransferSize: 2,
      contentBytes: 9000,
      requestsWithoutContentSize: 0,
    });
    expect(byType.map(({ type, transferBytes }) => [type, transferBytes])).toEqual([
      ['document', null],
      ['script', 1000],
    ]);
  });

  it('groups by domain, party, status and protocol', () => {
    const summary = summaryOf([
      entry(),
      entry({ url: 'https://a.cdn.example/x.js', response: { _transferSize: 9000, status: 404, httpVersion: 'HTTP/1.1' } }),
      entry({ url: 'https://b.cdn.example/y.js', response: { status: 0 } }),
    ]);
    expect(
      summary.byDomain.map(({ domain, party, hosts, requests, transferBytes }) => [domain, party, hosts, requests, transferBytes]),
    ).toEqual([
      ['cdn.example', 'third', 2, 2, 10_000],
      ['shop.example', 'first', 1, 1, 1000],
    ]);
    expect(summary.byParty.map(({ party, requests }) => [party, requests])).toEqual([
      ['first', 1],
      ['third', 2],
    ]);
    expect(summary.byStatus.map(({ statusClass, requests }) => [statusClass, requests])).toEqual([
      ['0', 1],
      ['2xx', 1],
      ['4xx', 1],
    ]);
    expect(summary.protocols.map(({ protocol, requests }) => [protocol, requests])).toEqual([
      ['http/1.1', 1],
      ['h2', 2],
    ]);
    expect(summary.errors).toMatchObject({ requests: 2, listed: [{ status: 404 }, { status: 0 }] });
  });

  it('lists the largest and slowest, unknown ones never', () => {
    const summary = summaryOf(
      [
        script('/a.js', { time: 5, response: { _transferSize: 10 } }),
        script('/b.js', { time: 9, response: { _transferSize: 30 } }),
        script('/c.js', { time: 7, response: { bodySize: -1 }, content: { size: -1 } }),
        script('/d.js', { time: 9, response: { _transferSize: 20 } }),
      ],
      { top: 3 },
    );
    expect(summary.largest.map(({ index }) => index)).toEqual([1, 3, 0]);
    expect(summary.slowest.map(({ index }) => index)).toEqual([1, 3, 2]);
  });

  it('finds text sent uncompressed', () => {
    const { uncompressedText } = summaryOf([
      script('/plain.js', { content: { size: 50_000 }, response: { _transferSize: 50_300 } }),
      script('/packed.js', { headers: { 'content-encoding': 'gzip' }, content: { size: 50_000 } }),
      script('/small.js', { content: { size: 1399 } }),
      entry({ url: 'https://www.shop.example/a.png', headers: { 'content-type': 'image/png' }, content: { size: 90_000 } }),
    ]).findings;
    expect(uncompressedText).toMatchObject({ requests: 1, transferBytes: 50_300, contentBytes: 50_000 });
    expect(uncompressedText.heaviest.map(({ url }) => url)).toEqual(['https://www.shop.example/plain.js']);
  });

  it('finds files without a lifetime and with a short one', () => {
    const { missingCache, shortCache } = summaryOf([
      entry(),
      script('/none.js'),
      script('/never.js', { headers: { 'cache-control': 'no-store' } }),
      script('/day.js', { headers: { 'cache-control': 'max-age=86400' } }),
      script('/year.js', { headers: { 'cache-control': 'max-age=31536000, immutable' } }),
      script('/failed.js', { response: { status: 500 } }),
    ]).findings;
    expect(missingCache.heaviest.map(({ index }) => index)).toEqual([1, 2]);
    expect(missingCache.transferBytes).toBe(2000);
    expect(shortCache.heaviest.map(({ index }) => index)).toEqual([3]);
  });

  it('finds addresses fetched again on the same page, from the network', () => {
    const { duplicates } = summaryOf([
      script('/a.js?x=1'),
      script('/a.js?x=1#top'),
      script('/a.js?x=1'),
      script('/a.js?x=2'),
      script('/a.js?x=1', { entry: { _fromCache: 'memory' } }),
      script('/a.js?x=1', { entry: { pageref: 'page_2' } }),
      script('/a.js?x=1', { request: { method: 'POST' } }),
    ]).findings;
    expect(duplicates).toEqual({
      addresses: 1,
      repeats: 2,
      transferBytes: 2000,
      heaviest: [{ url: 'https://www.shop.example/a.js?x=[removed]', repeats: 2, transferBytes: 2000, contentBytes: 6000 }],
    });
  });

  it('covers the load that ended the file, with the pages that have no document of their own', () => {
    const pages = ['page_1', 'page_2'].map((id, index) => ({
      id,
      title: id,
      startedDateTime: at(index * 5000),
      pageTimings: { onLoad: 100 + index },
    }));
    const cart = { url: 'https://www.shop.example/cart', startedDateTime: at(5000), entry: { pageref: 'page_2' } };
    expect(summaryOf([entry(), entry(cart)], {}, { pages })).toMatchObject({
      document: { url: 'https://www.shop.example/cart', redirectMs: 0 },
      pages: [{ requests: 1, startMs: 0 }],
      totals: { requests: 1, onLoadMs: 101 },
      notes: [expect.stringMatching(/^The file holds 2 page loads; these figures are of the last\. The others: www\.shop\.example\/ /)],
    });
    const ofPage2 = { ...cart, headers: { 'content-type': 'application/json' }, content: { mimeType: 'application/json' } };
    expect(summaryOf([entry(), entry(ofPage2)], {}, { pages })).toMatchObject({
      totals: { requests: 2, onLoadMs: 100 },
      notes: ['The load spans 2 pages of the file; onContentLoad and onLoad are those of the page of its document.'],
    });
  });

  it('says that nothing is known of caching where the file has no headers', () => {
    const { findings, notes } = summaryOf([script('/a.js', { response: { headers: [] } })]);
    expect([findings.missingCache.requests, findings.uncompressedText.requests]).toEqual([0, 0]);
    expect(notes).toContain('1 of 1 requests have no response headers: nothing is known of their caching and compression.');
  });

  it('of a file without entries is all zeros of count and nulls of size', () => {
    expect(summaryOf([])).toMatchObject({
      document: null,
      totals: { requests: 0, transferBytes: null, durationMs: null },
      byType: [],
      largest: [],
    });
  });
});

interface RawEntry {
  startedDateTime: string;
  time: number;
  request: { url: string; method: string };
  response: {
    status: number;
    headersSize: number;
    bodySize: number;
    _transferSize?: number;
    headers: { name: string; value: string }[];
    content: { size: number };
  };
  _bytesIn?: string;
}

/** The definitions of the summary, written down a second time. */
function countIndependently(entries: RawEntry[]) {
  const transferred = entries.map(({ request, response, _bytesIn }) => {
    const length = response.headers.find(({ name }) => name.toLowerCase() === 'content-length')?.value;
    if (response._transferSize !== undefined) return response._transferSize;
    const hasNoBody = request.method === 'HEAD' || [101, 204, 304].includes(response.status);
    if (hasNoBody && response.headersSize >= 0) return response.headersSize;
    if (hasNoBody) return response.bodySize < 0 ? null : 0;
    if (/^30[1278]$/.test(String(response.status)) && length !== undefined && response.bodySize >= 0)
      return Math.min(response.bodySize, Number(length)) + Math.max(0, response.headersSize);
    if (response.status === 200 && response.bodySize === 0 && Number(length) > 0) return Number(_bytesIn);
    return response.bodySize < 0 ? null : response.bodySize + Math.max(0, response.headersSize);
  });
  const starts = entries.map(({ startedDateTime }) => Date.parse(startedDateTime));
  const statuses: Record<string, number> = {};
  for (const { response } of entries) {
    const name = response.status === 0 || response.status === 304 ? String(response.status) : `${String(response.status).charAt(0)}xx`;
    statuses[name] = (statuses[name] ?? 0) + 1;
  }
  const known = transferred.filter((bytes) => bytes !== null);
  return {
    requests: entries.length,
    transferBytes: known.length === 0 ? null : known.reduce((sum, bytes) => sum + bytes, 0),
    requestsWithoutTransferSize: entries.length - known.length,
    durationMs: Math.max(...entries.map(({ time }, index) => (starts[index] ?? 0) + time)) - Math.min(...starts),
    hosts: new Set(entries.map(({ request }) => new URL(request.url).hostname)).size,
    statuses,
  };
}

describe('recorded HAR files', () => {
  it.each(RECORDED_FILES)('%s: totals equal an independent count, and every grouping adds up to them', (name) => {
    const raw: { log: { entries: RawEntry[] } } = JSON.parse(readRecorded(name));
    for (const load of readLoads(raw)) {
      const summary = summarizeHar(load);
      const own = load.entries.flatMap(({ index }) => raw.log.entries[index] ?? []);
      const { statuses, durationMs, ...counted } = countIndependently(own);
      expect(summary.totals).toMatchObject(counted);
      expect(summary.totals.durationMs).toBeCloseTo(durationMs, 3);
      expect(Object.fromEntries(summary.byStatus.map(({ statusClass, requests }) => [statusClass, requests]))).toEqual(statuses);
      for (const rows of [summary.byType, summary.byDomain, summary.byParty, summary.byStatus, summary.protocols]) {
        expect(rows.reduce((sum, { requests }) => sum + requests, 0)).toBe(summary.totals.requests);
        expect(rows.reduce((sum, { transferBytes }) => sum + (transferBytes ?? 0), 0)).toBe(summary.totals.transferBytes ?? 0);
        expect(rows.reduce((sum, { contentBytes }) => sum + (contentBytes ?? 0), 0)).toBe(summary.totals.contentBytes ?? 0);
      }
    }
    expect(readLoads(raw).reduce((sum, { entries }) => sum + entries.length, 0)).toBe(raw.log.entries.length);
  });

  it.each(RECORDED_FILES.filter((name) => !name.endsWith('.har')))('%s: redirects and errors of the generated visit are there', (name) => {
    const { document, errors } = summarizeHar(readHar(readRecorded(name)));
    expect(document).toMatchObject({ url: 'https://www.shop.example/basket', status: 200 });
    expect(document?.redirects.map(({ index }) => index)).toEqual([0, 1]);
    expect(new Set(errors.listed.map(({ status }) => status))).toEqual(new Set([404, 503]));
    expect(errors.listed).toHaveLength(2);
  });

  // What is known of recordings of real sites, where they are at hand.
  it.each(RECORDED_FILES.filter((name) => name === 'redirect-and-redirect-back.har'))('%s: redirects stand apart from the page', (name) => {
    const { document } = summarizeHar(readHar(readRecorded(name)));
    expect(document).toMatchObject({ url: 'https://checkout.mytoys.de/checkout/registration', status: 200, redirectMs: 693 });
    expect(document?.redirects.map(({ index }) => index)).toEqual([0, 1, 2]);
  });
  it.each(RECORDED_FILES.filter((name) => name === 'www.nytimes.com.har'))('%s: the wait of the page and its error', (name) => {
    const recorded = readLoads(readRecorded(name));
    const [first] = recorded;
    expect(first && summarizeHar(first).document?.ttfbMs).toBe(48 - (first?.document?.timings.receiveMs ?? 0));
    expect(recorded.flatMap((load) => summarizeHar(load).errors.listed.map(({ status }) => status))).toEqual([503]);
  });
});
