import { hash, hashText, unit } from '../random.ts';
import { draw, drawBetween } from './noise.ts';
import { headerBytesOf, isUnavailable, type RequestSpec, type Site, sites, transferBytes } from './request-spec.ts';
import type { PageKind, Scenario, Step } from './scenarios.ts';

/** A request as it is written down here; its size is that of the compressed body, in units of 1000 bytes. */
type RequestDraft = Omit<RequestSpec, 'bodyBytes' | 'headerBytes'> & { readonly kb: number };

const consent: RequestDraft[] = [
  { type: 'script', url: 'https://cdn.cookielaw.org/scripttemplates/otSDKStub.js', kb: 7.2, phase: 'blocking' },
  { type: 'fetch', url: 'https://cdn.cookielaw.org/consent/0191f7c2-5b7e-7f3a/0191f7c2-5b7e-7f3a.json', kb: 1.9, phase: 'body' },
  { type: 'script', url: 'https://cdn.cookielaw.org/scripttemplates/202409.1.0/otBannerSdk.js', kb: 104, phase: 'body' },
  { type: 'stylesheet', url: 'https://cdn.cookielaw.org/scripttemplates/202409.1.0/assets/otCommonStyles.css', kb: 5.1, phase: 'body' },
];
const analytics: RequestDraft[] = [
  { type: 'script', url: 'https://www.googletagmanager.com/gtm.js?id=GTM-N7L4Q2X', kb: 118, phase: 'body', protocol: 'h3' },
  { type: 'script', url: 'https://www.googletagmanager.com/gtag/js?id=G-4T0RDL1CHT&l=dataLayer', kb: 96, phase: 'body', protocol: 'h3' },
  {
    type: 'beacon',
    url: 'https://region1.google-analytics.com/g/collect?v=2&tid=G-4T0RDL1CHT&cid={token}&en=page_view&ep.user_email={email}',
    kb: 0,
    phase: 'late',
    protocol: 'h3',
    status: 204,
    post: 'text',
  },
  { type: 'script', url: 'https://connect.facebook.net/en_GB/fbevents.js', kb: 68, phase: 'body', protocol: 'h3' },
  { type: 'script', url: 'https://connect.facebook.net/signals/config/1180427719?v=2.9.166', kb: 41, phase: 'body', protocol: 'h3' },
  {
    type: 'beacon',
    url: 'https://www.facebook.com/tr/?id=1180427719&ev=PageView&ud[em]={token}&fbp={token}',
    kb: 0.04,
    phase: 'late',
    protocol: 'h3',
  },
  { type: 'script', url: 'https://browser.sentry-cdn.com/7.119.0/bundle.tracing.min.js', kb: 34, phase: 'body', protocol: 'http/1.1' },
  {
    type: 'beacon',
    url: 'https://o4505.ingest.sentry.io/api/4505177/envelope/?sentry_key={token}&sentry_version=7',
    kb: 0.02,
    phase: 'late',
    post: 'text',
  },
];
const marketing: RequestDraft[] = [
  { type: 'script', url: 'https://cdn.optimizely.com/js/21846390187.js', kb: 86, phase: 'blocking' },
  { type: 'beacon', url: 'https://logx.optimizely.com/v1/events', kb: 0, phase: 'late', status: 204, post: 'json' },
  { type: 'script', url: 'https://bat.bing.com/bat.js', kb: 14.6, phase: 'late', uncached: true },
  { type: 'beacon', url: 'https://bat.bing.com/action/0?ti=187004&evt=pageLoad&sid={token}', kb: 0, phase: 'late', status: 204 },
  { type: 'script', url: 'https://widgets.trustedshops.com/js/XA1F0C7D2B.js', kb: 19, phase: 'body', protocol: 'http/1.1', uncached: true },
  {
    type: 'fetch',
    url: 'https://cdn1.api.trustedshops.com/shops/XA1F0C7D2B/public/v1/quality.json',
    kb: 2.3,
    phase: 'late',
    plain: true,
    uncached: true,
  },
  { type: 'script', url: 'https://static.criteo.net/js/ld/ld.js?a=61207', kb: 29, phase: 'late' },
  { type: 'fetch', url: 'https://sslwidget.criteo.com/event?a=61207&v=5.23&uid={token}', kb: 1.1, phase: 'late', uncached: true },
  // The same library twice, at two places of the page's templates.
  { type: 'script', url: 'https://cdn.jsdelivr.net/npm/swiper@11/swiper-bundle.min.js', kb: 43, phase: 'body' },
  { type: 'script', url: 'https://cdn.jsdelivr.net/npm/swiper@11/swiper-bundle.min.js', kb: 43, phase: 'late' },
  { type: 'stylesheet', url: 'https://cdn.jsdelivr.net/npm/swiper@11/swiper-bundle.min.css', kb: 4.3, phase: 'blocking' },
];
const paying: RequestDraft[] = [
  { type: 'script', url: 'https://js.stripe.com/v3/', kb: 187, phase: 'body' },
  { type: 'document', url: 'https://js.stripe.com/v3/controller-with-preconnect.html#apiKey={token}', kb: 1.4, phase: 'body' },
  { type: 'fetch', url: 'https://m.stripe.com/6', kb: 0.2, phase: 'late', post: 'text' },
  {
    type: 'script',
    url: 'https://www.paypal.com/sdk/js?client-id={token}&currency=EUR&components=buttons',
    kb: 132,
    phase: 'body',
    protocol: 'h2',
  },
  { type: 'image', url: 'https://www.paypalobjects.com/js-sdk-logos/2.2.7/paypal-blue.svg', kb: 1.9, phase: 'late', plain: true },
];
const webFonts: RequestDraft[] = [
  {
    type: 'stylesheet',
    url: 'https://fonts.googleapis.com/css2?family=Source+Serif+4:wght@400;600',
    kb: 1.2,
    phase: 'blocking',
    protocol: 'h3',
  },
  { type: 'font', url: 'https://fonts.gstatic.com/s/sourceserif4/v8/vEF-2mPlSg.woff2', kb: 41, phase: 'blocking', protocol: 'h3' },
];

const ADS: readonly (readonly [type: RequestDraft['type'], url: string, kb: number])[] = [
  ['script', 'https://securepubads.g.doubleclick.net/tag/js/gpt.js', 32],
  ['script', 'https://pagead2.googlesyndication.com/pagead/managed/js/gpt/m202411/pubads_impl.js', 142],
  ['fetch', 'https://securepubads.g.doubleclick.net/gampad/ads?iu=/2271/outdoors&slot={n}&gdpr_consent={token}', 9],
  ['fetch', 'https://ib.adnxs.com/ut/v3/prebid?slot={n}', 3.4],
  ['fetch', 'https://bidder.criteo.com/cdb?profileId=207&slot={n}&uid={token}', 2.1],
  ['image', 'https://tpc.googlesyndication.com/simgad/80417{n}/creative.jpg', 38],
  ['beacon', 'https://pagead2.googlesyndication.com/pcs/activeview?slot={n}&xai={token}', 0.04],
  ['beacon', 'https://cm.g.doubleclick.net/pixel?google_nid=nl&slot={n}&google_cm={token}', 0.17],
];

/** Advertising of a page: two libraries once, then bids, creatives and pixels slot by slot. */
function ads(slots: number): RequestDraft[] {
  return Array.from({ length: slots }, (_, slot) => (slot === 0 ? ADS : ADS.slice(2)))
    .flatMap((rows, slot) => rows.map((row) => [row, slot] as const))
    .map(([[type, url, kb], slot]) => ({
      type,
      url: url.replaceAll('{n}', String(slot + 1)),
      kb,
      phase: 'late',
      uncached: type !== 'script',
    }));
}

/** Requests to other parties that a page makes in every run, in the order in which the page asks for them. */
function thirdParties(site: Scenario['site'], kind: PageKind): RequestDraft[] {
  if (site === 'app') return [...webFonts, ...analytics.slice(6)];
  if (site === 'content') return [...webFonts, ...consent, ...analytics.slice(0, 3), ...ads(kind === 'article' ? 12 : 8)];
  return [...consent, ...analytics, ...marketing, ...(kind === 'payment' ? paying : [])];
}

/** Usual values of a page before any noise: times in ms since navigation, layout shift without unit. */
interface PageBase {
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
