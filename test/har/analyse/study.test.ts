import { describe, expect, it } from 'vitest';
import { at, type EntryParts, entry, har, type JsonObject, request, SHOP } from '../sample.ts';
import { view } from './views.ts';

const blocks = { entry: { _renderBlocking: 'blocking' } };
const free = { entry: { _renderBlocking: 'non_blocking' } };
const page = request('/', 0, 100);
const paints = (fcpMs: number, lcpMs: number) => ({ fcpMs, lcpMs, tbtMs: 40, loadMs: null });
const sized = (bytes: number): EntryParts => ({ response: { _transferSize: bytes }, content: { size: bytes } });
const hero = (startMs: number, ms: number) => request('/hero.webp', startMs, ms, sized(90_000));

function problemsOf(entries: JsonObject[], log: JsonObject = {}) {
  const { findings = [] } = view(har(entries, log));
  return new Map(findings.map(({ problem, ...finding }) => [problem, finding]));
}

function blockingOf(entries: JsonObject[], log: JsonObject = {}) {
  const { rows = [], columns = [], notes } = view(har(entries, log), { view: 'waterfall' });
  const column = columns.indexOf('blocksRendering');
  return {
    blocking: rows.flatMap((row) => (row[column] === true ? [row[0]] : [])),
    basis: notes.find((note) => note.startsWith('Render-blocking')),
  };
}

describe('render-blocking', () => {
  const file = (parts: (number: number) => EntryParts) => [
    request('/', 0, 100),
    request('/a.css', 110, 100, parts(1)),
    request('/b.js', 110, 200, parts(2)),
    request('https://tag.example/c.js', 110, 500, parts(3)),
    request('/d.png', 110, 900, parts(4)),
  ];

  const inBody = { entry: { _renderBlocking: 'in_body_parser_blocking' } };
  const byScript = { entry: { _initiator: { type: 'script' } } };

  it.each<[string, (number: number) => EntryParts, number[], RegExp]>([
    ['is as the browser states it', (number) => (number === 3 ? blocks : free), [3], /^Render-blocking as the HAR states it/],
    ['is a script in the body that blocks the parser', (number) => (number === 2 ? inBody : free), [2], /states it/],
    ['is else told by the priority', (number) => ({ entry: { _priority: number < 3 ? 'High' : 'Low' } }), [1, 2], /by the priority/],
    ['is else a heuristic, and called one', (number) => (number === 2 ? byScript : {}), [1, 3], /is a heuristic/],
  ])('%s', (_what, parts, expected, words) => {
    const { blocking, basis } = blockingOf(file(parts));
    expect([blocking, basis]).toEqual([expected, expect.stringMatching(words)]);
  });

  it.each<[string, JsonObject, number[]]>([
    ['the first paint', { onContentLoad: 700, onLoad: 1500, _startRender: 320 }, [1, 2]],
    ['the end of the markup', { onContentLoad: 320, onLoad: 1500 }, [1, 2]],
  ])('is nothing that ended after %s', (_what, pageTimings, expected) => {
    const pages = [{ startedDateTime: at(0), id: 'page_1', title: '', pageTimings }];
    expect(
      blockingOf(
        file(() => ({})),
        { pages },
      ).blocking,
    ).toEqual(expected);
  });

  const queue = (ownEndMs: number, thirdEndMs: number, known?: ReturnType<typeof paints>) => {
    const entries = [
      request('/', 0, 100),
      request('/a.css', 110, ownEndMs - 110, blocks),
      request('https://tag.example/c.js', 110, thirdEndMs - 110, blocks),
      request('https://quick.example/d.css', 110, 50, blocks),
    ];
    const { findings = [], ...rest } = view(har(entries), {}, known);
    return { ...rest, found: new Map(findings.map(({ problem, ...finding }) => [problem, finding])) };
  };

  it('wins what is left of the queue without it: the third parties here, the files of the page only with them', () => {
    const { found } = queue(310, 1010);
    expect(found.get('render_blocking')).toMatchObject({
      requests: 1,
      costMs: 0,
      basis: 'stated',
      says:
        '1 stylesheet of the page holds back rendering until 310 ms; deferred loading saves time only with those of third parties, ' +
        'which hold it until 1.01 s. (www.shop.example/a.css; 1 kB.)',
    });
    expect(found.get('third_party_blocking')).toMatchObject({ requests: 2, costMs: 700, basis: 'stated' });
    expect(found.get('third_party_blocking')?.says).toBe(
      '1 script and 1 stylesheet of third parties hold back rendering until 1.01 s; asynchronous loading saves up to 700 ms. ' +
        '(tag.example, quick.example; 2 kB; tag.example/c.js waited 900 ms for its server.)',
    );
    expect(found.has('slow_answers')).toBe(false);
  });

  it('wins nothing of a third party that ends before the files of the page', () => {
    const { found, answer } = queue(1010, 310, paints(1050, 1500));
    expect(found.get('render_blocking')).toMatchObject({ costMs: 700, wins: { fcpMs: 700, lcpMs: 700 } });
    expect(found.get('third_party_blocking')).toMatchObject({ costMs: 0, wins: { fcpMs: 0, lcpMs: 0 } });
    expect(found.get('third_party_blocking')?.says).toContain('saves time only with those of the page, which hold it until 1.01 s');
    expect(answer).toMatch(/^1 stylesheet of the page/);
  });
});

describe('findings', () => {
  it('of a fast, small page are none', () => {
    const { answer: verdict, findings } = view(har([page, request('/d.png', 110, 90)]));
    expect(findings).toEqual([]);
    expect(verdict).toMatch(/^Nothing stands out\./);
  });

  it('begin with a document that failed', () => {
    const { answer: verdict, findings = [] } = view(
      har([request('/', 0, 1900, { response: { status: 503 } }), request('/a.json', 1900, 700)]),
    );
    expect(findings[0]).toMatchObject({ problem: 'failed_document', says: expect.stringContaining('503') });
    expect(verdict).toContain('failed with status 503');
  });

  it.each<[string, JsonObject[], Record<string, unknown>]>([
    [
      'redirects',
      [
        entry({ url: 'http://shop.example/', startedDateTime: at(0), response: { status: 301, redirectURL: `${SHOP}/` } }),
        request('/', 250, 100),
      ],
      {
        requests: 1,
        costMs: 250,
        basis: 'measured',
        says:
          '1 redirect delays the document by 250 ms; linking to the final address saves up to 250 ms. ' +
          '(shop.example → www.shop.example.)',
      },
    ],
    [
      'slow_document',
      [request('/', 0, 1300, { timings: { dns: 20, connect: 180, ssl: 120, wait: 1000, receive: 100 } })],
      {
        costMs: 400,
        says:
          "The document's first byte took 1.2 s, where 800 ms is good; a faster answer saves up to 400 ms. " +
          '(dns 20 ms, connect 180 ms, of it ssl 120 ms, wait 1 s.)',
      },
    ],
    [
      'errors',
      [page, request('/x.png', 110, 300, { response: { status: 404 } }), request('/y.png', 110, 50, { response: { status: 0 } })],
      {
        requests: 2,
        costMs: 300,
        says: '2 requests failed: 1 × no response, 1 × 404. (First www.shop.example/x.png; the longest took 300 ms.)',
      },
    ],
    [
      'slow_answers',
      [page, request('/a.json', 110, 640), request('/b.json', 110, 900)],
      { requests: 2, costMs: 900, says: expect.stringContaining('Longest www.shop.example/b.json with 900 ms') },
    ],
    [
      'heavy_page',
      [page, request('/a.png', 110, 90, { response: { _transferSize: 3_000_000 } })],
      {
        requests: 1,
        costBytes: 349_000,
        says: expect.stringMatching(/^The page moves 3 MB, where the median page on desktop has 2.65 MB.*request weighs as much/),
      },
    ],
    [
      'uncompressed_text',
      [
        page,
        request('/packed.js', 110, 90, { ...free, content: { size: 40_000 }, response: { _transferSize: 10_000 } }),
        ...['/small.js', '/a.png'].map((path) =>
          request(path, 110, 90, {
            ...free,
            headers: { 'content-encoding': 'identity' },
            content: { size: path === '/a.png' ? 90_000 : 1399 },
          }),
        ),
        request('/plain.js', 110, 90, {
          ...free,
          headers: { 'content-encoding': 'identity' },
          content: { size: 40_000 },
          response: { _transferSize: 40_000 },
        }),
      ],
      // Packing left 11,000 of 43,000 bytes of what was packed, the document included.
      {
        requests: 1,
        costBytes: Math.round(40_000 * (1 - 11 / 43)),
        basis: 'estimate',
        says: expect.stringContaining('largest www.shop.example/plain.js'),
      },
    ],
    [
      'duplicates',
      [
        page,
        ...['/a.png', '/a.png#top', '/a.png'].map((path, index) => request(path, 110 + index, 50, { response: { _transferSize: 5000 } })),
        request('/a.png', 140, 50, { request: { method: 'POST' } }),
        request('/a.png', 150, 50, { entry: { _fromCache: 'memory' } }),
        request('/a.png', 160, 50, { entry: { pageref: 'page_2' } }),
      ],
      {
        requests: 2,
        costBytes: 10_000,
        says: '1 address is fetched again 2 times; fetching each once saves about 10 kB. (Heaviest www.shop.example/a.png.)',
      },
    ],
    [
      'http1',
      [
        page,
        ...[110, 120, 130].map((ms) =>
          request(`https://old.example/${ms}.png`, ms, 50, { response: { httpVersion: 'HTTP/1.1' }, timings: { blocked: ms } }),
        ),
      ],
      {
        requests: 3,
        costMs: 130,
        says: '3 requests to old.example went over HTTP/1.x; HTTP/2 saves up to 130 ms. (The longest queued 130 ms for a connection.)',
      },
    ],
    [
      'reconnects',
      [page, ...[110, 120].map((ms) => request(`https://cdn.example/${ms}.png`, ms, 50, { timings: { dns: 10, connect: 40, ssl: 20 } }))],
      { requests: 1, costMs: 50, says: expect.stringContaining('cdn.example; the longest took 50 ms to open') },
    ],
    [
      'no_cache',
      [
        page,
        request('/a.png', 110, 50, { headers: { 'cache-control': 'no-store' } }),
        request('/b.png', 110, 50, { headers: { 'cache-control': '' } }),
        request('/c.png', 110, 50, { headers: { 'cache-control': '' }, response: { status: 500 } }),
      ],
      { requests: 2, costBytes: 2000, when: 'next visits', says: expect.stringContaining('saves about 2 kB on the next visit') },
    ],
    [
      'short_cache',
      [page, request('/a.png', 110, 50, { headers: { 'cache-control': 'max-age=600' } })],
      { requests: 1, costBytes: 1000, when: 'next visits' },
    ],
  ])('name %s with what it costs', (problem, entries, expected) => {
    expect(problemsOf(entries).get(problem)).toMatchObject(expected);
  });
});

describe('the order of findings', () => {
  const slow = request('/slow.json', 150, 1400);
  const script = request('/a.js', 110, 300);
  const kinds = (entries: JsonObject[]) => [...problemsOf([page, ...entries]).keys()];

  it('begins with what rendering waited for, also where no paint is known and it is inferred', () => {
    expect(kinds([slow, script])).toEqual(['render_blocking', 'slow_answers']);
    expect(problemsOf([page, script]).get('render_blocking')?.says).toMatch(/^1 script of the page probably holds back rendering/);
  });

  it('has what is inferred behind as much that is certain', () => {
    const hero1 = request('/hero.webp', 460, 200, sized(90_000));
    const { findings = [] } = view(har([page, request('/a.css', 110, 190, blocks), hero1]), {}, paints(310, 680));
    expect(findings.map(({ problem }) => problem)).toEqual(['render_blocking', 'late_lcp_image']);
  });
});

it('images in old formats are told and listed by their bytes', () => {
  const image = (path: string, bytes: number) => request(path, 120, 90, sized(bytes));
  // A flat drawing of many bytes saves less than a photo of fewer.
  const { rows = [], answer } = view(
    har([page, image('/photo.jpg', 90_000), image('/new.webp', 190_000), image('/flat-2000x2000.png', 99_000)]),
    { problem: 'image_formats' },
  );
  expect(rows.map((row) => row[4])).toEqual(['/flat-2000x2000.png', '/photo.jpg']);
  expect(answer).toMatch(/^2 of 3 images .* \(189 kB; the largest of them www\.shop\.example\/flat-2000x2000\.png: PNG, 99 kB/);
});

it('third parties are told by the one that holds rendering back longest, beside the files of the page', () => {
  const blocking = (url: string, ms: number) => request(url, 110, ms, blocks);
  const entries = [page, blocking('/a.css', 274), blocking('https://one.example/a.js', 303), blocking('https://two.example/b.js', 200)];
  expect(view(har(entries), { view: 'third_parties' }).answer).toContain(
    '2 of these requests block rendering, longest one.example until 413 ms (own files 384 ms). Heaviest',
  );
});

describe('the numbers of a load', () => {
  const unknown = { response: { bodySize: -1 }, content: { size: -1 } };

  it('are sums of what is known, the largest and the slowest first, unknown ones never', () => {
    const weighing = (path: string, ms: number, bytes: number) => request(path, 0, ms, { response: { _transferSize: bytes } });
    const { totals, byType, largest, slowest, notes } = view(
      har([weighing('/a.js', 5, 10), weighing('/b.js', 9, 30), request('/c.css', 0, 7, unknown), weighing('/d.js', 9, 20)]),
    );
    expect(totals).toMatchObject({ requests: 4, transferBytes: 60 });
    expect(byType?.map(({ type, transferBytes }) => [type, transferBytes])).toEqual([
      ['script', 60],
      ['stylesheet', null],
    ]);
    expect([largest, slowest].map((rows) => rows?.map(({ index }) => index))).toEqual([
      [1, 3, 0],
      [1, 3],
    ]);
    expect(notes.join(' ')).toContain('1 request without a known transfer size');
  });

  it('say what the file does not know: headers, and whose times those of several pages are', () => {
    const pages = ['page_1', 'page_2'].map((id) => ({ id, title: id, startedDateTime: at(0), pageTimings: { onLoad: 100 } }));
    const { notes, findings } = view(
      har([request('/', 0, 100), request('/x.json', 110, 9, { entry: { pageref: 'page_2' }, response: { headers: [] } })], { pages }),
    );
    expect(notes).toEqual(
      expect.arrayContaining([
        '1 of 2 requests have no response headers: nothing is known of their caching and compression.',
        'The load spans 2 pages of the file; onContentLoad and onLoad are those of the page of its document.',
      ]),
    );
    expect(findings).toEqual([]);
  });
});

it('the rows of a finding are the requests that it counts: a connection opened over HTTP/1.1 first is no reconnect', () => {
  const open = (path: string, startMs: number, httpVersion: string) =>
    request(`https://cdn.example/${path}.png`, startMs, 50, { response: { httpVersion }, timings: { connect: 40 } });
  const entries = [request('/', 0, 100), open('a', 110, 'http/1.1'), open('b', 120, 'h2'), open('c', 130, 'h2')];
  const { findings, rows = [] } = view(har(entries), { problem: 'reconnects' });
  expect(findings).toMatchObject([{ problem: 'reconnects', requests: 1 }]);
  expect(rows.map(([, , index]) => index)).toEqual([3]);
});

it('parties have the time in which they are busy, overlaps counted once', () => {
  const { rows = [], columns = [] } = view(
    har([
      request('/', 0, 100),
      request('https://a.tag.example/1.png', 100, 100),
      request('https://b.tag.example/2.png', 150, 100),
      request('https://a.tag.example/3.png', 400, 50),
    ]),
    { view: 'third_parties' },
  );
  const party = Object.fromEntries(columns.map((name, index) => [name, rows.find(([first]) => first === 'tag.example')?.[index]]));
  expect(party).toMatchObject({ party: 'third', hosts: 2, requests: 3, busyMs: 200, firstMs: 100, domains: 'tag.example' });
});

it('parties of one entity are one, and its own domain is never renamed', () => {
  const names = (entries: JsonObject[]) => view(har(entries), { view: 'third_parties' }).rows?.map(([name]) => name);
  expect(
    names([
      request('/', 0, 100),
      request('https://www.facebook.com/tr.png', 100, 10),
      request('https://connect.facebook.net/a.js', 100, 10),
    ]),
  ).toEqual(expect.arrayContaining(['shop.example', 'Facebook']));
  expect(names([request('https://www.facebook.com/', 0, 100)])).toEqual(['facebook.com']);
});

it('the likely LCP image that is asked for late is the first finding, with what it can win at most', () => {
  const file = har([page, request('/a.js', 110, 700), request('/hero-1200x700.webp', 1600, 380, sized(90_000))]);
  const { findings = [], likelyLcp, answer: verdict } = view(file, {}, paints(900, 2000));
  expect(likelyLcp).toMatchObject({ kind: 'image', certainty: 'likely', format: 'WebP', width: 1200, height: 700, startMs: 1600 });
  const phases = Object.values(likelyLcp?.phases ?? {});
  expect(phases.reduce((sum: number, ms) => sum + (ms ?? 0), 0)).toBeCloseTo(2000, 0);
  // It could have come with the first paint, and no earlier: 1.1 s, not the 1.5 s that it began late.
  expect(findings[0]).toMatchObject({ problem: 'late_lcp_image', costMs: 1500, wins: { fcpMs: 0, lcpMs: 1100 } });
  expect(likelyLcp?.phases).toEqual({ serverMs: 100, loadDelayMs: 1500, loadTimeMs: 380, renderDelayMs: 20 });
  expect(verdict).toMatch(
    /^The main image is requested 1\.5 s too late; loading it early saves up to 1\.1 s of LCP\. \(It is probably \S+\.webp\.\)/,
  );
});

it('the likely LCP image that loads for long as a photo in PNG is told with its format and what a modern one saves', () => {
  const slow = { ...sized(2_000_000), timings: { wait: 100, receive: 1500 } };
  const { findings = [] } = view(har([page, request('/hero-1200x700.png', 120, 1600, slow)]), {}, paints(300, 1740));
  expect(findings[0]).toMatchObject({ problem: 'slow_lcp_image', wins: { fcpMs: 0, lcpMs: 1050 } });
  expect(findings[0]?.says).toMatch(
    /^The main image loads for 1.6 s; WebP or AVIF saves up to 1.05 s of LCP\. .*: PNG, 2 MB, 1200×700 by its address;.* about 1.4 MB/,
  );
  expect(findings.map(({ problem }) => problem)).toContain('image_formats');
});

it.each([
  ['it came in time', 120, 320, 340],
  ['the paint came long after it', 900, 800, 1700],
])('the likely LCP image is no finding where %s', (_, startMs, fcpMs, lcpMs) => {
  expect(view(har([page, hero(startMs, 200)]), {}, paints(fcpMs, lcpMs)).findings).toEqual([]);
});

it.each([
  ['no more than an image that was loaded beside it leaves', hero(150, 1200), 1400, 50],
  ['as much where the image came after it', hero(1010, 390), 1410, 900],
])('what blocks rendering wins of FCP what it held back, of LCP %s', (_, image, paintMs, lcpMs) => {
  const { findings = [] } = view(har([page, request('/a.css', 110, 890, blocks), image]), {}, paints(1010, paintMs));
  expect(findings[0]).toMatchObject({ problem: 'render_blocking', costMs: 900, wins: { fcpMs: 900, lcpMs } });
});

it('a font that ended right before the first paint, long after all else, held its text back', () => {
  const { findings = [] } = view(har([page, request('/shop.woff2', 120, 1200, sized(30_000))]), {}, paints(1340, 1340));
  expect(findings[0]).toMatchObject({ problem: 'blocking_font', wins: { fcpMs: 1220, lcpMs: 1220 } });
});

describe('scripts of one name and size', () => {
  const script = (path: string, bytes: number) => request(path, 110, 90, { ...sized(bytes), entry: { _renderBlocking: 'NonBlocking' } });
  const loaded = (bytes: number) =>
    view(har([page, script('/js/vendor.3f2a91.js', 80_000), script('/pay/vendor.9c41bb.js', bytes)])).findings ?? [];

  it('under two addresses are probably loaded twice', () => {
    const [found] = loaded(80_000);
    expect(found).toMatchObject({ problem: 'duplicated_scripts', requests: 1, costBytes: 80_000 });
    expect(found?.says).toContain('same name and size as www.shop.example/js/vendor.3f2a91.js');
  });

  it('of other sizes are not', () => {
    expect(loaded(80_001)).toEqual([]);
  });
});

describe('the order of requests', () => {
  const file = har([page, request('/a.webp', 110, 300, sized(40_000)), request('/b.webp', 120, 90, sized(90_000))]);

  it.each([
    ['start', [0, 1, 2]],
    ['bytes', [2, 1, 0]],
    ['duration', [1, 0, 2]],
  ] as const)('is by %s', (orderBy, expected) => {
    expect(view(file, { orderBy, limit: 10 }).rows?.map(([index]) => index)).toEqual(expected);
  });

  it('shows format and dimensions of images', () => {
    const { columns, rows } = view(har([page, request('/a-640x480.webp', 110, 300)]), { type: 'image' });
    expect(columns?.slice(-3)).toEqual(['format', 'width', 'height']);
    expect(rows?.[0]?.slice(-3)).toEqual(['WebP', 640, 480]);
  });
});
