import { nthUnsigned } from '../../../lib/nth.ts';
import type { Project } from '../../credentials.ts';
import { hash, mix, unit } from '../random.ts';
import { NEAR, nearnessOf } from '../sessions/index.ts';
import { pick, type SessionRow } from './session-row.ts';
import { type Chain, categories, type Place, places, type Site, sections, sites, type Turns } from './site.ts';
import { reachedGoal, type Way, wayOf } from './way.ts';

/** Share of visitors without an intent to buy who look for something all the same. */
const CURIOUS = 0.3;
/** Share of views that are the page before, loaded again. */
const RELOADED = 0.012;
/** Share of product pages that the visitor has seen before in this session. */
const SEEN_AGAIN = 0.16;
/** Share of lists that are those of another category than the visitor came for. */
const ELSEWHERE = 0.28;
const ITEMS_A_CATEGORY = 80;

/** The pages of a session in order, and the costs that it meets on them. */
export interface Walk {
  readonly paths: readonly string[];
  readonly met: Way['met'];
}

/** Uniform numbers in [0, 1), one after the other. */
type Draw = () => number;

function drawsOf(seed: number): Draw {
  let at = hash(seed, 903) | 0;
  return () => {
    at = (at + 0x9e3779b9) | 0;
    return unit(mix(at));
  };
}

function turn(turns: Turns, draw: number): Place {
  let left = draw * 100;
  for (const to of places) {
    left -= turns[to] ?? 0;
    if (left < 0) return to;
  }
  return 'home';
}

const fixed: Readonly<Record<Project['kind'], { readonly [Kind in Place]?: readonly string[] }>> = {
  shop: {
    home: ['/'],
    search: ['/search'],
    nothing: ['/search/no-results'],
    help: ['/help/delivery', '/help/delivery', '/help/returns', '/help/sizes'],
    account: ['/account'],
    cart: ['/cart'],
  },
  app: {
    home: ['/screen/home'],
    search: ['/screen/search'],
    nothing: ['/screen/search/empty'],
    item: ['/screen/product'],
    account: ['/screen/account'],
    cart: ['/screen/cart'],
  },
  content: {
    home: ['/'],
    search: ['/search'],
    nothing: ['/search/no-results'],
    account: ['/account'],
    offer: ['/subscribe'],
    offerPayment: ['/subscribe/payment'],
  },
};

/** Gives the pages of a session their paths: visitors stay near the category that they came for, and go back to what they have seen. */
function pathsFor(kind: Project['kind'], draw: Draw): (place: Place) => string {
  const own = draw();
  const seen: string[] = [];
  const group = () => (draw() < ELSEWHERE ? draw() : own);
  const item = () => {
    const again = seen.length > 0 && draw() < SEEN_AGAIN ? pick(seen, draw()) : undefined;
    if (again !== undefined) return again;
    // A few of each group are looked at far more often than the others.
    const within = Math.floor(draw() ** 2 * ITEMS_A_CATEGORY);
    const path =
      kind === 'shop'
        ? `/p/${1000 + Math.floor(group() * categories.length) * ITEMS_A_CATEGORY + within}`
        : `/${pick(sections, group())}/article-${1000 + within * 11}`;
    seen.push(path);
    return path;
  };
  return (place) => {
    const names = fixed[kind][place];
    if (names) return names.length === 1 ? (names[0] ?? '/') : pick(names, draw());
    if (place === 'item') return item();
    return kind === 'shop' ? `/c/${pick(categories, group())}` : `/${pick(sections, group())}`;
  };
}

/** The pages of a walk in order, what each is and where it lies. */
interface Trail {
  readonly places: Place[];
  readonly paths: string[];
}

/** Walks on from a first place. */
function wander(chain: Chain, first: Place, length: number, pathOf: (place: Place) => string, draw: Draw): Trail {
  const trail: Trail = { places: [], paths: [] };
  let place = first;
  let path = '';
  for (let view = 0; view < length; view += 1) {
    if (view === 0 || draw() >= RELOADED) {
      if (view > 0) place = turn(chain[place] ?? {}, draw());
      path = pathOf(place);
    }
    trail.places.push(place);
    trail.paths.push(path);
  }
  return trail;
}

function chainOf(site: Site, { day, index }: SessionRow, depth: number, draw: Draw): Chain {
  if (depth > 0) return site.carrying;
  return nearnessOf(day, index).usual < NEAR || draw() < CURIOUS ? site.keen : site.idle;
}

/** Whoever fills a cart has looked at a product, and comes to the cart from another page. */
function leadsToCart(seen: readonly Place[]): boolean {
  return seen.includes('item') && seen.at(-1) !== 'cart' && seen.at(-1) !== 'offer';
}

/** The pages of the way that a session sees: readers whose payment is known come from the first to the confirmation at once. */
function wayPages({ way }: Site, depth: number, pageViews: number): readonly string[] {
  const confirms = depth === pageViews && depth < way.length;
  return confirms ? [...way.slice(0, depth - 1), ...way.slice(-1)] : way.slice(0, depth);
}

/** The pages of a session: it wanders, goes its part of the way to a conversion, and wanders on where it left the way. */
export function walkOf(row: SessionRow): Walk {
  const { project, seed, pageViews, day, index } = row;
  const site = sites[project.kind];
  const { depth, tail, met } = wayOf(row);
  const draw = drawsOf(seed);
  const pathOf = pathsFor(project.kind, draw);
  const entry = turn(site.entries[nthUnsigned(day.source, index)] ?? site.entries[0] ?? {}, draw());
  const before = wander(chainOf(site, row, depth, draw), entry, pageViews - depth - tail, pathOf, draw);
  const { paths } = before;
  const last = paths.length - 1;
  if (depth > 0 && last >= 0 && !leadsToCart(before.places)) paths[last] = pathOf('item');
  if (site.registered && last >= 0 && reachedGoal(row, site.registered.goal)) {
    paths[Math.min(last, 1 + Math.floor(draw() * last))] = site.registered.path;
  }
  const after = wander(site.idle, turn(site.astray, draw()), tail, pathOf, draw);
  return { paths: [...paths, ...wayPages(site, depth, pageViews), ...after.paths], met };
}
