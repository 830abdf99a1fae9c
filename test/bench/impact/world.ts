import { type Random, seeded } from '../verdicts/random.ts';
import { nextPage, PAGES, type Page, pathOf, type Visitor, visitorOf } from './site.ts';

/** Kinds of trouble that a view can have. */
export type Kind = 'slow_page' | 'js_error' | 'api_error' | 'rage_click';

/** Trouble that views of some pages have, and how it comes about. */
export interface Trouble {
  readonly kind: Kind;
  readonly pages: readonly Page[];
  /** Of an error: its text, in which `#` stands for a number that differs each time. */
  readonly message?: string;
  /** Of a slow page: from this time on, ms. */
  readonly overMs?: number;
  /** Chance at a view of such a page. */
  readonly chance: (visitor: Visitor, depth: number) => number;
  /** Chance that it makes the visitor leave; 0 where it costs nothing. */
  readonly drives: number;
  /** A trap: it goes with who buys less or more, and costs nothing. */
  readonly isTrap: boolean;
}

export interface View {
  readonly page: Page;
  readonly path: string;
  readonly startMs: number;
  readonly durationMs: number;
  readonly loadMs: number;
  readonly messages: readonly string[];
  readonly apiError: boolean;
  readonly rageClick: boolean;
  readonly frustration: number;
  /** Which troubles of the world it had. */
  readonly troubles: readonly Trouble[];
}

export interface Session {
  readonly visitor: Visitor;
  /** Hash of the visitor, as text. */
  readonly user: string;
  /** Variant of a test that the visitor was given; null where none. */
  readonly variant: string | null;
  readonly day: number;
  readonly startMs: number;
  readonly views: readonly View[];
  readonly revenueCents: number;
}

/** Conversions and revenue that a trouble cost in the sessions whose first view of its page had it. */
export interface Truth {
  exposed: number;
  lostConversions: number;
  lostCents: number;
}

export interface World {
  readonly seed: number;
  readonly troubles: readonly Trouble[];
  readonly sessions: readonly Session[];
  /** By trouble and page. */
  readonly truths: ReadonlyMap<Trouble, ReadonlyMap<Page, Truth>>;
}

export const DAYS = 7;
export const FIRST_DAY_MS = Date.UTC(2026, 10, 2);
const LOAD_MS: Readonly<Record<Page, number>> = {
  home: 2300,
  category: 2100,
  product: 2400,
  search: 2000,
  guide: 1800,
  cart: 1700,
  address: 1600,
  payment: 1900,
  confirmation: 1500,
};
/** Continuations with and without the trouble behind each true loss. */
const TWINS = 16;
const LONGEST = 60;

interface Walk {
  readonly visitor: Visitor;
  readonly troubles: readonly Trouble[];
  readonly random: Random;
}

function basketCents(random: Random): number {
  return Math.round(6_000 * Math.exp(0.7 * random.normal()));
}

/** Which troubles a view has; loading time decides on those of slow pages. */
function troublesAt(page: Page, loadMs: number, depth: number, { visitor, troubles, random }: Walk): Trouble[] {
  return troubles.filter((trouble) => {
    if (!trouble.pages.includes(page)) return false;
    return trouble.overMs === undefined ? random.uniform() < trouble.chance(visitor, depth) : loadMs > trouble.overMs;
  });
}

const loadAt = (page: Page, { visitor, random }: Walk) => LOAD_MS[page] * visitor.network * Math.exp(0.35 * random.normal());
/** The chance that at least one of the troubles drives the visitor away. */
const drivenBy = (troubles: readonly Trouble[]) => 1 - troubles.reduce((stays, { drives }) => stays * (1 - drives), 1);

/** Walks on from a page whose troubles are known, and says what is bought. */
function restOf(walk: Walk, page: Page, troubles: readonly Trouble[], depth: number, without?: Trouble): number {
  let [at, extra, cents] = [page, drivenBy(troubles), 0];
  for (let step = depth; step < LONGEST; step += 1) {
    const next = nextPage(at, walk.visitor.intent, extra, walk.random);
    if (next === undefined) break;
    if (next === 'confirmation') cents += basketCents(walk.random);
    at = next;
    const met = troublesAt(next, loadAt(next, walk), step + 1, walk);
    extra = drivenBy(next === page ? met.filter((trouble) => trouble !== without) : met);
  }
  return cents;
}

/** What one trouble at a view and at later views of the same page costs: the same visitor walks on from there, with it and without it. */
function costOf(walk: Walk, page: Page, here: readonly Trouble[], trouble: Trouble, depth: number): { conversions: number; cents: number } {
  if (trouble.drives === 0) return { conversions: 0, cents: 0 };
  const sum = { conversions: 0, cents: 0 };
  for (let twin = 0; twin < TWINS; twin += 1) {
    const without = restOf(
      walk,
      page,
      here.filter((other) => other !== trouble),
      depth,
      trouble,
    );
    const with_ = restOf(walk, page, here, depth);
    sum.conversions += Number(without > 0) - Number(with_ > 0);
    sum.cents += without - with_;
  }
  return { conversions: sum.conversions / TWINS, cents: sum.cents / TWINS };
}

const textOf = (message: string, random: Random) => message.replaceAll('#', () => String(random.integer(1, 99_999)));

function viewOf(page: Page, startMs: number, depth: number, walk: Walk): View {
  const { random } = walk;
  const loadMs = loadAt(page, walk);
  const troubles = troublesAt(page, loadMs, depth, walk);
  const messages = troubles.flatMap(({ kind, message = '' }) => (kind === 'js_error' ? [textOf(message, random)] : []));
  const has = (kind: Kind) => troubles.some((trouble) => trouble.kind === kind);
  const [apiError, rageClick] = [has('api_error'), has('rage_click')];
  const score = random.uniform() ** 3 * 30 + (rageClick ? 35 : 0) + (apiError ? 20 : 0) + Math.min(messages.length, 2) * 7;
  const durationMs = Math.round(loadMs + 9_000 * Math.exp(0.8 * random.normal() + 0.15 * walk.visitor.intent));
  const frustration = Math.min(100, Math.round(score));
  return {
    page,
    path: pathOf(page, random),
    startMs,
    durationMs,
    loadMs: Math.round(loadMs),
    messages,
    apiError,
    rageClick,
    frustration,
    troubles,
  };
}

function addTruth(
  truths: Map<Trouble, Map<Page, Truth>>,
  trouble: Trouble,
  page: Page,
  cost: { conversions: number; cents: number },
): void {
  const pages = truths.get(trouble) ?? new Map<Page, Truth>();
  const truth = pages.get(page) ?? { exposed: 0, lostConversions: 0, lostCents: 0 };
  truth.exposed += 1;
  truth.lostConversions += cost.conversions;
  truth.lostCents += cost.cents;
  truths.set(trouble, pages.set(page, truth));
}

/** The chances of a session of hour and day: few at night, more on the weekend. */
function startOf(random: Random): { day: number; startMs: number } {
  const day = random.integer(0, DAYS - 1);
  const hour = Math.min(23, Math.max(0, 15 + 4.5 * random.normal()));
  return { day, startMs: FIRST_DAY_MS + day * 86_400_000 + Math.round(hour * 3_600_000) };
}

/** Walks a session from its entry; `twin` draws apart, so that asking for the truth changes nothing. */
function sessionOf(who: Who, troubles: readonly Trouble[], random: Random, twin: Random, truths: Map<Trouble, Map<Page, Truth>>): Session {
  const { visitor } = who;
  const walk = { visitor, troubles, random };
  const { day, startMs } = startOf(random);
  const views: View[] = [];
  const seen = new Set<Page>();
  let [atMs, revenueCents] = [startMs, 0];
  for (let page: Page | undefined = visitor.entry; page !== undefined && views.length < LONGEST; ) {
    const view = viewOf(page, atMs, views.length, walk);
    views.push(view);
    atMs += view.durationMs;
    if (page === 'confirmation') revenueCents += basketCents(random);
    if (!seen.has(page))
      for (const trouble of view.troubles)
        addTruth(truths, trouble, page, costOf({ ...walk, random: twin }, page, view.troubles, trouble, views.length));
    seen.add(page);
    page = nextPage(page, visitor.intent, drivenBy(view.troubles), random);
  }
  return { ...who, day, startMs, views, revenueCents };
}

type Who = Pick<Session, 'visitor' | 'user' | 'variant'>;

/** A test of two variants: how visitors are split, and what variant B does to the intent to buy. */
export interface Experiment {
  readonly shareOfB: number;
  readonly effect: number;
}

const COMES_AGAIN = 0.25;

/** The visitor of a session: someone new, or who came before and keeps the variant. */
function whoOf(before: Who | undefined, user: number, { shareOfB, effect }: Experiment, random: Random): Who {
  if (before && random.uniform() < COMES_AGAIN) return { ...before, visitor: { ...before.visitor, isReturning: true } };
  const visitor = visitorOf(random);
  const variant = random.uniform() < shareOfB ? 'B' : 'A';
  const intent = visitor.intent + (variant === 'B' ? effect : 0);
  return { visitor: { ...visitor, intent }, user: String(9_000_000_000_000_000_000n + BigInt(user)), variant };
}

const NO_EFFECT: Experiment = { shareOfB: 0.5, effect: 0 };

/** Makes the sessions of a site with these troubles; the same seed makes the same world. */
export function worldOf(seed: number, count: number, troubles: readonly Trouble[], experiment = NO_EFFECT): World {
  const [random, twin] = [seeded(seed), seeded(seed + 7_000_003)];
  const truths = new Map<Trouble, Map<Page, Truth>>();
  let who: Who | undefined;
  const sessions = Array.from({ length: count }, (_, index) => {
    who = whoOf(who, index, experiment, random);
    return sessionOf(who, troubles, random, twin, truths);
  });
  return { seed, troubles, sessions, truths };
}

export { PAGES, type Page };
