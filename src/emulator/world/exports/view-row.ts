import { nthUnsigned } from '../../../lib/nth.ts';
import type { Project } from '../../credentials.ts';
import { hash, mix, unit } from '../random.ts';
import {
  type Cost,
  countries,
  goalsOf,
  LATE_MESSAGE,
  NEAR,
  type Nearness,
  nearnessOf,
  OLD_BROWSER_MESSAGE,
  profileOf,
} from '../sessions/index.ts';
import { browserOf, chance, isOldBrowser, pick, type SessionRow, screenOf } from './session-row.ts';
import { type Chain, categories, type Place, places, type Site, sections, sites, type Turns } from './site.ts';

/** How far a session gets on the pages to a conversion. */
interface Way {
  /** Pages of the way that it sees, the first ones; all of them where it converts. */
  readonly depth: number;
  /** Views after the last of them, for those who leave the way. */
  readonly tail: number;
  /** The costs that it meets. */
  readonly met: readonly Cost[];
}

const OFF_THE_WAY: Way = { depth: 0, tail: 0, met: [] };

/** Shares of those who leave the way after no, one and two more views. */
const tails = [0.7, 0.2, 0.1] as const;
/** Views of buyers at least, and of others near to buying: `fillBehaviour` gives them. */
const FEWEST = { buyer: 6, near: 3 } as const;

/**
 * How deep sessions go that set out to buy `times` as often as sessions buy on usual days; those below the first come to the last page
 * before the confirmation.
 */
const depths = {
  shop: [1.6, 2.2, 3.1],
  app: [1.9, 2.8],
  content: [],
} as const;

/** Questions about a session that no other part asks. */
const ASK = { tail: 950, stops: 952, meets: 960, returns: 970 } as const;

function tailOf(seed: number): number {
  const draw = chance(seed, ASK.tail);
  if (draw < tails[0]) return 0;
  return draw < tails[0] + tails[1] ? 1 : 2;
}

/** Share of the first views of its page on which this session meets a cost. */
function shareOf({ browser, share }: Cost, row: SessionRow): number {
  return browser !== null && browserOf(row).name === browser.name ? Math.min(0.9, share * browser.times) : share;
}

/** Sessions that would have bought but for this cost, for each of those that pass it and would buy. */
function lostOf(cost: Cost, row: SessionRow): number {
  const lost = shareOf(cost, row) * (1 - cost.factor);
  return lost / (1 - lost);
}

/**
 * Which costs a buyer met. Who would buy meets a cost with its share and passes it with its factor, so among those who bought in the end
 * it is rarer.
 */
function metByBuyer(row: SessionRow, costs: readonly Cost[]): Cost[] {
  return costs.filter((cost, at) => chance(row.seed, ASK.meets + at) < shareOf(cost, row) * cost.factor * (1 + lostOf(cost, row)));
}

/**
 * The way of a session that a cost kept from buying; undefined for others. They lie next above the buyers, as many as the cost takes.
 * What they saw before is like what the buyers saw before: views beyond the fewest are memoryless, so among those with enough of them
 * the page stands as far into the visit as among buyers.
 */
function lostWay(row: SessionRow, { onTheDay }: Nearness, pages: readonly string[]): Way | undefined {
  const { costs } = row.day.buying;
  const moreViews = profileOf(row.project.id).meanViews - 1;
  const spare = (step: number, tail: number) => Math.max(0, FEWEST.buyer - pages.length + step + tail - FEWEST.near);
  let [from, passed] = [1, 1];
  for (const cost of costs.toReversed()) {
    const step = pages.indexOf(cost.page) + 1;
    const enough = tails.reduce((sum, share, tail) => sum + share * Math.exp(-spare(step, tail) / moreViews), 0);
    const to = from + (passed * lostOf(cost, row)) / enough;
    if (onTheDay >= from && onTheDay < to) {
      const tail = tailOf(row.seed);
      if (row.pageViews < FEWEST.near + spare(step, tail)) return undefined;
      const before = costs.slice(0, costs.indexOf(cost));
      return { depth: step, tail, met: [...metByBuyer(row, before), cost] };
    }
    from = to;
    passed *= 1 + lostOf(cost, row);
  }
  return undefined;
}

/** The way of a session that would not have bought in any case; a cost may end it earlier. */
function otherWay(row: SessionRow, { usual }: Nearness, pages: readonly string[]): Way {
  const { seed, pageViews, project } = row;
  const thresholds = depths[project.kind];
  const reached = thresholds.length - thresholds.findIndex((times) => usual < times);
  let depth = Math.min(pageViews - 1, reached > thresholds.length ? 0 : reached);
  const met = [];
  for (const [at, cost] of row.day.buying.costs.entries()) {
    const step = pages.indexOf(cost.page) + 1;
    if (step > depth || chance(seed, ASK.meets + at) >= shareOf(cost, row)) continue;
    met.push(cost);
    if (step < depth && chance(seed, ASK.stops + at) >= cost.factor) depth = step;
  }
  return { depth, tail: Math.min(pageViews - 1 - depth, tailOf(seed)), met };
}

/** Whether the session reached a goal by that name. */
function reachedGoal({ project, day, index }: SessionRow, name: string): boolean {
  const bit = goalsOf(project.id).findIndex((goal) => goal.name === name);
  return bit >= 0 && (nthUnsigned(day.goals, index) & (1 << bit)) !== 0;
}

/** How far a session gets, whatever it costs. */
function wayOf(row: SessionRow): Way {
  const { project, day, index, transactions, pageViews } = row;
  const pages = sites[project.kind].way;
  if (transactions > 0 || (project.kind === 'content' && reachedGoal(row, 'Subscription'))) {
    return { depth: Math.min(pages.length, pageViews), tail: 0, met: metByBuyer(row, day.buying.costs) };
  }
  const nearness = nearnessOf(day, index);
  if (nearness.usual >= NEAR) return OFF_THE_WAY;
  return lostWay(row, nearness, pages) ?? otherWay(row, nearness, pages);
}

/** Share of visitors without an intent to buy who look for something all the same. */
const CURIOUS = 0.3;
/** Share of views that are the page before, loaded again. */
const RELOADED = 0.012;
/** Share of product pages that the visitor has seen before in this session. */
const SEEN_AGAIN = 0.16;
/** Share of lists that are those of another category than the visitor came for. */
const ELSEWHERE = 0.28;
const ITEMS_A_CATEGORY = 80;

/** Uniform numbers in [0, 1), one after the other. */
type NextDraw = () => number;

function drawsOf(seed: number): NextDraw {
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
function pathsFor(kind: Project['kind'], draw: NextDraw): (place: Place) => string {
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

/** Walks on from a first place: the pages in order, what each is and where it lies. */
function wander(chain: Chain, first: Place, length: number, pathOf: (place: Place) => string, draw: NextDraw) {
  const passed: Place[] = [];
  const paths: string[] = [];
  let place = first;
  let path = '';
  for (let view = 0; view < length; view += 1) {
    if (view === 0 || draw() >= RELOADED) {
      if (view > 0) place = turn(chain[place] ?? {}, draw());
      path = pathOf(place);
    }
    passed.push(place);
    paths.push(path);
  }
  return { places: passed, paths };
}

function chainOf(site: Site, { day, index }: SessionRow, depth: number, draw: NextDraw): Chain {
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

/** The pages of a session and the costs it meets: it wanders, goes its part of the way to a conversion, and wanders on where it left it. */
function walkOf(row: SessionRow) {
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

type Draw = (question: number) => number;

const everywhere = ['Script error.', 'ReferenceError: dataLayer is not defined', 'ChunkLoadError'] as const;
const chunks = [4, 17, 31, 212] as const;
const priceMissing = "TypeError: Cannot read properties of undefined (reading 'price')";
const filenames = ['/assets/app.4f1c.js', '/assets/vendor.07d2.js'] as const;

/** Share of views with an error that belongs to no page. */
const ERRORS = 0.026;
const PRICE_ERRORS = 0.018;
/** An error that comes with the length of a visit: on no view before this one. */
const LATE = { from: 7, share: 0.07 };
const OLD_BROWSER_ERRORS = 0.38;

/** Pages load that much slower for all of a user's visits: from the fastest line to the slowest. */
const LINES = { from: 0.8, to: 1.3 };
const PHONE = { deviceId: 2, factor: 1.2, home: 1.9 };
/** Of a page that loads in time, where a slow load costs: 3.2 s times it stays below two thirds of what counts as slow. */
const IN_TIME = 1.2;
const TYPICAL_SECONDS = 3.2;

/** True on the pages between cart and confirmation, where visitors click in anger most. */
function isCheckout(path: string): boolean {
  return path.includes('/checkout') || path.includes('/payment');
}

/** The script in which an error of a page occurs. */
function scriptOf(path: string, draw: number): string {
  return isCheckout(path) && draw < 0.6 ? '/assets/checkout.91ab.js' : pick(filenames, draw);
}

function commonMessage(draw: Draw): string {
  const message = pick(everywhere, draw(11));
  if (message !== 'ChunkLoadError') return message;
  const chunk = pick(chunks, draw(14));
  return `${message}: Loading chunk ${chunk} failed. (/assets/chunk.${chunk}.js)`;
}

/** Errors that cost nothing. */
function harmlessMessages(path: string, number: number, isOld: boolean, draw: Draw): string[] {
  const messages = [];
  if (isOld && draw(15) < OLD_BROWSER_ERRORS) messages.push(OLD_BROWSER_MESSAGE);
  if (draw(10) < ERRORS) messages.push(commonMessage(draw));
  if (path.startsWith('/p/') && draw(16) < PRICE_ERRORS) messages.push(priceMissing);
  if (number >= LATE.from && draw(17) < LATE.share) messages.push(LATE_MESSAGE);
  return messages;
}

/** The slow-down of all pages of a session by its device and its line. */
function lineOf({ day, index }: SessionRow, isOld: boolean): number {
  const line = LINES.from + (LINES.to - LINES.from) * chance(nthUnsigned(day.userLow, index), 56);
  const isAbroad = nthUnsigned(day.country, index) >= countries.length / 2;
  return line * (day.deviceId[index] === PHONE.deviceId ? PHONE.factor : 1) * (isOld ? 1.3 : 1) * (isAbroad ? 1.1 : 1);
}

function slownessOf(path: string, isPhone: boolean, line: number, draw: Draw): number {
  const usual = line * (0.45 + 0.4 * draw(50) + 1.2 * draw(51) ** 5);
  return isPhone && path === '/' ? usual * PHONE.home : usual;
}

/** Where a slow load costs, a page is either far slower than `late` or comes in time. */
function loadOf(late: number, isMet: boolean, slowness: number, draw: Draw): number {
  return isMet ? late * (1.05 + draw(52)) : Math.min(IN_TIME, slowness);
}

/** Gives what the session meets on each of its views: the costs of `met` on the first view of their pages, and what happens anywhere. */
function troubleFor(session: SessionRow, met: Way['met']) {
  const { day, index } = session;
  const { costs } = day.buying;
  const isOld = isOldBrowser(session);
  const isPhone = day.deviceId[index] === PHONE.deviceId;
  const line = lineOf(session, isOld);
  return (path: string, isFirst: boolean, number: number, draw: Draw) => {
    const cost = isFirst ? costs.find(({ page }) => page === path) : undefined;
    const isMet = cost !== undefined && met.includes(cost);
    // Where a trouble costs something on this page, it comes from there alone.
    const happens = (what: Cost['what'], share: number, question: number) => (cost?.what === what ? isMet : draw(question) < share);
    const messages = harmlessMessages(path, number, isOld, draw);
    const slowness = slownessOf(path, isPhone, line, draw);
    return {
      rageClick: happens('rage_click', isCheckout(path) && !path.endsWith('/confirmation') ? 0.12 : 0.02, 12),
      apiError: happens('api_error', isCheckout(path) ? 0.04 : 0.012, 13),
      /** Of the JavaScript errors, in order of time. */
      messages: isMet && cost.message !== null ? [cost.message, ...messages] : messages,
      /** How long the page takes to load, as a multiple of what is usual. */
      slowness: cost?.overSeconds ? loadOf(cost.overSeconds / TYPICAL_SECONDS, isMet, slowness, draw) : slowness,
    };
  };
}

/** One page view (or screen of an app) of a session. */
export type ViewRow = ReturnType<typeof viewsOf>[number];

const found = ['jacket', 'tent', 'lamp', 'wool'] as const;
const notFound = ['tnet', 'kayak', 'gift wrap', 'size 52'] as const;

function queryOf(path: string, position: number, session: SessionRow, draw: Draw): string {
  if (path.endsWith('/search')) return `?q=${pick(found, draw(4))}`;
  if (path.includes('/search/')) return `?q=${encodeURIComponent(pick(notFound, draw(4)))}`;
  if (position === 0 && nthUnsigned(session.day.campaign, session.index) > 0) return '?utm_medium=campaign';
  return path.startsWith('/c/') && draw(4) < 0.3 ? `?page=${2 + Math.floor(draw(5) * 4)}` : '';
}

/** The views of a session in order: those of its walk. */
export function viewsOf(session: SessionRow) {
  const { seed, pageViews: count } = session;
  const { paths, met } = walkOf(session);
  const troublesOf = troubleFor(session, met);
  const own = hash(seed, 901);
  let total = 0;
  const weights = paths.map((_, position) => {
    const weight = 0.3 + unit(mix(own + Math.imul(position, 0x85ebca6b)));
    total += weight;
    return weight;
  });
  let passed = 0;
  return weights.map((weight, position) => {
    const viewSeed = mix(own + Math.imul(position, 0xc2b2ae35) + 1);
    /** Any number that belongs to this view alone. */
    const draw: Draw = (question) => unit(mix(viewSeed + Math.imul(question, 0x9e3779b1)));
    const fromMs = Math.floor((session.durationMs * passed) / total);
    passed += weight;
    const isLast = position === count - 1;
    const durationMs = (isLast ? session.durationMs : Math.floor((session.durationMs * passed) / total)) - fromMs;
    const path = paths[position] ?? '/';
    const { messages, ...troubles } = troublesOf(path, paths.indexOf(path) === position, position + 1, draw);
    return {
      session,
      /** From 1 on. */
      number: position + 1,
      startMs: session.startMs + fromMs,
      /** Those of all views of a session add up to that of the session. */
      durationMs,
      path,
      isLast,
      draw,
      query: queryOf(path, position, session, draw),
      ...troubles,
      errors: messages.map((message, at) => ({
        message,
        timeMs: session.startMs + fromMs + Math.floor((durationMs * (at + 1)) / (messages.length + 1)),
        filename: scriptOf(path, draw(30 + at)),
      })),
    };
  });
}

/** 0 to 100: rage clicks and errors frustrate. */
export function frustrationOf({ rageClick, apiError, errors, draw }: ViewRow): number {
  const score = draw(40) ** 3 * 30 + (rageClick ? 35 : 0) + (apiError ? 20 : 0) + Math.min(errors.length, 2) * 7;
  return Math.min(100, Math.round(score));
}

/** A rendering time of the page in ms, where it takes `typicalMs` on most pages; screens of an app have none. */
export function renderMs({ session, slowness }: ViewRow, typicalMs: number): number | null {
  return session.project.kind === 'app' ? null : Math.round(typicalMs * slowness);
}

const FULLY_LOADED_MS = 3200;

/** Milliseconds until the page was loaded; null in apps. */
export function fullyLoadedMs(view: ViewRow): number | null {
  return renderMs(view, FULLY_LOADED_MS);
}

/** Window in CSS pixels: narrower than the screen on desktops only. */
export function windowOf({ session }: ViewRow): readonly [number, number] {
  const [width, height] = screenOf(session);
  const isDesktop = session.day.deviceId[session.index] === 1;
  return isDesktop ? [Math.round(width * (0.7 + 0.3 * chance(session.seed, 902))), height - 130] : [width, height - 80];
}
