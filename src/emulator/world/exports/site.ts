import type { Project } from '../../credentials.ts';

/** Kinds of pages, or of screens in an app, between which visitors walk. */
export const places = ['home', 'list', 'item', 'search', 'nothing', 'help', 'account', 'cart', 'offer', 'offerPayment'] as const;
/** A page or screen of the emulated sites. */
export type Place = (typeof places)[number];

/** Where a step leads, and in how many of a hundred cases. */
export type Turns = { readonly [To in Place]?: number };
/** Where visitors go next from each kind of page. */
export type Chain = { readonly [From in Place]?: Turns };

/** How a kind of site is walked: without an intent to buy, with one, and with a cart that is filled. */
export interface Site {
  /** The pages to a conversion in their order, the one that confirms it last. */
  readonly way: readonly string[];
  /** By index of `sources`. */
  readonly entries: readonly Turns[];
  readonly idle: Chain;
  readonly keen: Chain;
  readonly carrying: Chain;
  /** Where those go who leave the way and stay. */
  readonly astray: Turns;
  /** The page of the goal "Account created", where the site has it. */
  readonly registered: { readonly goal: string; readonly path: string } | null;
}

const shopIdle: Chain = {
  home: { list: 50, search: 12, item: 16, help: 8, account: 6, home: 8 },
  list: { item: 52, list: 28, home: 10, search: 6, help: 4 },
  item: { list: 42, item: 28, home: 12, search: 10, help: 8 },
  search: { item: 46, nothing: 18, search: 12, list: 24 },
  nothing: { search: 48, list: 24, home: 20, help: 8 },
  help: { home: 40, list: 34, item: 26 },
  account: { home: 45, list: 35, help: 20 },
  cart: { list: 60, home: 40 },
};

const shopKeen: Chain = {
  ...shopIdle,
  home: { list: 42, search: 24, item: 30, home: 4 },
  list: { item: 68, list: 22, search: 8, home: 2 },
  item: { item: 38, list: 36, search: 16, help: 8, home: 2 },
  search: { item: 70, nothing: 8, search: 14, list: 8 },
};

/** Direct, organic search, paid search, newsletter, social, referral. */
const shopEntries: readonly Turns[] = [
  { home: 68, item: 16, list: 10, account: 6 },
  { item: 46, list: 28, home: 24, help: 2 },
  { item: 52, list: 38, home: 10 },
  { list: 48, item: 40, home: 12 },
  { item: 58, list: 26, home: 16 },
  { item: 82, list: 12, home: 6 },
];

const shop: Site = {
  way: ['/cart', '/checkout/address', '/checkout/payment', '/checkout/confirmation'],
  entries: shopEntries,
  idle: shopIdle,
  keen: shopKeen,
  carrying: {
    ...shopKeen,
    item: { item: 32, list: 30, search: 12, cart: 16, help: 8, home: 2 },
    cart: { item: 46, list: 40, search: 8, help: 6 },
  },
  astray: { home: 26, list: 30, item: 24, help: 20 },
  registered: { goal: 'Account created', path: '/account/welcome' },
};

const appIdle: Chain = {
  home: { search: 38, item: 44, account: 12, home: 6 },
  search: { item: 66, nothing: 12, search: 14, home: 8 },
  nothing: { search: 60, home: 40 },
  item: { item: 34, search: 26, home: 30, account: 10 },
  account: { home: 70, item: 30 },
  cart: { home: 50, item: 50 },
};

const app: Site = {
  way: ['/screen/cart', '/screen/checkout', '/screen/thanks'],
  // An app begins on its home screen.
  entries: [{ home: 100 }],
  idle: appIdle,
  keen: {
    ...appIdle,
    item: { item: 52, search: 30, home: 18 },
  },
  carrying: {
    ...appIdle,
    item: { item: 42, search: 24, home: 16, cart: 18 },
    cart: { item: 64, search: 26, home: 10 },
  },
  astray: { home: 46, item: 34, account: 20 },
  registered: { goal: 'Account created', path: '/screen/account/created' },
};

const magazine: Chain = {
  home: { item: 60, list: 30, search: 5, account: 3, offer: 2 },
  list: { item: 72, list: 12, home: 14, offer: 2 },
  item: { item: 46, list: 20, home: 24, search: 4, offer: 6 },
  search: { item: 64, nothing: 16, search: 20 },
  nothing: { search: 60, home: 40 },
  account: { home: 80, item: 20 },
  offer: { offerPayment: 24, item: 40, home: 36 },
  offerPayment: { offer: 30, home: 40, item: 30 },
};

/** Direct, organic search, paid search, newsletter, social, referral. */
const magazineEntries: readonly Turns[] = [
  { home: 72, item: 16, list: 12 },
  { item: 74, list: 10, home: 16 },
  { offer: 30, item: 50, home: 20 },
  { item: 82, list: 6, home: 12 },
  { item: 92, home: 8 },
  { item: 78, home: 22 },
];

const content: Site = {
  way: ['/subscribe', '/subscribe/payment', '/subscribe/welcome'],
  entries: magazineEntries,
  idle: magazine,
  keen: magazine,
  carrying: magazine,
  astray: { home: 60, item: 40 },
  registered: null,
};

/** The sites by kind of project. */
export const sites: Readonly<Record<Project['kind'], Site>> = { shop, app, content };

/** The categories of the shop. */
export const categories = ['jackets', 'shoes', 'tents', 'backpacks', 'sale'] as const;
/** The sections of the magazine. */
export const sections = ['politics', 'culture', 'science', 'sports'] as const;
