import { grouped } from '../../../src/lib/grouped.ts';
import { pagesOf, type SessionRow } from './visit-world.ts';

/** Something that a session did, with the page that came after it. */
interface Deed {
  readonly what: string;
  readonly timeMs: number;
  readonly next: string | undefined;
}

/** Tells of what a session did whether it fulfils a step. */
export type Matcher = (what: string) => boolean;

/** Reads a step: paths and events with `*`, several joined by ` | `. */
export function matcherOf(step: string): Matcher {
  const patterns = step.split(' | ').map((part) => new RegExp(`^${part.replaceAll('*', '.*')}$`));
  return (what) => patterns.some((pattern) => pattern.test(what));
}

/** What a session did, in order: pages alone or, by time, app events too; a purchase comes after all of it. */
function deedsOf(session: SessionRow, hasEvents: boolean): Deed[] {
  const pages = pagesOf(session);
  const after = (timeMs: number) => pages.find((page) => page.timeMs > timeMs)?.path;
  const viewed = pages.map(({ path, timeMs }, at): Deed => ({ what: path, timeMs, next: pages[at + 1]?.path }));
  const events = session.events.map(({ name, timeMs }): Deed => ({ what: `event:${name}`, timeMs, next: after(timeMs) }));
  const all = hasEvents ? [...viewed, ...events].toSorted((a, b) => a.timeMs - b.timeMs) : viewed;
  const soldMs = (pages.at(-1)?.timeMs ?? session.beganMs) + 1;
  return session.transactions > 0 ? [...all, { what: 'purchase', timeMs: soldMs, next: undefined }] : all;
}

/** A question about a funnel. */
export interface Funnel {
  readonly steps: readonly string[];
  readonly order?: 'in_order' | 'direct' | undefined;
}

/** The deeds by which the steps were done, each the first after the one before. */
function inOrder(deeds: readonly Deed[], matchers: readonly Matcher[]): Deed[] {
  const done: Deed[] = [];
  let from = 0;
  for (const isStep of matchers) {
    const at = deeds.findIndex(({ what }, index) => index >= from && isStep(what));
    const deed = deeds[at];
    if (!deed) break;
    done.push(deed);
    from = at + 1;
  }
  return done;
}

/** Of each step the first page that ends a chain of neighbours up to it, behind the page before; a purchase is of the whole session. */
function direct(deeds: readonly Deed[], matchers: readonly Matcher[]): Deed[][] {
  const pages = deeds.filter(({ what }) => what !== 'purchase');
  const chains = matchers.map((_, index) => {
    const isChain = (end: number) => matchers.slice(0, index + 1).every((isStep, at) => isStep(pages[end - index + at]?.what ?? ''));
    const end = pages.findIndex((__, at) => at >= index && isChain(at));
    return pages.slice(Math.max(0, end - 1), end + 1);
  });
  const isSold = pages.length < deeds.length && matchers.at(-1)?.('purchase') === true;
  if (isSold && chains.at(-1)?.length === 0 && chains.at(-2)?.length !== 0) chains[matchers.length - 1] = deeds.slice(-1);
  const done = chains.findIndex(({ length }) => length === 0);
  return done < 0 ? chains : chains.slice(0, done);
}

/** How far a session or visitor came: from the session of the first step, how long after the one before, and the page after the last. */
export interface Walk {
  readonly session: SessionRow;
  readonly startMs: number;
  readonly depth: number;
  /** None of a step that a purchase fulfils, whose time is not known. */
  readonly gapsMs: readonly (number | undefined)[];
  readonly next: string | undefined;
}

/** How far one came by what was done in order. */
function walkOf(session: SessionRow, deeds: readonly Deed[], { steps, order }: Funnel): Walk {
  const matchers = steps.map(matcherOf);
  const done = order === 'direct' ? direct(deeds, matchers) : inOrder(deeds, matchers).map((deed, at, all) => [all[at - 1] ?? deed, deed]);
  const gapsMs = done.map((pair, at) => {
    const [before, own] = [pair[0], pair.at(-1)];
    return at === 0 || !before || !own || matchers[at]?.('purchase') ? undefined : own.timeMs - before.timeMs;
  });
  return { session, startMs: done[0]?.at(-1)?.timeMs ?? 0, depth: done.length, gapsMs, next: done.at(-1)?.at(-1)?.next };
}

/** How far sessions came. */
export function walksOf(funnel: Funnel, sessions: readonly SessionRow[]): Walk[] {
  const withEvents = funnel.steps.some((step) => step.includes('event:'));
  return sessions.map((session) => walkOf(session, deedsOf(session, withEvents), funnel));
}

/** How far visitors came within days of their first step. */
export function walksOfVisitors(funnel: Funnel & { readonly withinDays: number }, sessions: readonly SessionRow[]): Walk[] {
  const isFirst = matcherOf(funnel.steps[0] ?? '');
  return [...grouped(sessions, ({ user }) => user).values()].flatMap((own) => {
    const all = own
      .flatMap((session) => deedsOf(session, true).map((deed) => ({ ...deed, session })))
      .toSorted((a, b) => a.timeMs - b.timeMs);
    const first = all.find(({ what }) => isFirst(what));
    const untilMs = (first?.timeMs ?? 0) + funnel.withinDays * 86_400_000;
    return first
      ? [
          walkOf(
            first.session,
            all.filter(({ timeMs }) => timeMs <= untilMs),
            funnel,
          ),
        ]
      : [];
  });
}

/** Tenths of a second up to a minute, seconds up to an hour, minutes beyond. */
function rounded(ms: number): number {
  const unit = ms < 60_000 ? 100 : ms < 3_600_000 ? 1_000 : 60_000;
  return Math.round(ms / unit) * unit;
}

/** A quantile of times in seconds, halfway between two where it falls between them. */
export function secondsOf(gapsMs: readonly number[], share: number): number {
  const sorted = gapsMs.map(rounded).toSorted((a, b) => a - b);
  const rank = share * (sorted.length - 1);
  const [low = 0, high = 0] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
  return Math.round((low + (rank - Math.floor(rank)) * (high - low)) / 100) / 10;
}

/** What a session did from its first page of a kind on, or up to it, nearest first; pages that `nameOf` calls alike are one in a row. */
export function pathOf(
  session: SessionRow,
  {
    isStart,
    direction,
    depth,
    nameOf,
  }: {
    readonly isStart: (path: string, at: number) => boolean;
    readonly direction: 'after' | 'before';
    readonly depth: number;
    readonly nameOf: (path: string, start: string) => string;
  },
): string | undefined {
  const paths = pagesOf(session).map(({ path }) => path);
  const at = paths.findIndex(isStart);
  const start = paths[at];
  if (start === undefined) return undefined;
  const way = (direction === 'after' ? paths.slice(at) : paths.slice(0, at + 1).toReversed()).map((path) => nameOf(path, start));
  const once = way.filter((name, index) => name !== way[index - 1]);
  const edge = once.length <= depth ? [direction === 'after' ? '(visit ends)' : '(visit begins)'] : [];
  return [...once.slice(0, depth + 1), ...edge].join(' > ');
}
