import type { SessionRow } from './visit-world.ts';
import { pagesOf } from './visit-world.ts';

/** Something that a session did: a page, an app event, or a purchase at its end. */
interface Deed {
  readonly what: string;
  readonly timeMs: number;
}

/** A step as a test writes it by hand: what it is fulfilled by. */
export type Matcher = (what: string) => boolean;

const PURCHASE = 'purchase!';
export const page =
  (pattern: RegExp): Matcher =>
  (what) =>
    what.startsWith('/') && pattern.test(what);
export const event =
  (name: string): Matcher =>
  (what) =>
    what === `event ${name}`;
export const purchase: Matcher = (what) => what === PURCHASE;
export const either =
  (...matchers: Matcher[]): Matcher =>
  (what) =>
    matchers.some((matcher) => matcher(what));

/** What a session did, in order; `withEvents`: pages and app events by time. */
export function deedsOf(session: SessionRow, withEvents = false): Deed[] {
  const pages = pagesOf(session).map(({ path, timeMs }) => ({ what: path, timeMs }));
  const events = withEvents ? session.events.map(({ name, timeMs }) => ({ what: `event ${name}`, timeMs })) : [];
  const deeds = [...pages, ...events].toSorted((a, b) => (withEvents ? a.timeMs - b.timeMs : 0));
  return session.transactions > 0 ? [...deeds, { what: PURCHASE, timeMs: (pages.at(-1)?.timeMs ?? session.beganMs) + 1 }] : deeds;
}

/** The deeds by which the steps are done in order, each the first after the one before. */
export function walkInOrder(deeds: readonly Deed[], steps: readonly Matcher[]): number[] {
  const done: number[] = [];
  let from = 0;
  for (const isStep of steps) {
    const at = deeds.findIndex(({ what }, index) => index >= from && isStep(what));
    if (at < 0) break;
    done.push(at);
    from = at + 1;
  }
  return done;
}

/** The most steps that are done one right after the other; a purchase belongs to the whole session. */
export function walkDirect(deeds: readonly Deed[], steps: readonly Matcher[]): number {
  const pages = deeds.filter(({ what }) => what !== PURCHASE);
  const bought = pages.length < deeds.length;
  const last = steps.at(-1);
  const isBought = last?.(PURCHASE) ?? false;
  let most = 0;
  for (let start = 0; start < pages.length; start += 1) {
    let depth = 0;
    while (depth < steps.length && start + depth < pages.length && steps[depth]?.(pages[start + depth]?.what ?? '')) depth += 1;
    if (depth === steps.length - 1 && isBought && bought) depth += 1;
    most = Math.max(most, depth);
  }
  return most;
}
