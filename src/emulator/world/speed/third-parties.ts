import type { RequestSpec } from './request-spec.ts';
import type { PageKind, Scenario } from './scenarios.ts';

/** A request of a third party; its size is that of the compressed body, in units of 1000 bytes. */
type ThirdPartyRow = Omit<RequestSpec, 'bodyBytes' | 'headerBytes'> & { readonly kb: number };

const consent: ThirdPartyRow[] = [
  { type: 'script', url: 'https://cdn.cookielaw.org/scripttemplates/otSDKStub.js', kb: 7.2, phase: 'blocking' },
  { type: 'fetch', url: 'https://cdn.cookielaw.org/consent/0191f7c2-5b7e-7f3a/0191f7c2-5b7e-7f3a.json', kb: 1.9, phase: 'body' },
  { type: 'script', url: 'https://cdn.cookielaw.org/scripttemplates/202409.1.0/otBannerSdk.js', kb: 104, phase: 'body' },
  { type: 'stylesheet', url: 'https://cdn.cookielaw.org/scripttemplates/202409.1.0/assets/otCommonStyles.css', kb: 5.1, phase: 'body' },
];
const analytics: ThirdPartyRow[] = [
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
const marketing: ThirdPartyRow[] = [
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
const paying: ThirdPartyRow[] = [
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
const fonts: ThirdPartyRow[] = [
  {
    type: 'stylesheet',
    url: 'https://fonts.googleapis.com/css2?family=Source+Serif+4:wght@400;600',
    kb: 1.2,
    phase: 'blocking',
    protocol: 'h3',
  },
  { type: 'font', url: 'https://fonts.gstatic.com/s/sourceserif4/v8/vEF-2mPlSg.woff2', kb: 41, phase: 'blocking', protocol: 'h3' },
];

const ADS: readonly (readonly [type: ThirdPartyRow['type'], url: string, kb: number])[] = [
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
function ads(slots: number): ThirdPartyRow[] {
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
export function thirdParties(site: Scenario['site'], kind: PageKind): ThirdPartyRow[] {
  if (site === 'app') return [...fonts, ...analytics.slice(6)];
  if (site === 'content') return [...fonts, ...consent, ...analytics.slice(0, 3), ...ads(kind === 'article' ? 12 : 8)];
  return [...consent, ...analytics, ...marketing, ...(kind === 'payment' ? paying : [])];
}
