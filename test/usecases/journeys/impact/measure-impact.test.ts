import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../../src/api/errors.ts';
import { measureEffects } from '../../../../src/domain/journeys/impact/measure-effects.ts';
import { type ImpactUses, measureImpact } from '../../../../src/usecases/journeys/impact/measure-impact.ts';
import type { ProjectWorkspace } from '../../../../src/workspace/project-workspace.ts';
import { engines, sharedWorlds, usesOf } from '../both-engines.ts';
import { coveredDays, dayOf, type SessionRow, worlds } from '../visit-world.ts';
import { plainCells, type Unit, unitsOf } from './plain-cells.ts';

const worldOf = sharedWorlds();

const impactUses = (workspace: ProjectWorkspace, notes: string[] = []): ImpactUses => ({
  ...usesOf(workspace, notes),
  lists: () => Promise.reject(new ApiError('down', 'No list is needed.')),
});

const isProduct = (path: string) => path.startsWith('/p/');
const isSlow = ({ first }: Unit) => first.loadedMs > 3_000;
const SLOW = { what: 'slow_page', pages: ['/p/*'], overSeconds: 3 } as const;
const LIMITS_MS = [2_500, 3_000, 4_000, 5_000, 6_000, 8_000, 10_000, 15_000];

/** The limit of each page as the answer chooses it: the lowest that at most a fifth of its views exceed. */
function slowLimits(sessions: readonly SessionRow[]): Map<string, number> {
  const loads = new Map<string, number[]>();
  for (const { path, loadedMs } of sessions.flatMap(({ views }) => views)) loads.set(path, [...(loads.get(path) ?? []), loadedMs]);
  return new Map(
    [...loads].map(([path, own]) => [path, LIMITS_MS.find((limit) => own.filter((each) => each > limit).length <= own.length / 5) ?? 0]),
  );
}

for (const engine of engines)
  for (const [name, kind] of Object.entries(worlds))
    describe(`slow pages in ${name}, on ${engine}`, () => {
      const counted = () => {
        const world = worldOf(name);
        const days = coveredDays(kind, ['sessions', 'views']);
        return { world, sessions: world.sessions.filter(({ beganMs }) => days.includes(dayOf(beganMs))) };
      };

      it('counts sessions and shares as rows walked in plain code do', { tags: 'nightly' }, async () => {
        const { world, sessions } = counted();
        const answer = await measureImpact({ conditions: [SLOW], outcome: 'purchase', limit: 5 }, impactUses(world.workspace(engine)));
        const units = unitsOf(sessions, isProduct);
        const buys = ({ session }: Unit) => session.transactions > 0;
        const [row] = answer.conditions;
        expect(row?.sessions).toBe(units.filter(isSlow).length);
        // Sessions without others like them are left out of the share: no more than these may differ.
        const [compared = 0, all] = [row?.comparable, units.filter(isSlow).length];
        expect(compared).toBeGreaterThan(0.8 * all);
        expect(Math.abs(((row?.withPercent ?? Number.NaN) * compared) / 100 - units.filter(isSlow).filter(buys).length)).toBeLessThan(
          all - compared + 0.1,
        );
        const isMet = ({ views }: SessionRow) => views.some(({ path, loadedMs }) => isProduct(path) && loadedMs > 3_000);
        const rate = (own: readonly SessionRow[]) => (100 * own.filter(({ transactions }) => transactions > 0).length) / own.length;
        const seen = sessions.filter(({ views }) => views.length > 0);
        expect(row?.plainPoints).toBeCloseTo(rate(seen.filter(isMet)) - rate(seen.filter((each) => !isMet(each))), 1);
      });

      it('compares them with the sessions that the same covariates from plain code choose', { tags: 'nightly' }, async () => {
        const { world, sessions } = counted();
        const uses = impactUses(world.workspace(engine));
        const answer = await measureImpact({ conditions: [SLOW], outcome: '/cart', limit: 5 }, uses);
        const [row] = answer.conditions;
        const views = world.sessions.flatMap(({ views: own }) => own);
        const pages = [...new Set(views.map(({ path }) => path))];
        const converts = ({ after }: Unit) => after.some(({ path }) => path === '/cart');
        const limits = { pages, slowMs: slowLimits(world.sessions), isExposed: isSlow, converts };
        const both = [false, true].flatMap((isBackward) => {
          const cells = plainCells(unitsOf(sessions, isProduct), limits, isBackward);
          return measureEffects(new Map([[0, cells]]), [{ page: 0, probe: 0 }]).flatMap((own) => own ?? []);
        });
        const [own] = both;
        expect(row?.comparable).toBe(own?.comparable);
        expect(row?.withPercent).toBeCloseTo(100 * (own?.withShare ?? 0), 1);
        const distance = Math.min(...both.map(({ withoutShare }) => Math.abs(100 * withoutShare - (row?.withoutPercent ?? Number.NaN))));
        expect(distance).toBeLessThan(0.05);
      });
    });

describe.each(engines)('variants on %s', (engine) => {
  it('are compared by the visitors and sessions that rows in plain code have', { tags: 'nightly' }, async () => {
    const world = worldOf('whole days');
    const conditions = [{ what: 'variable', name: 'country_code', value: 'DE' }] as const;
    const { conditions: rows } = await measureImpact({ conditions, outcome: 'purchase', limit: 5 }, impactUses(world.workspace(engine)));
    const days = coveredDays(world.kind, ['sessions']);
    const own = world.sessions.filter(({ country, beganMs }) => country === 'DE' && days.includes(dayOf(beganMs)));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject({ against: 'FR', sessions: own.length, visitors: new Set(own.map(({ user }) => user)).size });
    const bought = own.filter(({ transactions }) => transactions > 0).length;
    expect(rows[0]?.withPercent).toBeCloseTo((100 * bought) / own.length, 1);
  });
});

it.each(engines)('figures are the same however the range around the days is named, on %s', { tags: 'nightly' }, async (engine) => {
  const uses = () => impactUses(worldOf('whole days').workspace(engine));
  const asked = { conditions: [SLOW], outcome: '/cart', limit: 5 } as const;
  const plain = await measureImpact(asked, uses());
  const named = await measureImpact({ ...asked, startDate: '2026-10-01', endDate: '2026-11-18' }, uses());
  expect(named.conditions).toEqual(plain.conditions);
});

describe.each(engines)('files on %s', (engine) => {
  const ask = (question: object, notes: string[] = []) =>
    measureImpact({ outcome: 'purchase', limit: 5, ...question }, impactUses(worldOf('whole days').workspace(engine), notes));

  it('hold a variable in views: sessions are compared by it whatever the outcome', { tags: 'nightly' }, async () => {
    const conditions = [{ what: 'variable', name: 'path', value: '/search' }] as const;
    // A session has one value: of several the last by name.
    const own = worldOf('whole days').sessions.filter(
      ({ views }) =>
        views
          .map(({ path }) => path)
          .toSorted()
          .at(-1) === '/search',
    );
    for (const outcome of ['purchase', 'revenue', 'bounce'])
      expect((await ask({ conditions, outcome })).conditions[0]).toMatchObject({ what: 'variable', sessions: own.length });
  });

  it('without a column of errors say nothing of errors, neither of a text nor of all', { tags: 'nightly' }, async () => {
    await expect(ask({ conditions: [{ what: 'js_error', message: 'undefined' }] })).rejects.toThrow(
      'conditions: js_error needs the field errors.message of views, which no downloaded export asked for.',
    );
    const notes: string[] = [];
    await ask({}, notes);
    expect(notes).toContain(
      'Not looked at, because no downloaded export asked for the field: api_error (any_api_error_ind), rage_click ' +
        '(rage_click_all_targets_ind), frustration (frustration_score), js_error (any_js_error_ind).',
    );
  });
});

describe('what is asked wrongly', () => {
  const ask = (conditions: Parameters<typeof measureImpact>[0]['conditions'], outcome = 'purchase') =>
    measureImpact({ conditions, outcome, limit: 5 }, impactUses(worldOf('whole days').workspace('DuckDB')));

  it.each([
    [
      'a page that nobody saw',
      [{ what: 'slow_page', pages: ['/kart'] }],
      'conditions: no page of these visits is "/kart"; closest, with their views: /cart',
    ],
    ['a column that the files lack', [{ what: 'rage_click' }], 'rage_click_all_targets_ind'],
    ['a member of another kind', [{ what: 'rage_click', overSeconds: 3 }], 'conditions: rage_click takes pages, not overSeconds.'],
    ['a variable without its name', [{ what: 'variable' }], 'conditions: variable needs name'],
    ['a variable that is nowhere', [{ what: 'variable', name: 'plan' }], 'no column of the downloaded files holds the variable "plan"'],
  ] as const)('%s', { tags: 'nightly' }, async (_, conditions, words) => {
    await expect(ask(conditions)).rejects.toThrow(words);
  });

  it('a variable of the project that no file holds is named by its position', { tags: 'nightly' }, async () => {
    const asked = { conditions: [{ what: 'variable', name: 'checkout variant' }], outcome: 'purchase', limit: 5 } as const;
    const variables = [{ position: 3, key: 'checkout_variant' }];
    const lists = (() => Promise.resolve(variables)) as unknown as ImpactUses['ask']; // only custom variables are asked for
    const uses = { ...impactUses(worldOf('whole days').workspace('DuckDB')), ask: lists };
    await expect(measureImpact(asked, uses)).rejects.toThrow('"checkout variant". It is custom variable 3, "checkout_variant".');
    await expect(measureImpact(asked, uses)).rejects.toThrow(
      'plan_export {"fields":["journeys","custom variable checkout_variant"],"scope":"sessions","frequency":"once","startDate":"2026-11-',
    );
  });

  it('a value that the platform does not list of a variable that no file holds is refused before a plan', { tags: 'nightly' }, async () => {
    const conditions = [{ what: 'variable', name: 'checkout variant', value: 'B' }] as const;
    const variables = [{ position: 3, key: 'checkout_variant', values: ['one_page', 'steps'] }];
    const lists = (() => Promise.resolve(variables)) as unknown as ImpactUses['ask']; // only custom variables are asked for
    const uses = { ...impactUses(worldOf('whole days').workspace('DuckDB')), ask: lists };
    await expect(measureImpact({ conditions, outcome: 'purchase', limit: 5 }, uses)).rejects.toThrow(
      'conditions: the platform lists no value "B" of checkout_variant; it lists one_page, steps.',
    );
    const listed = [{ ...conditions[0], value: 'One_Page' }] as const;
    await expect(measureImpact({ conditions: listed, outcome: 'purchase', limit: 5 }, uses)).rejects.toThrow('It is custom variable 3');
  });

  it('a variable that the project does not know is answered with those that it has', async () => {
    const asked = { conditions: [{ what: 'variable', name: 'variant' }], outcome: 'purchase', limit: 5 } as const;
    const lists = (() => Promise.resolve([{ position: 3, key: 'checkout_variant' }])) as unknown as ImpactUses['ask']; // for both lists
    const uses = { ...impactUses(worldOf('whole days').workspace('DuckDB')), ask: lists };
    await expect(measureImpact(asked, uses)).rejects.toThrow(
      'and the project knows none of that name. The project has custom: checkout_variant; dynamic: checkout_variant.',
    );
  });

  it('an outcome that is no step, or that nobody did', { tags: 'nightly' }, async () => {
    await expect(ask([SLOW], 'signups')).rejects.toThrow('outcome: no page of these visits is "signups"; closest, with their views: /');
    await expect(ask([SLOW], 'event:')).rejects.toThrow('outcome: "event:" names no event');
  });
});
