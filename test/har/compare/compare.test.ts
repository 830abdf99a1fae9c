import { describe, expect, it } from 'vitest';
import { compareHars } from '../../../src/har/compare/compare-hars.ts';
import { normalisedAddress } from '../../../src/har/compare/match-requests.ts';
import { readHar } from '../../../src/har/read/read-har.ts';
import type { PaintTimes } from '../../../src/har/requests/largest-paint.ts';
import { comparison } from '../analyse/views.ts';
import { at, type EntryParts, entry, har, type JsonObject } from '../sample.ts';

const PAGE = 'https://www.shop.example/';

function request(url: string, bytes = 1000, parts: EntryParts = {}): JsonObject {
  return entry({ url, headers: { 'content-type': 'text/javascript' }, ...parts, response: { _transferSize: bytes, ...parts.response } });
}

function compare(before: JsonObject[], after: JsonObject[]) {
  return comparison(har([entry({ url: PAGE }), ...before]), har([entry({ url: PAGE }), ...after]));
}

const keyOf = (url: string) => normalisedAddress({ method: 'GET', url, host: new URL(url).hostname });

it.each([
  ['a hash in a file name', '/app.3f9a1c2b.js', '/app.77e0d4aa.js'],
  ['a hash of a bundler', '/assets/index-DkF3x_9a.js', '/assets/index-B7zQ-w1K.js'],
  ['a version', '/npm/swiper@11.1.4/swiper.js', '/npm/swiper@11.2.0/swiper.js'],
  ['a version in a folder', '/v1.4.2/a.js', '/v1.5.0/a.js'],
  ['an id', '/shops/40817/quality.json', '/shops/40818/quality.json'],
  ['a UUID', '/c/0191f7c2-5b7e-4f3a-8a3b-0123456789ab.json', '/c/99999999-5b7e-4f3a-8a3b-abcdefabcdef.json'],
  ['a value of a query', '/collect?sid=a8f3&t=1699', '/collect?sid=77b1&t=1700'],
  ['the order of a query', '/a?x=1&y=2', '/a?y=3&x=4'],
  ['a bare number as a query', '/a.gif?1699999999', '/a.gif?1700000000'],
  ['the fragment', '/a#x', '/a#y'],
])('addresses of two runs are the same but for %s', (_what, one, other) => {
  expect(keyOf(`https://cdn.example${one}`)).toBe(keyOf(`https://cdn.example${other}`));
});

it.each([
  ['the file', '/app.3f9a1c2b.js', '/vendor.3f9a1c2b.js'],
  ['the ending', '/app.3f9a1c2b.js', '/app.3f9a1c2b.css'],
  ['a word of a file name', '/app-settings.js', '/app-checkout.js'],
  ['a small number', '/page/2', '/page/3'],
  ['a plain word in a query', '/collect?en=page_view', '/collect?en=scroll'],
  ['the names in a query', '/a?x=1', '/a?y=1'],
])('addresses of two runs differ by %s', (_what, one, other) => {
  expect(keyOf(`https://cdn.example${one}`)).not.toBe(keyOf(`https://cdn.example${other}`));
});

it('addresses of two runs differ by host, not by scheme', () => {
  expect(keyOf('http://a.example/x')).toBe(keyOf('https://a.example/x'));
  expect(keyOf('https://a.example/x')).not.toBe(keyOf('https://b.example/x'));
});

describe('a comparison', () => {
  it('tells what came and went, what blocks rendering first', () => {
    const blocks = { entry: { _renderBlocking: 'blocking' } };
    const {
      added,
      removed,
      answer: verdict,
      counts,
    } = compare(
      [request('https://old.example/a.js')],
      [request('https://new.example/big.js', 90_000), request('https://tag.example/small.js', 500, blocks)],
    );
    expect(added.map(({ url, blocksRendering }) => [url, blocksRendering])).toEqual([
      ['https://tag.example/small.js', true],
      ['https://new.example/big.js', false],
    ]);
    expect(removed.map(({ url }) => url)).toEqual(['https://old.example/a.js']);
    expect(counts).toMatchObject({ added: 2, removed: 1, matched: 1 });
    expect(verdict).toBe(
      'After: +1 request, +89.5 kB transferred. New: 2 requests to tag.example, new.example, 90.5 kB; 1 of them blocks rendering ' +
        '(tag.example). What both runs requested took as long as runs differ by anyway.',
    );
  });

  it('matches a file whose hash changed, and finds that it grew', () => {
    const { counts, grown, shrunk } = compare(
      [request(`${PAGE}app.3f9a1c2b.js`, 50_000), request(`${PAGE}lib.aaaa1111.js`, 80_000), request(`${PAGE}same.js`, 70_000)],
      [request(`${PAGE}app.77e0d4aa.js`, 90_000), request(`${PAGE}lib.bbbb2222.js`, 30_000), request(`${PAGE}same.js`, 70_900)],
    );
    expect(counts).toMatchObject({ added: 0, removed: 0, grown: 1, shrunk: 1, matched: 4 });
    expect(grown).toEqual([{ index: 1, url: `${PAGE}app.77e0d4aa.js`, beforeBytes: 50_000, afterBytes: 90_000 }]);
    expect(shrunk).toMatchObject([{ beforeBytes: 80_000, afterBytes: 30_000 }]);
  });

  it('compares contents where one side came from the cache', () => {
    const cached = { entry: { _fromCache: 'memory' } };
    const { grown, shrunk } = compare([request(`${PAGE}a.js`, 50_000)], [request(`${PAGE}a.js`, 0, cached)]);
    expect([grown, shrunk]).toEqual([[], []]);
  });

  it('calls slower only what stands out from all others', () => {
    const files = (factor: number, last: number) =>
      Array.from({ length: 20 }, (_, index) => {
        const scatter = 1 + 0.2 * Math.sin(index * 7);
        const time = index === 19 ? last : 200 * (factor === 1 ? 1 : factor * scatter);
        return request(`${PAGE}file-${'abcdefghijklmnopqrstuvwxyz'[index]}.js`, 1000, { time });
      });
    const alike = compare(files(1, 200), files(1.5, 300));
    expect([alike.counts.slower, alike.counts.faster]).toEqual([0, 0]);
    const { slower, faster } = compare(files(1, 200), files(1.5, 2400));
    expect(slower).toEqual([{ index: 20, url: `${PAGE}file-t.js`, beforeMs: 200, afterMs: 2400, loadMs: 0 }]);
    expect(faster).toEqual([]);
  });

  it('sums up by party and by type, and the net effect; what did not change is left out', () => {
    const { byParty, byType, net } = compare(
      [request('https://connect.facebook.net/a.js', 10_000), request('https://still.example/a.js')],
      [request('https://www.facebook.com/b.js', 30_000), request('https://still.example/a.js')],
    );
    expect(byParty).toEqual([
      {
        name: 'Facebook',
        requestsBefore: 1,
        requestsAfter: 1,
        transferBytesBefore: 10_000,
        transferBytesAfter: 30_000,
        contentBytesBefore: 3000,
        contentBytesAfter: 3000,
      },
    ]);
    expect(byType.map(({ name, transferBytesAfter }) => [name, transferBytesAfter])).toEqual([['script', 31_000]]);
    expect(net.find(({ measure }) => measure === 'transferBytes')).toEqual({
      measure: 'transferBytes',
      before: 12_000,
      after: 32_000,
      change: 20_000,
    });
  });

  it('never makes a zero of what a file does not say', () => {
    const unknown = { response: { bodySize: -1, _transferSize: -1 }, content: { size: -1 } };
    const { net, grown, shrunk } = comparison(
      har([entry({ url: PAGE, ...unknown })], { pages: [] }),
      har([entry({ url: PAGE })], { pages: [] }),
    );
    expect(net.find(({ measure }) => measure === 'transferBytes')).toEqual({
      measure: 'transferBytes',
      before: null,
      after: 1000,
      change: null,
    });
    expect([grown, shrunk]).toEqual([[], []]);
  });

  it('says so when the pages or the order of the runs are not as asked', () => {
    const later = har([entry({ url: 'https://www.shop.example/cart', startedDateTime: at(5000) })]);
    const { samePage, answer: verdict, notes } = comparison(later, har([entry({ url: PAGE })]));
    expect(samePage).toBe(false);
    expect(verdict).toMatch(/^Not the same page: https:\/\/www\.shop\.example\/cart against https:\/\/www\.shop\.example\/\./);
    expect(notes).toContain('The run given as before is the later one.');
    expect(comparison(har([entry({ url: `${PAGE}p/40817` })]), har([entry({ url: `${PAGE}p/40818` })])).samePage).toBe(true);
  });

  it('keeps to its size, however much changed', () => {
    const many = (name: string, bytes: number) =>
      Array.from({ length: 200 }, (_, index) =>
        request(`https://${name}${index}.with-a-long-name.example/${'path/'.repeat(20)}${index}.js`, bytes),
      );
    const grown = Array.from(
      { length: 30 },
      (_, index) => `${PAGE}${'folder/'.repeat(8)}${'abcdefghijklmnopqrstuvwxyz'[index % 26]}-${index}.js`,
    );
    const result = compare(
      [...many('before', 900), ...grown.map((url, index) => request(url, 10_000 * (index + 1)))],
      [...many('after', 800), ...grown.map((url, index) => request(url, index % 2 ? 5000 : 900_000))],
    );
    expect(JSON.stringify(result).length).toBeLessThanOrEqual(6000);
    expect(result.counts).toMatchObject({ added: 200, removed: 200 });
    expect(result.notes.join(' ')).toMatch(/\d of 200 added/);
  });
});

describe('two samples of runs', () => {
  const LETTERS = 'a b c d e f g h i j k l'.split(' ');
  /** A page of twelve pictures whose sizes share a factor in each run, and the requests given. */
  const run = (factor: number, extra: JsonObject[] = []) => ({
    har: readHar(
      har([
        entry({ url: PAGE }),
        ...LETTERS.map((letter, index) => request(`${PAGE}${letter}-picture.webp`, (22_000 + 100 * index) * factor)),
        ...extra,
      ]),
    ),
  });
  const reportsOf = (requests: number, transferBytes: number): PaintTimes[] =>
    Array.from({ length: 60 }, (_, index) => ({
      fcpMs: 900,
      lcpMs: 1500,
      tbtMs: 90,
      loadMs: 3000 * (1 + 0.05 * Math.sin(index)),
      requests: requests + (index % 3 === 0 ? 1 : 0),
      transferBytes: transferBytes * (1 + 0.003 * Math.sin(7 * index)),
    }));
  const FACTORS = { before: [1, 0.98, 1.03, 0.97], after: [1.08, 1.05, 1.11, 1.03] };
  const sample = (extra: (side: keyof typeof FACTORS) => JsonObject[], after: readonly PaintTimes[]) =>
    compareHars(
      FACTORS.before.map((factor) => run(factor, extra('before'))),
      FACTORS.after.map((factor) => run(factor, extra('after'))),
      () => null,
      undefined,
      { before: reportsOf(66, 1_700_000), after },
      { sentence: 'No change.', isMoved: false },
    ).comparison;

  it('say of the page what all runs of a side do, and nothing that is within their scatter', () => {
    const byChance = (side: string) => (side === 'after' ? [request(`${PAGE}ad.gif`, 9860)] : []);
    const { net, ...same } = sample(byChance, reportsOf(66, 1_701_400));
    expect(same.answer).toMatch(/^No change\. After \(60 runs against 60 before\): requests and bytes as before\./);
    expect(net.find(({ measure }) => measure === 'requests')).toMatchObject({ before: 66, after: 66, change: 0 });
    expect([same.grown, same.shrunk]).toEqual([[], []]);
    expect(sample(() => [], reportsOf(72, 1_962_000)).answer).toContain('+6 requests, +262 kB transferred');
  });

  it('list a size that changed beyond what it does among the runs of a side', () => {
    const { grown } = sample((side) => [request(`${PAGE}app.js`, side === 'after' ? 90_000 : 70_000)], reportsOf(66, 1_720_000));
    expect(grown).toMatchObject([{ url: `${PAGE}app.js`, beforeBytes: 70_000, afterBytes: 90_000 }]);
  });

  it('tell files apart whose addresses differ in a number, by one key in all runs', () => {
    const fonts = [request(`${PAGE}Inter-400.woff2`, 26_000), request(`${PAGE}Inter-600.woff2`, 17_000)];
    const bundle = (side: string) => request(`${PAGE}app.${side === 'after' ? '77e0d4aa' : '3f9a1c2b'}.js`, 50_000);
    const { counts, grown, shrunk } = sample(
      (side) => [...(side === 'after' ? fonts.toReversed() : fonts), bundle(side)],
      reportsOf(66, 1_700_000),
    );
    expect([grown, shrunk]).toEqual([[], []]);
    expect(counts).toMatchObject({ added: 0, removed: 0, matched: 16 });
  });
});

const FILES = 24;

/** What a run is made of, as factors of an ordinary one; `file` is the number of one file. */
interface RunParts {
  /** Of the distances between the requests, and of the document. */
  readonly pace?: number;
  readonly document?: number;
  /** Milliseconds by file. */
  readonly files?: Readonly<Record<number, number>>;
  readonly seed?: number;
}

function requestsOf({ pace = 1, document = 1, files = {}, seed = 0 }: RunParts): JsonObject[] {
  const documentMs = 300 * pace * document;
  const scatter = (index: number) => 1 + 0.15 * Math.sin(7 * index + 3 * seed);
  return [
    entry({ url: PAGE, time: documentMs }),
    ...Array.from({ length: FILES }, (_, index) =>
      entry({
        url: `https://${index % 2 === 0 ? 'static.shop.example' : 'cdn.shop.example'}/${'abcdefghijklmnopqrstuvwxyz'[index]}-file.js`,
        startedDateTime: at(documentMs + pace * 60 * (index + 1)),
        time: files[index] ?? 120 * scatter(index),
        headers: { 'content-type': 'text/javascript' },
      }),
    ),
  ];
}

const fileOf = (parts: RunParts) => readHar(har(requestsOf(parts)));

/** Paints that follow from the pace, and a load that waits for all. */
function paintsOf({ pace = 1, document = 1, seed = 0 }: RunParts): PaintTimes {
  const documentMs = 300 * pace * document;
  const rest = pace * (1 + 0.04 * Math.sin(seed));
  return { fcpMs: documentMs + 400 * rest, lcpMs: documentMs + 900 * rest, tbtMs: 100, loadMs: documentMs + 1700 * rest };
}

const NEAR = Array.from({ length: 10 }, (_, index): RunParts => ({ seed: index + 1 }));

function culpritBetween(before: RunParts, after: RunParts, odd?: RunParts) {
  const run = (parts: RunParts) => [{ har: fileOf(parts), paints: paintsOf(parts) }];
  const near = odd ? [odd, ...NEAR] : NEAR;
  const [hars, paints] = [near.slice(0, 4).map(fileOf), near.map(paintsOf)];
  const { comparison: compared } = compareHars(
    run(before),
    run(after),
    () => null,
    { before: hars, after: hars },
    { before: paints, after: paints },
  );
  return { ...compared.culprit, verdict: compared.answer };
}

describe('what made one of two runs slower', () => {
  it('is the whole run where all went slowly from the document on, though requests took no longer', () => {
    const { kind, slower, says } = culpritBetween({}, { pace: 2.5, seed: 11 });
    expect([kind, slower]).toEqual(['whole run', 'after']);
    expect(says).toMatch(/^the page took 2\.4 times as long, most requests did not/);
  });

  it('is the document where it alone took longer, although all after it began later', () => {
    expect(culpritBetween({ document: 4 }, { seed: 11 })).toMatchObject({ kind: 'document', slower: 'before' });
  });

  it('is no request that no paint and no load waited for', () => {
    const { kind, verdict } = culpritBetween({}, { files: { 3: 480 }, seed: 11 });
    expect(kind).toBe('nothing');
    expect(verdict).toContain('No cause stands out: what is listed as slower or faster held up neither a paint nor the load');
  });

  it('is a request that took seconds, also where no paint waited for it', () => {
    expect(culpritBetween({}, { files: { 3: 2_600 }, seed: 11 })).toMatchObject({
      kind: 'request',
      name: expect.stringContaining('d-file.js'),
      slower: 'after',
    });
  });

  it('is seen beside an outlier among the neighbours', () => {
    const odd = { pace: 5, seed: 12 };
    expect(culpritBetween({}, { document: 4, seed: 11 }, odd)).toMatchObject({ kind: 'document', slower: 'after' });
  });
});
