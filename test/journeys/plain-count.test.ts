import { describe, expect, it } from 'vitest';
import { analyzePaths } from '../../src/journeys/analyze-paths.ts';
import { measureImpact } from '../../src/journeys/impact/measure-impact.ts';
import { grouped } from '../../src/lib/grouped.ts';
import { inTurn } from '../support/sample-size.ts';
import { engines, sharedWorlds, usesOf } from './both-engines.ts';
import { countPlainly } from './counted-worlds.ts';
import { dayOf, pagesOf, variantOf, worlds } from './visit-world.ts';

const VIEWS = ['project_id', 'user_id', 'session_id', 'view_number', 'view_time', 'path', 'fully_loaded'];
const worldOf = sharedWorlds({
  app: { seed: 61, site: 'app', siblings: 120 },
  errors: {
    seed: 62,
    jobs: [
      { scope: 'sessions', days: [9, 16] },
      { scope: 'views', days: [9, 12], fields: VIEWS },
      { scope: 'views', days: [12, 16] },
    ],
  },
});

countPlainly(worlds);

describe.each(inTurn(engines, 0, 2))('days that lack the column of errors, on %s', (engine) => {
  const name = 'errors';
  const ask = async (question: object) => {
    const notes: string[] = [];
    const uses = usesOf(worldOf(name).workspace(engine), notes);
    return { answer: await measureImpact({ outcome: 'purchase', limit: 50, ...question }, uses), notes };
  };

  it('are left out where errors are asked about, and named where all is looked at', async () => {
    const own = worldOf(name).sessions.filter(({ beganMs }) => dayOf(beganMs) >= 12);
    const range = { startDate: '2026-11-09', endDate: '2026-11-15' };
    const asked = await ask({ conditions: [{ what: 'js_error', pages: ['/p/*'] }], ...range });
    expect(asked.answer).toMatchObject({ days: 4, totalSessions: own.length });
    const lacking = 'the downloaded views lack the column any_js_error_ind';
    expect(asked.notes.join(' ')).toContain(`2026-11-09 … 2026-11-11 (3 days, UTC): ${lacking}`);
    const { answer, notes } = await ask({});
    expect(answer.days).toBe(7);
    expect(answer.conditions.map(({ what }) => what)).not.toContain('js_error');
    expect(notes.join(' ')).toMatch(/Not looked at, because no export of all these days has the field: [^.]*js_error \(any_js_error_ind\)/);
    const lists = (await ask({ conditions: [{ what: 'variable', name: 'variant' }] })).answer.conditions;
    expect(lists[0]?.sessions).toBe(own.filter((session) => variantOf(session) === lists[0]?.condition.slice(10, 11)).length);
  });
});

describe.each(inTurn(engines, 1, 2))('an app with more screens than have names, on %s', (engine) => {
  it('a screen among the others is called as it was asked for', async () => {
    const screens = worldOf('app').sessions.map((session) => pagesOf(session).map(({ path }) => path));
    const [[from]] = [...grouped(screens.flat(), (screen) => screen)].toSorted(([, a], [, b]) => a.length - b.length) as unknown as [
      [string],
    ]; // there are some
    const answer = await analyzePaths({ from, depth: 1, limit: 1_000 }, usesOf(worldOf('app').workspace(engine)));
    expect(answer.sessions).toBe(screens.filter((own) => own.includes(from)).length);
    expect(answer.paths.map(({ pages }) => pages.split(' > ')[0])).toEqual(answer.paths.map(() => from));
  });
});
