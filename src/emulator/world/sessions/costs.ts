import { app, shop } from '../../credentials.ts';
import { hash, hundredths, oneOf } from '../random.ts';

/** Troubles that a visitor may meet on a page. */
type Trouble = 'js_error' | 'api_error' | 'rage_click' | 'slow_page';

/** A trouble at the first view of a page that keeps some of the visitors who meet it from going on. */
interface CostKind {
  readonly projectId: number;
  readonly what: Trouble;
  /** A page on the way to a purchase. */
  readonly page: string;
  /** Of the error; null for other troubles. */
  readonly message: string | null;
  /** `fully_loaded` lies above it where a slow page is met, and below two thirds of it elsewhere; null for other troubles. */
  readonly overSeconds: number | null;
  /** A browser on which the share is `times` as large; null: the same on all. */
  readonly browser: { readonly name: string; readonly times: number } | null;
}

/** The same with its size. */
export interface Cost extends CostKind {
  /** Of the first views of the page. */
  readonly share: number;
  /** Of the chance to go on that a visitor has who does not meet it. */
  readonly factor: number;
}

function kind(projectId: number, what: Trouble, page: string, more: Partial<CostKind> = {}): CostKind {
  return { projectId, what, page, message: null, overSeconds: null, browser: null, ...more };
}

const onSafari = { name: 'Safari', times: 1.8 };
const ibanMissing = "TypeError: Cannot read properties of null (reading 'iban')";
const totalMissing = "TypeError: Cannot read properties of undefined (reading 'total')";

/** Possible troubles of the shop, by the pages on the way to a purchase. */
const shopKinds: readonly (readonly CostKind[])[] = [
  [
    kind(shop.id, 'slow_page', '/cart', { overSeconds: 6 }),
    kind(shop.id, 'js_error', '/cart', { message: totalMissing, browser: onSafari }),
  ],
  [kind(shop.id, 'rage_click', '/checkout/address'), kind(shop.id, 'api_error', '/checkout/address')],
  [
    kind(shop.id, 'js_error', '/checkout/payment', { message: ibanMissing, browser: onSafari }),
    kind(shop.id, 'slow_page', '/checkout/payment', { overSeconds: 6 }),
    kind(shop.id, 'api_error', '/checkout/payment'),
  ],
];
const appKinds = [kind(app.id, 'api_error', '/screen/checkout'), kind(app.id, 'rage_click', '/screen/checkout')] as const;

/** The costs of a world, by project and by the order of their pages: one in the shop, and often another there or in the app. */
export function costsOf(seed: number): Cost[] {
  const draw = (n: number) => hash(seed, 0xc0_57, n);
  const sized = (chosen: CostKind, n: number): Cost => ({
    ...chosen,
    share: hundredths(draw(n), 0.06, 0.1),
    factor: hundredths(draw(n + 1), 0.3, 0.5),
  });
  const page = draw(1) % shopKinds.length;
  const another = (page + 1 + (draw(2) % (shopKinds.length - 1))) % shopKinds.length;
  const inShop = (at: number, n: number) => sized(oneOf(shopKinds[at] ?? [], draw(n)), n + 1);
  const where = oneOf(['nowhere', 'shop', 'app'] as const, draw(3));
  if (where === 'nowhere') return [inShop(page, 10)];
  if (where === 'app') return [inShop(page, 10), sized(oneOf(appKinds, draw(20)), 21)];
  return [page, another].toSorted((a, b) => a - b).map((at, nth) => inShop(at, 10 + nth * 10));
}

/** Occurs on the seventh view of a visit and later. */
export const LATE_MESSAGE = 'RangeError: Maximum call stack size exceeded';
/** Occurs on the old browser alone. */
export const OLD_BROWSER_MESSAGE = "SyntaxError: Expected ')'";

/** Troubles without a cost, planted to be mistaken for one with a cost; without a page they occur on all. */
export function harmlessOf() {
  return [
    { projectId: shop.id, what: 'js_error', page: null, message: LATE_MESSAGE, because: 'late in a visit' },
    { projectId: shop.id, what: 'js_error', page: null, message: OLD_BROWSER_MESSAGE, because: 'an old browser' },
    { projectId: shop.id, what: 'slow_page', page: '/', message: null, because: 'phones' },
  ] as const;
}
