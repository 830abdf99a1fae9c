import type { Random } from '../verdicts/random.ts';
import type { Page } from './site.ts';
import type { Trouble } from './world.ts';

type Plan = Omit<Trouble, 'drives' | 'isTrap'> & { readonly isTrap?: boolean };

const SHOP: readonly Page[] = ['home', 'category', 'product', 'search', 'cart', 'address', 'payment'];

/** Trouble that comes by chance, or with something that has its own share in who buys. */
function plansOf(random: Random): Plan[] {
  const part = (low: number, high: number) => low + (high - low) * random.uniform();
  const [rare, some, often] = [part(0.01, 0.03), part(0.02, 0.05), part(0.04, 0.09)];
  return [
    {
      kind: 'js_error',
      pages: ['product'],
      message: "TypeError: Cannot read properties of undefined (reading 'price')",
      chance: () => some,
    },
    { kind: 'js_error', pages: ['cart'], message: 'ChunkLoadError: Loading chunk # failed.', chance: () => often },
    {
      kind: 'js_error',
      pages: ['payment'],
      message: 'Error: order # could not be priced at https://api.example/v2/price?id=#',
      chance: () => often,
    },
    // Traps: old browsers, deep visits, a campaign's page, one country, phones.
    {
      kind: 'js_error',
      pages: SHOP,
      message: 'SyntaxError: Unexpected token =',
      chance: ({ isOld }) => (isOld ? 0.5 : 0.004),
      isTrap: true,
    },
    {
      kind: 'js_error',
      pages: SHOP,
      message: 'Error: cache of # entries is full',
      chance: (_, depth) => (depth > 5 ? 0.25 : 0.002),
      isTrap: true,
    },
    {
      kind: 'js_error',
      pages: ['category', 'product', 'guide'],
      message: 'ReferenceError: utm is not defined',
      isTrap: true,
      chance: ({ entry, referrer }) => (referrer === 'https://ads.example/' || entry === 'guide' ? 0.2 : 0.01),
    },
    {
      kind: 'js_error',
      pages: ['home', 'product'],
      message: 'Script error.',
      chance: ({ country }) => (country === 'PL' ? 0.12 : 0.01),
      isTrap: true,
    },
    { kind: 'api_error', pages: ['cart', 'address', 'payment'], chance: () => some },
    {
      kind: 'api_error',
      pages: ['home', 'category', 'product', 'search'],
      chance: ({ device }) => (device === 2 ? 0.04 : 0.01),
      isTrap: true,
    },
    { kind: 'rage_click', pages: ['address', 'payment'], chance: () => often },
    {
      kind: 'rage_click',
      pages: ['home', 'category', 'product', 'search', 'cart'],
      chance: ({ device }, depth) => rare * (device === 2 ? 2.5 : 1) * (1 + depth / 6),
      isTrap: true,
    },
    ...(['home', 'category', 'product', 'search', 'cart', 'payment'] as const).map(
      (page): Plan => ({ kind: 'slow_page', pages: [page], overMs: 4_000, chance: () => 0, isTrap: page === 'home' }),
    ),
  ];
}

/** A site's troubles: `costly` of those that are no traps drive visitors away, each by its own chance. */
export function troublesOf(random: Random, costly: number): Trouble[] {
  const plans = plansOf(random);
  const chosen = new Set<Plan>();
  const possible = plans.filter(({ isTrap }) => !isTrap);
  while (chosen.size < costly) chosen.add(possible[random.integer(0, possible.length - 1)] as Plan); // within the list
  return plans.map((plan) => ({
    ...plan,
    isTrap: plan.isTrap ?? false,
    drives: chosen.has(plan) ? 0.12 + 0.45 * random.uniform() : 0,
  }));
}
