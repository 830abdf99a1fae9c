import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compareHars } from '../../src/har/compare/compare-hars.ts';
import { readHar } from '../../src/har/read/read-har.ts';
import type { PaintTimes } from '../../src/har/requests/largest-paint.ts';
import { loadEntities } from '../../src/har/requests/third-parties.ts';
import { sanitiseHar } from '../../src/har/sanitise/sanitise-har.ts';
import { comparison, digestOf, view } from './analyse/views.ts';
import { at, type EntryParts, entry, har, type JsonObject, request, SHOP } from './sample.ts';

// Small files written after public bug reports: what recorders and loads are really like.
const folder = new URL('../samples/har-cases/', import.meta.url);
const fileOf = (name: string) => JSON.parse(readFileSync(new URL(`${name}.har`, folder), 'utf8'));

function paintsOf(name: string): PaintTimes {
  const report = JSON.parse(readFileSync(new URL(`${name}.paints.json`, folder), 'utf8'));
  const { firstContentfulPaint: fcpMs, largestContentfulPaint: lcpMs, totalBlockingTime: tbtMs, loadEvent: loadMs = null } = report;
  return { fcpMs, lcpMs, tbtMs, loadMs };
}

const entities = await loadEntities();
const sideOf = (name: string, hasPaints: boolean) => [{ har: readHar(fileOf(name)), paints: hasPaints ? paintsOf(name) : undefined }];

function compared(name: string, hasPaints = false) {
  const side = (when: string) => sideOf(`${name}.${when}`, hasPaints);
  return compareHars(side('before'), side('after'), entities).comparison;
}

const problemsOf = (name: string, paints?: PaintTimes) => view(fileOf(name), {}, paints).findings?.map(({ problem }) => problem) ?? [];

it('several loads in one file 01: of iterations as heavy the last is judged, the others are named', () => {
  const { totals, findings, notes, answer: verdict } = view(fileOf('01-pages-iterations'));
  expect(totals).toMatchObject({ requests: 3, transferBytes: 1_100_600, onLoadMs: 400, connectionsOpened: 1 });
  expect(findings?.map(({ problem }) => problem)).not.toContain('reconnects');
  expect(findings?.map(({ problem }) => problem)).not.toContain('duplicates');
  expect(notes.find((note) => note.includes('3 page loads'))).toContain('shop.example/ (3 requests, 1.1 MB, loaded after 400 ms)');
  expect(verdict).toContain('1.1 MB. Of 3 page loads in the file the heaviest is judged.');
  expect(view(fileOf('01-pages-iterations'), { view: 'waterfall' }).rows).toHaveLength(3);
});

it('several loads in one file 03: pages in another order keep the times of their own load', () => {
  const { totals, notes } = view(fileOf('03-pages-unordered'));
  expect(totals?.onLoadMs).toBe(7777);
  expect(notes.find((note) => note.includes('2 page loads'))).toContain(', loaded after 400 ms)');
});

it('several loads in one file a copy without secrets still holds them all', () => {
  expect(sanitiseHar(readHar(fileOf('01-pages-iterations'))).log.entries).toHaveLength(9);
});

it("what blocks rendering 08: without page times only what the document's first bytes asked for", () => {
  const study = view(fileOf('08-no-page-times'), { view: 'waterfall' });
  const blocking = study.columns?.indexOf('blocksRendering') ?? -1;
  expect(study.rows?.filter((row) => row[blocking] === true)).toHaveLength(1);
});

it('what blocks rendering 23: a file of the memory costs nothing', () => {
  expect(problemsOf('23-cached-blocking')).not.toContain('render_blocking');
});

it('the document 06: the last attempt at its address before the files of the page', () => {
  const { document, findings } = view(fileOf('06-first-attempt-401'));
  expect(document).toMatchObject({ status: 200 });
  expect(findings?.map(({ problem }) => problem)).not.toContain('failed_document');
});

describe('bytes and caches by what the recorder means', () => {
  const totalsOf = (name: string) => digestOf(readHar(fileOf(name))).totals;

  it('09: Firefox counts the headers into the body', () => {
    expect(totalsOf('09-firefox-bytes').transferBytes).toBe(10_800 + 6 * 800);
  });

  it('10: Firefox gives no time to what it had', () => {
    expect(totalsOf('10-firefox-cache')).toMatchObject({ transferBytes: 10_800, fromCache: 2 });
  });

  it('11: answers that have no body transfer none', () => {
    const { entries } = readHar(fileOf('11-bodies-that-cannot-be'));
    expect(entries.map(({ transferBytes }) => transferBytes)).toEqual([250, 50_250, 300, 300]);
  });

  it('12: Safari names its caches', () => {
    const { entries } = readHar(fileOf('12-safari-cache'));
    expect(entries.slice(1).every(({ fromCache, transferBytes }) => fromCache && transferBytes === 0)).toBe(true);
    expect(problemsOf('12-safari-cache')).not.toContain('duplicates');
  });
});

describe('absent is neither 0 nor failed', () => {
  it('13: how long a socket was open is no wait', () => {
    const { answer: verdict, totals, findings } = view(fileOf('13-websocket'));
    expect(JSON.stringify([verdict, findings])).not.toMatch(/30(?:\.0)? s/);
    expect(totals?.durationMs).toBeLessThan(1000);
  });

  it('17: unknown sizes and queues are not said as 0', () => {
    const answer = JSON.stringify(view(fileOf('17-unknown-as-zero')));
    expect(answer).not.toMatch(/\b0 B\b|queued 0 ms/);
  });

  it('18: addresses that ask nothing of the network are no requests', () => {
    const { totals, byStatus, findings, notes } = view(fileOf('18-not-network'));
    expect([totals?.requests, byStatus]).toEqual([1, { '2xx': 1 }]);
    expect(findings?.map(({ problem }) => problem)).not.toContain('errors');
    expect(notes.join(' ')).toContain('3 entries (data:, blob:, tunnels of a proxy and the like)');
  });

  it('19: an entry without a response did not fail', () => {
    const { byStatus, findings } = view(fileOf('19-no-response'));
    expect([byStatus, findings]).toEqual([{ unknown: 2 }, []]);
  });
});

it('a comparison 07: names no request that went the other way than the paints', () => {
  const { answer: verdict, culprit } = compared('07-compare-culprit-against-paints', true);
  expect(culprit).toMatchObject({ kind: 'page', slower: 'after', name: null });
  expect(verdict).toContain('TBT is 2.35 s longer');
  expect(verdict).not.toContain('icon.png');
});

it('times 16: an image behind a redirect was asked for by the redirect', () => {
  const { findings, likelyLcp } = view(fileOf('16-hero-behind-redirect'), {}, paintsOf('16-hero-behind-redirect'));
  expect(likelyLcp?.phases?.loadDelayMs).toBe(35);
  expect(findings?.map(({ problem }) => problem)).not.toContain('late_lcp_image');
  expect(findings?.find(({ problem }) => problem === 'slow_lcp_image')?.says).toContain('a redirect takes 1');
});

it('times 22: dates without a zone are in that of the pages', () => {
  const { startedMs, entries } = readHar(fileOf('22-no-zone'));
  expect(startedMs).toBe(Date.parse('2026-11-20T10:00:00.000Z'));
  expect(entries.map(({ startMs }) => startMs)).toEqual([0, 110, 5000]);
  expect(view(fileOf('22-no-zone')).findings?.[0]).toMatchObject({ problem: 'render_blocking', requests: 1 });
});

it('people in addresses 20: are masked whatever the language', () => {
  const file = fileOf('20-people-in-addresses');
  const copy = sanitiseHar(readHar(file));
  const texts = copy.log.entries.map(({ request: { url } }) => url.replace('https://shop.example', ''));
  expect(texts).toEqual([
    '/',
    '/benutzer/[removed]/bestellungen',
    '/client/[removed]/commande',
    '/profil/[removed]',
    '/bestellung/[removed]',
    '/pay/[removed]',
    '/magic-link/[removed]',
    '/share/[removed]',
    '/age/[removed]',
    '/ip/[removed]',
  ]);
  expect(JSON.stringify([copy])).not.toMatch(/Mustermann|4711/);
});

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
    { requests: 2, onLoadMs: 900 },
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
