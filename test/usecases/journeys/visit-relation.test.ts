import { describe, expect, it } from 'vitest';
import { parseStep } from '../../../src/domain/journeys/step.ts';
import { shownHints } from '../../../src/lib/hint.ts';
import { unseenStep } from '../../../src/usecases/journeys/unseen-step.ts';
import { visitRelation } from '../../../src/usecases/journeys/visit-relation.ts';
import { withVisits } from '../../../src/usecases/journeys/with-visits.ts';
import { engines, sharedWorlds, usesOf } from './both-engines.ts';
import { coveredDays, dayOf, midnight, pagesOf, type SessionRow, worlds } from './visit-world.ts';

const world = sharedWorlds();

/** A sum over all rows that differs wherever a page, its order, its time or its session does. */
function digest(sessions: readonly SessionRow[]) {
  const rows = sessions.flatMap((session) => pagesOf(session).map((page, at) => ({ page, at: at + 1 })));
  return {
    sessions: sessions.length,
    pages: rows.length,
    positions: rows.reduce((sum, { at }) => sum + at * at, 0),
    times: rows.reduce((sum, { page, at }) => sum + (page.timeMs - midnight(9)) * at, 0),
    carts: rows.filter(({ page }) => page.path === '/cart').length,
    loads: rows.reduce((sum, { page }) => sum + page.loadedMs, 0),
  };
}

const SUMS =
  `count(DISTINCT k) AS sessions, count(*) AS pages, sum(pos * pos) AS positions, sum((t - ${midnight(9)}) * pos) AS times, ` +
  'sum(loaded) AS loads';

describe.each(Object.keys(worlds))('%s', (name) => {
  describe.each(engines)('on %s', (engine) => {
    it('pages of views alone count once, loaded again once, on the day of their session', async () => {
      const { kind, sessions, workspace } = world(name);
      const days = coveredDays(kind, ['views']);
      const expected = digest(sessions.filter(({ beganMs }) => days.includes(dayOf(beganMs))));
      const found = await withVisits({}, { views: ['fully_loaded'] }, usesOf(workspace(engine)), async (visits) => {
        const page = { loaded: visits.column('views', 'fully_loaded') ?? '', cart: `CASE WHEN path = '/cart' THEN 1 ELSE 0 END` };
        const { ctes } = visitRelation(visits, { page });
        return visits.select(`WITH ${ctes} SELECT ${SUMS}, sum(cart) AS carts FROM page`);
      });
      expect(Object.fromEntries(Object.entries(found[0] ?? {}).map(([key, value]) => [key, Number(value)]))).toEqual(expected);
    });

    it('pages joined with sessions are those of the sessions that pass the filters', async () => {
      const { kind, sessions, workspace } = world(name);
      const days = coveredDays(kind, ['sessions', 'views']);
      const isMeant = ({ device, country, number, automated, beganMs }: SessionRow) =>
        days.includes(dayOf(beganMs)) && [2, 4, 5].includes(device) && country === 'DE' && number > 1 && !automated;
      const expected = digest(sessions.filter((session) => isMeant(session) && /^\/(c|p)\//.test(pagesOf(session)[0]?.path ?? '')));
      expect(expected.sessions).toBeGreaterThan(3);
      const question = {
        devices: ['mobile', 'app'] as const,
        countries: ['de'],
        visitorType: 'returning' as const,
        entryPages: ['/c/* | /p/*'],
        automated: 'exclude' as const,
      };
      const found = await withVisits(question, { sessions: [], views: ['fully_loaded'] }, usesOf(workspace(engine)), async (visits) => {
        const page = { loaded: visits.column('views', 'fully_loaded') ?? '' };
        const { ctes } = visitRelation(visits, { page });
        return visits.select(
          `WITH ${ctes} SELECT ${SUMS}, sum(CASE WHEN path_of.path = '/cart' THEN 1 ELSE 0 END) AS carts ` +
            'FROM page JOIN path_of ON page.p = path_of.p',
        );
      });
      expect(Object.fromEntries(Object.entries(found[0] ?? {}).map(([key, value]) => [key, Number(value)]))).toEqual(expected);
    });
  });
});

describe('what is missing', () => {
  const whole = () => world('whole days').workspace('DuckDB');

  it('a page that nobody saw is an error with the closest pages', async () => {
    const step = parseStep('/chekout/payment', 'steps');
    const error = await withVisits({}, { views: [] }, usesOf(whole()), (visits) => unseenStep(step, 'steps', visits));
    expect(error.message).toMatch(
      /^steps: no page of these visits is "\/chekout\/payment"; closest, with their views: \/checkout\/payment \(/,
    );
  });

  it('an event that nobody sent is an error with the events there are', async () => {
    const step = parseStep('event:payed', 'steps');
    const needs = { sessions: ['app_events.event_name'] };
    const error = await withVisits({}, needs, usesOf(whole()), (visits) => unseenStep(step, 'steps', visits));
    expect(error.message).toMatch(/no app event of these visits is "event:payed"; closest, with their times: event:paid \(\d+\)/);
  });

  it('a column that the files lack is an error with the plan that brings it', async () => {
    const asked = withVisits({}, { views: ['frustration_score'] }, usesOf(whole()), () => Promise.resolve(undefined));
    const error: Error = await asked.then(
      () => expect.fail('answered'),
      (thrown) => thrown,
    );
    expect(shownHints(error.message)).toBe(
      'The downloaded files of views have no frustration_score, which this answer needs. ' +
        'plan_export {"fields":["journeys"],"scope":"views","frequency":"daily"} plans an export of them (once with dates for past days).',
    );
  });

  it('days that no file covers are an error with the days of each file', async () => {
    const range = { startDate: '2026-12-01', endDate: '2026-12-03' };
    const asked = withVisits(range, { views: [] }, usesOf(whole()), () => Promise.resolve(0));
    await expect(asked).rejects.toThrow(
      'the downloaded files cover no whole day (UTC) of 2026-12-01 … 2026-12-03. They cover views: 2026-11-09 … 2026-11-15 (7 days, ' +
        'UTC).',
    );
  });

  it('days of the range that are missing are noted', async () => {
    const notes: string[] = [];
    const { workspace } = world('days missing in one scope or the other, views cut at midnight');
    await withVisits({ startDate: '2026-11-10', endDate: '2026-11-14' }, { views: [] }, usesOf(workspace('DuckDB'), notes), async () => 0);
    expect(notes.join(' ')).toContain('Not covered, and left out: 2026-11-13 (1 day, UTC): no whole day of views is downloaded.');
  });

  it.each(engines)('rows of days that are left out are counted, on %s', async (engine) => {
    const { sessions, workspace } = world('days missing in one scope or the other, views cut at midnight');
    const notes: string[] = [];
    const range = { startDate: '2026-11-10', endDate: '2026-11-14' };
    await withVisits(range, { sessions: [], views: [] }, usesOf(workspace(engine), notes), async () => 0);
    const [views, began] = [
      sessions.flatMap(({ views: own }) => own.filter(({ timeMs }) => dayOf(timeMs) === 11)).length,
      sessions.filter(({ beganMs }) => dayOf(beganMs) === 13).length,
    ];
    expect(shownHints(notes.join(' '))).toContain(
      `2026-11-11 (1 day, UTC), 2026-11-13 (1 day, UTC): no whole day of sessions and views is downloaded; ${began} rows of sessions and ` +
        `${views} rows of views of those days are here and left out too. find_export_gaps says why`,
    );
  });

  it.each(engines)('the share of automated sessions is said, under the other filters, on %s', async (engine) => {
    const { sessions, workspace } = world('whole days');
    const notes: string[] = [];
    await withVisits({ devices: ['mobile'] }, { views: [] }, usesOf(workspace(engine), notes), async () => 0);
    await withVisits({ automated: 'exclude' }, { views: [] }, usesOf(workspace(engine), notes), async () => 0);
    const counted = (own: readonly SessionRow[]) => {
      const part = own.filter(({ automated }) => automated).length;
      return `${part} of ${own.length} (${Number(((100 * part) / own.length).toFixed(1))}%)`;
    };
    expect(notes).toEqual([
      `Automated sessions count, as in the metrics: ${counted(sessions.filter(({ device }) => device === 2))}.`,
      `Automated sessions are left out: ${counted(sessions)}.`,
    ]);
  });
});
