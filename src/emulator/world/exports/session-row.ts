import { DAY_MS } from '../../../lib/clock.ts';
import { nthUnsigned } from '../../../lib/nth.ts';
import type { Project } from '../../credentials.ts';
import { hash, unit } from '../random.ts';
import { browsers, countries, NEAR, nearnessOf, platforms, type SessionDay } from '../sessions/index.ts';

/** A cell of an exported file; `bigint` is a 64-bit integer, an array is one of several parallel ones. */
export type FileCell = string | number | bigint | boolean | null | readonly FileCell[];

const SESSIONS_A_DAY = 1_000_000;

/** Id of a session, unique in its project, from which `sessionOf` finds it again. */
export function sessionId(day: SessionDay, index: number): number {
  return day.dayNumber * SESSIONS_A_DAY + index;
}

/** Day and index of a session id. */
export function sessionOf(id: number) {
  return { dayNumber: Math.floor(id / SESSIONS_A_DAY), index: id % SESSIONS_A_DAY };
}

/** The 64-bit user id of a session. */
export function userIdOf(day: SessionDay, index: number): bigint {
  return (BigInt(nthUnsigned(day.userHigh, index)) << 32n) | BigInt(nthUnsigned(day.userLow, index));
}

/** Uniform number in [0, 1) that belongs to one session and one question about it. */
export function chance(seed: number, question: number): number {
  return unit(hash(seed, question));
}

/** The element that a number in [0, 1) falls on. */
export function pick<T>(list: readonly [T, ...T[]] | readonly T[], at: number): T {
  const picked = list[Math.min(list.length - 1, Math.floor(at * list.length))];
  if (picked === undefined) throw new RangeError('Nothing to pick from an empty list.');
  return picked;
}

const goods = ['Jacket', 'Trail shoe', 'Backpack', 'Tent', 'Lamp', 'Flask', 'Sleeping bag', 'Rain trousers', 'Cap', 'Gloves'] as const;
const inAppGoods = ['Premium month', 'Route pack', 'Offline maps', 'Coin bundle'] as const;

/** Splits the revenue over one to three items a transaction; the last takes the remainder, so that the sum holds. */
function itemsOf(project: Project, seed: number, transactions: number, revenueCents: number) {
  const count = transactions === 0 ? 0 : transactions + (hash(seed, 31) % 3);
  const names = project.kind === 'app' ? inAppGoods : goods;
  let left = revenueCents;
  return Array.from({ length: count }, (_, position) => {
    const article = hash(seed, 32, position) % 400;
    const share = position === count - 1 ? left : Math.floor((left / (count - position)) * (0.6 + 0.8 * chance(seed, 33 + position)));
    left -= share;
    return {
      id: `${hash(seed, 34, position) % 90_000_000}`,
      sku: `NL-${String(1000 + article)}`,
      name: pick(names, (article % names.length) / names.length),
      quantity: 1 + (hash(seed, 35, position) % 3),
      revenueCents: share,
    };
  });
}

/** One session as exports see it: its place in the columns of the day and what derives from them. */
export type SessionRow = ReturnType<typeof sessionRow>;

/** The session at `index` of the day. */
export function sessionRow(project: Project, day: SessionDay, index: number) {
  const seed = nthUnsigned(day.seed, index);
  const startMs = day.dayNumber * DAY_MS + nthUnsigned(day.startSecond, index) * 1000;
  const durationMs = nthUnsigned(day.durationMs, index);
  const pageViews = day.pageViews[index] ?? 1;
  const transactions = nthUnsigned(day.transactions, index);
  let items: ReturnType<typeof itemsOf> | undefined;
  return {
    project,
    day,
    index,
    seed,
    startMs,
    durationMs,
    pageViews,
    transactions,
    /** Above 2^53. */
    userId: userIdOf(day, index),
    // Computed on first use: most exports choose none of their columns.
    get items() {
      items ??= itemsOf(project, seed, transactions, nthUnsigned(day.revenueCents, index));
      return items;
    },
  };
}

const screens = [
  [[1366, 768]],
  [
    [1920, 1080],
    [1536, 864],
    [1366, 768],
    [2560, 1440],
  ],
  [
    [390, 844],
    [393, 873],
    [412, 915],
    [360, 800],
  ],
  [
    [820, 1180],
    [810, 1080],
    [800, 1280],
  ],
] as const;

/** Screen of the session in CSS pixels; a device class has its own sizes. */
export function screenOf({ day, index }: SessionRow): readonly [number, number] {
  const deviceId = nthUnsigned(day.deviceId, index);
  const sizes = screens[deviceId > 3 ? deviceId - 2 : deviceId] ?? screens[0];
  return pick<readonly [number, number]>(sizes, chance(nthUnsigned(day.userLow, index), 51));
}

/** City of the user, in the user's country. */
export function cityOf({ day, index }: SessionRow): string {
  return pick<string>(
    countries[nthUnsigned(day.country, index)]?.cities ?? countries[0].cities,
    chance(nthUnsigned(day.userLow, index), 52),
  );
}

/** Version of the app, null on the web; a user moves on with the months. */
export function appVersionOf({ project, day, index }: SessionRow): string | null {
  if (project.kind !== 'app') return null;
  const release = Math.floor((day.dayNumber - 20_000 + (hash(nthUnsigned(day.userLow, index), 53) % 60)) / 30);
  return `5.${release}.${hash(release) % 4}`;
}

const WINDOWS = platforms.findIndex(({ name }) => name === 'Windows');
const OLD_BROWSER = { name: 'Internet Explorer', version: 11, replaces: ['Chrome', 'Edge'] };
/** Of the users of those browsers on Windows. */
const OLD_SHARE = 0.18;
/** They buy that much less often, because of who they are and not of what their browser shows them. */
const OLD_FACTOR = 0.4;

/** Name and version of the browser; empty and 0 in apps. */
export function browserOf({ seed, day, index }: SessionRow) {
  const { name } = browsers[nthUnsigned(day.browser, index)] ?? browsers[0];
  const version = nthUnsigned(day.browserVersion, index);
  if (day.platform[index] !== WINDOWS || !OLD_BROWSER.replaces.includes(name)) return { name, version };
  const isOld =
    chance(nthUnsigned(day.userLow, index), 54) < OLD_SHARE && (chance(seed, 55) < OLD_FACTOR || nearnessOf(day, index).usual >= NEAR);
  return isOld ? OLD_BROWSER : { name, version };
}

/** Whether the browser of the session is the one that is no longer made. */
export function isOldBrowser(row: SessionRow): boolean {
  return browserOf(row).name === OLD_BROWSER.name;
}

/** Name and version of the operating system. */
export function platformOf({ day, index }: SessionRow) {
  const version = nthUnsigned(day.platformVersion, index);
  return { name: platforms[nthUnsigned(day.platform, index)]?.name ?? platforms[0].name, version: version > 0 ? String(version) : null };
}
