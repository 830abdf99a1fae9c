import type { Random } from '../verdicts/random.ts';

export const PAGES = ['home', 'category', 'product', 'search', 'guide', 'cart', 'address', 'payment', 'confirmation'] as const;
export type Page = (typeof PAGES)[number];

/** What a session is before its first view. `intent` and `network` are hidden from the product. */
export interface Visitor {
  readonly intent: number;
  /** Factor on each loading time; 1 is usual. */
  readonly network: number;
  /** 1 desktop, 2 mobile web, 3 tablet web. */
  readonly device: number;
  readonly browser: string;
  readonly version: number;
  readonly isOld: boolean;
  readonly isReturning: boolean;
  readonly country: string;
  readonly referrer: string | null;
  readonly entry: Page;
}

const pick = <T>(random: Random, choices: readonly (readonly [T, number])[]): T => {
  let left = random.uniform() * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [choice, weight] of choices) {
    left -= weight;
    if (left < 0) return choice;
  }
  return (choices.at(-1) ?? choices[0])?.[0] as T; // the lists below are not empty
};

const BROWSERS = {
  1: [
    ['Chrome', 5],
    ['Edge', 2],
    ['Firefox', 1],
    ['Safari', 2],
  ],
  2: [
    ['Chrome', 4],
    ['Safari', 4],
    ['Samsung Internet', 1],
  ],
  3: [
    ['Safari', 3],
    ['Chrome', 2],
  ],
} as const;

const COUNTRIES = { DE: [6, 0.1, 0.9], FR: [2, 0, 1], PL: [1, -0.25, 1.15], ES: [1, -0.15, 1.25] } as const;
type Country = keyof typeof COUNTRIES;

/** Draws a visitor: device, browser, country, source and entry page all go with what is meant to be bought and how fast pages load. */
export function visitorOf(random: Random): Visitor {
  const device = pick(random, [
    [1, 0.44],
    [2, 0.48],
    [3, 0.08],
  ] as const);
  const browser = pick<string>(random, BROWSERS[device]);
  const isOld = random.uniform() < (device === 1 ? 0.12 : 0.08);
  const version = isOld ? random.integer(90, 120) : random.integer(140, 142);
  const country = pick<Country>(
    random,
    Object.entries(COUNTRIES).map(([code, [weight]]) => [code as Country, weight] as const),
  );
  const referrer = pick<string | null>(random, [
    ['https://www.google.com/', 4],
    [null, 3],
    ['https://ads.example/', 2],
    ['https://news.example/', 1],
  ]);
  const isReturning = random.uniform() < (referrer === null ? 0.55 : 0.25);
  const entry: Page =
    referrer === 'https://ads.example/'
      ? pick<Page>(random, [
          ['category', 3],
          ['product', 3],
        ])
      : pick<Page>(random, [
          ['home', 5],
          ['product', 3],
          ['category', 1],
          ['guide', referrer === 'https://news.example/' ? 6 : 1],
        ]);
  const [, buys, slow] = COUNTRIES[country];
  const shift = (device === 2 ? -0.4 : 0) + (isOld ? -0.7 : 0) + (isReturning ? 0.5 : 0) + buys;
  const source = (referrer === 'https://ads.example/' ? -0.3 : 0) + (entry === 'guide' ? -0.6 : 0);
  const network = slow * (device === 2 ? 1.35 : 1) * (isOld ? 1.2 : 1) * Math.exp(0.35 * random.normal());
  return { intent: random.normal() + shift + source, network, device, browser, version, isOld, isReturning, country, referrer, entry };
}

/** Where a visitor goes from a page who does not leave; weights before intent. */
const NEXT: Readonly<Record<Page, readonly (readonly [Page, number])[]>> = {
  home: [
    ['category', 5],
    ['search', 2],
    ['product', 2],
    ['guide', 1],
  ],
  category: [
    ['product', 6],
    ['category', 3],
    ['search', 1],
    ['home', 1],
  ],
  product: [
    ['product', 3],
    ['category', 3],
    ['cart', 1.6],
    ['search', 1],
    ['guide', 0.4],
  ],
  search: [
    ['product', 5],
    ['search', 2],
    ['category', 1],
  ],
  guide: [
    ['guide', 3],
    ['home', 1],
    ['product', 1],
  ],
  cart: [
    ['address', 4],
    ['product', 2],
    ['category', 1],
  ],
  address: [
    ['payment', 6],
    ['cart', 1],
  ],
  payment: [
    ['confirmation', 7],
    ['address', 1],
  ],
  confirmation: [
    ['home', 2],
    ['product', 1],
  ],
};
const LEAVES: Readonly<Record<Page, number>> = {
  home: 0.32,
  category: 0.24,
  product: 0.26,
  search: 0.22,
  guide: 0.38,
  cart: 0.22,
  address: 0.16,
  payment: 0.12,
  confirmation: 0.85,
};
/** Towards the sale: the more is meant to be bought, the likelier. */
const TOWARDS: Partial<Record<Page, number>> = { cart: 0.8, address: 0.5, payment: 0.4, confirmation: 0.3 };

/** The page after this one; undefined where the visitor leaves. `extra` is the chance that what happened here drives the visitor away. */
export function nextPage(page: Page, intent: number, extra: number, random: Random): Page | undefined {
  const odds = (LEAVES[page] / (1 - LEAVES[page])) * Math.exp(-0.45 * intent);
  if (random.uniform() < odds / (1 + odds) || random.uniform() < extra) return undefined;
  return pick(
    random,
    NEXT[page].map(([next, weight]) => [next, weight * Math.exp((TOWARDS[next] ?? 0) * intent)] as const),
  );
}

const CATEGORIES = 'jackets shoes tents sale bags socks lamps gloves hats poles'.split(' ');

/** The address of a page: products, categories and articles are many. */
export function pathOf(page: Page, random: Random): string {
  if (page === 'home') return '/';
  if (page === 'product') return `/p/${1000 + Math.floor(random.uniform() ** 2 * 400)}`;
  if (page === 'category') return `/c/${CATEGORIES[random.integer(0, CATEGORIES.length - 1)] ?? ''}`;
  if (page === 'guide') return `/guide/article-${random.integer(1, 60)}`;
  if (page === 'search' || page === 'cart') return `/${page}`;
  return `/checkout/${page}`;
}
