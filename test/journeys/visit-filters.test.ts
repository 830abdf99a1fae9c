import { describe, expect, it } from 'vitest';
import { analyzeFunnel } from '../../src/journeys/analyze-funnel.ts';
import { analyzePaths } from '../../src/journeys/analyze-paths.ts';
import { analyzeRetention } from '../../src/journeys/analyze-retention.ts';
import { engines, sharedWorlds, usesOf } from './both-engines.ts';
import { dayOf, type SessionRow } from './visit-world.ts';

const worldOf = sharedWorlds();

it('cohorts of returning visitors are refused', async () => {
  const asked = async () => analyzeRetention({ visitorType: 'returning' }, usesOf(worldOf('whole days').workspace('DuckDB')));
  await expect(asked).rejects.toThrow('visitorType: cohorts begin with first sessions');
});

it.each(engines)('a range of first sessions on %s is followed by days of return as far as the files go', async (engine) => {
  const { sessions, workspace } = worldOf('whole days');
  const range = { startDate: '2026-11-10', endDate: '2026-11-11' };
  const notes: string[] = [];
  const answer = await analyzeRetention({ ...range, periods: 4 }, usesOf(workspace(engine), notes));
  const whole = await analyzeRetention({ periods: 4 }, usesOf(workspace(engine)));
  const firsts = sessions.filter(({ number, beganMs }) => number === 1 && [10, 11].includes(dayOf(beganMs)));
  expect(answer.cohorts.reduce((sum, { visitors }) => sum + visitors, 0)).toBe(firsts.length);
  expect(answer.cohorts).toEqual(whole.cohorts.slice(1, 3));
  expect(answer.cohorts.flatMap(({ returned }) => returned)).not.toContain(null);
  expect(notes).toContain('The range is that of first sessions; who comes back is read up to 2026-11-15.');
});

describe.each(engines)('a filter that no session fits, on %s', { tags: 'nightly' }, (engine) => {
  const range = { startDate: '2026-11-10', endDate: '2026-11-11' };
  const asked = (notes: string[] = []) => usesOf(worldOf('whole days').workspace(engine), notes);
  const counts = (own: readonly SessionRow[], of: (session: SessionRow) => string | null, value: string) =>
    own.filter((each) => of(each) === value).length;
  const ofRange = () => worldOf('whole days').sessions.filter(({ beganMs }) => [10, 11].includes(dayOf(beganMs)));

  it('a country or browser by another name is that of the files', async () => {
    const notes: string[] = [];
    const question = { countries: ['Germany'], browsers: ['Google Chrome'] };
    const { sessions } = await analyzePaths({ from: 'entry', ...question }, asked(notes));
    const same = await analyzePaths({ from: 'entry', countries: ['DE'], browsers: ['Chrome'] }, asked());
    expect(sessions).toBe(same.sessions);
    expect(notes).toContain('countries: "Germany" is DE.');
    expect(notes).toContain('browsers: "Google Chrome" is Chrome.');
  });

  it('a country or browser that no session has is refused with those that there are', async () => {
    const [de, chrome] = [counts(ofRange(), ({ country }) => country, 'DE'), counts(ofRange(), ({ browser }) => browser, 'Chrome')];
    const days = 'no session of 2026-11-10 … 2026-11-11 (2 days, UTC) has';
    await expect(analyzePaths({ from: '/search', countries: ['DE', 'Spain'], ...range }, asked())).rejects.toThrow(
      new RegExp(`^countries: ${days.replaceAll(/[()]/g, String.raw`\$&`)} "Spain"; there are .*DE \\(${de}\\)`),
    );
    await expect(analyzeRetention({ browsers: ['Netscape'], ...range }, asked())).rejects.toThrow(`Chrome (${chrome})`);
  });

  it('filters that leave nothing together are refused with what each leaves', async () => {
    const asking = { devices: ['app' as const], entryPages: ['/checkout*'], ...range };
    await expect(analyzeFunnel({ steps: ['/cart', '/checkout/*'], ...asking }, asked())).rejects.toThrow(
      /^entryPages: no session of .* that passes the other filters began on \/checkout\*; most began on \/.* \(\d+\)/,
    );
    await expect(analyzePaths({ from: '/cart', entryPages: ['/checkout*'], ...range }, asked())).rejects.toThrow(
      /^entryPages: no session of [^;]*\) began on \/checkout\*; most began on \//,
    );
  });

  it('filters that exclude each other are refused with what each leaves', async () => {
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
