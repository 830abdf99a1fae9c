import { describe, expect, it } from 'vitest';
import { ApiError } from '../../../src/api/errors.ts';
import { analyzeFunnel } from '../../../src/usecases/journeys/analyze-funnel.ts';
import { analyzePaths } from '../../../src/usecases/journeys/analyze-paths.ts';
import { analyzeRetention } from '../../../src/usecases/journeys/analyze-retention.ts';
import { type ImpactUses, measureImpact } from '../../../src/usecases/journeys/impact/measure-impact.ts';
import type { Filters } from '../../../src/usecases/journeys/visit-filters.ts';
import { inTurn } from '../../support/sample-size.ts';
import { engines, sharedWorlds, usesOf } from './both-engines.ts';
import { coveredDays, dayIn, dayOf, pagesOf, type SessionRow } from './visit-world.ts';

const worldOf = sharedWorlds();
const WORLD = 'days missing in one scope or the other, views cut at midnight';

interface Case {
  readonly filters: Filters;
  /** Whether a session passes, by its row. */
  readonly isMeant: (session: SessionRow) => boolean;
  /** The scopes that the filter reads. */
  readonly reads: readonly ('sessions' | 'views')[];
}

const CASES: readonly Case[] = [
  { filters: {}, isMeant: () => true, reads: [] },
  { filters: { devices: ['mobile', 'app'] }, isMeant: ({ device }) => [2, 4, 5].includes(device), reads: ['sessions'] },
  { filters: { visitorType: 'new' }, isMeant: ({ number }) => number === 1, reads: ['sessions'] },
  { filters: { visitorType: 'returning' }, isMeant: ({ number }) => number > 1, reads: ['sessions'] },
  { filters: { countries: ['de'] }, isMeant: ({ country }) => country === 'DE', reads: ['sessions'] },
  { filters: { browsers: ['safari'] }, isMeant: ({ browser }) => browser === 'Safari', reads: ['sessions'] },
  { filters: { entryPages: ['/c/*', '/search'] }, isMeant: (session) => /^\/(c\/|search$)/.test(entryOf(session)), reads: ['views'] },
  { filters: { automated: 'exclude' }, isMeant: ({ automated }) => !automated, reads: ['sessions'] },
];

const entryOf = (session: SessionRow) => pagesOf(session)[0]?.path ?? '';

/** What a call needs on an engine, and the sessions of the days that the files cover for it. */
function sceneOn(engine: (typeof engines)[number], reads: Case['reads']) {
  const uses = (): ImpactUses => ({
    ...usesOf(worldOf(WORLD).workspace(engine)),
    lists: () => Promise.reject(new ApiError('down', 'No list is needed.')),
    draw: () => undefined,
  });
  const sessionsOn = (scopes: Case['reads']): readonly SessionRow[] => {
    const { kind, sessions } = worldOf(WORLD);
    const all = [...scopes, ...reads];
    const days = new Set(coveredDays(kind, all));
    return sessions.filter((session) => days.has(dayIn(kind, session, all)));
  };
  return { uses, drawn: () => ({ ...uses(), draw: () => undefined }), sessionsOn };
}

/** The engines have the cases between them: what a filter is in SQL is made in one place. */
const shared = engines.flatMap((engine, taker) =>
  inTurn(CASES, taker, engines.length).map((own) => [JSON.stringify(own.filters), engine, own] as const),
);

describe.each(shared)('%s on %s', (_, engine, { filters, isMeant, reads }) => {
  const { uses, drawn, sessionsOn } = sceneOn(engine, reads);

  it('paths and funnels are of the sessions that pass', { tags: 'nightly' }, async () => {
    const own = sessionsOn(['views']).filter((session) => session.views.length > 0 && isMeant(session));
    expect(own.length).toBeGreaterThan(10);
    const paths = await analyzePaths({ from: 'entry', depth: 1, ...filters }, drawn());
    expect(paths.sessions).toBe(own.length);
    const funnel = await analyzeFunnel({ steps: ['/cart', '/checkout/*'], ...filters }, drawn());
    const atCart = own.filter(({ views }) => views.some(({ path }) => path === '/cart'));
    expect(funnel.steps[0]?.sessions).toBe(atCart.length);
  });

  it('costs are of the sessions that pass', { tags: 'nightly' }, async () => {
    const conditions = [{ what: 'page', pages: ['/cart'] }] as const;
    const { totalSessions } = await measureImpact({ conditions, outcome: 'purchase', limit: 5, ...filters }, uses());
    expect(totalSessions).toBe(sessionsOn(['sessions', 'views']).filter((each) => each.views.length > 0 && isMeant(each)).length);
  });

  it('variants are of the sessions that pass', { tags: 'nightly' }, async () => {
    const conditions = [{ what: 'variable', name: 'referer_url', value: 'https://www.google.com/' }] as const;
    const answer = await measureImpact({ conditions, outcome: 'purchase', limit: 5, ...filters }, uses());
    const own = sessionsOn(['sessions']).filter((each) => each.referrer === 'https://www.google.com/' && isMeant(each));
    expect(answer.conditions[0]?.sessions).toBe(own.filter(({ views }) => !reads.includes('views') || views.length > 0).length);
  });
});

const ofFirsts = shared.filter(([, , { filters }]) => filters.visitorType !== 'returning');

describe.each(ofFirsts)('%s on %s', (_, engine, { filters, isMeant, reads }) => {
  const { drawn, sessionsOn } = sceneOn(engine, reads);

  it('cohorts begin with the sessions that pass, and whoever comes back comes back', { tags: 'nightly' }, async () => {
    const all = sessionsOn(['sessions']).filter(({ automated }) => !automated || filters.automated === undefined);
    const firsts = all.filter((session) => session.number === 1 && isMeant(session));
    const cohortsOf = [...new Set(firsts.map(({ beganMs }) => dayOf(beganMs)))].toSorted((a, b) => a - b);
    const { cohorts } = await analyzeRetention({ periods: 2, ...filters }, drawn());
    expect(cohorts.map(({ cohort }) => Number(cohort.slice(-2)))).toEqual(cohortsOf);
    const days = new Set(coveredDays(worldOf(WORLD).kind, ['sessions', ...reads]));
    const expected = cohortsOf.map((cohort) => {
      const users = new Set(firsts.filter(({ beganMs }) => dayOf(beganMs) === cohort).map(({ user }) => user));
      const thereOn = (day: number) =>
        new Set(all.filter((each) => users.has(each.user) && dayOf(each.beganMs) === day).map(({ user }) => user));
      return [0, 1, 2].map((after) => (days.has(cohort + after) ? thereOn(cohort + after).size : null));
    });
    expect(cohorts.map(({ returned }) => returned)).toEqual(expected);
  });
});

it('cohorts of returning visitors are refused', async () => {
  const uses = { ...usesOf(worldOf(WORLD).workspace('DuckDB')), draw: () => undefined };
  await expect(async () => analyzeRetention({ visitorType: 'returning' }, uses)).rejects.toThrow(
    'visitorType: cohorts begin with first sessions',
  );
});

describe.each(engines)('a range of first sessions on %s', (engine) => {
  it('is followed by days of return as far as the files go', async () => {
    const { sessions, workspace } = worldOf('whole days');
    const range = { startDate: '2026-11-10', endDate: '2026-11-11' };
    const notes: string[] = [];
    const answer = await analyzeRetention({ ...range, periods: 4 }, { ...usesOf(workspace(engine), notes), draw: () => undefined });
    const whole = await analyzeRetention({ periods: 4 }, { ...usesOf(workspace(engine)), draw: () => undefined });
    const firsts = sessions.filter(({ number, beganMs }) => number === 1 && [10, 11].includes(dayOf(beganMs)));
    expect(answer.cohorts.reduce((sum, { visitors }) => sum + visitors, 0)).toBe(firsts.length);
    expect(answer.cohorts).toEqual(whole.cohorts.slice(1, 3));
    expect(answer.cohorts.flatMap(({ returned }) => returned)).not.toContain(null);
    expect(notes).toContain('The range is that of first sessions; who comes back is read up to 2026-11-15.');
  });
});

describe.each(engines)('a filter that no session fits, on %s', (engine) => {
  const range = { startDate: '2026-11-10', endDate: '2026-11-11' };
  const asked = (notes: string[] = []) => ({ ...usesOf(worldOf('whole days').workspace(engine), notes), draw: () => undefined });
  const counts = (own: readonly SessionRow[], of: (session: SessionRow) => string | null, value: string) =>
    own.filter((each) => of(each) === value).length;
  const ofRange = () => worldOf('whole days').sessions.filter(({ beganMs }) => [10, 11].includes(dayOf(beganMs)));

  it('a country or browser by another name is that of the files', { tags: 'nightly' }, async () => {
    const notes: string[] = [];
    const question = { countries: ['Germany'], browsers: ['Google Chrome'] };
    const { sessions } = await analyzePaths({ from: 'entry', ...question }, asked(notes));
    const same = await analyzePaths({ from: 'entry', countries: ['DE'], browsers: ['Chrome'] }, asked());
    expect(sessions).toBe(same.sessions);
    expect(notes).toContain('countries: "Germany" is DE.');
    expect(notes).toContain('browsers: "Google Chrome" is Chrome.');
  });

  it('a country or browser that no session has is refused with those that there are', { tags: 'nightly' }, async () => {
    const [de, chrome] = [counts(ofRange(), ({ country }) => country, 'DE'), counts(ofRange(), ({ browser }) => browser, 'Chrome')];
    const days = 'no session of 2026-11-10 … 2026-11-11 (2 days, UTC) has';
    await expect(analyzePaths({ from: '/search', countries: ['DE', 'Spain'], ...range }, asked())).rejects.toThrow(
      new RegExp(`^countries: ${days.replaceAll(/[()]/g, String.raw`\$&`)} "Spain"; there are .*DE \\(${de}\\)`),
    );
    await expect(analyzeRetention({ browsers: ['Netscape'], ...range }, asked())).rejects.toThrow(`Chrome (${chrome})`);
  });

  it('filters that leave nothing together are refused with what each leaves', { tags: 'nightly' }, async () => {
    const asking = { devices: ['app' as const], entryPages: ['/checkout*'], ...range };
    await expect(analyzeFunnel({ steps: ['/cart', '/checkout/*'], ...asking }, asked())).rejects.toThrow(
      /^entryPages: no session of .* that passes the other filters began on \/checkout\*; most began on \/.* \(\d+\)/,
    );
    await expect(analyzePaths({ from: '/cart', entryPages: ['/checkout*'], ...range }, asked())).rejects.toThrow(
      /^entryPages: no session of [^;]*\) began on \/checkout\*; most began on \//,
    );
  });

  it('filters that exclude each other are refused with what each leaves', { tags: 'nightly' }, async () => {
    const day = worldOf('whole days').sessions.filter(({ beganMs }) => dayOf(beganMs) === 10);
    const rare = (['DE', 'FR'] as const).flatMap((country) =>
      (['Chrome', 'Safari'] as const).flatMap((browser) => {
        const isMeant = (each: SessionRow) => each.device === 3 && each.country === country && each.browser === browser && each.number > 1;
        return day.some(isMeant) ? [] : [{ country, browser }];
      }),
    )[0];
    if (!rare) throw new Error('Every country has every browser on that day.');
    const { country, browser } = rare;
    const filters = { devices: ['tablet' as const], countries: [country], browsers: [browser], visitorType: 'returning' as const };
    const left = [
      `devices tablet: ${day.filter(({ device }) => device === 3).length}`,
      `visitorType returning: ${day.filter(({ number }) => number > 1).length}`,
      `countries ${country}: ${counts(day, (each) => each.country, country)}`,
      `browsers ${browser}: ${counts(day, (each) => each.browser, browser)}`,
    ];
    const oneDay = { startDate: '2026-11-10', endDate: '2026-11-10' };
    await expect(analyzeFunnel({ steps: ['/cart', '/checkout/*'], ...filters, ...oneDay }, asked())).rejects.toThrow(
      `The filters leave no session of 2026-11-10 (1 day, UTC); each alone leaves of ${day.length}: ${left.join('; ')}.`,
    );
  });
});
