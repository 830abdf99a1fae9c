import { describe, expect, it } from 'vitest';
import { compareHars } from '../../../src/domain/har/compare/compare-hars.ts';
import { readHar } from '../../../src/domain/har/read/read-har.ts';
import type { PaintTimes } from '../../../src/domain/har/requests/largest-paint.ts';
import { comparison, view } from './analyse/views.ts';
import { at, type EntryParts, entry, har, type JsonObject, request, SHOP } from './sample.ts';

// More of each kind of cases.test.ts, written from the format and from what other recorders write.
const page = request('/', 0, 100);
const paints = (fcpMs: number, lcpMs: number): PaintTimes => ({ fcpMs, lcpMs, tbtMs: 40, loadMs: null });
const onPage = (pageref: string): EntryParts => ({ entry: { pageref } });
const pageAt = (id: string, startMs: number, onLoad: number) => ({ id, title: '', startedDateTime: at(startMs), pageTimings: { onLoad } });
it.each<[string, JsonObject[], JsonObject[], object]>([
  [
    'first and repeat view',
    [pageAt('page_1_0_1', 0, 900), pageAt('page_1_1_1', 9000, 300)],
    [
      request('/', 0, 100, onPage('page_1_0_1')),
      request('/a.js', 150, 90, onPage('page_1_0_1')),
      request('/', 9000, 80, onPage('page_1_1_1')),
    ],
    { requests: 1, onLoadMs: 300 },
  ],
  [
    'a page that only asked for data',
    [pageAt('page_1', 0, 900), pageAt('page_2', 4000, 50), pageAt('page_3', 9000, 300)],
    [request('/', 0, 100), request('/cart', 4000, 80, onPage('page_2')), request('/x.json', 9100, 90, onPage('page_3'))],
    { requests: 2, onLoadMs: 50 },
  ],
  [
    'requests of no page',
    [pageAt('page_1', 0, 900), pageAt('page_2', 4000, 400)],
    [
      request('/', 0, 100),
      request('/a.js', 120, 50, onPage('')),
      request('/cart', 4000, 80, onPage('page_2')),
      request('/b.js', 4100, 9, onPage('')),
    ],
    { requests: 2, onLoadMs: 400 },
  ],
])('several loads in one file %s', (_what, pages, entries, expected) => {
  expect(view(har(entries, { pages })).totals).toMatchObject(expected);
});

it.each<[string, EntryParts]>([
  ['a socket by its address', { url: 'wss://live.shop.example/feed' }],
  ['events by their type', { headers: { 'content-type': 'text/event-stream' } }],
  ['events by their purpose', { entry: { _resourceType: 'eventsource' } }],
])('absent is neither 0 nor failed %s stays open without waiting', (_what, parts) => {
  const stream = request('/feed', 110, 45_000, { ...parts, timings: { wait: 20, receive: 44_980 } });
  expect(JSON.stringify(view(har([page, stream])))).not.toMatch(/45 s|4498|45000/);
});

describe('entries of recorders that', () => {
  const tunnel = { request: { method: 'CONNECT' }, time: 30_000, timings: { wait: 30_000 } };

  it.each<[string, EntryParts]>([
    ['Fiddler writes for a tunnel', { ...tunnel, url: 'http://www.shop.example:443' }],
    ['Charles writes for a tunnel of others', { ...tunnel, url: 'https://push.other.example/' }],
    ['Chrome writes of an extension', { url: 'chrome-extension://abcdef/inject.js' }],
  ])('%s are no requests of the page', (_what, parts) => {
    const { totals, document, findings } = view(har([entry(parts), request('/', 40, 100)]));
    expect([totals?.requests, document?.url, findings]).toEqual([1, `${SHOP}/`, []]);
  });
});

describe('pairs', () => {
  const asked = (operation: string, ms: number, parts: EntryParts = {}) =>
    request('/graphql', 120, ms, {
      request: { method: 'POST', postData: { text: JSON.stringify({ operationName: operation }) } },
      ...parts,
    });

  it.each<[string, JsonObject[], JsonObject[]]>([
    ['operation', [asked('Menu', 40), asked('Search', 900)], [asked('Search', 900), asked('Menu', 40), asked('Cart', 60)]],
    [
      'operation in the address',
      [request('/gql?operationName=Menu', 120, 40)],
      [request('/gql?operationName=Search', 120, 900), request('/gql?operationName=Menu', 130, 40)],
    ],
    ['outcome', [asked('', 90)], [asked('', 2000, { response: { status: 503 } }), asked('', 90)]],
  ])('are alike in %s', (_what, before, after) => {
    const { counts } = comparison(har([page, ...before]), har([page, ...after]));
    expect(counts).toMatchObject({ added: 1, removed: 0, slower: 0, faster: 0 });
  });

  const sized = (path: string, bytes: number) => request(path, 120, 90, { response: { _transferSize: bytes }, content: { size: bytes } });

  it('of an address that one side asked once more are alike in size', () => {
    const side = (...entries: JsonObject[]) => har([page, ...entries]);
    const before = side(sized('/i/1234.webp', 90_000), sized('/i/5678.webp', 2000));
    const after = side(sized('/i/9999.webp', 40), sized('/i/8888.webp', 2000), sized('/i/7777.webp', 90_000));
    expect(comparison(before, after).counts).toMatchObject({ added: 1, grown: 0, shrunk: 0 });
  });
});

describe('a cause goes the way of its effect', () => {
  const files = (slowMs: number) => ['a', 'b', 'c', 'd'].map((name) => request(`/${name}.js`, 150, name === 'b' ? slowMs : 120));
  const run = (slowMs: number, known?: PaintTimes) => [{ har: readHar(har([page, ...files(slowMs)])), paints: known }];
  const culpritOf = (...[before, after]: ReturnType<typeof run>[]) => compareHars(before ?? [], after ?? [], () => null).comparison.culprit;

  it('where neither request nor main thread explains it, that is said', () => {
    expect(culpritOf(run(120, paints(2900, 3600)), run(2600, paints(900, 1200)))).toMatchObject({ kind: 'nothing', slower: 'before' });
  });

  it('without paints a request of seconds is named', () => {
    expect(culpritOf(run(120), run(2600))).toMatchObject({ kind: 'request', slower: 'after', name: `${SHOP}/b.js` });
  });
});

describe('an image behind redirects', () => {
  const away = (path: string, to: string, startMs: number, parts: EntryParts = {}) =>
    request(path, startMs, 400, { ...parts, response: { status: 302, redirectURL: to, bodySize: 0 } });
  const hero = request('/hero.webp', 940, 300, { content: { size: 90_000 }, response: { _transferSize: 90_000 } });

  it.each<[string, JsonObject[], number]>([
    ['of two steps', [away('/1', '/2', 130), away('/2', '/hero.webp', 535)], 30],
    ['named by its Location', [away('/1', '', 200, { headers: { location: '/hero.webp' } })], 100],
    ['to another file', [away('/1', '/other.webp', 200)], 840],
  ])('%s was asked for by the first', (_what, redirects, loadDelayMs) => {
    expect(view(har([page, ...redirects, hero]), {}, paints(500, 1260)).likelyLcp?.phases).toMatchObject({ loadDelayMs });
  });
});

it.each<[string, PaintTimes, boolean]>([
  ['FCP', paints(300, 2000), true],
  ['LCP', { fcpMs: null, lcpMs: 500, tbtMs: null, loadMs: null }, true],
  ['an FCP by a little', paints(880, 2000), false],
])('clocks and zones %s before the first byte', (_what, known, isSaid) => {
  const { notes, findings } = view(har([request('/', 0, 900), request('/a.css', 910, 600)]), {}, known);
  expect(notes.some((note) => note.includes('do not fit together'))).toBe(isSaid);
  expect(findings?.some(({ wins }) => wins !== undefined)).toBe(!isSaid);
});

it.each([
  ['+0200', '2026-11-01T12:00:00.000+0200', []],
  ['none at all', '2026-11-01T10:00:00.000', []],
  [
    'that of its pages',
    '2026-11-01T12:00:00.000',
    [{ id: 'page_1', title: '', startedDateTime: '2026-11-01T12:00:00.000+02:00', pageTimings: {} }],
  ],
])('clocks and zones a date with the zone %s', (_what, startedDateTime, pages) => {
  expect(readHar(har([entry({ startedDateTime })], { pages })).startedMs).toBe(Date.parse('2026-11-01T10:00:00.000Z'));
});
