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

/** A zone with metrics; its rates in the order of `Touch`. */
function zone(
  id: number,
  name: string,
  ...[tapRate, tapAgain, swipeRate, swipeAgain, firstTapSeconds, buyers = 1.3]: [number, number, number, number, number, number?]
): Zone {
  return { id, name, touch: { tapRate, tapAgain, swipeRate, swipeAgain, firstTapSeconds, buyers } };
}

function mapping(id: number, name: string, description: string | null, createdDaysAgo: number, updatedDaysAgo: number): Mapping {
  return { id, name, description, createdDaysAgo, updatedDaysAgo };
}

function pageGroup(id: number, name: string, category: string, mappingIds: number[], zonings: Zoning[] = [], viewShare = 0): PageGroup {
  return { id, name, category, mappingIds, zonings, viewShare };
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
    mapping(21504, 'Shop pages', 'All page types of the shop', 820, 35),
    mapping(22117, 'Checkout funnel', 'From cart to confirmation', 511, 90),
    mapping(23960, 'Landing pages', null, 190, 122),
  ],
  [app.id]: [mapping(31280, 'Screens', 'All screens of the app', 560, 20), mapping(31944, 'Purchase path', null, 298, 101)],
  [content.id]: [
    mapping(41032, 'Magazine sections', 'Sections and article pages', 710, 56),
    mapping(41877, 'Subscription funnel', null, 333, 333),
  ],
};

const pageGroupsByProject: Record<number, readonly PageGroup[]> = {
  [shop.id]: [
    pageGroup(
      210611,
      'Home page',
      'Home',
      [21504, 23960],
      [zoning(910240, 'Home page, spring', 240, plain(7310450, 'Hero banner', 'Search bar', 'Category tiles', 'Newsletter form'))],
    ),
    pageGroup(
      210614,
      'Category page',
      'List',
      [21504],
      [zoning(910251, 'Filters', 180, plain(7310502, 'Filter bar', 'Sort menu', 'Product tiles'))],
    ),
    pageGroup(
      210617,
      'Product page',
      'Product',
      [21504],
      [
        zoning(910260, 'Product page, main', 310, plain(7310571, 'Add to cart', 'Image gallery', 'Size guide', 'Reviews')),
        zoning(912874, 'Product page, test B', 41, plain(7333914, 'Add to cart', 'Sticky buy bar')),
      ],
    ),
    pageGroup(
      210622,
      'Cart',
      'Cart',
      [21504, 22117],
      [zoning(910277, 'Cart', 200, plain(7310633, 'Checkout button', 'Voucher field', 'Remove item'))],
    ),
    pageGroup(210625, 'Checkout', 'Checkout', [21504, 22117]),
    pageGroup(210628, 'Confirmation', 'Confirmation', [21504, 22117]),
    pageGroup(219950, 'Summer sale', 'Landing', [23960]),
  ],
  [app.id]: [
    pageGroup(
      310422,
      'Home',
      'Home',
      [31280],
      [
        zoning(920118, 'Header', 298, [
          zone(8120447, 'Search bar', 0.31, 0.22, 0.02, 0.1, 3.4),
          zone(8120450, 'Cart icon', 0.12, 0.1, 0.01, 0.1, 6.1, 2.2),
        ]),
        zoning(920125, 'Feed', 298, [
          zone(8120463, 'Hero banner', 0.24, 0.15, 0.36, 0.55, 4.8),
          zone(8120466, 'Category carousel', 0.19, 0.2, 0.44, 0.62, 7.2),
          zone(8120469, 'Add to cart', 0.07, 0.18, 0.01, 0.1, 11.6, 2.4),
        ]),
      ],
      0.18,
    ),
    pageGroup(
      310425,
      'Search results',
      'List',
      [31280],
      [
        zoning(920131, 'Results', 260, [
          zone(8120512, 'Search bar', 0.21, 0.3, 0.01, 0.1, 5.2),
          zone(8120515, 'Filter', 0.26, 0.45, 0.08, 0.3, 6.4),
          zone(8120518, 'Product list', 0.52, 0.4, 0.71, 0.72, 4.1),
        ]),
      ],
      0.24,
    ),
    pageGroup(
      310428,
      'Product screen',
      'Product',
      [31280, 31944],
      [
        zoning(920140, 'Product details', 260, [
          zone(8120571, 'Add to cart', 0.23, 0.2, 0.01, 0.1, 9.3, 2.6),
          zone(8120574, 'Buy now', 0.17, 0.08, 0.01, 0.1, 12.8, 3.2),
          zone(8120577, 'Image gallery', 0.34, 0.4, 0.58, 0.66, 2.9),
          zone(8120580, 'Reviews', 0.11, 0.25, 0.06, 0.4, 17.5),
        ]),
      ],
      0.36,
    ),
    pageGroup(
      310431,
      'Cart',
      'Cart',
      [31280, 31944],
      [
        zoning(920152, 'Cart', 210, [
          zone(8120633, 'Checkout', 0.38, 0.1, 0.01, 0.1, 5.7, 2),
          zone(8120636, 'Remove item', 0.14, 0.3, 0.12, 0.3, 6.6, 1),
        ]),
      ],
      0.13,
    ),
    pageGroup(310434, 'Account', 'Account', [31280], [], 0.09),
  ],
  [content.id]: [
    pageGroup(
      410370,
      'Front page',
      'Home',
      [41032],
      [zoning(930092, 'Front page', 333, plain(9230118, 'Lead story', 'Search bar', 'Most read'))],
    ),
    pageGroup(
      410373,
      'Article',
      'Article',
      [41032, 41877],
      [zoning(930097, 'Article', 333, plain(9230151, 'Share buttons', 'Newsletter form', 'Related articles', 'Subscribe banner'))],
    ),
    pageGroup(410376, 'Section', 'List', [41032]),
    pageGroup(410379, 'Subscribe', 'Conversion', [41877], [zoning(930104, 'Offers', 120, plain(9230190, 'Monthly offer', 'Yearly offer'))]),
  ],
};

/** Mappings of a project. */
export function mappingsOf(projectId: number): readonly Mapping[] {
  return mappingsByProject[projectId] ?? [];
}

/** Page groups of a project (the screens of an app), each with the mappings it belongs to, its zonings and their zones. */
export function pageGroupsOf(projectId: number): readonly PageGroup[] {
  return pageGroupsByProject[projectId] ?? [];
}
