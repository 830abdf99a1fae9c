import { describe, expect, it } from 'vitest';
import { changesOf, type FunnelCounts, funnelWords, groupSentences, groupsOf } from '../../src/journeys/funnel.ts';
import { differenceOf } from '../../src/journeys/proportions.ts';
import { seeded } from '../bench/verdicts/random.ts';
import { times } from '../support/times.ts';

const question = { order: 'in_order', withinDays: undefined } as const;
const step = (name: string, sessions: number, left?: number) => ({ step: name, sessions, ...(left !== undefined && { left }) });

type Told = Parameters<typeof funnelWords>[0];
const said = (steps: Told['steps'], more: Partial<Told> = {}) =>
  funnelWords({ steps, groups: undefined, changes: undefined, unit: 'sessions', question, immature: 0, isFiltered: false, ...more }).answer;

it('what no session did is said of the sessions that the filters leave', () => {
  const steps = [step('/cart', 0, 0), step('/payment', 0)];
  expect(said(steps, { isFiltered: true })).toBe('No sessions that pass the filters did /cart in these days.');
});

describe('the largest loss of a funnel', () => {
  it('is the one of most sessions, and the step that loses the larger share is named beside it', () => {
    expect(said([step('/cart', 1082, 326), step('/address', 756, 316), step('/payment', 440)])).toContain(
      'The largest loss is after /cart: 326 of 1,082 sessions (30.1%) do not reach /address; ' +
        'the largest share is lost after /address, 41.8% of 756.',
    );
  });

  it('is told alone where it is the largest share too, or where hardly any session came to the other', () => {
    expect(said([step('/cart', 1000, 600), step('/address', 400, 100), step('/payment', 300)])).not.toContain('share');
    expect(said([step('/cart', 1000, 980), step('/address', 20, 20), step('/payment', 0)])).not.toContain('share');
  });
});

it('on chosen devices begins with how they differ from the others, where they do', () => {
  const steps = [step('/cart', 1082, 326), step('/payment', 756)];
  const answerOf = (verdict: string, differs?: 'fewer') =>
    said(steps, { beside: { group: 'mobile', steps: [], verdict, ...(differs && { differs }) } });
  expect(answerOf('fewer reach /payment: 69.9% of those at /cart, elsewhere 80.1%', 'fewer')).toMatch(
    /^Fewer mobile sessions reach \/payment: 69\.9% of those at \/cart, elsewhere 80\.1%\. The largest loss is after/,
  );
  expect(answerOf('like the others')).toMatch(/^The largest loss is after/);
});

it('of kinds of visitors calls these visitors', () => {
  const groups = [{ group: 'new', steps: [], verdict: 'fewer reach /cart', differs: 'fewer' as const }];
  const byVisitor = { groups, question: { ...question, breakdown: 'visitor_type' } } as const;
  expect(said([step('/cart', 1000, 600), step('/pay', 400)], byVisitor)).toMatch(/^Fewer new visitors reach \/cart\./);
});

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

/** Groups of which nothing is known by device. */
const alone = (groups: Readonly<Record<string, Done>>) => ({
  groups: new Map(Object.entries(groups).map(([name, [of, hits]]) => [name, [0, of - hits, hits]])),
  byDevice: undefined,
});

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
    const found = groupsOf(NAMES, alone(devices)).filter(({ differs }) => differs);
    expect(found).toMatchObject([{ group: 'desktop', verdict: expect.stringMatching(/^fewer reach purchase: 27\.0% of those/) }]);
  });

  it('on devices that no others have cannot be told from these', () => {
    const found = verdicts({ App: { app: [500, 50] }, Chrome: { desktop: [500, 300] } });
    expect(found['App']).toBe('cannot be told from its devices, which hardly any others have');
  });

  it('of days are told by their date', () => {
    const days = { '2026-10-22': [1_000, 690], '2026-10-23': [1_000, 270], '2026-10-24': [1_000, 680] } as const;
    const saidBy = (breakdown: string) => groupSentences(groupsOf(NAMES, alone(days)), 'sessions', breakdown);
    expect(saidBy('day')).toMatch(/^Fewer sessions of 23 Oct reach purchase: 27\.0% of those /);
    expect(saidBy('week')).toMatch(/^Fewer sessions of the week from 23 Oct reach purchase: /);
  });

  it('that do not stand out are said to be alike on the same devices', () => {
    expect(groupSentences(groupsOf(NAMES, countsFrom(BROWSERS)), 'sessions', 'browser', true)).toBe(
      'No browser differs significantly from the others on the same devices.',
    );
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

const FIRST_DAY = 20_400;

/** Days on which so many did the first step, of whom this share did the second. */
function countsOf(from: number, shares: readonly number[], roll: () => number, sessions = 300): FunnelCounts {
  const days = shares.map((share, index) => {
    const reached = times(sessions, () => roll() < share).filter(Boolean).length;
    return [from + index, [0, sessions - reached, reached]] as const;
  });
  return { days: new Map(days), groups: new Map(), gaps: new Map(), next: [], immature: 0 };
}

const dayText = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);
const filled = (days: number, share: number) => times(days, () => share);

function changeOf(before: readonly number[], after: readonly number[], seed: number) {
  const random = seeded(seed);
  const roll = () => random.uniform();
  const start = FIRST_DAY + before.length;
  const [change] = changesOf(['/payment', 'purchase'], countsOf(FIRST_DAY, before, roll), countsOf(start, after, roll)).slice(-1);
  return { change, dayOf: (index: number) => dayText(start + index) };
}

it.each([7, 14, 28])('a change of a step against a baseline is told from its day on, with a baseline of %s days', (baseline) => {
  const since = times(20, (seed) => {
    const { change, dayOf } = changeOf(filled(baseline, 0.9), [...filled(2, 0.9), ...filled(5, 0.75)], seed);
    expect(change?.verdict).toBe('lower');
    return change?.since === dayOf(2);
  });
  expect(since.filter(Boolean).length).toBeGreaterThanOrEqual(17);
});

it('a change of a step against a baseline has no day where it came before the range', () => {
  const { change } = changeOf([...filled(4, 0.9), ...filled(10, 0.7)], filled(7, 0.7), 1);
  expect(change?.since).toBeUndefined();
});

it('a change of a step against a baseline never goes against its own figures', () => {
  const against = times(120, (seed) => {
    const random = seeded(seed + 5_000);
    const drawn = (days: number) => filled(days, 0).map(() => 0.58 + 0.05 * random.normal());
    const { verdict = '', beforePercent = 0, afterPercent = 0 } = changeOf(drawn(seed % 2 === 0 ? 14 : 28), drawn(7), seed).change ?? {};
    return (verdict === 'higher' && afterPercent < beforePercent) || (verdict === 'lower' && afterPercent > beforePercent);
  });
  expect(against).not.toContain(true);
});
