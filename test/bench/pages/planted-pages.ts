import { randomBytes } from 'node:crypto';
import type { PageFile, PageSite } from './page-site.ts';

/** Images that a browser drew: the same photo in each format. */
export interface Photos {
  readonly webp: Buffer;
  readonly png: Buffer;
  readonly thumb: Buffer;
}

const SHOP = 'www.shop.example';
const STYLE =
  'body{margin:0;font-family:sans-serif}header{height:60px;background:#123;color:#fff}img.hero{display:block;width:100%;height:560px;' +
  'object-fit:cover}main{padding:16px}ul{display:flex;gap:8px;list-style:none;padding:0}';

const html = (body: string | Buffer): PageFile => ({ type: 'text/html; charset=utf-8', body });
const script = (body: string | Buffer, more: Partial<PageFile> = {}): PageFile => ({ type: 'text/javascript', body, ...more });
const image = (body: Buffer, type = 'image/webp'): PageFile => ({ type, body });

/** A script of about this many bytes that does almost nothing and packs to about a third. */
function filler(bytes: number, seed: string): string {
  const words: string[] = [];
  for (let length = 0, at = 0; length < bytes; at += 1) {
    const word = `const ${seed}${at}="${randomBytes(12).toString('hex')} cart product price list";`;
    words.push(word);
    length += word.length;
  }
  return `(()=>{${words.join('\n')}})();`;
}

interface Parts {
  readonly head?: string;
  readonly hero?: string;
  readonly body?: string;
}

const PRELOAD = '<link rel="preload" as="image" href="/img/hero-1200x700.webp" fetchpriority="high">';
const HERO = '<img class="hero" src="/img/hero-1200x700.webp" width="1200" height="700" fetchpriority="high" alt="">';

function pageOf({ head = PRELOAD, hero = HERO, body = '' }: Parts): PageFile {
  const list = [1, 2, 3].map((at) => `<li><img src="/img/thumb-${at}.webp" width="80" height="80" alt=""></li>`).join('');
  const title = '<title>Shop</title><link rel="icon" href="data:,"><meta name="viewport" content="width=device-width,initial-scale=1">';
  return html(
    `<!doctype html><html lang="en"><head>${title}<style>${STYLE}</style>${head}<script defer src="/js/app.js"></script></head>` +
      `<body><header>Shop</header>${hero}<main><p>Shoes for every weather</p><ul>${list}</ul>${body}</main></body></html>`,
  );
}

function filesOf(page: PageFile, { webp, thumb }: Photos, more: Readonly<Record<string, PageFile>> = {}): Record<string, PageFile> {
  const thumbs = [1, 2, 3].map((at): [string, PageFile] => [`${SHOP}/img/thumb-${at}.webp`, image(thumb)]);
  return {
    [`${SHOP}/`]: page,
    [`${SHOP}/img/hero-1200x700.webp`]: image(webp),
    [`${SHOP}/js/app.js`]: script(filler(60_000, 'a')),
    ...Object.fromEntries(thumbs),
    ...more,
  };
}

const uncached = (files: Record<string, PageFile>): Record<string, PageFile> =>
  Object.fromEntries(Object.entries(files).map(([path, file]) => [path, { ...file, uncached: true }]));

const TEXT_PAGE = (head: string): PageFile =>
  html(
    `<!doctype html><html lang="en"><head><title>Shop</title><link rel="icon" href="data:,"><style>${STYLE}</style>${head}` +
      '<script defer src="/js/app.js"></script></head><body><header>Shop</header><main>' +
      '<h1 style="font-size:64px">Shoes for every weather, in all sizes, sent today</h1></main></body></html>',
  );

const FONT_FACE =
  '<style>@font-face{font-family:Shop;src:url(/font/shop.ttf) format("truetype");font-display:block}' +
  'h1{font-family:Shop,sans-serif}</style>';

/** Pages with one fault each, and clean ones. */
export function plantedPages(photos: Photos, font: Buffer): PageSite[] {
  const late = 'const i=document.querySelector("img.hero");i.src=i.dataset.src;';
  const big = filler(900_000, 'b');
  const vendor = filler(300_000, 'v');
  const many = Array.from({ length: 40 }, (_, at) => at + 1);
  const manyImages = many.map((at) => `<img src="/img/tile-${at}.webp" width="80" height="80" alt="">`).join('');
  const tiles = Object.fromEntries(many.map((at): [string, PageFile] => [`${SHOP}/img/tile-${at}.webp`, image(photos.thumb)]));
  return [
    {
      name: 'late hero image',
      planted: 'the hero image is asked for by a script',
      problems: ['late_lcp_image'],
      culprit: 'hero',
      audits: ['lcp-discovery-insight', 'prioritize-lcp-image', 'lcp-lazy-loaded', 'lcp-breakdown-insight'],
      files: filesOf(
        pageOf({ head: '', hero: '<img class="hero" data-src="/img/hero-1200x700.webp" width="1200" height="700" alt="">' }),
        photos,
        { [`${SHOP}/js/app.js`]: script(late + filler(120_000, 'a'), { delayMs: 500 }) },
      ),
    },
    {
      name: 'blocking third party',
      planted: 'a tag in the head waits for its server',
      problems: ['third_party_blocking'],
      culprit: 'tags.vendor.example',
      audits: ['render-blocking-resources', 'render-blocking-insight', 'third-party-summary', 'third-parties-insight'],
      files: filesOf(pageOf({ head: `${PRELOAD}<script src="https://tags.vendor.example:PORT/tag.js"></script>` }), photos, {
        'tags.vendor.example/tag.js': script(filler(40_000, 't'), { delayMs: 900 }),
      }),
    },
    {
      name: 'uncompressed script',
      planted: 'a script of 900 KB is sent as it is',
      problems: ['uncompressed_text'],
      culprit: 'bundle.js',
      audits: ['uses-text-compression', 'document-latency-insight'],
      files: filesOf(pageOf({ body: '<script defer src="/js/bundle.js"></script>' }), photos, {
        [`${SHOP}/js/bundle.js`]: script(big, { plain: true }),
      }),
    },
    {
      name: 'PNG photo',
      planted: 'the hero image is a PNG of megabytes',
      problems: ['slow_lcp_image', 'image_formats'],
      culprit: 'hero',
      audits: ['modern-image-formats', 'image-delivery-insight', 'uses-optimized-images'],
      files: filesOf(
        pageOf({
          head: '<link rel="preload" as="image" href="/img/hero-1200x700.png" fetchpriority="high">',
          hero: '<img class="hero" src="/img/hero-1200x700.png" width="1200" height="700" fetchpriority="high" alt="">',
        }),
        photos,
        { [`${SHOP}/img/hero-1200x700.png`]: image(photos.png, 'image/png') },
      ),
    },
    {
      name: 'slow document',
      planted: 'the server takes 1.5 s for the document',
      problems: ['slow_document'],
      culprit: SHOP,
      audits: ['server-response-time', 'document-latency-insight'],
      files: filesOf({ ...pageOf({}), delayMs: 1500 }, photos),
    },
    {
      name: 'redirect chain',
      planted: 'three redirects before the document',
      problems: ['redirects'],
      culprit: SHOP,
      audits: ['redirects', 'document-latency-insight'],
      files: {
        ...filesOf(pageOf({}), photos, { [`${SHOP}/home`]: pageOf({}) }),
        [`${SHOP}/`]: { ...html(''), location: '/start', delayMs: 250 },
        [`${SHOP}/start`]: { ...html(''), location: '/en', delayMs: 250 },
        [`${SHOP}/en`]: { ...html(''), location: '/home', delayMs: 250 },
      },
    },
    {
      name: 'no cache',
      planted: 'no file may be kept',
      problems: ['no_cache'],
      culprit: '',
      audits: ['uses-long-cache-ttl', 'cache-insight'],
      files: uncached(filesOf(pageOf({}), photos)),
    },
    {
      name: 'duplicated script',
      planted: 'the same bundle under two addresses',
      problems: ['duplicated_scripts', 'duplicates'],
      culprit: 'vendor',
      audits: ['duplicated-javascript', 'duplicated-javascript-insight'],
      files: filesOf(
        pageOf({ body: '<script defer src="/js/vendor.3f2a.js"></script><script defer src="/checkout/vendor.9c41.js"></script>' }),
        photos,
        { [`${SHOP}/js/vendor.3f2a.js`]: script(vendor), [`${SHOP}/checkout/vendor.9c41.js`]: script(vendor) },
      ),
    },
    {
      name: 'font that blocks',
      planted: 'text stays invisible until its font is there',
      problems: ['blocking_font'],
      culprit: 'shop.ttf',
      audits: ['font-display', 'font-display-insight'],
      files: filesOf(TEXT_PAGE(FONT_FACE), photos, { [`${SHOP}/font/shop.ttf`]: { type: 'font/ttf', body: font, delayMs: 1200 } }),
    },
    {
      name: 'HTTP/1.1',
      planted: 'forty images queue for six connections',
      problems: ['http1'],
      culprit: SHOP,
      audits: ['uses-http2', 'modern-http-insight'],
      http1: true,
      files: filesOf(pageOf({ body: manyImages }), photos, tiles),
    },
    { name: 'clean: image', planted: '', problems: [], culprit: '', audits: [], files: filesOf(pageOf({}), photos) },
    { name: 'clean: text', planted: '', problems: [], culprit: '', audits: [], files: filesOf(TEXT_PAGE(''), photos) },
    {
      name: 'clean: many small images',
      planted: '',
      problems: [],
      culprit: '',
      audits: [],
      files: filesOf(pageOf({ body: manyImages }), photos, tiles),
    },
  ];
}
