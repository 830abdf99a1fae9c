import { describe, expect, it } from 'vitest';
import { groupSentences, groupsOf } from '../../../src/domain/journeys/funnel.ts';
import { differenceOf } from '../../../src/domain/journeys/proportions.ts';

const NAMES = ['/checkout/payment', 'purchase'];
type Done = readonly [reached: number, bought: number];

/** Groups by device from how many did both steps. */
function countsFrom(table: Readonly<Record<string, Readonly<Record<string, Done>>>>) {
  const depths = ([payment, bought]: Done) => [0, payment - bought, bought];
  const byDevice = new Map(
    Object.entries(table).map(([group, devices]) => [group, new Map(Object.entries(devices).map(([name, done]) => [name, depths(done)]))]),
  );
  const groups = new Map(
    Object.entries(table).map(([group, devices]) => {
      const all = Object.values(devices);
      return [group, depths([all.reduce((sum, [of]) => sum + of, 0), all.reduce((sum, [, hits]) => sum + hits, 0)])];
    }),
  );
  return { groups, byDevice };
}

/** A week of a shop whose payment is broken on phones: no browser is better or worse than others on the same device. */
const BROWSERS = {
  Chrome: { desktop: [404, 307], mobile: [232, 52], tablet: [31, 22] },
  Safari: { desktop: [117, 82], mobile: [215, 54], tablet: [87, 66] },
  Firefox: { desktop: [119, 88], mobile: [11, 3] },
  Edge: { desktop: [119, 89] },
  'Samsung Internet': { mobile: [50, 13], tablet: [16, 11] },
} as const;

describe('groups of a funnel', () => {
  const verdicts = (table: Parameters<typeof countsFrom>[0]) =>
    Object.fromEntries(groupsOf(NAMES, countsFrom(table)).map(({ group, verdict }) => [group, verdict]));

  it('that their devices explain are told so, and none of them stands out', () => {
    const found = verdicts(BROWSERS);
    expect(found['Safari']).toMatch(
      /^as their devices do: 48\.2% of those at \/checkout\/payment reach purchase, others on the same devices 4\d\.\d%$/,
    );
    expect(found['Edge']).toMatch(/^as their devices do: 74\.8% /);
    expect(Object.values(found).filter((verdict) => /^(fewer|more)/.test(verdict))).toEqual([]);
  });

  it('that differ on every device stand out, against others on the same ones', () => {
    const found = verdicts({ ...BROWSERS, Firefox: { desktop: [119, 40], mobile: [11, 1] } });
    expect(found['Firefox']).toMatch(/^fewer reach purchase: 31\.5% of those at \/checkout\/payment, others on the same devices 7\d\.\d%$/);
    expect(found['Safari']).toMatch(/^as their devices do/);
  });

  it('whose devices hide a difference stand out too', () => {
    // On phones twice as many buy as with other browsers, but nearly all of its visitors have phones.
    const found = verdicts({ A: { desktop: [1000, 600], mobile: [200, 40] }, B: { desktop: [60, 37], mobile: [600, 270] } });
    expect(found['B']).toMatch(/^more reach purchase: 46\.5% .*, A on the same devices 2\d\.\d%$/);
  });

  it('name the one without which the others are alike', () => {
    const devices = { desktop: [1_000, 270], mobile: [1_500, 1_030], tablet: [400, 272] } as const;
    const groups = new Map(Object.entries(devices).map(([name, [of, hits]]) => [name, [0, of - hits, hits]]));
    const found = groupsOf(NAMES, { groups, byDevice: undefined }).filter(({ differs }) => differs);
    expect(found).toMatchObject([{ group: 'desktop', verdict: expect.stringMatching(/^fewer reach purchase: 27\.0% of those/) }]);
  });

  it('on devices that no others have cannot be told from these', () => {
    const found = verdicts({ App: { app: [500, 50] }, Chrome: { desktop: [500, 300] } });
    expect(found['App']).toBe('cannot be told from its devices, which hardly any others have');
  });

  it('of days are told by their date', () => {
    const days = { '2026-10-22': [1_000, 690], '2026-10-23': [1_000, 270], '2026-10-24': [1_000, 680] } as const;
    const groups = new Map(Object.entries(days).map(([name, [of, hits]]) => [name, [0, of - hits, hits]]));
    const said = (breakdown: string) => groupSentences(groupsOf(NAMES, { groups, byDevice: undefined }), 'sessions', breakdown);
    expect(said('day')).toMatch(/^Fewer sessions of 23 Oct reach purchase: 27\.0% of those /);
    expect(said('week')).toMatch(/^Fewer sessions of the week from 23 Oct reach purchase: /);
  });

  it('that do not stand out are said to be alike on the same devices', () => {
    const said = groupSentences(groupsOf(NAMES, countsFrom(BROWSERS)), 'sessions', 'browser', true);
    expect(said).toBe('No browser differs significantly from the others on the same devices.');
  });
});

it('the test within strata is that of Cochran, Mantel and Haenszel', () => {
  // Two strata by hand: 10 of 20 against 5 of 20, 15 of 20 against 10 of 20.
  const difference = differenceOf([
    [
      { hits: 10, of: 20 },
      { hits: 5, of: 20 },
    ],
    [
      { hits: 15, of: 20 },
      { hits: 10, of: 20 },
    ],
  ]);
  // Excess 2.5 + 2.5, variance 2 × 20 × 20 × 15 × 25 / (40² × 39): a score of 2.28.
  expect(difference?.points).toBeCloseTo(25);
  expect(difference?.other).toBeCloseTo(0.375);
  expect(difference?.pValue).toBeCloseTo(0.0226, 3);
});
