import { describe, expect, it } from 'vitest';
import { type EntryParts, har, request } from '../sample.ts';
import { view } from './views.ts';

const blocks = { entry: { _renderBlocking: 'blocking' } };
const free = { entry: { _renderBlocking: 'NonBlocking' } };
const page = request('/', 0, 100);
const paints = (fcpMs: number, lcpMs: number) => ({ fcpMs, lcpMs, tbtMs: 40, loadMs: null });
const sized = (bytes: number): EntryParts => ({ response: { _transferSize: bytes }, content: { size: bytes } });
const hero = (startMs: number, ms: number) => request('/hero.webp', startMs, ms, sized(90_000));

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
  const script = (path: string, bytes: number) => request(path, 110, 90, { ...sized(bytes), ...free });
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
