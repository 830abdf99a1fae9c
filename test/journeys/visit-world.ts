import { isoTime } from '../../src/lib/clock.ts';
import { seeded } from '../bench/verdicts/random.ts';
import type { RunText } from '../exports/convert/converted-runs.ts';
import { times } from '../support/times.ts';

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

/** Days of November from one to another, which is left out; parts of days too. */
type Days = readonly [first: number, next: number];

/** What the files of a job hold. */
export interface Job {
  readonly scope: 'sessions' | 'views';
  readonly days: Days;
  /** Of a run; left out: all days are one. */
  readonly hours?: number;
  /** Left out: all. */
  readonly fields?: readonly string[];
  /** The visits of one device or segment alone. */
  readonly only?: 'device' | 'segment';
  /** Under other names, in CSV, which has no lists. */
  readonly isRenamed?: true;
  /** Delivered before all others, with rows that others correct. */
  readonly isStale?: true;
}

/** What is special about the files of a world. */
export interface WorldKind {
  readonly seed: number;
  /** Days without a run of sessions, or of views. */
  readonly withoutSessions?: readonly number[];
  readonly withoutViews?: readonly number[];
  /** Views lie in the run of the day on which they happened, not in that of their session. */
  readonly cutAtMidnight?: true;
  /** Left out: a shop. */
  readonly site?: keyof typeof SITES;
  /** Products, services or articles in place of three; the most viewed of them has a fifth of their views. */
  readonly siblings?: number;
  /** Left out: one of each scope over the days that are there. */
  readonly jobs?: readonly Job[];
}

const FIRST_DAY = 9;
const DAYS = 7;
const WEEK = times(DAYS, (index) => FIRST_DAY + index);
const DAY_MS = 86_400_000;

/** The midnight with which a day of November 2026 begins. */
function midnight(day: number): number {
  return Date.UTC(2026, 10, 1) + (day - 1) * DAY_MS;
}

function one<T>(roll: () => number, list: readonly T[]): T {
  return list[Math.floor(roll() * list.length)] as T; // the index lies in the list
}

/** The pages of a site by where a visitor goes from them, by chance; visits begin on the first ones. */
const SITES = {
  shop: {
    '/': ['/c/tents', '/c/shoes', '/p/1', '/search', '/p/2'],
    '/c/tents': ['/p/1', '/p/2', '/p/3', '/c/tents', '/'],
    '/p/1': ['/cart', '/p/2', '/p/1', '/c/tents', '/'],
    '/p/2': ['/cart', '/p/3', '/p/2', '/search'],
    '/search': ['/p/3', '/p/1', '/search', '/c/tents', '/'],
    '/cart': ['/checkout/address', '/checkout/address', '/p/1', '/cart', '/'],
    '/c/shoes': ['/p/2', '/p/3', '/search', '/c/tents'],
    '/p/3': ['/cart', '/cart', '/p/1', '/p/3', '/c/shoes'],
    '/checkout/address': ['/checkout/payment', '/checkout/payment', '/cart', '/checkout/address'],
    '/checkout/payment': ['/checkout/confirmation', '/checkout/confirmation', '/checkout/payment', '/cart', '/checkout_old'],
    '/checkout_old': ['/checkout/payment', '/'],
    '/checkout/confirmation': ['/', '/p/2'],
  },
  leads: {
    '/': ['/services/1', '/services/2', '/about', '/contact'],
    '/services/1': ['/services/2', '/services/3', '/contact', '/services/1', '/'],
    '/services/2': ['/contact', '/services/1', '/services/3', '/prices'],
    '/services/3': ['/contact', '/services/2', '/'],
    '/about': ['/', '/contact', '/prices'],
    '/prices': ['/contact', '/services/1', '/prices'],
    '/contact': ['/contact/details', '/contact/details', '/services/2', '/contact'],
    '/contact/details': ['/contact/thanks', '/contact/thanks', '/contact', '/contact/details'],
    '/contact/thanks': ['/', '/services/1'],
  },
  magazine: {
    '/news/1': ['/news/2', '/news/3', '/topic/sport', '/'],
    '/news/2': ['/news/1', '/news/2', '/topic/arts', '/subscribe'],
    '/': ['/news/1', '/news/2', '/topic/sport', '/topic/arts'],
    '/news/3': ['/news/1', '/', '/subscribe'],
    '/topic/sport': ['/news/1', '/news/3', '/topic/arts', '/topic/sport'],
    '/topic/arts': ['/news/2', '/subscribe', '/'],
    '/subscribe': ['/subscribe/done', '/subscribe', '/news/1'],
    '/subscribe/done': ['/', '/news/2'],
  },
  // Its screens have no path, and more names than answers tell apart.
  app: { Home: ['Item 1', 'Item 2'], 'Item 1': ['Item 2', 'Item 3', 'Home'], 'Item 2': ['Item 1', 'Home'], 'Item 3': ['Item 1'] },
} as const satisfies Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
const ENTRIES = 6;
const EVENTS = ['app_opened', 'search', 'added_to_cart', 'paid'];
/** The pages that end what a site is for. */
const GOALS: ReadonlySet<string> = new Set(['/checkout/confirmation', '/contact/thanks', '/subscribe/done']);

function viewsFrom(beganMs: number, site: keyof typeof SITES, roll: () => number): ViewRow[] {
  const next: Readonly<Record<string, readonly string[]>> = SITES[site];
  const views: ViewRow[] = [];
  let path = one(roll, Object.keys(next).slice(0, ENTRIES));
  let [number, timeMs] = [1, beganMs];
  do {
    views.push({ number, timeMs, path, loadedMs: 500 + Math.floor(roll() * 5000) });
    path = one(roll, next[path] ?? ['/']);
    // Now and then a number is missing, as where a view was not recorded.
    number += roll() < 0.03 ? 2 : 1;
    timeMs += 1_000 + Math.floor(roll() * 240_000);
  } while (roll() < 0.86);
  return views;
}

/** The sessions of a world, over seven days; some go on after midnight, some visitors come back. */
export function sessionsOf({ seed, site = 'shop', siblings }: WorldKind, visitors = 260): SessionRow[] {
  const { uniform: roll } = seeded(seed);
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
      const views = viewsFrom(roll() < 0.3 ? beganMs + Math.floor(roll() * 400_000) : beganMs, site, roll);
      const bought = views.some(({ path }) => GOALS.has(path)) || roll() < 0.02;
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
  const sibling = () => String(1000 + (roll() < 0.2 ? 0 : Math.floor(roll() * (siblings ?? 0))));
  const renamed = (views: readonly ViewRow[]) =>
    siblings === undefined ? views : views.map((view) => ({ ...view, path: view.path.replace(/\d$/, sibling) }));
  return sessions.map((session) => ({ ...session, views: renamed(session.views) }));
}

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
    session_time: isoTime(session.beganMs),
    device_id: session.device,
    country_code: session.country,
    browser_name: session.browser,
    referer_url: session.referrer,
    is_excludable: session.automated,
    session_number_of_transactions: session.transactions,
    session_transactions_revenue_cents: session.revenueCents,
    'app_events.event_name': session.events.map(({ name }) => name),
    'app_events.event_time': session.events.map(({ timeMs }) => isoTime(timeMs)),
  };
}

/** The variant of a test, by visitor. */
export const variantOf = ({ user }: Pick<SessionRow, 'user'>) => (Number(user.slice(-1)) < 5 ? 'A' : 'B');

function viewLine(session: SessionRow, { number, timeMs, path, loadedMs }: ViewRow): object {
  const measures = { fully_loaded: loadedMs, any_js_error_ind: loadedMs % 7 === 0, variant: variantOf(session) };
  return { ...keysOf(session), view_number: number, view_time: isoTime(timeMs), path, ...measures };
}

export const dayOf = (atMs: number) => new Date(atMs).getUTCDate();

/** Days that follow each other without those that are missing. */
function stretches(missing: readonly number[] = []): Days[] {
  const found: [number, number][] = [];
  for (const day of WEEK) {
    const last = found.at(-1);
    if (missing.includes(day)) continue;
    if (last?.[1] === day) last[1] = day + 1;
    else found.push([day, day + 1]);
  }
  return found;
}

type View = readonly [session: SessionRow, view: ViewRow];

function viewsBetween({ cutAtMidnight }: WorldKind, sessions: readonly SessionRow[], isIn: (atMs: number) => boolean): View[] {
  return sessions.flatMap((session) =>
    session.views.flatMap((view): View[] => (isIn(cutAtMidnight ? view.timeMs : session.beganMs) ? [[session, view]] : [])),
  );
}

/** The lines of a time. */
function linesOf(
  kind: WorldKind,
  sessions: readonly SessionRow[],
  { scope, only, isStale }: Job,
  isIn: (atMs: number) => boolean,
): object[] {
  const own = sessions.filter(({ device, user }) => only === undefined || (only === 'device' ? device === 2 : user.endsWith('0')));
  if (scope === 'sessions')
    return own
      .filter(({ beganMs }) => isIn(beganMs))
      .map((session) => sessionLine(isStale ? { ...session, transactions: 0, device: 3 } : session));
  return viewsBetween(kind, own, isIn).map(([session, view]) => viewLine(session, isStale ? { ...view, path: '/stale' } : view));
}

const csv = (rows: readonly (readonly unknown[])[]) =>
  rows
    .map((row) => row.map((cell) => (cell === null ? '' : `${cell as string | number | boolean}`.replaceAll('@', ''))).join())
    .join('\r\n');

/** The runs of jobs, each made after the one before it and exported in another order. */
export function runsOf(kind: WorldKind, sessions: readonly SessionRow[]): RunText[] {
  const usual = (['sessions', 'views'] as const).flatMap((scope) =>
    stretches(scope === 'sessions' ? kind.withoutSessions : kind.withoutViews).map((days): Job => ({ scope, days })),
  );
  return (kind.jobs ?? usual).flatMap((job, at) => {
    const { scope, days, hours, only, isRenamed, isStale } = job;
    const [start, end] = days.map(midnight) as [number, number]; // of both
    const stepMs = hours === undefined ? end - start : hours * 3_600_000;
    const all = Object.keys(linesOf(kind, sessions, job, () => true)[0] ?? {}).filter((name) => !isRenamed || !name.includes('.'));
    const fields = all.filter((name) => job.fields?.includes(name) ?? true);
    return times(Math.ceil((end - start) / stepMs), (index): RunText => {
      const [fromMs, toMs] = [start + index * stepMs, Math.min(end, start + (index + 1) * stepMs)];
      const rows = linesOf(kind, sessions, job, (atMs) => atMs >= fromMs && atMs < toMs) as Readonly<Record<string, unknown>>[]; // any
      const lean = rows.map((row) => Object.fromEntries(fields.map((name) => [name, row[name]])));
      return {
        jobId: 31 + at,
        runId: 101 + 100 * at + index,
        scope,
        from: isoTime(fromMs),
        to: isoTime(toMs),
        exportedAt: isoTime(midnight(isStale ? 18 : 20) + ((5 * at) % 13) * 60_000),
        ...(only === 'device' && { deviceId: 2 }),
        ...(only === 'segment' && { segmentId: 77 }),
        ...(isRenamed && { format: 'CSV' }),
        fields: fields.map((fieldName) => {
          if (fieldName === 'variant') return { fieldName: 'dynamic_var', aliasName: fieldName };
          return isRenamed ? { fieldName, aliasName: `my ${fieldName}` } : { fieldName };
        }),
        files: [
          isRenamed
            ? csv([fields.map((name) => (name === 'variant' ? name : `my ${name}`)), ...lean.map((row) => fields.map((name) => row[name]))])
            : text(lean),
        ],
      };
    });
  });
}

/** The sessions with the views that the files of a world hold. */
export function asFiled(kind: WorldKind, sessions: readonly SessionRow[]): SessionRow[] {
  const held = new Set(viewsBetween(kind, sessions, (atMs) => coveredDays(kind, ['views']).includes(dayOf(atMs))).map(([, view]) => view));
  return sessions.map((session) => ({ ...session, views: session.views.filter((view) => held.has(view)) }));
}

const ALL: Days = [FIRST_DAY, FIRST_DAY + DAYS];
const KEYS = ['project_id', 'user_id', 'session_id'];
/** Jobs over days that others hold whole, of which none may change a count. */
export const BESIDES: readonly Job[] = [
  { scope: 'sessions', days: ALL, fields: [...KEYS, 'session_time'] },
  { scope: 'sessions', days: [9.5, 11.25], only: 'device' },
  { scope: 'sessions', days: ALL, hours: 24, only: 'segment' },
  { scope: 'sessions', days: [11, 15], fields: ['session_time', 'device_id'] },
  { scope: 'sessions', days: [10, 14], isRenamed: true },
  { scope: 'sessions', days: [10, 11], isStale: true },
  { scope: 'sessions', days: [13.75, 15], hours: 6, fields: [...KEYS, 'session_time', 'device_id'] },
  { scope: 'views', days: [9.5, 11.25], fields: [...KEYS, 'view_number', 'path'] },
  { scope: 'views', days: ALL, only: 'segment' },
  { scope: 'views', days: [12, 16], fields: ['view_time', 'path'] },
  { scope: 'views', days: [10, 14], isRenamed: true },
  { scope: 'views', days: [14, 15], isStale: true },
  { scope: 'views', days: [8.75, 12], hours: 6, fields: [...KEYS, 'view_number', 'view_time', 'path'] },
];
/** Jobs that together hold all days of a scope. */
export const WHOLE: readonly (readonly Omit<Job, 'scope'>[])[] = [
  [{ days: ALL }],
  [{ days: ALL, hours: 24 }],
  [{ days: [9, 12], hours: 12 }, { days: [12, 16] }],
  [{ days: [8.75, 16.75], hours: 24 }],
];

/** The three worlds of the tests. */
export const worlds: Readonly<Record<string, WorldKind>> = {
  'whole days': { seed: 11 },
  'days missing in one scope or the other, views cut at midnight': {
    seed: 12,
    withoutSessions: [11],
    withoutViews: [13],
    cutAtMidnight: true,
  },
  'days that several jobs hold, some of them twice': {
    seed: 13,
    jobs: [{ scope: 'sessions', days: ALL }, { scope: 'views', days: ALL }, ...BESIDES],
  },
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
  return WEEK.filter((day) => !missing.has(day));
}

/**
 * The day of a session: that of its beginning. Where files of sessions lack days and a question reads views alone, that of its first page.
 */
export function dayIn({ withoutSessions }: WorldKind, { beganMs, views }: SessionRow, scopes: readonly ('sessions' | 'views')[]): number {
  const [first] = views.toSorted((a, b) => a.number - b.number);
  return dayOf(withoutSessions && !scopes.includes('sessions') && first?.number === 1 ? first.timeMs : beganMs);
}
