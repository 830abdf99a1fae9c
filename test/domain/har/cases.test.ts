import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compareHars } from '../../../src/domain/har/compare/compare-hars.ts';
import { readHar } from '../../../src/domain/har/read/read-har.ts';
import type { PaintTimes } from '../../../src/domain/har/requests/largest-paint.ts';
import { loadEntities } from '../../../src/domain/har/requests/third-parties.ts';
import { sanitiseHar } from '../../../src/domain/har/sanitise/sanitise-har.ts';
import { digestOf, view, viewOf } from './analyse/views.ts';

// Small files written after public bug reports: what recorders and loads are really like.
const folder = new URL('../../samples/har-cases/', import.meta.url);
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

it('several loads in one file 01: iterations are judged by the last, the others are named', () => {
  const { totals, findings, notes, answer: verdict } = view(fileOf('01-pages-iterations'));
  expect(totals).toMatchObject({ requests: 3, transferBytes: 1_100_600, onLoadMs: 400, connectionsOpened: 1 });
  expect(findings?.map(({ problem }) => problem)).not.toContain('reconnects');
  expect(findings?.map(({ problem }) => problem)).not.toContain('duplicates');
  expect(notes.find((note) => note.includes('3 page loads'))).toContain('shop.example/ (3 requests, 1.1 MB, loaded after 400 ms)');
  expect(verdict).toContain('1.1 MB');
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
  const har = readHar(fileOf('22-no-zone'));
  expect(viewOf(har, {}).findings?.[0]).toMatchObject({ problem: 'render_blocking', requests: 1 });
});

it('people in addresses 20: are masked whatever the language', () => {
  const file = fileOf('20-people-in-addresses');
  const copy = sanitiseHar(readHar(file));
  const texts = copy.log.entries.map(({ request }) => request.url.replace('https://shop.example', ''));
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
