import { describe, expect, it } from 'vitest';
import { type Har, readHar } from '../../src/har/read/read-har.ts';
import { studyHar } from '../../src/har/requests/study-har.ts';
import { findProblems } from '../../src/har/rules/find-problems.ts';
import { drawSvg } from '../../src/views/draw-svg.ts';
import { type WaterfallOptions, waterfallOf } from '../../src/views/from-har.ts';
import { CANARY, plantCanaries } from '../har/canaries.ts';
import { RECORDED_FILES, readRecorded } from '../har/recorded-files.ts';
import { at, entry, har, request } from '../har/sample.ts';
import { someOf } from '../support/sample-size.ts';

const read = (entries: Parameters<typeof har>[0]) => readHar(har(entries));
const drawn = (file: Har, options: Partial<WaterfallOptions> = {}) =>
  waterfallOf(
    studyHar(file, () => null),
    { answer: 'The main image is late; loading it early saves 1 s. It is large.', ...options },
  );

describe('the waterfall of a HAR file', () => {
  it('has a row for each request, with ssl taken out of connect and unknown phases left open', () => {
    const file = read([
      entry({ time: 99 }),
      entry({
        url: 'https://cdn.other.example/very/long/path/that/goes/on/and/on/for/ever/app.bundle.js?token=abc',
        startedDateTime: at(120),
        time: 80,
        headers: { 'content-type': 'text/javascript' },
        timings: { blocked: -1, dns: -1, connect: -1, ssl: -1, send: 2, wait: 60, receive: 18 },
      }),
      entry({
        url: 'https://www.shop.example/app.css?v=3',
        startedDateTime: at(110),
        time: 40,
        response: { status: 404 },
        timings: { ssl: -1 },
      }),
    ]);
    expect(drawn(file)).toEqual({
      kind: 'waterfall',
      title: 'The main image is late; loading it early saves 1 s',
      subtitle: 'www.shop.example/, 3 requests',
      columns: 'label status bytes startMs totalMs blockedMs dnsMs connectMs sslMs sendMs waitMs receiveMs'.split(' '),
      rows: [
        ['/', 200, 1000, 0, 99, 1, 10, 10, 20, 1, 50, 8],
        ['/app.css', 404, 1000, 110, 40, 1, 10, 30, null, 1, 50, 8],
        ['other.example/…/app.bundle.js', 200, 1000, 120, 80, null, null, null, null, 2, 60, 18],
      ],
      blocking: [2],
      thirdParty: [2],
      marks: [{ name: 'onLoad', atMs: 1500 }],
    });
  });

  it('keeps the document and the longest of many requests, in order of start', () => {
    const many = Array.from({ length: 100 }, (_, index) =>
      entry({
        url: `https://www.shop.example/part-${index}.js`,
        startedDateTime: at(10 + index),
        time: 100 + ((index * 37) % 100),
        headers: { 'content-type': 'text/javascript' },
      }),
    );
    const spec = drawn(read([entry({ time: 5 }), ...many]));
    expect(spec?.subtitle).toBe('www.shop.example/, the 80 longest of 101 requests');
    expect(spec?.rows).toHaveLength(80);
    expect(spec?.rows[0]?.[0]).toBe('/');
    const starts = spec?.rows.map((row) => row[3]) ?? [];
    expect(starts).toEqual(starts.toSorted((a, b) => a - b));
    expect(Math.min(...(spec?.rows.slice(1).map((row) => row[4] ?? 0) ?? []))).toBeGreaterThanOrEqual(120);
  });

  it('has marks that are known from elsewhere, counted from the start of the page', () => {
    const file = read([entry({ startedDateTime: at(-300) }), entry({ startedDateTime: at(200) })]);
    const spec = drawn(file, { marks: [{ name: 'LCP', atMs: 900 }] });
    expect(spec?.marks).toEqual([
      { name: 'LCP', atMs: 1200 },
      { name: 'onLoad', atMs: 1800 },
    ]);
  });

  it('can be of chosen requests only, and says so, and of which step and run it is where that is known', () => {
    const file = read([entry(), entry({ startedDateTime: at(20) }), entry({ startedDateTime: at(10) })]);
    const spec = drawn(file, { entries: file.entries.slice(1) });
    expect(spec?.subtitle).toBe('www.shop.example/, 2 chosen requests, of 3 in all');
    const time = '2026-11-25T14:13Z';
    const of = 'Checkout – mobile, step 4 "Cart"';
    expect(drawn(file, { time, of })?.subtitle).toBe(`${of}, www.shop.example/, run of 25 Nov 2026 14:13 UTC, 3 requests`);
    expect(drawn(file, { time: '2026-11-25T15:13+01:00' })?.subtitle).toContain('run of 25 Nov 2026 15:13 +01:00, 3 requests');
    expect(spec?.rows.map((row) => row[3])).toEqual([10, 20]);
  });

  it('marks what blocks rendering and what is of third parties', () => {
    const spec = drawn(
      read([
        entry(),
        entry({
          url: 'https://tag.example/a.js',
          startedDateTime: at(10),
          headers: { 'content-type': 'text/javascript' },
          entry: { _renderBlocking: 'blocking' },
        }),
        entry({ url: 'https://pixel.example/b.gif', startedDateTime: at(20), entry: { _renderBlocking: 'non_blocking' } }),
      ]),
    );
    expect(spec).toMatchObject({ blocking: [1], thirdParty: [1, 2] });
    const svg = spec && drawSvg(spec).svg;
    expect(svg).toContain('■ ↗ tag.example/a.js');
    expect(svg).toContain('>↗ pixel.example/b.gif');
    expect(svg).toContain('■ blocks rendering · ↗ third party');
    // Phases differ by their lines too.
    expect(svg).toContain('<pattern');
  });

  it('marks the requests that its title is about, and that this is an inference', () => {
    const image = request('/hero.webp', 1600, 380, { response: { _transferSize: 90_000 }, content: { size: 90_000 } });
    const paints = { fcpMs: 900, lcpMs: 2000, tbtMs: 40, loadMs: null };
    const study = studyHar(readHar(har([request('/', 0, 100), image])), () => null, paints);
    const spec = waterfallOf(study, { answer: '', problem: findProblems(study)[0] });
    expect(spec?.finding).toEqual({ rows: [1], isInferred: true });
    expect(spec && drawSvg(spec).svg).toMatch(/>◆ \/hero\.webp.*◆ probably what the title is about/s);
  });

  it('is none where nothing says when a request began', () => {
    expect(drawn(read([entry({ startedDateTime: 'once' })]))).toBeUndefined();
    expect(drawn(read([]))).toBeUndefined();
  });

  it('shows no secret of a file', () => {
    const planted = plantCanaries(har([entry(), entry({ url: 'https://api.other.example/v1/list?q=1', startedDateTime: at(40) })]));
    const spec = drawn(readHar(planted));
    expect(spec?.rows).toHaveLength(2);
    expect(JSON.stringify(spec)).not.toMatch(CANARY);
    expect(spec && drawSvg(spec).svg).not.toMatch(CANARY);
  });

  it.each(someOf(RECORDED_FILES, 4))('is drawn from %s', (name) => {
    const spec = drawn(readHar(readRecorded(name)));
    expect(spec?.rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(spec).length).toBeLessThan(8_000);
    expect(Math.max(...(spec?.rows.map(([label]) => label.length) ?? []))).toBeLessThanOrEqual(46);
    expect(spec && drawSvg(spec).svg).not.toMatch(/NaN|undefined/);
  });
});
