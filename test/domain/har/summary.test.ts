import { describe, expect, it } from 'vitest';
import { readHar, readLoads } from '../../../src/domain/har/read/read-har.ts';
import { documentTimes } from '../../../src/domain/har/requests/totals.ts';
import { digestOf, view } from './analyse/views.ts';
import { RECORDED_FILES, readRecorded } from './recorded-files.ts';
import { at, entry, har, type JsonObject } from './sample.ts';

const digest = (entries: JsonObject[], log: JsonObject = {}) => digestOf(readHar(har(entries, log)));

function script(path: string, parts: Parameters<typeof entry>[0] = {}): JsonObject {
  return entry({ url: `https://www.shop.example${path}`, ...parts, headers: { 'content-type': 'text/javascript', ...parts.headers } });
}

describe('a summary', () => {
  it('tells what the document cost, its redirects apart', () => {
    const { document } = digest([
      entry({ url: 'http://shop.example/?sid=1', response: { status: 301, redirectURL: 'https://www.shop.example/' } }),
      entry({ startedDateTime: at(130) }),
    ]);
    const times = { redirectMs: 130, ttfbMs: 92, connectMs: 30, sslMs: 20, waitMs: 50 };
    expect(document).toMatchObject({ url: 'https://www.shop.example/', redirects: 1, ...times });
  });

  it('keeps unknown sizes apart from zero', () => {
    const unknown = { response: { bodySize: -1 } };
    const { totals, byType } = digest([entry(unknown), script('/a.js', unknown), script('/b.js')]);
    expect(totals).toMatchObject({ requests: 3, transferBytes: 1000, contentBytes: 9000 });
    // The document weighs its 3,000 bytes of content.
    expect(byType.map(({ type, transferBytes }) => [type, transferBytes])).toEqual([
      ['document', null],
      ['script', 1000],
    ]);
    expect(view(har([entry(unknown), script('/a.js', unknown)])).notes.join(' ')).toContain('2 requests without a known transfer size');
  });

  it('groups by domain, status and protocol', () => {
    const entries = [
      entry(),
      entry({ url: 'https://a.cdn.example/x.js', response: { _transferSize: 9000, status: 404, httpVersion: 'HTTP/1.1' } }),
      entry({ url: 'https://b.cdn.example/y.js', response: { status: 0 } }),
    ];
    const { byDomain, byStatus, errors } = digest(entries);
    expect(byDomain.map(({ domain, party, requests, transferBytes }) => [domain, party, requests, transferBytes])).toEqual([
      ['cdn.example', 'third', 2, 10_000],
      ['shop.example', 'first', 1, 1000],
    ]);
    expect([byStatus, errors.map(({ status }) => status)]).toEqual([{ '0': 1, '2xx': 1, '4xx': 1 }, [404, 0]]);
    expect(view(har(entries)).byProtocol).toEqual({ h2: 2, 'http/1.1': 1 });
  });

  it('lists the largest and slowest, unknown ones never', () => {
    const { largest, slowest } = digest([
      script('/a.js', { time: 5, response: { _transferSize: 10 } }),
      script('/b.js', { time: 9, response: { _transferSize: 30 } }),
      script('/c.js', { time: 7, response: { bodySize: -1 }, content: { size: -1 } }),
      script('/d.js', { time: 9, response: { _transferSize: 20 } }),
    ]);
    expect(largest.map(({ index }) => index)).toEqual([1, 3, 0]);
    expect(slowest.map(({ index }) => index)).toEqual([1, 3, 2, 0]);
  });

  it.each<[string, JsonObject[], object]>([
    [
      'missingCache',
      [
        entry(),
        script('/none.js'),
        script('/never.js', { headers: { 'cache-control': 'no-store' } }),
        script('/day.js', { headers: { 'cache-control': 'max-age=86400' } }),
        script('/failed.js', { response: { status: 500 } }),
      ],
      { requests: 2, transferBytes: 2000 },
    ],
    [
      'duplicates',
      [
        script('/a.js?x=1'),
        script('/a.js?x=1#top'),
        script('/a.js?x=1'),
        script('/a.js?x=2'),
        script('/a.js?x=1', { entry: { _fromCache: 'memory' } }),
        script('/a.js?x=1', { entry: { pageref: 'page_2' } }),
        script('/a.js?x=1', { request: { method: 'POST' } }),
      ],
      { addresses: 1, repeats: 2, transferBytes: 2000 },
    ],
  ])('finds %s', (name, entries, expected) => {
    expect(digest(entries).findings).toMatchObject({ [name]: expected });
  });

  it('covers the load that ended the file, with the pages that have no document of their own', () => {
    const pages = ['page_1', 'page_2'].map((id, index) => ({
      id,
      title: id,
      startedDateTime: at(index * 5000),
      pageTimings: { onLoad: 100 + index },
    }));
    const cart = { url: 'https://www.shop.example/cart', startedDateTime: at(5000), entry: { pageref: 'page_2' } };
    expect(digest([entry(), entry(cart)], { pages })).toMatchObject({
      document: { url: 'https://www.shop.example/cart', redirectMs: 0 },
      totals: { requests: 1, onLoadMs: 101 },
      notes: [expect.stringMatching(/^The file holds 2 page loads; these figures are of the last\. The others: www\.shop\.example\/ /)],
    });
    const ofPage2 = { ...cart, headers: { 'content-type': 'application/json' }, content: { mimeType: 'application/json' } };
    expect(digest([entry(), entry(ofPage2)], { pages })).toMatchObject({
      totals: { requests: 2, onLoadMs: 100 },
      notes: ['The load spans 2 pages of the file; onContentLoad and onLoad are those of the page of its document.'],
    });
  });

  it('says that nothing is known of caching where the file has no headers', () => {
    const { findings, notes } = digest([script('/a.js', { response: { headers: [] } })]);
    expect([findings.missingCache.requests, findings.uncompressedText.requests]).toEqual([0, 0]);
    expect(notes).toContain('1 of 1 requests have no response headers: nothing is known of their caching and compression.');
  });

  it('of a file without entries is all zeros of count and nulls of size', () => {
    const totals = { requests: 0, transferBytes: null, durationMs: null };
    expect(digest([])).toMatchObject({ document: null, totals, byType: [], largest: [] });
  });
});

// What is known of recordings of real sites, where they are at hand.
it.each(RECORDED_FILES.filter((name) => name === 'redirect-and-redirect-back.har'))('%s: redirects stand apart from the page', (name) => {
  const read = readHar(readRecorded(name));
  expect(digestOf(read).document).toMatchObject({
    url: 'https://checkout.mytoys.de/checkout/registration',
    status: 200,
    redirectMs: 693,
  });
  expect(read.redirects.map(({ index }) => index)).toEqual([0, 1, 2]);
});
it.each(RECORDED_FILES.filter((name) => name === 'www.nytimes.com.har'))('%s: the wait of the page and its error', (name) => {
  const recorded = readLoads(readRecorded(name));
  const [first] = recorded;
  expect(first && documentTimes(first)?.ttfbMs).toBe(48 - (first?.document?.timings.receiveMs ?? 0));
  expect(recorded.flatMap((load) => digestOf(load).errors.map(({ status }) => status))).toEqual([503]);
});
