import { hash, hashText, unit } from '../random.ts';
import { draw, drawBetween } from './noise.ts';
import { headerBytesOf, isUnavailable, type RequestSpec, type Site, sites, transferBytes } from './request-spec.ts';
import type { PageKind, Scenario, Step } from './scenarios.ts';
import { thirdParties } from './third-parties.ts';

/** Usual values of a page before any noise: times in ms since navigation, layout shift without unit. */
export interface PageBase {
  readonly firstByte: number;
  readonly firstContentfulPaint: number;
  readonly largestContentfulPaint: number;
  readonly loadTime: number;
  readonly totalBlockingTime: number;
  readonly cumulativeLayoutShift: number;
}

/** How many first-party files a page loads, by type. */
interface PageFiles {
  readonly styles: number;
  readonly scripts: number;
  readonly images: number;
  readonly calls: number;
}

type Timing = readonly [ttfb: number, fcp: number, lcp: number, load: number, tbt: number, cls: number];

/** On a desktop; `mobile` below is their multiple. */
const desktop: Record<PageKind, Timing> = {
  home: [190, 780, 1420, 3100, 120, 0.041],
  category: [260, 840, 1380, 2700, 140, 0.062],
  product: [230, 860, 1560, 2900, 170, 0.018],
  cart: [310, 720, 1050, 2100, 110, 0.009],
  payment: [380, 940, 1480, 3300, 260, 0.024],
  search: [340, 900, 1340, 2600, 150, 0.087],
  article: [160, 690, 1250, 4200, 290, 0.12],
  section: [150, 720, 1390, 4600, 330, 0.14],
  help: [140, 610, 940, 1700, 60, 0.004],
};
const mobile: Timing = [1.5, 1.8, 1.85, 1.9, 2.4, 1.2];

const filesByKind: Record<PageKind, PageFiles> = {
  home: { styles: 3, scripts: 9, images: 34, calls: 5 },
  category: { styles: 2, scripts: 8, images: 40, calls: 4 },
  product: { styles: 2, scripts: 9, images: 26, calls: 6 },
  cart: { styles: 2, scripts: 8, images: 19, calls: 7 },
  payment: { styles: 2, scripts: 8, images: 13, calls: 8 },
  search: { styles: 2, scripts: 8, images: 32, calls: 5 },
  article: { styles: 2, scripts: 8, images: 18, calls: 4 },
  section: { styles: 2, scripts: 8, images: 42, calls: 4 },
  help: { styles: 2, scripts: 12, images: 40, calls: 6 },
};

/** Values of a step before noise; the pages differ by up to 12 % from seed to seed. */
function pageBase(seed: number, { device }: Scenario, { id, kind }: Step): PageBase {
  const value = (index: 0 | 1 | 2 | 3 | 4 | 5): number => {
    // The times share one factor, so that their order holds; blocking time and layout shift have their own.
    const own = 0.88 + 0.24 * unit(hash(seed, id, Math.max(index, 3)));
    return desktop[kind][index] * own * (device === 'mobile' ? mobile[index] : 1);
  };
  return {
    firstByte: value(0),
    firstContentfulPaint: value(1),
    largestContentfulPaint: value(2),
    loadTime: value(3),
    totalBlockingTime: value(4),
    cumulativeLayoutShift: value(5),
  };
}

/** Number of files of a page; a small screen loads fewer images. */
function pageFiles({ device }: Scenario, { kind }: Step): PageFiles {
  const { images: usual, ...rest } = filesByKind[kind];
  return { ...rest, images: device === 'mobile' ? Math.ceil(usual * 0.8) : usual };
}

/** Data that all runs of a step share: its requests, and the timings that runs scatter around. */
export interface PagePlan {
  /** Usual timings, before any noise. */
  readonly base: PageBase;
  readonly requests: readonly RequestSpec[];
  /** Transferred bytes without the bodies of dynamic requests. */
  readonly fixedBytes: number;
  /** Usual sum of the bodies of dynamic requests; a run varies it. */
  readonly dynamicBytes: number;
  /** Requests that fail in every run. */
  readonly unavailable: number;
}

type RequestDraft = Omit<RequestSpec, 'headerBytes' | 'bodyBytes'> & { readonly kb: number };

const STYLES = ['main', 'page', 'theme'];
const SCRIPTS = ['runtime', 'vendor', 'app', 'page', 'forms', 'i18n', 'polyfills', 'gallery', 'tracking', 'search', 'legacy', 'chat'];
const FONTS = ['Inter-400', 'Inter-600', 'Inter-700', 'NordlichtIcons'];
const CALLS = ['session', 'navigation', 'recommendations', 'stock', 'prices', 'newsletter', 'delivery', 'vouchers'];
const POSTS: Partial<Record<string, 'json' | 'form'>> = { session: 'json', newsletter: 'form' };
const PICTURES = ['jacket', 'tent', 'backpack', 'stove', 'boots', 'lantern', 'trail', 'coast', 'camp', 'map'];

function hex(h: number): string {
  return h.toString(16).padStart(8, '0');
}

function styles(site: Site, count: number, seed: number): RequestDraft[] {
  return STYLES.slice(0, count).map((name, index) => ({
    type: 'stylesheet',
    url: `${site.static}/assets/css/${name}.${hex(hash(seed, hashText(name)))}.css`,
    kb: 11 + 46 * draw(seed, 100 + index),
    phase: 'blocking',
    // The theme is a file of the content management system: neither compressed nor cached.
    plain: name === 'theme',
    uncached: name === 'theme',
  }));
}

function scripts(site: Site, count: number, seed: number, warm: boolean): RequestDraft[] {
  return SCRIPTS.slice(0, count).map((name, index) => ({
    type: 'script',
    url: `${site.static}/assets/js/${name}.${hex(hash(seed, hashText(name)))}.js`,
    kb: name === 'vendor' ? 148 + 60 * draw(seed, 120) : 9 + 84 * draw(seed, 120 + index),
    phase: index < 2 ? 'blocking' : 'body',
    fromCache: warm && index < 5,
    plain: name === 'legacy' || name === 'i18n',
  }));
}

function fonts(site: Site, warm: boolean): RequestDraft[] {
  return FONTS.map((name, index) => ({
    type: 'font',
    url: `${site.static}/assets/fonts/${name}.${index === 2 ? 'woff' : 'woff2'}`,
    kb: 17 + 9 * index,
    phase: 'blocking',
    fromCache: warm,
    uncached: index === 3,
  }));
}

function images(site: Site, count: number, seed: number, small: boolean): RequestDraft[] {
  return Array.from({ length: count }, (_, index) => {
    const hero = index === 0;
    const format = (['webp', 'avif', 'jpg', 'webp', 'png'] as const)[drawBetween(seed, 200 + index, 0, 4)] ?? 'webp';
    const picture = PICTURES[drawBetween(seed, 300 + index, 0, PICTURES.length - 1)] ?? 'trail';
    const [heroWidth, usualWidth] = small ? [828, 360] : [1920, 480];
    const width = hero ? heroWidth : usualWidth;
    const laterPhase = index < count * 0.6 ? 'body' : 'late';
    return {
      type: 'image',
      url: `${site.images}/m/${picture}-${hex(hash(seed, index)).slice(0, 5)}.${format}?w=${width}`,
      kb: (hero ? 130 + 110 * draw(seed, 400) : (format === 'avif' ? 4 : 9) + 42 * draw(seed, 400 + index)) * (small ? 0.72 : 1),
      phase: hero ? 'hero' : laterPhase,
      status: index % 11 === 7 ? 304 : 200,
      dynamic: !hero && index % 5 === 4 && index % 11 !== 7,
      uncached: format === 'png',
      protocol: format === 'png' ? 'http/1.1' : 'h2',
    };
  });
}

function queryOf(name: string): string {
  if (name === 'newsletter') return '?email={email}&token={token}';
  return name === 'session' ? '?sid={token}' : '?lang=en';
}

function calls(site: Site, count: number, seed: number): RequestDraft[] {
  return CALLS.slice(0, count).map((name, index) => ({
    type: 'fetch',
    url: `${site.calls}/v2/${name}${queryOf(name)}`,
    kb: name === 'newsletter' ? 0 : 0.6 + 13 * draw(seed, 500 + index),
    phase: index < 2 ? 'body' : 'late',
    post: POSTS[name],
    status: name === 'newsletter' ? 204 : 200,
    authorized: true,
    uncached: true,
    dynamic: name !== 'newsletter',
    plain: name === 'stock',
  }));
}

/** Requests that fail in every run: a picture that is gone, and on articles an advertisement that is aborted. */
function broken(site: Site, { kind }: Step): RequestDraft[] {
  if (kind === 'home' || kind === 'product' || kind === 'help')
    return [{ type: 'image', url: `${site.static}/assets/img/badge-2021.png`, kb: 0.9, phase: 'body', status: 404, uncached: true }];
  if (kind === 'article')
    return [{ type: 'script', url: 'https://ads.yieldmast.example/prebid/loader.js?site=nm', kb: 0, phase: 'late', status: 0 }];
  return [];
}

function documents(site: Site, step: Step, seed: number): RequestDraft[] {
  const url = site.origin + step.path;
  const page: RequestDraft = { type: 'document', url, kb: 21 + 34 * draw(seed, 1), phase: 'document', uncached: true };
  // Only the first page is typed in; the payment page is reached through the address form.
  const from = step.index === 0 ? site.redirects.map((origin) => origin + step.path) : [];
  if (step.kind === 'payment') from.push(`${site.origin}/checkout`);
  const redirects = from.map((address, index): RequestDraft => {
    const protocol = address.startsWith('http:') ? 'http/1.1' : 'h2';
    return { type: 'document', url: address, kb: 0.17, phase: 'redirect', status: 301, location: from[index + 1] ?? url, protocol };
  });
  return [...redirects, page];
}

function specOf({ kb, ...draft }: RequestDraft): RequestSpec {
  const bodyBytes = draft.status === 304 || draft.status === 0 ? 0 : Math.round(kb * 1000);
  return { ...draft, bodyBytes, headerBytes: headerBytesOf(draft.url) };
}

/** The requests that every run of a step makes, and their sizes: a function of the seed, the site and the page. */
export function planPage(seed: number, scenario: Scenario, step: Step): PagePlan {
  const site = sites[scenario.site];
  const files = pageFiles(scenario, step);
  // A page has the same files in each scenario; bundles are those of the site, the same on each page.
  const page = hash(seed, scenario.projectId, hashText(step.path));
  const shared = hash(seed, scenario.projectId);
  const warm = step.index > 0;
  const requests = [
    ...documents(site, step, page),
    ...styles(site, files.styles, shared),
    ...scripts(site, files.scripts, shared, warm),
    ...fonts(site, warm),
    ...images(site, files.images, page, scenario.device === 'mobile'),
    ...calls(site, files.calls, page),
    ...broken(site, step),
    ...thirdParties(scenario.site, step.kind),
  ].map(specOf);
  const dynamic = requests.filter((request) => request.dynamic);
  const dynamicBytes = dynamic.reduce((sum, request) => sum + request.bodyBytes, 0);
  const bytes = requests.reduce((sum, request) => sum + transferBytes(request), 0);
  return {
    base: pageBase(seed, scenario, step),
    requests,
    dynamicBytes,
    fixedBytes: bytes - dynamicBytes,
    unavailable: requests.filter(isUnavailable).length,
  };
}
