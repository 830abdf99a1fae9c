import { describe, expect, it } from 'vitest';
import { queryExport } from '../../src/exports/query-export.ts';
import { analyzeFunnel } from '../../src/journeys/analyze-funnel.ts';
import { analyzePaths } from '../../src/journeys/analyze-paths.ts';
import { analyzeRetention } from '../../src/journeys/analyze-retention.ts';
import type { FunnelAnswer } from '../../src/journeys/funnel-answer.ts';
import type { AskedCondition } from '../../src/journeys/impact/conditions.ts';
import { measureImpact } from '../../src/journeys/impact/measure-impact.ts';
import type { Filters } from '../../src/journeys/visit-filters.ts';
import { grouped } from '../../src/lib/grouped.ts';
import { inTurn } from '../support/sample-size.ts';
import { times } from '../support/times.ts';
import { engines, sharedWorlds, usesOf } from './both-engines.ts';
import { coveredDays, dayIn, dayOf, pagesOf, type SessionRow, variantOf, type WorldKind } from './visit-world.ts';

/** Something that a session did, with the page that came after it. */
interface Deed {
  readonly what: string;
  readonly timeMs: number;
  readonly next: string | undefined;
}

/** Tells of what a session did whether it fulfils a step. */
type Matcher = (what: string) => boolean;

/** Reads a step: paths and events with `*`, several joined by ` | `. */
function matcherOf(step: string): Matcher {
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
interface Funnel {
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
interface Walk {
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
function walksOf(funnel: Funnel, sessions: readonly SessionRow[]): Walk[] {
  const withEvents = funnel.steps.some((step) => step.includes('event:'));
  return sessions.map((session) => walkOf(session, deedsOf(session, withEvents), funnel));
}

/** How far visitors came within days of their first step. */
function walksOfVisitors(funnel: Funnel & { readonly withinDays: number }, sessions: readonly SessionRow[]): Walk[] {
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
function secondsOf(gapsMs: readonly number[], share: number): number {
  const sorted = gapsMs.map(rounded).toSorted((a, b) => a - b);
  const rank = share * (sorted.length - 1);
  const [low = 0, high = 0] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]];
  return Math.round((low + (rank - Math.floor(rank)) * (high - low)) / 100) / 10;
}

/** What a session did from its first page of a kind on, or up to it, nearest first; pages that `nameOf` calls alike are one in a row. */
function pathOf(
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

/** A page of a list of each site, and one that visits are for. */
const PLACES: Readonly<Record<string, readonly [list: string, goal: string]>> = {
  shop: ['/p/*', '/checkout/confirmation'],
  leads: ['/services/*', '/contact/thanks'],
  magazine: ['/news/*', '/subscribe/done'],
};

/** Filters, whether a session passes by its row, and the scopes that they read. */
const FILTERS: readonly (readonly [Filters, (session: SessionRow) => boolean, Asked['scopes']])[] = [
  [{}, () => true, []],
  [{ devices: ['mobile', 'app'] }, ({ device }) => [2, 4, 5].includes(device), ['sessions']],
  [{ visitorType: 'new' }, ({ number }) => number === 1, ['sessions']],
  [{ countries: ['de'] }, ({ country }) => country === 'DE', ['sessions']],
  [{ browsers: ['safari'] }, ({ browser }) => browser === 'Safari', ['sessions']],
  [{ entryPages: ['/', '/s*'] }, (session) => /^\/(s.*)?$/.test(pagesOf(session)[0]?.path ?? ''), ['views']],
  [{ automated: 'exclude' }, ({ automated }) => !automated, ['sessions']],
  [{ visitorType: 'returning' }, ({ number }) => number > 1, ['sessions']],
];

/** A question with the scopes that it reads. */
interface Asked extends Funnel {
  readonly scopes: readonly ('sessions' | 'views')[];
}
const BOTH = ['sessions', 'views'] as const;
const FUNNELS: Readonly<Record<string, readonly Asked[]>> = {
  shop: [
    { steps: ['/cart', '/checkout/address', '/checkout/payment'], scopes: ['views'] },
    { steps: ['/p/*', '/p/*', '/c*'], scopes: ['views'] },
    { steps: ['*', '/p/*', '/p/*'], order: 'direct', scopes: ['views'] },
    { steps: ['/p/* | /search', '/cart', 'purchase'], scopes: BOTH },
    { steps: ['/cart', '/checkout*', 'purchase'], order: 'direct', scopes: BOTH },
    { steps: ['/p/* | event:search', 'event:added_to_cart | /cart', 'purchase'], scopes: BOTH },
    { steps: ['event:search', 'event:paid'], scopes: ['sessions'] },
  ],
  leads: [
    { steps: ['/services/*', '/contact', '/contact/details', '/contact/thanks'], scopes: ['views'] },
    { steps: ['/services/1000', '/services/*', '/contact'], order: 'direct', scopes: ['views'] },
    { steps: ['/about | /prices', 'event:*', '/contact*'], scopes: BOTH },
  ],
  magazine: [
    { steps: ['/news/*', '/news/*', '/subscribe'], order: 'direct', scopes: ['views'] },
    { steps: ['/news/10*', '/topic/*', '/subscribe*'], scopes: ['views'] },
  ],
};
const PATHS: Readonly<Record<string, readonly (readonly [string, 'after' | 'before', number])[]>> = {
  shop: [
    ['/checkout*', 'before', 2],
    ['/p/1003', 'after', 2],
    ['/p/1003', 'before', 2],
    ['/p/1000', 'after', 2],
    ['entry', 'after', 1],
  ],
  leads: [['/services/10*', 'after', 2]],
  magazine: [
    ['/news/1002', 'after', 3],
    ['/news/*', 'before', 2],
  ],
};
/** The tests of worlds whose every figure equals a plain count; `taken`: how many others take turns in engines and cases before them. */
export function countPlainly(kinds: Readonly<Record<string, WorldKind>>, taken = 0): void {
  const worldOf = sharedWorlds(kinds);
  describe.each(
    Object.entries(kinds).map(([name, kind], at) => [name, engines[(taken + at) % engines.length] ?? 'DuckDB', kind, taken + at] as const),
  )('%s, on %s', (name, engine, kind, taker) => {
    const site = kind.site ?? 'shop';
    const { sessions: all } = worldOf(name);
    const uses = () => usesOf(worldOf(name).workspace(engine));
    /** The sessions of days that the files cover; of those that are known by their views alone, with some. */
    const sessionsOn = (scopes: Asked['scopes'], leastViews = scopes.includes('sessions') ? 0 : 1) => {
      const days = coveredDays(kind, scopes);
      return all.filter((session) => session.views.length >= leastViews && days.includes(dayIn(kind, session, scopes)));
    };
    /** Three worlds have the cases between them, as a statement is a process; in `npm run full` each has all. */
    const turn = <T>(cases: readonly T[], of = 3) => inTurn(cases, taker % of, of);
    /** Most worlds are shops; another site has its cases alone, and one with many siblings those of a sibling. */
    const ofSite = <T>(cases: readonly T[]) => {
      const isOfSibling = (each: T) => JSON.stringify(each).includes('/10');
      const others = cases.filter((each) => !isOfSibling(each));
      return [...(site === 'shop' ? turn(others) : others), ...(kind.siblings === undefined ? [] : cases.filter(isOfSibling))];
    };

    /** Steps as walks have them, pages after a step where they are known. */
    function stepsOf(steps: FunnelAnswer['steps'], walks: readonly Walk[], isFollowed: boolean) {
      return steps.map(({ next = [] }, index) => {
        const there = walks.filter(({ depth }) => depth > index);
        const left = there.filter(({ depth }) => depth === index + 1);
        const gaps = there.flatMap(({ gapsMs }) => gapsMs[index] ?? []);
        const to = next.map(({ page, sessions }) => {
          const isOf = matcherOf(page.replace(/ \(still .*\)$/, '').replace(/ \(others\)$/, ''));
          const count = left.filter((walk) => walk.next !== undefined && isOf(walk.next)).length;
          return { page, sessions: page.includes('(others)') ? Math.min(sessions, count) : count };
        });
        const isLast = index === steps.length - 1;
        return {
          sessions: there.length,
          ...(gaps.length > 0 && {
            medianSeconds: secondsOf(gaps, 0.5),
            middleSeconds: [0.25, 0.75].map((share) => secondsOf(gaps, share)),
          }),
          ...(!isLast && { left: left.length }),
          ...(!isLast && isFollowed && { ended: left.filter((walk) => walk.next === undefined).length, next: to }),
        };
      });
    }

    it.each(ofSite(FUNNELS[site] ?? []))('$steps $order', async ({ scopes, steps, order }) => {
      const own = sessionsOn(scopes);
      const walks = walksOf({ steps, order }, own);
      const answer = await analyzeFunnel({ steps, order }, uses());
      const isFollowed = scopes.includes('views') || kind.withoutViews === undefined;
      expect(walks.filter(({ depth }) => depth === steps.length).length).toBeGreaterThan(0);
      expect(answer.steps).toMatchObject(stepsOf(answer.steps, walks, isFollowed));
    });

    it.each(ofSite(PATHS[site] ?? []))('paths %s %s to depth %i', async (from, direction, depth) => {
      const isStart = from === 'entry' ? (_: string, at: number) => at === 0 : matcherOf(from);
      const plainName = (path: string) => (kind.siblings === undefined ? path : path.replace(/^(\/\w+)\/1(?!000$)\d{3}$/, '$1/* (others)'));
      const nameOf = (path: string, start: string) => {
        const isList = plainName(start).includes('*');
        if (path === start) return from === 'entry' || !isList ? plainName(path) : from;
        return isList && plainName(path) === plainName(start) ? `another of ${plainName(path)}` : plainName(path);
      };
      const expected = new Map<string, number>();
      for (const session of sessionsOn(['views'])) {
        const way = pathOf(session, { isStart, direction, depth, nameOf });
        if (way !== undefined) expected.set(way, (expected.get(way) ?? 0) + 1);
      }
      const answer = await analyzePaths({ from, direction, depth, limit: 10_000 }, uses());
      expect(new Map(answer.paths.map(({ pages, sessions }) => [pages, sessions]))).toEqual(expected);
    });

    it.each(turn(['device', 'visitor_type', 'country', 'browser', 'referrer', 'entry_page', 'day'] as const))(
      'a funnel by %s',
      async (breakdown) => {
        const [list, goal] = PLACES[site] ?? ['', ''];
        const groupOf: Readonly<Record<typeof breakdown, (session: SessionRow) => string>> = {
          device: ({ device }) => ({ 1: 'desktop', 2: 'mobile', 3: 'tablet', 4: 'app' })[device] ?? 'unknown',
          visitor_type: ({ number }) => (number === 1 ? 'new' : 'returning'),
          country: ({ country }) => country ?? 'unknown',
          browser: ({ browser }) => browser ?? 'unknown',
          referrer: ({ referrer }) => (referrer === null ? 'direct' : new URL(referrer).host),
          entry_page: (session) => pagesOf(session)[0]?.path ?? '',
          day: ({ beganMs }) => new Date(beganMs).toISOString().slice(0, 10),
        };
        const filters = {
          devices: ['desktop', 'mobile', 'app'],
          automated: 'exclude',
          startDate: '2026-11-10',
          endDate: '2026-11-15',
        } as const;
        const steps = [list, goal];
        const { groups = [] } = await analyzeFunnel({ steps, breakdown, ...filters }, uses());
        const own = sessionsOn(BOTH).filter(
          ({ device, automated, beganMs }) => [1, 2, 4].includes(device) && !automated && dayOf(beganMs) > 9,
        );
        expect(groups.length).toBeGreaterThan(1);
        for (const { group, steps: counts } of groups) {
          const walks = walksOf(
            { steps },
            own.filter((session) => groupOf[breakdown](session) === group),
          );
          expect([group, ...counts]).toEqual([group, ...[1, 2].map((depth) => walks.filter((walk) => walk.depth >= depth).length)]);
        }
      },
    );

    it.each(turn([1, 3]))('visitors within %i days, of whom some have not had them', async (withinDays) => {
      const steps = [...(PLACES[site] ?? []), 'event:* | purchase'];
      const range = { startDate: '2026-11-09', endDate: '2026-11-15' };
      const answer = await analyzeFunnel({ steps, within: 'visitor', withinDays, ...range }, uses());
      const days = coveredDays(kind, BOTH);
      const walks = walksOfVisitors({ steps, withinDays }, sessionsOn(BOTH));
      const isOver = ({ startMs }: Walk) => times(withinDays + 1, (after) => dayOf(startMs) + after).every((day) => days.includes(day));
      const over = walks.filter(isOver);
      expect(answer.immature).toBe(walks.length - over.length);
      expect(answer.steps).toMatchObject(stepsOf(answer.steps, over, false));
    });

    const cohorts = FILTERS.slice(0, -1).flatMap((filter) => (['day', 'week'] as const).map((by) => [by, ...filter] as const));
    it.each(turn(cohorts))('who comes back by %s, first sessions chosen by %j', async (by, filters, isMeant, reads) => {
      const scopes = ['sessions', ...reads] as const;
      const days = new Set(coveredDays(kind, scopes));
      const own = sessionsOn(scopes).filter(({ automated }) => !automated || filters.automated === undefined);
      // All days are of one week.
      const periodOf = ({ beganMs }: SessionRow) => (by === 'day' ? dayOf(beganMs) : 9);
      const firsts = own.filter((session) => session.number === 1 && isMeant(session));
      const answer = await analyzeRetention({ by, periods: 3, ...filters }, uses());
      const begun = [...new Set(firsts.map(periodOf))].toSorted((a, b) => a - b);
      const isWhole = (period: number) => (by === 'day' ? days.has(period) : period === 9 && days.size === 7);
      const backIn = (cohort: number, isThen: (period: number) => boolean) => {
        const users = new Set(firsts.filter((first) => periodOf(first) === cohort).map(({ user }) => user));
        return new Set(own.filter((session) => users.has(session.user) && isThen(periodOf(session))).map(({ user }) => user)).size;
      };
      expect(answer.cohorts.map(({ returned }) => returned)).toEqual(
        begun.map((cohort) =>
          [0, 1, 2, 3].map((after) =>
            after === 0 || isWhole(cohort + after) ? backIn(cohort, (period) => period === cohort + after) : null,
          ),
        ),
      );
      const overFor = (length: number) => begun.filter((cohort) => times(length, (at) => cohort + at + 1).every(isWhole));
      const length = [3, 2, 1].find((each) => overFor(each).length > 0);
      const sum = (isThen: (cohort: number) => (period: number) => boolean) =>
        overFor(length ?? 0).reduce((total, cohort) => total + backIn(cohort, isThen(cohort)), 0);
      const { within } = answer;
      expect(within && [within.periods, within.visitors, within.returned]).toEqual(
        length && [
          length,
          sum((cohort) => (period) => period === cohort),
          sum((cohort) => (period) => period > cohort && period <= cohort + length),
        ],
      );
    });

    it.each(turn(FILTERS, 6))('visits that pass %j', async (filters, isMeant, reads) => {
      const steps = PLACES[site] ?? [];
      const own = sessionsOn([...reads, 'views'], 1).filter(isMeant);
      expect(own.length).toBeGreaterThan(10);
      const { steps: found } = await analyzeFunnel({ steps, ...filters }, uses());
      expect(found).toMatchObject(stepsOf(found, walksOf({ steps }, own), true));
      expect((await analyzePaths({ from: 'entry', ...filters }, uses())).sessions).toBe(own.length);
      const conditions = [
        { what: 'page', pages: steps.slice(1) },
        { what: 'variable', name: 'variant', value: 'B' },
      ] as const;
      const { totalSessions, conditions: rows } = await measureImpact({ conditions, outcome: 'bounce', limit: 50, ...filters }, uses());
      const both = sessionsOn(BOTH, 1).filter(isMeant);
      expect(totalSessions).toBe(reads.includes('sessions') ? both.length : own.length);
      expect(rows.find(({ what }) => what === 'variable')?.sessions).toBe(both.filter((session) => variantOf(session) === 'B').length);
    });

    it.each(turn(['purchase', 'revenue', 'bounce', 'goal']))('conditions and variants by %s', async (aim) => {
      const [list, goal] = PLACES[site] ?? ['', ''];
      const outcome = aim === 'goal' ? goal : aim;
      const isOfList = matcherOf(list);
      const own = sessionsOn(BOTH).filter(({ views }) => views.length > 0);
      const firsts = own.flatMap(({ views }) => views.toSorted((a, b) => a.number - b.number).find(({ path }) => isOfList(path)) ?? []);
      const conditions: AskedCondition[] = [
        { what: 'slow_page', pages: [list], overSeconds: 3 },
        { what: 'js_error', pages: [list] },
        { what: 'variable', name: 'Variant', value: 'B' },
      ];
      const answer = await measureImpact({ conditions, outcome, limit: 50 }, uses());
      expect(answer.totalSessions).toBe(own.length);
      const rowOf = (what: string) => answer.conditions.find((row) => row.what === what);
      expect(rowOf('slow_page')?.sessions).toBe(firsts.filter(({ loadedMs }) => loadedMs > 3_000).length);
      expect(rowOf('js_error')?.sessions).toBe(firsts.filter(({ loadedMs }) => loadedMs % 7 === 0).length);
      const ofB = own.filter((session) => variantOf(session) === 'B');
      expect(rowOf('variable')).toMatchObject({
        against: 'A',
        sessions: ofB.length,
        visitors: new Set(ofB.map(({ user }) => user)).size,
      });
      const converts = ({ transactions, views }: SessionRow) => {
        if (outcome === goal) return views.some(({ path }) => path === goal);
        return outcome === 'bounce' ? views.length === 1 : transactions > 0;
      };
      expect(rowOf('variable')?.withPercent).toBeCloseTo((100 * ofB.filter(converts).length) / ofB.length, 1);
    });

    it('statements', async () => {
      const days = coveredDays(kind, ['sessions']);
      const own = all.filter(({ beganMs }) => days.includes(dayOf(beganMs)));
      const sums = 'sum(session_number_of_transactions), sum(session_transactions_revenue_cents)';
      const sql =
        `SELECT count(*), ${sums}, count(DISTINCT user_id) FROM sessions WHERE session_time >= '2026-11-09' ` +
        "AND session_time < '2026-11-16'";
      const sum = (of: (session: SessionRow) => number) => own.reduce((total, session) => total + of(session), 0);
      const { rows } = await queryExport({ sql }, uses());
      expect(rows[0]?.map(Number)).toEqual([
        own.length,
        sum(({ transactions }) => transactions),
        sum(({ revenueCents }) => revenueCents),
        new Set(own.map(({ user }) => user)).size,
      ]);
      const viewed = `SELECT count(*), count(DISTINCT v.path), count(*) FILTER (WHERE s.device_id = 2) FROM views AS v JOIN sessions AS s
        USING (user_id, session_id)`;
      const joined = own.flatMap((session) => session.views.map((view) => ({ ...view, session })));
      const { rows: ofViews } = await queryExport({ sql: viewed }, uses());
      expect(ofViews[0]?.map(Number)).toEqual([
        joined.length,
        new Set(joined.map(({ path }) => path)).size,
        joined.filter(({ session }) => session.device === 2).length,
      ]);
    });
  });
}
