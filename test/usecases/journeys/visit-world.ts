import type { RunText } from '../../workspace/convert/converted-runs.ts';

/** A view as a file has it, and as the walkers in the tests read it. */
export interface ViewRow {
  readonly number: number;
  readonly timeMs: number;
  readonly path: string;
  readonly loadedMs: number;
}

/** A session with all that files say of it. */
export interface SessionRow {
  readonly user: string;
  readonly id: string;
  readonly number: number;
  readonly beganMs: number;
  readonly device: number;
  readonly country: string | null;
  readonly browser: string | null;
  readonly referrer: string | null;
  readonly automated: boolean;
  readonly transactions: number;
  readonly revenueCents: number;
  readonly events: readonly { readonly name: string; readonly timeMs: number }[];
  readonly views: readonly ViewRow[];
}

/** What is special about the files of a world. */
export interface WorldKind {
  readonly seed: number;
  /** Days without a run of sessions, or of views. */
  readonly withoutSessions?: readonly number[];
  readonly withoutViews?: readonly number[];
  /** Views lie in the run of the day on which they happened, not in that of their session. */
  readonly cutAtMidnight?: true;
  /** Products in place of three; the most viewed of them has a fifth of their views. */
  readonly products?: number;
  /** Days that were exported twice, the first time with other rows. */
  readonly again?: readonly number[];
  /** Further jobs hold columns, hours or visits of these days. */
  readonly besides?: true;
}

const FIRST_DAY = 9;
const DAYS = 7;
const DAY_MS = 86_400_000;

/** The midnight with which a day of November 2026 begins. */
export function midnight(day: number): number {
  return Date.UTC(2026, 10, 1) + (day - 1) * DAY_MS;
}

/** Numbers in [0, 1) from a seed: the same world in every run. */
function dice(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function one<T>(roll: () => number, list: readonly T[]): T {
  return list[Math.floor(roll() * list.length)] as T; // the index lies in the list
}

/** Where a visitor goes from a page, by chance. */
const NEXT: Readonly<Record<string, readonly string[]>> = {
  '/': ['/c/tents', '/c/shoes', '/p/1', '/search', '/p/2'],
  '/search': ['/p/3', '/p/1', '/search', '/c/tents', '/'],
  '/c/tents': ['/p/1', '/p/2', '/p/3', '/c/tents', '/'],
  '/c/shoes': ['/p/2', '/p/3', '/search', '/c/tents'],
  '/p/1': ['/cart', '/p/2', '/p/1', '/c/tents', '/'],
  '/p/2': ['/cart', '/p/3', '/p/2', '/search'],
  '/p/3': ['/cart', '/cart', '/p/1', '/p/3', '/c/shoes'],
  '/cart': ['/checkout/address', '/checkout/address', '/p/1', '/cart', '/'],
  '/checkout/address': ['/checkout/payment', '/checkout/payment', '/cart', '/checkout/address'],
  '/checkout/payment': ['/checkout/confirmation', '/checkout/confirmation', '/checkout/payment', '/cart', '/checkout_old'],
  '/checkout_old': ['/checkout/payment', '/'],
  '/checkout/confirmation': ['/', '/p/2'],
};
const EVENTS = ['app_opened', 'search', 'added_to_cart', 'paid'];

function viewsFrom(beganMs: number, roll: () => number): ViewRow[] {
  const views: ViewRow[] = [];
  let path = one(roll, ['/', '/', '/c/tents', '/p/1', '/p/2', '/search', '/cart']);
  let [number, timeMs] = [1, beganMs];
  do {
    views.push({ number, timeMs, path, loadedMs: 500 + Math.floor(roll() * 5000) });
    path = one(roll, NEXT[path] ?? ['/']);
    // Now and then a number is missing, as where a view was not recorded.
    number += roll() < 0.03 ? 2 : 1;
    timeMs += 1_000 + Math.floor(roll() * 240_000);
  } while (roll() < 0.86);
  return views;
}

/** The sessions of a world, over seven days; some go on after midnight, some visitors come back. */
export function sessionsOf({ seed, products }: WorldKind, visitors = 260): SessionRow[] {
  const roll = dice(seed);
  const sessions: SessionRow[] = [];
  for (let visitor = 0; visitor < visitors; visitor += 1) {
    const user = String(18_446_744_073_709_000_000n + BigInt(visitor));
    const [device, country, browser] = [
      one(roll, [1, 1, 2, 2, 3, 4, 0]),
      one(roll, ['DE', 'FR', null]),
      one(roll, ['Chrome', 'Safari', null]),
    ];
    let number = roll() < 0.6 ? 1 : 2 + Math.floor(roll() * 4);
    let beganMs = midnight(FIRST_DAY) + Math.floor(roll() * DAYS * DAY_MS);
    do {
      // Every twelfth session begins shortly before midnight.
      if (roll() < 0.08) beganMs = Math.floor(beganMs / DAY_MS) * DAY_MS + DAY_MS - 1 - Math.floor(roll() * 300_000);
      // Some sessions begin before their first page, now and then on the other side of midnight.
      const views = viewsFrom(roll() < 0.3 ? beganMs + Math.floor(roll() * 400_000) : beganMs, roll);
      const bought = views.some(({ path }) => path === '/checkout/confirmation') || roll() < 0.02;
      const isApp = device === 4;
      sessions.push({
        user,
        id: String(9_007_199_254_740_993n + BigInt(sessions.length)),
        number,
        beganMs,
        device,
        country,
        browser,
        referrer: one(roll, [null, 'https://www.google.com/', 'https://news.example/a?b']),
        automated: roll() < 0.05,
        transactions: bought ? 1 + Math.floor(roll() * 2) : 0,
        revenueCents: bought ? 1_000 + Math.floor(roll() * 20_000) : 0,
        events: isApp
          ? views.slice(0, 5).map(({ timeMs }, at) => ({ name: EVENTS[Math.floor(roll() * 4)] ?? '', timeMs: timeMs + at * 7 }))
          : [],
        views,
      });
      number += 1;
      beganMs += 3_600_000 + Math.floor(roll() * 3 * DAY_MS);
    } while (roll() < 0.6 && beganMs < midnight(FIRST_DAY + DAYS));
  }
  const productAt = (path: string) => `/p/${1000 + (roll() < 0.2 ? 0 : Math.floor(roll() * (products ?? 0)))}${path.slice(4)}`;
  const renamed = (views: readonly ViewRow[]) =>
    views.map((view) => (products !== undefined && view.path.startsWith('/p/') ? { ...view, path: productAt(view.path) } : view));
  return sessions.map((session) => ({ ...session, views: renamed(session.views) }));
}

const iso = (atMs: number) => new Date(atMs).toISOString();
const text = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row).replaceAll(/"@(\d+)@"/g, '$1')}\n`).join('');
const keysOf = ({ user, id, number }: SessionRow) => ({
  project_id: 1201,
  user_id: `@${user}@`,
  session_id: `@${id}@`,
  session_number: number,
});

function sessionLine(session: SessionRow): object {
  return {
    ...keysOf(session),
    session_time: iso(session.beganMs),
    device_id: session.device,
    country_code: session.country,
    browser_name: session.browser,
    referer_url: session.referrer,
    is_excludable: session.automated,
    session_number_of_transactions: session.transactions,
    session_transactions_revenue_cents: session.revenueCents,
    'app_events.event_name': session.events.map(({ name }) => name),
    'app_events.event_time': session.events.map(({ timeMs }) => iso(timeMs)),
  };
}

function viewLine(session: SessionRow, { number, timeMs, path, loadedMs }: ViewRow): object {
  return { ...keysOf(session), view_number: number, view_time: iso(timeMs), path, fully_loaded: loadedMs };
}

export const dayOf = (atMs: number) => new Date(atMs).getUTCDate();
const fieldsOf = (rows: readonly object[]) => [...new Set(rows.flatMap((row) => Object.keys(row)))];

/** Days that follow each other without those that are missing. */
function stretches(missing: readonly number[] = []): (readonly [first: number, next: number])[] {
  const found: [number, number][] = [];
  for (let day = FIRST_DAY; day < FIRST_DAY + DAYS; day += 1) {
    const last = found.at(-1);
    if (missing.includes(day)) continue;
    if (last?.[1] === day) last[1] = day + 1;
    else found.push([day, day + 1]);
  }
  return found;
}

type View = readonly [session: SessionRow, view: ViewRow];

function viewsBetween({ cutAtMidnight }: WorldKind, sessions: readonly SessionRow[], fromMs: number, toMs: number): View[] {
  const isIn = (atMs: number) => atMs >= fromMs && atMs < toMs;
  return sessions.flatMap((session) =>
    session.views.flatMap((view): View[] => (isIn(cutAtMidnight ? view.timeMs : session.beganMs) ? [[session, view]] : [])),
  );
}

/** The runs of a world as the workspace has them: one of each scope for days that follow each other, those that came before, and others. */
export function runsOf(kind: WorldKind, sessions: readonly SessionRow[]): RunText[] {
  type Days = readonly [first: number, next: number];
  const run = (
    id: readonly [job: number, run: number],
    [first, next]: Days,
    exported: number,
    rows: readonly object[],
    more = {},
  ): RunText => ({
    jobId: id[0],
    runId: id[1],
    from: iso(midnight(first)),
    to: iso(midnight(next)),
    exportedAt: iso(midnight(exported)),
    fields: fieldsOf(rows),
    files: [text(rows)],
    ...more,
  });
  const began = ([first, next]: Days) => sessions.filter(({ beganMs }) => beganMs >= midnight(first) && beganMs < midnight(next));
  const seen = ([first, next]: Days) => viewsBetween(kind, sessions, midnight(first), midnight(next));
  const views = { scope: 'views' };
  const runs = [
    ...stretches(kind.withoutSessions).map((days, index) => run([31, 101 + index], days, 20, began(days).map(sessionLine))),
    ...stretches(kind.withoutViews).map((days, index) =>
      run(
        [32, 201 + index],
        days,
        20,
        seen(days).map((each) => viewLine(...each)),
        views,
      ),
    ),
    ...(kind.again ?? []).flatMap((day) => {
      const days = [day, day + 1] as const;
      const stale = began(days).map((session) => sessionLine({ ...session, transactions: 0, device: 3 }));
      const staleViews = seen(days).map(([session, view]) => viewLine(session, { ...view, path: '/stale' }));
      return [run([31, 50 + day], days, day + 1, stale), run([32, 80 + day], days, day + 1, staleViews, views)];
    }),
  ];
  if (!kind.besides) return runs;
  const [all, half, late] = [
    [FIRST_DAY, FIRST_DAY + DAYS],
    [9.5, 11.25],
    [11, 15],
  ] as const;
  const lean = (rows: readonly object[], ...fields: readonly string[]) =>
    rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => fields.includes(name))));
  const keys = ['project_id', 'user_id', 'session_id'];
  const mobile = began(half).filter(({ device }) => device === 2);
  return [
    ...runs,
    run([33, 301], all, 21, lean(began(all).map(sessionLine), ...keys, 'session_time')),
    run([34, 302], half, 22, mobile.map(sessionLine), { deviceId: 2 }),
    run([35, 303], late, 23, lean(began(late).map(sessionLine), 'session_time', 'device_id')),
    run(
      [36, 304],
      half,
      24,
      lean(
        seen(half).map((each) => viewLine(...each)),
        ...keys,
        'view_number',
        'path',
      ),
      views,
    ),
  ];
}

/** The sessions with the views that the files of a world hold. */
export function asFiled(kind: WorldKind, sessions: readonly SessionRow[]): SessionRow[] {
  const held = new Set(
    stretches(kind.withoutViews).flatMap(([first, next]) =>
      viewsBetween(kind, sessions, midnight(first), midnight(next)).map(([, view]) => view),
    ),
  );
  return sessions.map((session) => ({ ...session, views: session.views.filter((view) => held.has(view)) }));
}

/** The three worlds of the tests. */
export const worlds: Readonly<Record<string, WorldKind>> = {
  'whole days': { seed: 11 },
  'days missing in one scope or the other, views cut at midnight': {
    seed: 12,
    withoutSessions: [11],
    withoutViews: [13],
    cutAtMidnight: true,
  },
  'days that several jobs hold, some of them twice': { seed: 13, again: [10, 14], besides: true },
};

/** The pages of a session in order, those that were loaded again right after themselves once. */
export function pagesOf({ views }: SessionRow): ViewRow[] {
  const pages: ViewRow[] = [];
  for (const view of views.toSorted((a, b) => a.number - b.number)) if (pages.at(-1)?.path !== view.path) pages.push(view);
  return pages;
}

/** The days that the files of a world cover, of the scopes that a question needs. */
export function coveredDays(kind: WorldKind, scopes: readonly ('sessions' | 'views')[]): number[] {
  const missing = new Set([
    ...(scopes.includes('sessions') ? (kind.withoutSessions ?? []) : []),
    ...(scopes.includes('views') ? (kind.withoutViews ?? []) : []),
  ]);
  return Array.from({ length: DAYS }, (_, index) => FIRST_DAY + index).filter((day) => !missing.has(day));
}

/**
 * The day of a session: that of its beginning. Where files of sessions lack days and a question reads views alone, that of its first page.
 */
export function dayIn({ withoutSessions }: WorldKind, { beganMs, views }: SessionRow, scopes: readonly ('sessions' | 'views')[]): number {
  const [first] = views.toSorted((a, b) => a.number - b.number);
  return dayOf(withoutSessions && !scopes.includes('sessions') && first?.number === 1 ? first.timeMs : beganMs);
}
