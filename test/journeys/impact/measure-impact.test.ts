import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/api/errors.ts';
import type { ProjectWorkspace } from '../../../src/exports/project-workspace.ts';
import type { AskedCondition } from '../../../src/journeys/impact/conditions.ts';
import { atScore, effectOf, leastScore, type StrataSums } from '../../../src/journeys/impact/effect.ts';
import { type ImpactUses, measureImpact } from '../../../src/journeys/impact/measure-impact.ts';
import { engines, sharedWorlds, usesOf } from '../both-engines.ts';
import { coveredDays, dayOf, type SessionRow, type ViewRow, worlds } from '../visit-world.ts';
import { strataSums } from './strata-sums.ts';

const worldOf = sharedWorlds();

const impactUses = (workspace: Promise<ProjectWorkspace>, notes: string[] = []): ImpactUses => ({
  ...usesOf(workspace, notes),
  lists: () => Promise.reject(new ApiError('down', 'No list is needed.')),
});

const SLOW: AskedCondition = { what: 'slow_page', pages: ['/p/*'], overSeconds: 3 };

/** A session at its first view of a product, walked in plain code. */
interface Reached {
  readonly session: SessionRow;
  readonly first: ViewRow;
  readonly after: readonly ViewRow[];
}

function reachedOf(sessions: readonly SessionRow[]): Reached[] {
  return sessions.flatMap((session) => {
    const views = session.views.toSorted((a, b) => a.number - b.number);
    const at = views.findIndex(({ path }) => path.startsWith('/p/'));
    const first = views[at];
    return first ? [{ session, first, after: views.slice(at + 1) }] : [];
  });
}

/** What strata are made of: device, new or not, a browser that hardly any session has, host of the referrer, number of the view. */
function stratumOf({ session, first }: Reached, sessions: readonly SessionRow[]): string {
  const { browser, device, number, referrer } = session;
  const isRare = sessions.filter((each) => each.browser === browser).length < sessions.length / 100;
  const host = /^[a-z]+:\/\/([^/?#:]+)/.exec(referrer ?? '')?.[1] ?? '';
  const depth = [2, 3, 4, 5, 6, 7, 9, 11, 15, 21].filter((least) => first.number >= least).length;
  return [device === 5 ? 4 : device, number > 1, isRare, host, depth].join(' ');
}

function sumsIn(sessions: readonly SessionRow[], converts: (reached: Reached) => boolean): StrataSums {
  return strataSums(
    reachedOf(sessions).map((reached) => ({
      stratum: stratumOf(reached, sessions),
      isExposed: reached.first.loadedMs > 3_000,
      sessions: 1,
      conversions: Number(converts(reached)),
      cents: reached.session.revenueCents,
    })),
  );
}

for (const engine of engines)
  for (const [name, kind] of Object.entries(worlds))
    describe(`slow pages in ${name}, on ${engine}`, () => {
      it.each([
        ['purchase', ({ session }: Reached) => session.transactions > 0],
        ['/cart', ({ after }: Reached) => after.some(({ path }) => path === '/cart')],
      ] as const)('are compared by %s in the strata that rows in plain code make', { tags: 'nightly' }, async (outcome, converts) => {
        const world = worldOf(name);
        const days = coveredDays(kind, ['sessions', 'views']);
        const sessions = world.sessions.filter(({ beganMs }) => days.includes(dayOf(beganMs)));
        const answer = await measureImpact({ conditions: [SLOW], outcome, limit: 5 }, impactUses(world.workspace(engine)));
        const own = effectOf(sumsIn(sessions, converts));
        const { difference } = atScore(own, leastScore([own], 'conversions'));
        const [row] = answer.conditions;
        expect(row).toMatchObject({ sessions: own.sessions, comparable: own.comparable });
        const percents = [own.withShare, own.withoutShare, difference.low, difference.high, own.plain ?? 0];
        const given = [row?.withPercent, row?.withoutPercent, row?.lowPoints, row?.highPoints, row?.plainPoints];
        for (const [at, share] of percents.entries()) expect(given[at]).toBeCloseTo(100 * share, 1);
      });
    });

it.each(engines)('figures are the same however the range around the days is named, on %s', { tags: 'nightly' }, async (engine) => {
  const uses = () => impactUses(worldOf('whole days').workspace(engine));
  const asked = { conditions: [SLOW], outcome: '/cart', limit: 5 } as const;
  const plain = await measureImpact(asked, uses());
  const named = await measureImpact({ ...asked, startDate: '2026-10-01', endDate: '2026-11-18' }, uses());
  expect(named.conditions).toEqual(plain.conditions);
});

/** A day whose sessions come in runs of some hours that say nothing of device, browser or source. */
const PARTLY = sharedWorlds({
  partly: {
    seed: 11,
    jobs: [
      { scope: 'sessions', days: [9, 15] },
      {
        scope: 'sessions',
        days: [15, 16],
        hours: 8,
        fields: ['project_id', 'user_id', 'session_id', 'session_number', 'session_time', 'session_number_of_transactions'],
      },
      { scope: 'views', days: [9, 16] },
    ],
  },
});

it.each(engines)('days whose files lack a trait are compared without it, the others with it, on %s', async (engine) => {
  const notes: string[] = [];
  const world = PARTLY('partly');
  const answer = await measureImpact({ conditions: [SLOW], outcome: 'purchase', limit: 5 }, impactUses(world.workspace(engine), notes));
  const lean = { device: 0, browser: 'none', referrer: 'none://none' };
  const sessions = world.sessions.map((each) => (dayOf(each.beganMs) < 15 ? each : { ...each, ...lean }));
  const own = effectOf(sumsIn(sessions, ({ session }) => session.transactions > 0));
  expect(answer.conditions[0]).toMatchObject({ sessions: own.sessions, comparable: own.comparable });
  expect(notes.join(' ')).toContain('number of the view; device, browser, source not known on all days)');
});

describe('what is asked wrongly', () => {
  const ask = (conditions: Parameters<typeof measureImpact>[0]['conditions'], outcome = 'purchase', variables?: readonly object[]) => {
    const lists = (() => Promise.resolve(variables)) as unknown as ImpactUses['ask']; // of variables, custom or dynamic
    const uses = impactUses(worldOf('whole days').workspace('DuckDB'));
    return measureImpact({ conditions, outcome, limit: 5 }, variables ? { ...uses, ask: lists } : uses);
  };
  /** A variable of the project that no file holds. */
  const variable = { position: 3, key: 'checkout_variant', values: ['one_page', 'steps'] };
  const asking = (name: string, value?: string) => ask([{ what: 'variable', name, ...(value && { value }) }], undefined, [variable]);

  it.each<[string, AskedCondition[], string]>([
    [
      'a page that nobody saw',
      [{ what: 'slow_page', pages: ['/kart'] }],
      'conditions: no page of these visits is "/kart"; closest, with their views: /cart',
    ],
    ['a column that the files lack', [{ what: 'rage_click' }], 'rage_click_all_targets_ind'],
    ['a text in a column that the files lack', [{ what: 'js_error', message: 'undefined' }], 'files of views have no errors.message'],
    ['a member of another kind', [{ what: 'rage_click', overSeconds: 3 }], 'conditions: rage_click takes pages, not overSeconds.'],
    ['a variable without its name', [{ what: 'variable' }], 'conditions: variable needs name'],
    ['a variable that is nowhere', [{ what: 'variable', name: 'plan' }], 'no column of the downloaded files holds the variable "plan"'],
  ])('%s', { tags: 'nightly' }, async (_, conditions, words) => {
    await expect(ask(conditions)).rejects.toThrow(words);
  });

  it('a variable of the project that no file holds is named by its position', { tags: 'nightly' }, async () => {
    await expect(asking('checkout variant')).rejects.toThrow('"checkout variant". It is custom variable 3, "checkout_variant".');
    await expect(asking('checkout variant')).rejects.toThrow(
      'plan_export {"fields":["journeys","custom variable checkout_variant"],"scope":"sessions","frequency":"once","startDate":"2026-11-',
    );
  });

  it('a value that the platform does not list of a variable that no file holds is refused before a plan', { tags: 'nightly' }, async () => {
    await expect(asking('checkout variant', 'B')).rejects.toThrow(
      'conditions: the platform lists no value "B" of checkout_variant; it lists one_page, steps.',
    );
    await expect(asking('checkout variant', 'One_Page')).rejects.toThrow('It is custom variable 3');
  });

  it('a variable that the project does not know is answered with those that it has', async () => {
    await expect(asking('treatment')).rejects.toThrow(
      'and the project knows none of that name. The project has custom: checkout_variant; dynamic: checkout_variant.',
    );
  });

  it('an outcome that is no step, or that nobody did', { tags: 'nightly' }, async () => {
    await expect(ask([SLOW], 'signups')).rejects.toThrow('outcome: no page of these visits is "signups"; closest, with their views: /');
    await expect(ask([SLOW], 'event:')).rejects.toThrow('outcome: "event:" names no event');
  });
});
