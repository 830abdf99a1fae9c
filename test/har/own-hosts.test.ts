import { describe, expect, it } from 'vitest';
import { readHar, siteNameMatcher } from '../../src/har/read/read-har.ts';
import { view } from './analyse/views.ts';
import { at, entry, har } from './sample.ts';

const PAGE = 'https://www.nordlicht-shop.example/';

describe('hosts that carry the name of a site', () => {
  const isOwn = siteNameMatcher('www.nordlicht-shop.example');

  it.each([
    'img.nordlicht-cdn.example',
    'nordlicht.net',
    'nordlichtstatic.com',
    'static2.nordlicht-media.org',
    'nordlicht-shop.azureedge.net',
    'cdn-nordlicht.akamaized.net',
  ])('%s is one', (host) => {
    expect(isOwn(host)).toBe(true);
  });

  it.each([
    'cdn.heatlens.example',
    'nordlicht-reviews.com',
    'nordlicht.tagmanager.net',
    'mynordlichtblog.net',
    'nord.net',
    'www.googletagmanager.com',
    '10.0.0.1',
  ])('%s is none', (host) => {
    expect(isOwn(host)).toBe(false);
  });

  it.each(['www.shop.example', 'abc.example', '127.0.0.1', 'localhost'])('of %s none: its name is no name', (site) => {
    expect(siteNameMatcher(site)('shop-cdn.net')).toBe(false);
    expect(siteNameMatcher(site)('abc-cdn.net')).toBe(false);
  });
});

describe('a file with a CDN of the site', () => {
  const request = (url: string, bytes = 1000) => entry({ url, startedDateTime: at(10), response: { _transferSize: bytes } });
  const file = har([
    entry({ url: PAGE }),
    request('https://img.nordlicht-cdn.example/a.png'),
    request('https://files.partner.example/b.png', 3000),
    request('https://tag.tracker.example/c.js', 7000),
  ]);
  const partiesOf = (firstParty: readonly string[]) => readHar(file, { firstParty }).entries.map(({ party }) => party);

  it('counts it as own and says that this is inferred; the setting decides for the rest', () => {
    expect(partiesOf([])).toEqual(['first', 'first', 'third', 'third']);
    expect(readHar(file).notes).toEqual([expect.stringMatching(/^Inferred to be the site's own, .*: nordlicht-cdn\.example\./)]);
    expect(partiesOf(['partner.example', 'nordlicht-cdn.example'])).toEqual(['first', 'first', 'first', 'third']);
    expect(readHar(file, { firstParty: ['nordlicht-cdn.example'] }).notes).toEqual([]);
  });

  it('totals its third parties', () => {
    const { thirdParties, answer: verdict } = view(file, { view: 'third_parties' });
    expect(thirdParties).toEqual({ parties: 2, requests: 2, transferBytes: 10_000, contentBytes: 6_000, blocking: 0 });
    expect(verdict).toMatch(
      /^2 third parties: 2 of 4 requests, 10 kB \(\d+ % of the bytes\); none blocks rendering\. Heaviest: .+ \d.*B\.$/,
    );
  });
});

it('a CDN of the site is own where the list of entities knows both hosts', () => {
  const blocks = { entry: { _renderBlocking: 'blocking' }, headers: { 'content-type': 'text/css' }, startedDateTime: at(110) };
  const css = entry({ url: 'https://static.licdn.com/app.css', ...blocks });
  const { findings, ...answer } = view(har([entry({ url: 'https://www.linkedin.com/' }), css]));
  expect(findings?.map(({ problem }) => problem)).toContain('render_blocking');
  expect(findings?.map(({ problem }) => problem)).not.toContain('third_party_blocking');
  expect(answer.byParty).toMatchObject([{ party: 'first', requests: 2 }]);
});

it('a pixel whose content the recorder does not size is none of the files that a browser may keep', () => {
  const pixel = entry({
    url: 'https://stats.example/__utm.gif?utmwv=5',
    headers: { 'content-type': 'image/gif', 'cache-control': 'no-store' },
    response: { bodySize: 35, headersSize: 448 },
    content: { size: -1 },
  });
  expect(view(har([entry({ url: PAGE }), pixel])).findings?.map(({ problem }) => problem)).not.toContain('no_cache');
});

describe('what is wrong with files, pixels and API answers', () => {
  const plain = { 'content-type': 'application/json', 'cache-control': 'no-store' };
  const file = har([
    entry({ url: PAGE }),
    entry({ url: `${PAGE}api/stock`, headers: plain, entry: { _resourceType: 'xhr' } }),
    entry({ url: `${PAGE}callback.js`, headers: { ...plain }, entry: { _resourceType: 'script' } }),
    entry({
      url: 'https://t.example/p.gif?e=1',
      headers: { 'content-type': 'image/gif', 'cache-control': 'no-store' },
      content: { size: 43 },
    }),
    entry({ url: `${PAGE}a.js`, headers: { 'content-type': 'text/javascript', 'cache-control': 'no-store' } }),
  ]);
  const pathsOf = (problem: 'uncompressed_text' | 'uncompressed_answers' | 'no_cache') => {
    const { rows = [], columns = [], findings } = view(file, { problem });
    expect(findings?.map((finding) => finding.problem)).toEqual([problem]);
    return rows.map((row) => row[columns.indexOf('path')]);
  };

  it('is listed apart, by the filter for one problem', () => {
    expect(pathsOf('uncompressed_answers')).toEqual(['/api/stock', '/callback.js']);
    expect(pathsOf('uncompressed_text')).toEqual(['/', '/a.js']);
    expect(pathsOf('no_cache')).toEqual(['/a.js']);
  });

  it('narrows the other views too', () => {
    const { rows = [], page } = view(file, { problem: 'no_cache', view: 'waterfall' });
    expect([rows.length, page?.matched]).toEqual([1, 1]);
  });
});

it('a file that is there already is no redirect', () => {
  const of = (status: number, url: string) => entry({ url, response: { status, redirectURL: status === 304 ? '' : PAGE } });
  const { byStatus } = view(har([of(302, 'https://nordlicht.example/'), entry({ url: PAGE }), of(304, `${PAGE}a.css`)]));
  expect(byStatus).toEqual({ '2xx': 1, '304': 1, '3xx': 1 });
});
