import { describe, expect, it } from 'vitest';
import type { HarEntry } from '../../src/har/read/read-entry.ts';
import { readHar } from '../../src/har/read/read-har.ts';
import { at, type EntryParts, entry, har } from './sample.ts';

function read(parts: EntryParts): HarEntry {
  const [found] = readHar(har([entry(parts)])).entries;
  if (!found) throw new Error('the entry is gone');
  return found;
}

describe('an entry', () => {
  it('has all facts under names with units', () => {
    expect(
      read({
        url: 'https://CDN.shop.co.uk:8443/app.js',
        headers: {
          'content-type': 'text/javascript; charset=utf-8',
          'Content-Encoding': 'br',
          'cache-control': 'public, max-age=600',
          etag: '"1"',
        },
        entry: {
          _priority: 'High',
          _renderBlocking: 'blocking',
          _initiator: { type: 'parser', url: 'https://shop.co.uk/' },
          connection: '44',
        },
      }),
    ).toEqual({
      index: 0,
      pageId: 'page_1',
      startMs: 0,
      durationMs: 100,
      method: 'GET',
      url: 'https://CDN.shop.co.uk:8443/app.js',
      host: 'cdn.shop.co.uk',
      domain: 'shop.co.uk',
      party: null,
      status: 200,
      redirectUrl: null,
      askedMs: 0,
      mime: 'text/javascript',
      type: 'script',
      transferBytes: 1000,
      contentBytes: 3000,
      timings: { blockedMs: 1, dnsMs: 10, connectMs: 30, sslMs: 20, sendMs: 1, waitMs: 50, receiveMs: 8 },
      protocol: 'h2',
      connection: '44',
      fromCache: false,
      isNetwork: true,
      isStream: false,
      operation: null,
      priority: 'High',
      renderBlocking: 'blocking',
      initiatorType: 'parser',
      initiatorUrl: 'https://shop.co.uk/',
      headersKnown: true,
      contentEncoding: 'br',
      cacheLifetimeSeconds: 600,
      hasValidator: true,
    });
  });

  it('never takes 0 for unknown', () => {
    const bare = readHar({ log: { entries: [{ request: { url: 'https://s.example/' } }] } }).entries[0];
    expect(bare).toMatchObject({
      startMs: null,
      durationMs: null,
      transferBytes: null,
      contentBytes: null,
      protocol: null,
      cacheLifetimeSeconds: null,
    });
    expect(Object.values(bare?.timings ?? {})).toEqual([null, null, null, null, null, null, null]);
  });

  it.each<[string, EntryParts, number | null, boolean]>([
    ['_transferSize first', { response: { _transferSize: 5 } }, 5, false],
    ['headers and body', {}, 1000, false],
    ['the body alone without a header size', { response: { headersSize: -1 } }, 800, false],
    ['a body of unknown size', { response: { bodySize: -1 } }, null, false],
    ['a true 0', { response: { bodySize: 0, headersSize: 0 } }, 0, true],
    ['a 0 against Content-Length', { response: { bodySize: 0 }, headers: { 'content-length': '700' } }, null, false],
    ['an answer to HEAD', { request: { method: 'HEAD' }, response: { bodySize: 700, headersSize: 200 } }, 200, false],
    ['a proxy that knows neither size', { response: { bodySize: -1, headersSize: -1 } }, null, false],
    [
      'a redirect with the body of its target',
      { response: { status: 302, bodySize: 9000, headersSize: 200 }, headers: { 'content-length': '0' } },
      200,
      false,
    ],
    ['a switch of protocols', { response: { status: 101, bodySize: 40, headersSize: 150 } }, 150, false],
    ['a file of the disk in Chrome', { entry: { _fromCache: 'disk' } }, 0, true],
    ['a file of a service worker', { response: { _fromServiceWorker: true } }, 0, true],
    ['a cache entry in its own member', { response: { bodySize: 0 }, entry: { cache: { beforeRequest: { hitCount: 1 } } } }, 0, true],
    ['a cache entry that was fetched again (HttpWatch)', { entry: { cache: { beforeRequest: { hitCount: 1 } } } }, 1000, false],
    ["a file of Safari's service worker", { response: { bodySize: 0 }, entry: { _fetchType: 'Service Worker' } }, 0, true],
    ['a cache entry that was asked again', { response: { status: 304, bodySize: 0 }, entry: { cache: { beforeRequest: {} } } }, 200, false],
  ])('knows the bytes and the cache of %s', (_what, parts, transferBytes, fromCache) => {
    expect(read(parts)).toMatchObject({ transferBytes, fromCache });
  });

  it("counts WebPagetest's own bytes where its body size is a false 0", () => {
    const found = read({
      response: { bodySize: 0 },
      headers: { 'content-length': '700' },
      content: { size: 0 },
      entry: { _bytesIn: '912' },
    });
    expect(found).toMatchObject({ transferBytes: 912, contentBytes: null });
  });

  it('sums the phases where the duration is missing, ssl inside connect', () => {
    expect(read({ entry: { time: -1 } }).durationMs).toBe(100);
    const unknown = { blocked: -1, dns: -1, connect: -1, ssl: -1, send: -1, wait: -1, receive: -1 };
    expect(read({ time: 0, timings: unknown }).durationMs).toBeNull();
  });

  it.each([
    ['image/svg+xml', '/a', {}, 'image'],
    ['application/ld+json', '/a', {}, 'xhr'],
    ['application/font-woff', '/a', {}, 'font'],
    ['', '/a/b.WOFF2?x=.js', {}, 'font'],
    ['text/plain', '/a.mp4#t', {}, 'media'],
    ['text/html', '/beacon', { status: 204 }, 'other'],
    ['text/html', '/go', { status: 302 }, 'other'],
    ['', '/constructor', {}, 'other'],
  ])('of %s at %s is typed', (mimeType, path, response, expected) => {
    expect(read({ url: `https://s.example${path}`, content: { mimeType }, headers: { 'content-type': mimeType }, response }).type).toBe(
      expected,
    );
  });

  it('believes the browser before the MIME type', () => {
    expect(read({ entry: { _resourceType: 'fetch' } }).type).toBe('xhr');
    expect(read({ request: { headers: [{ name: 'Sec-Fetch-Dest', value: 'style' }] } }).type).toBe('stylesheet');
  });

  it.each([
    ['no-store wins', { 'cache-control': 'no-store, max-age=60' }, 0],
    ['max-age', { 'cache-control': 's-maxage=9, max-age="60"' }, 60],
    ['Expires from Date', { expires: 'Sun, 01 Nov 2026 11:00:00 GMT', date: 'Sun, 01 Nov 2026 10:30:00 GMT' }, 1800],
    ['Expires from the start', { expires: 'Sun, 01 Nov 2026 11:00:00 GMT' }, 3600],
    ['a past Expires', { expires: '0' }, 0],
    ['an old pragma', { pragma: 'no-cache' }, 0],
    ['private says nothing', { 'cache-control': 'private' }, null],
    ['a lifetime beyond reason', { 'cache-control': `max-age=${'9'.repeat(400)}` }, 315_360_000],
  ])('may be reused: %s', (_what, headers: Record<string, string>, expected) => {
    expect(read({ headers }).cacheLifetimeSeconds).toBe(expected);
  });
});

describe('parties', () => {
  const page = [
    entry({ url: 'https://www.shop.co.uk/' }),
    entry({ url: 'https://img.shop.co.uk/a.png' }),
    entry({ url: 'https://other.co.uk/a.js' }),
    entry({ url: 'https://shopcdn.net/a.js' }),
    entry({ url: 'http://10.0.0.1/a' }),
    entry({ url: 'data:text/plain,hi' }),
    entry({ url: 'https://user:a@evil.example:p/' }),
  ];

  it('include what the user declares', () => {
    const { entries } = readHar(har(page), { firstParty: ['static.ShopCDN.net'] });
    expect(entries.map(({ party }) => party)).toEqual(['first', 'first', 'third', 'first', 'third', null]);
  });

  it('stay open without a document, and a note says so', () => {
    const { entries, notes } = readHar(har([entry({ url: 'https://s.example/a.js', headers: { 'content-type': 'text/javascript' } })]));
    expect(entries[0]?.party).toBeNull();
    expect(notes).toEqual(['The file holds no main document, so its requests cannot be divided into first and third party.']);
  });
});

describe('the main document', () => {
  const redirect = (url: string, to: string, ms: number) =>
    entry({ url, startedDateTime: at(ms), response: { status: 302, redirectURL: to }, content: { mimeType: '' } });
  const chainOf = (entries: ReturnType<typeof entry>[]) => {
    const { redirects, document } = readHar(har(entries));
    return [...redirects, ...(document ? [document] : [])].map(({ index }) => index);
  };

  it('is not an image or a tracker that came first', () => {
    expect(
      chainOf([
        entry({ url: 'https://a.example/favicon.ico', content: { mimeType: 'image/x-icon' } }),
        redirect('https://t.example/p', 'https://t.example/p.gif', 10),
        entry({ url: 'https://t.example/p.gif', startedDateTime: at(20), content: { mimeType: 'image/gif' } }),
        entry({ url: 'https://a.example/', startedDateTime: at(30) }),
      ]),
    ).toEqual([3]);
  });

  it('is missing where redirects lead in a circle', () => {
    expect(chainOf([redirect('https://a.example/1', '/2', 0), redirect('https://a.example/2', '/1', 10)])).toEqual([]);
  });

  it('counts starts from the earliest entry', () => {
    const { entries } = readHar(
      har([entry({ startedDateTime: at(250) }), entry({ startedDateTime: at(50) }), entry({ startedDateTime: 'soon' })]),
    );
    expect(entries.map(({ index, startMs }) => [index, startMs])).toEqual([
      [1, 0],
      [0, 200],
      [2, null],
    ]);
  });
});
