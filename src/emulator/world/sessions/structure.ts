import { app, content, shop } from '../../credentials.ts';
import type { Aged } from './segments-and-goals.ts';

/** How fingers meet a zone of an app's screen; rates are shares of the sessions that saw the screen. */
export interface Touch {
  readonly tapRate: number;
  /** Chance of one more tap after each. */
  readonly tapAgain: number;
  readonly swipeRate: number;
  readonly swipeAgain: number;
  /** Mean seconds from the screen's load to the first tap. */
  readonly firstTapSeconds: number;
  /** How many times more the sessions tap that buy. */
  readonly buyers: number;
}

interface Named {
  readonly id: number;
  readonly name: string;
}

/** A zone of the emulated projects. */
export interface Zone extends Named {
  /** Absent on sites: zone metrics exist for apps alone. */
  readonly touch?: Touch;
}

/** A zoning of the emulated projects. */
export interface Zoning extends Named, Aged {
  readonly zones: readonly Zone[];
}

/** A page group of the emulated projects. */
export interface PageGroup extends Named {
  readonly category: string;
  readonly mappingIds: readonly number[];
  readonly zonings: readonly Zoning[];
  /** Share of an app's screen views after the first; every app session begins on Home. */
  readonly viewShare?: number;
}

/** A mapping of the emulated projects. */
export interface Mapping extends Named, Aged {
  readonly description: string | null;
}

const NONE: readonly never[] = [];

function touch(tapRate: number, tapAgain: number, swipeRate: number, swipeAgain: number, firstTapSeconds: number, buyers = 1.3): Touch {
  return { tapRate, tapAgain, swipeRate, swipeAgain, firstTapSeconds, buyers };
}

function zoning(id: number, name: string, createdDaysAgo: number, zones: readonly Zone[]): Zoning {
  return { id, name, createdDaysAgo, updatedDaysAgo: Math.ceil(createdDaysAgo / 3), zones };
}

/** Zones without metrics, numbered from `firstId`. */
function plain(firstId: number, ...names: string[]): Zone[] {
  return names.map((name, index) => ({ id: firstId + index * 3, name }));
}

const mappingsByProject: Record<number, readonly Mapping[]> = {
  [shop.id]: [
    { id: 21504, name: 'Shop pages', description: 'All page types of the shop', createdDaysAgo: 820, updatedDaysAgo: 35 },
    { id: 22117, name: 'Checkout funnel', description: 'From cart to confirmation', createdDaysAgo: 511, updatedDaysAgo: 90 },
    { id: 23960, name: 'Landing pages', description: null, createdDaysAgo: 190, updatedDaysAgo: 122 },
  ],
  [app.id]: [
    { id: 31280, name: 'Screens', description: 'All screens of the app', createdDaysAgo: 560, updatedDaysAgo: 20 },
    { id: 31944, name: 'Purchase path', description: null, createdDaysAgo: 298, updatedDaysAgo: 101 },
  ],
  [content.id]: [
    { id: 41032, name: 'Magazine sections', description: 'Sections and article pages', createdDaysAgo: 710, updatedDaysAgo: 56 },
    { id: 41877, name: 'Subscription funnel', description: null, createdDaysAgo: 333, updatedDaysAgo: 333 },
  ],
};

const pageGroupsByProject: Record<number, readonly PageGroup[]> = {
  [shop.id]: [
    {
      id: 210611,
      name: 'Home page',
      category: 'Home',
      mappingIds: [21504, 23960],
      zonings: [zoning(910240, 'Home page, spring', 240, plain(7310450, 'Hero banner', 'Search bar', 'Category tiles', 'Newsletter form'))],
    },
    {
      id: 210614,
      name: 'Category page',
      category: 'List',
      mappingIds: [21504],
      zonings: [zoning(910251, 'Filters', 180, plain(7310502, 'Filter bar', 'Sort menu', 'Product tiles'))],
    },
    {
      id: 210617,
      name: 'Product page',
      category: 'Product',
      mappingIds: [21504],
      zonings: [
        zoning(910260, 'Product page, main', 310, plain(7310571, 'Add to cart', 'Image gallery', 'Size guide', 'Reviews')),
        zoning(912874, 'Product page, test B', 41, plain(7333914, 'Add to cart', 'Sticky buy bar')),
      ],
    },
    {
      id: 210622,
      name: 'Cart',
      category: 'Cart',
      mappingIds: [21504, 22117],
      zonings: [zoning(910277, 'Cart', 200, plain(7310633, 'Checkout button', 'Voucher field', 'Remove item'))],
    },
    { id: 210625, name: 'Checkout', category: 'Checkout', mappingIds: [21504, 22117], zonings: NONE },
    { id: 210628, name: 'Confirmation', category: 'Confirmation', mappingIds: [21504, 22117], zonings: NONE },
    { id: 219950, name: 'Summer sale', category: 'Landing', mappingIds: [23960], zonings: NONE },
  ],
  [app.id]: [
    {
      id: 310422,
      name: 'Home',
      category: 'Home',
      mappingIds: [31280],
      viewShare: 0.18,
      zonings: [
        zoning(920118, 'Header', 298, [
          { id: 8120447, name: 'Search bar', touch: touch(0.31, 0.22, 0.02, 0.1, 3.4) },
          { id: 8120450, name: 'Cart icon', touch: touch(0.12, 0.1, 0.01, 0.1, 6.1, 2.2) },
        ]),
        zoning(920125, 'Feed', 298, [
          { id: 8120463, name: 'Hero banner', touch: touch(0.24, 0.15, 0.36, 0.55, 4.8) },
          { id: 8120466, name: 'Category carousel', touch: touch(0.19, 0.2, 0.44, 0.62, 7.2) },
          { id: 8120469, name: 'Add to cart', touch: touch(0.07, 0.18, 0.01, 0.1, 11.6, 2.4) },
        ]),
      ],
    },
    {
      id: 310425,
      name: 'Search results',
      category: 'List',
      mappingIds: [31280],
      viewShare: 0.24,
      zonings: [
        zoning(920131, 'Results', 260, [
          { id: 8120512, name: 'Search bar', touch: touch(0.21, 0.3, 0.01, 0.1, 5.2) },
          { id: 8120515, name: 'Filter', touch: touch(0.26, 0.45, 0.08, 0.3, 6.4) },
          { id: 8120518, name: 'Product list', touch: touch(0.52, 0.4, 0.71, 0.72, 4.1) },
        ]),
      ],
    },
    {
      id: 310428,
      name: 'Product screen',
      category: 'Product',
      mappingIds: [31280, 31944],
      viewShare: 0.36,
      zonings: [
        zoning(920140, 'Product details', 260, [
          { id: 8120571, name: 'Add to cart', touch: touch(0.23, 0.2, 0.01, 0.1, 9.3, 2.6) },
          { id: 8120574, name: 'Buy now', touch: touch(0.17, 0.08, 0.01, 0.1, 12.8, 3.2) },
          { id: 8120577, name: 'Image gallery', touch: touch(0.34, 0.4, 0.58, 0.66, 2.9) },
          { id: 8120580, name: 'Reviews', touch: touch(0.11, 0.25, 0.06, 0.4, 17.5) },
        ]),
      ],
    },
    {
      id: 310431,
      name: 'Cart',
      category: 'Cart',
      mappingIds: [31280, 31944],
      viewShare: 0.13,
      zonings: [
        zoning(920152, 'Cart', 210, [
          { id: 8120633, name: 'Checkout', touch: touch(0.38, 0.1, 0.01, 0.1, 5.7, 2) },
          { id: 8120636, name: 'Remove item', touch: touch(0.14, 0.3, 0.12, 0.3, 6.6, 1) },
        ]),
      ],
    },
    { id: 310434, name: 'Account', category: 'Account', mappingIds: [31280], viewShare: 0.09, zonings: NONE },
  ],
  [content.id]: [
    {
      id: 410370,
      name: 'Front page',
      category: 'Home',
      mappingIds: [41032],
      zonings: [zoning(930092, 'Front page', 333, plain(9230118, 'Lead story', 'Search bar', 'Most read'))],
    },
    {
      id: 410373,
      name: 'Article',
      category: 'Article',
      mappingIds: [41032, 41877],
      zonings: [zoning(930097, 'Article', 333, plain(9230151, 'Share buttons', 'Newsletter form', 'Related articles', 'Subscribe banner'))],
    },
    { id: 410376, name: 'Section', category: 'List', mappingIds: [41032], zonings: NONE },
    {
      id: 410379,
      name: 'Subscribe',
      category: 'Conversion',
      mappingIds: [41877],
      zonings: [zoning(930104, 'Offers', 120, plain(9230190, 'Monthly offer', 'Yearly offer'))],
    },
  ],
};

/** Mappings of a project. */
export function mappingsOf(projectId: number): readonly Mapping[] {
  return mappingsByProject[projectId] ?? NONE;
}

/** Page groups of a project (the screens of an app), each with the mappings it belongs to, its zonings and their zones. */
export function pageGroupsOf(projectId: number): readonly PageGroup[] {
  return pageGroupsByProject[projectId] ?? NONE;
}
