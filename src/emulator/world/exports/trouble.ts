import { nthUnsigned } from '../../../lib/nth.ts';
import { type Cost, countries, LATE_MESSAGE, OLD_BROWSER_MESSAGE } from '../sessions/index.ts';
import { chance, isOldBrowser, pick, type SessionRow } from './session-row.ts';
import type { Way } from './way.ts';

/** The troubles of one view. */
interface Troubles {
  readonly rageClick: boolean;
  readonly apiError: boolean;
  /** Of the JavaScript errors, in order of time. */
  readonly messages: readonly string[];
  /** How long the page takes to load, as a multiple of what is usual. */
  readonly slowness: number;
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
export function scriptOf(path: string, draw: number): string {
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
export function troubleFor(session: SessionRow, met: Way['met']): (path: string, isFirst: boolean, number: number, draw: Draw) => Troubles {
  const { day, index } = session;
  const { costs } = day.buying;
  const isOld = isOldBrowser(session);
  const isPhone = day.deviceId[index] === PHONE.deviceId;
  const line = lineOf(session, isOld);
  return (path, isFirst, number, draw) => {
    const cost: Cost | undefined = isFirst ? costs.find(({ page }) => page === path) : undefined;
    const isMet = cost !== undefined && met.includes(cost);
    // Where a trouble costs something on this page, it comes from there alone.
    const happens = (what: Cost['what'], share: number, question: number) => (cost?.what === what ? isMet : draw(question) < share);
    const messages = harmlessMessages(path, number, isOld, draw);
    const slowness = slownessOf(path, isPhone, line, draw);
    return {
      rageClick: happens('rage_click', isCheckout(path) && !path.endsWith('/confirmation') ? 0.12 : 0.02, 12),
      apiError: happens('api_error', isCheckout(path) ? 0.04 : 0.012, 13),
      messages: isMet && cost.message !== null ? [cost.message, ...messages] : messages,
      slowness: cost?.overSeconds ? loadOf(cost.overSeconds / TYPICAL_SECONDS, isMet, slowness, draw) : slowness,
    };
  };
}
