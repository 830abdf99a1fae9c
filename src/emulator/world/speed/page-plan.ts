import { hash, hashText, unit } from '../random.ts';
import { draw, drawBetween } from './noise.ts';
import { type RequestRow, requestOf, type Site, sites, totalsOf } from './request-spec.ts';
import type { PageKind, Scenario, Step } from './scenarios.ts';

const consent: readonly RequestRow[] = [
  ['script', 'https://cdn.cookielaw.org/scripttemplates/otSDKStub.js', 7.2, 'blocking'],
  ['fetch', 'https://cdn.cookielaw.org/consent/0191f7c2-5b7e-7f3a/0191f7c2-5b7e-7f3a.json', 1.9, 'body'],
  ['script', 'https://cdn.cookielaw.org/scripttemplates/202409.1.0/otBannerSdk.js', 104, 'body'],
  ['stylesheet', 'https://cdn.cookielaw.org/scripttemplates/202409.1.0/assets/otCommonStyles.css', 5.1, 'body'],
];
const analytics: readonly RequestRow[] = [
  ['script', 'https://www.googletagmanager.com/gtm.js?id=GTM-N7L4Q2X', 118, 'body', { protocol: 'h3' }],
  ['script', 'https://www.googletagmanager.com/gtag/js?id=G-4T0RDL1CHT&l=dataLayer', 96, 'body', { protocol: 'h3' }],
  [
    'beacon',
    'https://region1.google-analytics.com/g/collect?v=2&tid=G-4T0RDL1CHT&cid={token}&en=page_view&ep.user_email={email}',
    0,
    'late',
    { protocol: 'h3', status: 204, post: 'text' },
  ],
  ['script', 'https://connect.facebook.net/en_GB/fbevents.js', 68, 'body', { protocol: 'h3' }],
  ['script', 'https://connect.facebook.net/signals/config/1180427719?v=2.9.166', 41, 'body', { protocol: 'h3' }],
  ['beacon', 'https://www.facebook.com/tr/?id=1180427719&ev=PageView&ud[em]={token}&fbp={token}', 0.04, 'late', { protocol: 'h3' }],
  ['script', 'https://browser.sentry-cdn.com/7.119.0/bundle.tracing.min.js', 34, 'body', { protocol: 'http/1.1' }],
  ['beacon', 'https://o4505.ingest.sentry.io/api/4505177/envelope/?sentry_key={token}&sentry_version=7', 0.02, 'late', { post: 'text' }],
];
const marketing: readonly RequestRow[] = [
  ['script', 'https://cdn.optimizely.com/js/21846390187.js', 86, 'blocking'],
  ['beacon', 'https://logx.optimizely.com/v1/events', 0, 'late', { status: 204, post: 'json' }],
  ['script', 'https://bat.bing.com/bat.js', 14.6, 'late', { uncached: true }],
  ['beacon', 'https://bat.bing.com/action/0?ti=187004&evt=pageLoad&sid={token}', 0, 'late', { status: 204 }],
  ['script', 'https://widgets.trustedshops.com/js/XA1F0C7D2B.js', 19, 'body', { protocol: 'http/1.1', uncached: true }],
  ['fetch', 'https://cdn1.api.trustedshops.com/shops/XA1F0C7D2B/public/v1/quality.json', 2.3, 'late', { plain: true, uncached: true }],
  ['script', 'https://static.criteo.net/js/ld/ld.js?a=61207', 29, 'late'],
  ['fetch', 'https://sslwidget.criteo.com/event?a=61207&v=5.23&uid={token}', 1.1, 'late', { uncached: true }],
  // The same library twice, at two places of the page's templates.
  ['script', 'https://cdn.jsdelivr.net/npm/swiper@11/swiper-bundle.min.js', 43, 'body'],
  ['script', 'https://cdn.jsdelivr.net/npm/swiper@11/swiper-bundle.min.js', 43, 'late'],
  ['stylesheet', 'https://cdn.jsdelivr.net/npm/swiper@11/swiper-bundle.min.css', 4.3, 'blocking'],
];
const paying: readonly RequestRow[] = [
  ['script', 'https://js.stripe.com/v3/', 187, 'body'],
  ['document', 'https://js.stripe.com/v3/controller-with-preconnect.html#apiKey={token}', 1.4, 'body'],
  ['fetch', 'https://m.stripe.com/6', 0.2, 'late', { post: 'text' }],
  ['script', 'https://www.paypal.com/sdk/js?client-id={token}&currency=EUR&components=buttons', 132, 'body', { protocol: 'h2' }],
  ['image', 'https://www.paypalobjects.com/js-sdk-logos/2.2.7/paypal-blue.svg', 1.9, 'late', { plain: true }],
];
const webFonts: readonly RequestRow[] = [
  ['stylesheet', 'https://fonts.googleapis.com/css2?family=Source+Serif+4:wght@400;600', 1.2, 'blocking', { protocol: 'h3' }],
  ['font', 'https://fonts.gstatic.com/s/sourceserif4/v8/vEF-2mPlSg.woff2', 41, 'blocking', { protocol: 'h3' }],
];

const ADS: readonly RequestRow[] = [
  ['script', 'https://securepubads.g.doubleclick.net/tag/js/gpt.js', 32, 'late'],
  ['script', 'https://pagead2.googlesyndication.com/pagead/managed/js/gpt/m202411/pubads_impl.js', 142, 'late'],
];
const SLOT: readonly RequestRow[] = [
  ['fetch', 'https://securepubads.g.doubleclick.net/gampad/ads?iu=/2271/outdoors&slot={n}&gdpr_consent={token}', 9, 'late'],
  ['fetch', 'https://ib.adnxs.com/ut/v3/prebid?slot={n}', 3.4, 'late'],
  ['fetch', 'https://bidder.criteo.com/cdb?profileId=207&slot={n}&uid={token}', 2.1, 'late'],
  ['image', 'https://tpc.googlesyndication.com/simgad/80417{n}/creative.jpg', 38, 'late'],
  ['beacon', 'https://pagead2.googlesyndication.com/pcs/activeview?slot={n}&xai={token}', 0.04, 'late'],
  ['beacon', 'https://cm.g.doubleclick.net/pixel?google_nid=nl&slot={n}&google_cm={token}', 0.17, 'late'],
];

/** Advertising of a page: two libraries once, then bids, creatives and pixels slot by slot. */
function ads(slots: number): RequestRow[] {
  const numbers = Array.from({ length: slots }, (_, slot) => String(slot + 1));
  const inSlots = numbers.flatMap((n) =>
    SLOT.map(([type, url, kb, phase]): RequestRow => [type, url.replaceAll('{n}', n), kb, phase, { uncached: true }]),
  );
  return [...ADS, ...inSlots];
}

/** Requests to other parties that a page makes in every run, in the order in which the page asks for them. */
function thirdParties(site: Scenario['site'], kind: PageKind): RequestRow[] {
  if (site === 'app') return [...webFonts, ...analytics.slice(6)];
  if (site === 'content') return [...webFonts, ...consent, ...analytics.slice(0, 3), ...ads(kind === 'article' ? 12 : 8)];
  return [...consent, ...analytics, ...marketing, ...(kind === 'payment' ? paying : [])];
}

/** Usual values of a page before any noise: times in ms since navigation, layout shift without unit. */
type PageTimes = readonly [ttfb: number, fcp: number, lcp: number, load: number, tbt: number, cls: number];

/** On a desktop; `mobile` below is their multiple. */
const desktop: Record<PageKind, PageTimes> = {
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
const mobile: PageTimes = [1.5, 1.8, 1.85, 1.9, 2.4, 1.2];

/** How many first-party files a page loads. */
const files: Record<PageKind, readonly [styles: number, scripts: number, images: number, calls: number]> = {
  home: [3, 9, 34, 5],
  category: [2, 8, 40, 4],
  product: [2, 9, 26, 6],
  cart: [2, 8, 19, 7],
  payment: [2, 8, 13, 8],
  search: [2, 8, 32, 5],
  article: [2, 8, 18, 4],
  section: [2, 8, 42, 4],
  help: [2, 12, 40, 6],
};

/** Values of a step before noise; the pages differ by up to 12 % from seed to seed. */
function timesOf(seed: number, { device }: Scenario, { id, kind }: Step): PageTimes {
  const value = (index: 0 | 1 | 2 | 3 | 4 | 5): number => {
    // The times share one factor, so that their order holds; blocking time and layout shift have their own.
    const own = 0.88 + 0.24 * unit(hash(seed, id, Math.max(index, 3)));
    return desktop[kind][index] * own * (device === 'mobile' ? mobile[index] : 1);
  };
  return [value(0), value(1), value(2), value(3), value(4), value(5)];
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

function styles(site: Site, count: number, seed: number): RequestRow[] {
  return STYLES.slice(0, count).map((name, index) => {
    const url = `${site.static}/assets/css/${name}.${hex(hash(seed, hashText(name)))}.css`;
    // The theme is a file of the content management system: neither compressed nor cached.
    return ['stylesheet', url, 11 + 46 * draw(seed, 100 + index), 'blocking', { plain: name === 'theme', uncached: name === 'theme' }];
  });
}

function scripts(site: Site, count: number, seed: number, warm: boolean): RequestRow[] {
  return SCRIPTS.slice(0, count).map((name, index) => [
    'script',
    `${site.static}/assets/js/${name}.${hex(hash(seed, hashText(name)))}.js`,
    name === 'vendor' ? 148 + 60 * draw(seed, 120) : 9 + 84 * draw(seed, 120 + index),
    index < 2 ? 'blocking' : 'body',
    { fromCache: warm && index < 5, plain: name === 'legacy' || name === 'i18n' },
  ]);
}

function fonts(site: Site, warm: boolean): RequestRow[] {
  return FONTS.map((name, index) => {
    const url = `${site.static}/assets/fonts/${name}.${index === 2 ? 'woff' : 'woff2'}`;
    return ['font', url, 17 + 9 * index, 'blocking', { fromCache: warm, uncached: index === 3 }];
  });
}

function images(site: Site, count: number, seed: number, small: boolean): RequestRow[] {
  return Array.from({ length: count }, (_, index) => {
    const hero = index === 0;
    const format = (['webp', 'avif', 'jpg', 'webp', 'png'] as const)[drawBetween(seed, 200 + index, 0, 4)] ?? 'webp';
    const picture = PICTURES[drawBetween(seed, 300 + index, 0, PICTURES.length - 1)] ?? 'trail';
    const [heroWidth, usualWidth] = small ? [828, 360] : [1920, 480];
    const kb = hero ? 130 + 110 * draw(seed, 400) : (format === 'avif' ? 4 : 9) + 42 * draw(seed, 400 + index);
    const laterPhase = index < count * 0.6 ? 'body' : 'late';
    return [
      'image',
      `${site.images}/m/${picture}-${hex(hash(seed, index)).slice(0, 5)}.${format}?w=${hero ? heroWidth : usualWidth}`,
      kb * (small ? 0.72 : 1),
      hero ? 'hero' : laterPhase,
      {
        status: index % 11 === 7 ? 304 : 200,
        dynamic: !hero && index % 5 === 4 && index % 11 !== 7,
        uncached: format === 'png',
        protocol: format === 'png' ? 'http/1.1' : 'h2',
      },
    ];
  });
}

function queryOf(name: string): string {
  if (name === 'newsletter') return '?email={email}&token={token}';
  return name === 'session' ? '?sid={token}' : '?lang=en';
}

function calls(site: Site, count: number, seed: number): RequestRow[] {
  return CALLS.slice(0, count).map((name, index) => {
    const isSent = name === 'newsletter';
    const kb = isSent ? 0 : 0.6 + 13 * draw(seed, 500 + index);
    const more = {
      post: POSTS[name],
      status: isSent ? 204 : 200,
      authorized: true,
      uncached: true,
      dynamic: !isSent,
      plain: name === 'stock',
    };
    return ['fetch', `${site.calls}/v2/${name}${queryOf(name)}`, kb, index < 2 ? 'body' : 'late', more];
  });
}

/** Requests that fail in every run: a picture that is gone, and on articles an advertisement that is aborted. */
function broken(site: Site, { kind }: Step): RequestRow[] {
  if (kind === 'home' || kind === 'product' || kind === 'help')
    return [['image', `${site.static}/assets/img/badge-2021.png`, 0.9, 'body', { status: 404, uncached: true }]];
  return kind === 'article' ? [['script', 'https://ads.yieldmast.example/prebid/loader.js?site=nm', 0, 'late', { status: 0 }]] : [];
}

function documents(site: Site, step: Step, seed: number): RequestRow[] {
  const url = site.origin + step.path;
  // Only the first page is typed in; the payment page is reached through the address form.
  const from = step.index === 0 ? site.redirects.map((origin) => origin + step.path) : [];
  if (step.kind === 'payment') from.push(`${site.origin}/checkout`);
  const redirects = from.map((address, index): RequestRow => {
    const protocol = address.startsWith('http:') ? 'http/1.1' : 'h2';
    return ['document', address, 0.17, 'redirect', { status: 301, location: from[index + 1] ?? url, protocol }];
  });
  return [...redirects, ['document', url, 21 + 34 * draw(seed, 1), 'document', { uncached: true }]];
}

/** Data that all runs of a step share: its requests, and the times that runs scatter around. */
export type PagePlan = ReturnType<typeof planPage>;

/** The requests that every run of a step makes, and their sizes: a function of the seed, the site and the page. */
export function planPage(seed: number, scenario: Scenario, step: Step) {
  const site = sites[scenario.site];
  const isSmall = scenario.device === 'mobile';
  const [styleCount, scriptCount, imageCount, callCount] = files[step.kind];
  // A page has the same files in each scenario; bundles are those of the site, the same on each page.
  const page = hash(seed, scenario.projectId, hashText(step.path));
  const shared = hash(seed, scenario.projectId);
  const warm = step.index > 0;
  const requests = [
    ...documents(site, step, page),
    ...styles(site, styleCount, shared),
    ...scripts(site, scriptCount, shared, warm),
    ...fonts(site, warm),
    // A small screen loads fewer images.
    ...images(site, isSmall ? Math.ceil(imageCount * 0.8) : imageCount, page, isSmall),
    ...calls(site, callCount, page),
    ...broken(site, step),
    ...thirdParties(scenario.site, step.kind),
  ].map((row) => requestOf(...row));
  /** Usual sum of the bodies of dynamic requests; a run varies it. */
  const dynamicBytes = requests.reduce((sum, request) => sum + (request.dynamic ? request.bodyBytes : 0), 0);
  return { times: timesOf(seed, scenario, step), requests, dynamicBytes, totals: totalsOf(requests) };
}
