import { describe, expect, it } from 'vitest';
import { type FunnelCounts, reached, sumOf } from '../../../src/domain/journeys/funnel.ts';
import { parseStep } from '../../../src/domain/journeys/step.ts';
import { grouped } from '../../../src/lib/grouped.ts';
import { type FunnelQuestion, needsOf, readFunnel } from '../../../src/usecases/journeys/read-funnel.ts';
import { withVisits } from '../../../src/usecases/journeys/with-visits.ts';
import { casesIn, type Engine, enginesIn, type LoadedWorld, sharedWorlds, usesOf } from './both-engines.ts';
import { deedsOf, either, event, type Matcher, page, purchase, walkDirect, walkInOrder } from './funnel-walk.ts';
import { coveredDays, dayIn, dayOf, midnight, pagesOf, type SessionRow, worlds } from './visit-world.ts';

const world = sharedWorlds();
const deviceName = ({ device }: SessionRow) => ({ 1: 'desktop', 2: 'mobile', 3: 'tablet', 4: 'app' })[device] ?? 'unknown';
/** Splits are held against walking in one world only: each statement is a process. */
const LAST_WORLD = Object.keys(worlds).at(-1);

interface Case {
  readonly texts: readonly string[];
  readonly matchers: readonly Matcher[];
  readonly order?: 'direct';
  readonly scopes: readonly ('sessions' | 'views')[];
  readonly events?: true;
}

const CHECKOUT = ['/cart', '/checkout/address', '/checkout/payment'];
const checkout = CHECKOUT.map((path) => page(new RegExp(`^${path}$`)));
const CHECKOUT_CASE: Case = { texts: CHECKOUT, matchers: checkout, scopes: ['views'] };
const cases: Readonly<Record<string, Case>> = {
  'in order': CHECKOUT_CASE,
  direct: { texts: CHECKOUT, matchers: checkout, order: 'direct', scopes: ['views'] },
  'wildcards, one page twice in a row': {
    texts: ['/p/*', '/p/*', '/c*'],
    matchers: [page(/^\/p\//), page(/^\/p\//), page(/^\/c/)],
    scopes: ['views'],
  },
  'direct wildcards': {
    texts: ['*', '/p/*', '/p/*'],
    matchers: [page(/./), page(/^\/p\//), page(/^\/p\//)],
    order: 'direct',
    scopes: ['views'],
  },
  'up to a purchase': {
    texts: ['/p/* | /search', '/cart', 'purchase'],
    matchers: [page(/^\/(p\/.*|search)$/), page(/^\/cart$/), purchase],
    scopes: ['sessions', 'views'],
  },
  'direct to a purchase': {
    texts: ['/cart', '/checkout*', 'purchase'],
    matchers: [page(/^\/cart$/), page(/^\/checkout/), purchase],
    order: 'direct',
    scopes: ['sessions', 'views'],
  },
  'alternatives with events': {
    texts: ['/p/* | event:search', 'event:added_to_cart | /cart', 'purchase'],
    matchers: [either(page(/^\/p\//), event('search')), either(event('added_to_cart'), page(/^\/cart$/)), purchase],
    scopes: ['sessions', 'views'],
    events: true,
  },
};

function questionOf({ texts, order }: Case, more: Partial<FunnelQuestion> = {}): FunnelQuestion {
  const steps = texts.map((text) => parseStep(text, 'steps'));
  return { steps, order: order ?? 'in_order', withinDays: undefined, breakdown: undefined, ...more };
}

function counted({ workspace }: LoadedWorld, engine: Engine, question: FunnelQuestion, filters: object = {}) {
  return withVisits(filters, needsOf(question), usesOf(workspace(engine)), (visits) => readFunnel(question, visits));
}

function depthOf({ matchers, order, events }: Case, session: SessionRow): number {
  const deeds = deedsOf(session, events);
  return order === 'direct' ? walkDirect(deeds, matchers) : walkInOrder(deeds, matchers).length;
}

/** How many sessions did each step, by walking their rows. */
function walked(own: Case, sessions: readonly SessionRow[]): number[] {
  const depths = sessions.map((session) => depthOf(own, session));
  return own.texts.map((_, index) => depths.filter((depth) => depth > index).length);
}

function sessionsOn({ kind, sessions }: LoadedWorld, scopes: Case['scopes'], leastViews = 1): SessionRow[] {
  const days = coveredDays(kind, scopes);
  return sessions.filter((session) => days.includes(dayIn(kind, session, scopes)) && session.views.length >= leastViews);
}

/** How many went on to each page after each depth. */
const nextIn = ({ next }: FunnelCounts) => new Map(next.map(({ depth, page: to = 'ended', count }) => [`${depth} ${to}`, count]));

/** The times before a step are those of walking the rows, as far as they are rounded. */
function expectGaps({ gaps }: FunnelCounts, step: number, expected: readonly number[]): void {
  const found = (gaps.get(step) ?? []).flatMap(([ms, count]) => Array.from({ length: ms < 0 ? 0 : count }, () => ms));
  expect(found).toHaveLength(expected.length);
  const sorted = found.toSorted((a, b) => a - b);
  for (const [index, ms] of expected.toSorted((a, b) => a - b).entries())
    expect(Math.abs((sorted[index] ?? 0) - ms)).toBeLessThanOrEqual(ms < 60_000 ? 50 : 500);
}

/** What else is held beside the counts of steps. */
const checks: Readonly<Record<string, (loaded: LoadedWorld, engine: Engine) => Promise<void>>> = {
  'those who left are counted by the page that came next': async (loaded, engine) => {
    const counts = await counted(loaded, engine, questionOf(CHECKOUT_CASE));
    const expected = new Map<string, number>();
    for (const session of sessionsOn(loaded, ['views'])) {
      const done = walkInOrder(deedsOf(session), checkout);
      if (done.length === 0 || done.length === 3) continue;
      const after = pagesOf(session)[(done.at(-1) ?? 0) + 1]?.path ?? 'ended';
      expected.set(`${done.length} ${after}`, (expected.get(`${done.length} ${after}`) ?? 0) + 1);
    }
    expect(nextIn(counts)).toEqual(expected);
  },
  'the times between steps are those of the pages': async (loaded, engine) => {
    const counts = await counted(loaded, engine, questionOf(CHECKOUT_CASE));
    const gaps = sessionsOn(loaded, ['views']).flatMap((session) => {
      const [first, second] = walkInOrder(deedsOf(session), checkout);
      const pages = pagesOf(session);
      return first === undefined || second === undefined ? [] : [(pages[second]?.timeMs ?? 0) - (pages[first]?.timeMs ?? 0)];
    });
    expectGaps(counts, 2, gaps);
  },
  'the times between neighbours are those of these two pages': async (loaded, engine) => {
    const own: Case = { texts: ['/p/*', '/p/*', '/c*'], matchers: [page(/^\/p\//), page(/^\/p\//), page(/^\/c/)], scopes: ['views'] };
    const counts = await counted(loaded, engine, questionOf({ ...own, order: 'direct' }));
    for (const step of [2, 3]) {
      const gaps = sessionsOn(loaded, ['views']).flatMap((session) => {
        const pages = pagesOf(session);
        const isChain = (end: number) =>
          own.matchers.slice(0, step).every((isStep, at) => isStep(pages[end - step + 1 + at]?.path ?? 'none'));
        const end = pages.findIndex((_, at) => at >= step - 1 && isChain(at));
        return end < 0 ? [] : [(pages[end]?.timeMs ?? 0) - (pages[end - 1]?.timeMs ?? 0)];
      });
      expect(gaps.length).toBeGreaterThan(5);
      expectGaps(counts, step, gaps);
    }
  },
  'those who left after an app event are counted by the page that came next, whatever else is a step': async (loaded, engine) => {
    for (const [text, isStep] of [
      ['event:paid', event('paid')],
      ['/checkout/payment', page(/^\/checkout\/payment$/)],
    ] as const) {
      const counts = await counted(loaded, engine, questionOf({ texts: ['event:search', text], matchers: [], scopes: ['sessions'] }));
      // Without views of some days nothing is known of pages where events alone are steps.
      const hasViews = text.startsWith('/') || !loaded.kind.withoutViews;
      const expected = new Map<string, number>();
      for (const session of sessionsOn(loaded, text.startsWith('/') ? ['sessions', 'views'] : ['sessions'], 0)) {
        const deeds = deedsOf(session, true).filter(({ what }) => what !== 'purchase!');
        const done = walkInOrder(deeds, [event('search'), isStep]);
        const after = deeds[done[0] ?? -1];
        if (done.length !== 1 || !after || !hasViews) continue;
        const next = pagesOf(session).find(({ timeMs }) => timeMs > after.timeMs)?.path ?? 'ended';
        expected.set(`1 ${next}`, (expected.get(`1 ${next}`) ?? 0) + 1);
      }
      expect(nextIn(counts)).toEqual(expected);
    }
  },
  'the first step is done on the same days whether or not a purchase follows': async (loaded, engine) => {
    const firsts = async (texts: readonly string[]) => {
      const counts = await counted(loaded, engine, questionOf({ texts, matchers: [], scopes: [] }));
      return new Map([...counts.days].map(([day, depths]) => [day, reached(depths, 2)[0]]));
    };
    const [pages, bought] = [await firsts(['/p/*', '/cart']), await firsts(['/p/*', 'purchase'])];
    if (!loaded.kind.withoutSessions) expect(pages).toEqual(bought);
    const crossed = loaded.sessions.filter(({ beganMs, views: [first] }) => first && dayOf(first.timeMs) !== dayOf(beganMs));
    expect(crossed.length).toBeGreaterThan(0);
  },
  'a split by entry page adds up to groups that were walked apart': async (loaded, engine) => {
    const own: Case = { texts: ['/p/*', '/cart'], matchers: [page(/^\/p\//), page(/^\/cart$/)], scopes: ['views'] };
    const counts = await counted(loaded, engine, questionOf(own, { breakdown: 'entry_page' }));
    const sessions = sessionsOn(loaded, ['views']);
    for (const [entry, depths] of counts.groups)
      expect([entry, reached(depths, 2)]).toEqual([
        entry,
        walked(
          own,
          sessions.filter((session) => pagesOf(session)[0]?.path === entry),
        ),
      ]);
    expect(counts.groups.size).toBeGreaterThan(4);
  },
  'visitors within days are followed over their sessions, those whose window is not over left out': async (loaded, engine) => {
    const [texts, matchers, withinDays] = [['/p/*', '/cart', 'purchase'], [page(/^\/p\//), page(/^\/cart$/), purchase], 2] as const;
    const own: Case = { texts, matchers, scopes: ['sessions', 'views'] };
    const range = { startDate: '2026-11-09', endDate: '2026-11-15' };
    const counts = await counted(loaded, engine, questionOf(own, { withinDays }), range);
    const days = new Set(coveredDays(loaded.kind, own.scopes));
    const visitors = grouped(sessionsOn(loaded, own.scopes), ({ user }) => user);
    let immature = 0;
    const depths: number[] = [];
    for (const sessions of visitors.values()) {
      const deeds = sessions.flatMap((session) => deedsOf(session)).toSorted((a, b) => a.timeMs - b.timeMs);
      const first = deeds.find(({ what }) => matchers[0]?.(what));
      if (!first) continue;
      const from = dayOf(first.timeMs);
      if ([from, from + 1, from + 2].some((day) => !days.has(day))) immature += 1;
      else
        depths.push(
          walkInOrder(
            deeds.filter(({ timeMs }) => timeMs <= first.timeMs + withinDays * 86_400_000),
            matchers,
          ).length,
        );
    }
    expect(counts.immature).toBe(immature);
    expect(immature).toBeGreaterThan(0);
    expect(reached(sumOf(counts.days.values()), 3)).toEqual([0, 1, 2].map((index) => depths.filter((depth) => depth > index).length));
  },
};

describe.each(Object.keys(worlds))('%s', (name) => {
  describe.each(enginesIn(name))('on %s', (engine) => {
    it.each(casesIn(name, Object.entries(cases)))('a funnel %s counts what walking the rows counts', async (_, own) => {
      const sessions = sessionsOn(world(name), own.scopes);
      const counts = await counted(world(name), engine, questionOf(own));
      const expected = walked(own, sessions);
      expect(expected.at(-1)).toBeGreaterThan(0);
      expect(reached(sumOf(counts.days.values()), own.texts.length)).toEqual(expected);
      for (const [day, depths] of counts.days)
        expect(reached(depths, own.texts.length)).toEqual(
          walked(
            own,
            sessions.filter((session) => midnight(dayIn(world(name).kind, session, own.scopes)) === day * 86_400_000),
          ),
        );
    });

    it.each(casesIn(name, Object.entries(checks)))('%s', async (_, check) => {
      expect.hasAssertions();
      await check(world(name), engine);
    });

    // One world stands for the splits: the days of the others differ, not the groups.
    it.each(
      name !== LAST_WORLD
        ? []
        : ([
            ['device', deviceName],
            ['visitor_type', ({ number }: SessionRow) => (number === 1 ? 'new' : 'returning')],
            ['country', ({ country }: SessionRow) => country ?? 'unknown'],
            ['browser', ({ browser }: SessionRow) => browser ?? 'unknown'],
            ['referrer', ({ referrer }: SessionRow) => (referrer === null ? 'direct' : new URL(referrer).host)],
            ['entry_page', (session: SessionRow) => pagesOf(session)[0]?.path ?? ''],
          ] as const),
    )('a split by %s adds up to groups that were walked apart, within filters', { tags: 'nightly' }, async (breakdown, groupOf) => {
      const own: Case = { texts: ['/p/*', '/cart'], matchers: [page(/^\/p\//), page(/^\/cart$/)], scopes: ['sessions', 'views'] };
      const filters = { devices: ['desktop', 'mobile', 'app'], automated: 'exclude', startDate: '2026-11-10', endDate: '2026-11-15' };
      const counts = await counted(world(name), engine, questionOf(own, { breakdown }), filters);
      const sessions = sessionsOn(world(name), own.scopes).filter(
        ({ device, automated, beganMs }) => [1, 2, 4].includes(device) && !automated && dayOf(beganMs) >= 10,
      );
      const groups = new Set(sessions.map(groupOf));
      const expected = [...groups].map(
        (group) =>
          [
            group,
            walked(
              own,
              sessions.filter((session) => groupOf(session) === group),
            ),
          ] as const,
      );
      const found = [...counts.groups].map(([group, depths]) => [group, reached(depths, 2)] as const);
      expect(new Map(found)).toEqual(new Map(expected.filter(([, [first = 0]]) => first > 0)));
      for (const [group, devices] of counts.byDevice ?? [])
        for (const [device, depths] of devices)
          expect([group, device, reached(depths, 2)]).toEqual([
            group,
            device,
            walked(
              own,
              sessions.filter((session) => groupOf(session) === group && deviceName(session) === device),
            ),
          ]);
      expect(counts.byDevice?.size).toBe(breakdown === 'device' ? undefined : counts.groups.size);
    });
  });
});
