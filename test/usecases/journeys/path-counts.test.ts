import { describe, expect, it } from 'vitest';
import { analyzePaths } from '../../../src/usecases/journeys/analyze-paths.ts';
import { analyzeRetention } from '../../../src/usecases/journeys/analyze-retention.ts';
import { casesIn, engines, sharedWorlds, usesOf } from './both-engines.ts';
import { coveredDays, dayIn, dayOf, midnight, pagesOf, type SessionRow, worlds } from './visit-world.ts';

const world = sharedWorlds();
const drawNothing = { draw: () => undefined };

/** What a session did from its first page of a kind on, or up to it, nearest first. */
function walk(session: SessionRow, isStart: (path: string, at: number) => boolean, direction: 'after' | 'before', depth: number) {
  const paths = pagesOf(session).map(({ path }) => path);
  const start = paths.findIndex(isStart);
  if (start < 0) return undefined;
  const way = direction === 'after' ? paths.slice(start) : paths.slice(0, start + 1).toReversed();
  const edge = way.length <= depth ? [direction === 'after' ? '(visit ends)' : '(visit begins)'] : [];
  return [...way.slice(0, depth + 1), ...edge].join(' > ');
}

describe.each(Object.keys(worlds))('%s', (name) => {
  describe.each(engines)('on %s', (engine) => {
    it.each(
      casesIn(name, [
        ['/search', 'after', 3, (path: string) => path === '/search'],
        ['/checkout*', 'before', 2, (path: string) => path.startsWith('/checkout')],
        ['entry', 'after', 1, (_: string, at: number) => at === 0],
      ] as const),
    )('paths from %s %s are those of walking the rows', { tags: 'nightly' }, async (from, direction, depth, isStart) => {
      const { kind, sessions, workspace } = world(name);
      const days = coveredDays(kind, ['views']);
      const own = sessions.filter((session) => days.includes(dayIn(kind, session, ['views'])) && session.views.length > 0);
      const expected = new Map<string, number>();
      for (const session of own) {
        const way = walk(session, isStart, direction, depth);
        if (way !== undefined) expected.set(way, (expected.get(way) ?? 0) + 1);
      }
      const answer = await analyzePaths({ from, direction, depth, limit: 10_000 }, { ...usesOf(workspace(engine)), ...drawNothing });
      // Twelve pages are too few for patterns, checkout excepted, which has none.
      expect(new Map(answer.paths.map(({ pages, sessions: count }) => [pages, count]))).toEqual(expected);
      const lone = own.filter(({ views }) => new Set(views.map(({ path }) => path)).size === 1).length;
      const alone =
        from === 'entry' ? `${Math.round((1000 * lone) / own.length) / 10}% see only that page.` : `The commonest page right ${direction}`;
      expect(answer.answer).toContain(alone);
      expect(answer.sessions).toBe([...expected.values()].reduce((sum, count) => sum + count, 0));
    });

    it.each(casesIn(name, ['day', 'week'] as const))('who comes back by %s is counted as by walking the rows', async (by) => {
      const { kind, sessions, workspace } = world(name);
      const days = new Set(coveredDays(kind, ['sessions']));
      const own = sessions.filter(({ beganMs }) => days.has(dayOf(beganMs)));
      // The 9th of November 2026 is a Monday, so all days are of one week.
      const periodOf = ({ beganMs }: SessionRow) => (by === 'day' ? dayOf(beganMs) : 9);
      const firsts = new Map<string, number>();
      for (const session of own.filter(({ number }) => number === 1)) firsts.set(session.user, periodOf(session));
      const periods = 3;
      const answer = await analyzeRetention({ by, periods }, { ...usesOf(workspace(engine)), ...drawNothing });
      const cohorts = [...new Set(firsts.values())].toSorted((a, b) => a - b);
      const expected = cohorts.map((cohort) => {
        const users = new Set([...firsts].flatMap(([user, first]) => (first === cohort ? [user] : [])));
        return Array.from({ length: periods + 1 }, (_, after) => {
          const isOver = by === 'day' ? days.has(cohort + after) : after === 0;
          if (!isOver) return null;
          return new Set(own.flatMap((session) => (users.has(session.user) && periodOf(session) === cohort + after ? [session.user] : [])))
            .size;
        });
      });
      expect(answer.cohorts.map(({ returned }) => returned)).toEqual(expected);
      const overFor = (length: number) =>
        cohorts.filter((cohort) => by === 'day' && Array.from({ length }, (_, at) => cohort + at + 1).every((day) => days.has(day)));
      const length = Array.from({ length: periods }, (_, at) => periods - at).find((each) => overFor(each).length > 0);
      const users = [...firsts].filter(([, first]) => overFor(length ?? 0).includes(first));
      const isBack = ([user, first]: [string, number]) =>
        own.some((session) => session.user === user && periodOf(session) > first && periodOf(session) <= first + (length ?? 0));
      const { periods: within, visitors, returned } = answer.within ?? {};
      const isKnown = length !== undefined;
      expect([within, visitors, returned]).toEqual(
        isKnown ? [length, users.length, users.filter(isBack).length] : [length, length, length],
      );
      expect(answer.cohorts[0]?.cohort).toBe(`${by === 'day' ? '' : 'week of '}${new Date(midnight(9)).toISOString().slice(0, 10)}`);
    });
  });
});

const shop = sharedWorlds({ shop: { seed: 21, products: 40 } });

describe.each(engines)('paths of a shop with many products on %s', (engine) => {
  /** The name of a page beside others: the product with a fifth of the views of all has its own. */
  const nameOf = (path: string) => (path.startsWith('/p/') && path !== '/p/1000' ? '/p/* (others)' : path);

  it.each([
    ['/p/1003', 'after', (path: string) => path === '/p/1003'],
    ['/p/1003', 'before', (path: string) => path === '/p/1003'],
    ['/p/10*', 'after', (path: string) => path.startsWith('/p/10')],
    ['/p/1000', 'after', (path: string) => path === '/p/1000'],
    ['entry', 'after', (_: string, at: number) => at === 0],
  ] as const)(
    '%s %s: what was asked for is a page of its own, another page of its pattern is another',
    { tags: 'nightly' },
    async (from, direction, isStart) => {
      const { sessions, workspace } = shop('shop');
      const depth = 2;
      const expected = new Map<string, number>();
      for (const session of sessions) {
        const paths = pagesOf(session).map(({ path }) => path);
        const at = paths.findIndex(isStart);
        const start = paths[at];
        if (start === undefined) continue;
        const isPattern = nameOf(start).includes('*');
        const labels = (direction === 'after' ? paths.slice(at) : paths.slice(0, at + 1).toReversed()).map((path) => {
          if (path === start) return from === 'entry' || !isPattern ? nameOf(path) : from;
          return isPattern && nameOf(path) === nameOf(start) ? `another of ${nameOf(path)}` : nameOf(path);
        });
        const way = labels.filter((label, index) => label !== labels[index - 1]);
        const edge = way.length <= depth ? [direction === 'after' ? '(visit ends)' : '(visit begins)'] : [];
        const key = [...way.slice(0, depth + 1), ...edge].join(' > ');
        expected.set(key, (expected.get(key) ?? 0) + 1);
      }
      const answer = await analyzePaths({ from, direction, depth, limit: 10_000 }, { ...usesOf(workspace(engine)), ...drawNothing });
      expect(new Map(answer.paths.map(({ pages, sessions: count }) => [pages, count]))).toEqual(expected);
      expect([...expected.keys()].some((key) => key.includes('another of /p/* (others)'))).toBe(from !== '/p/1000');
    },
  );
});
