import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  contrastScore,
  explain,
  type GroupValues,
  isMix,
  partition,
  splitRevenue,
  type Takings,
} from '../../../src/metrics/compare/contributions.ts';

/** Ranges of equal length: totals are compared as they are. */
const TOTALS = { before: 1, after: 1 };

const counts = fc
  .integer({ min: 0, max: 50_000 })
  .chain((visits) => fc.integer({ min: 0, max: visits }).map((conversions) => ({ visits, conversions })));
const pairs = fc
  .array(fc.record({ before: counts, after: counts }), { minLength: 1, maxLength: 6 })
  .filter((each) => (['before', 'after'] as const).every((side) => each.some(({ [side]: { visits } }) => visits > 0)));
type Pairs = readonly { readonly before: Counts; readonly after: Counts }[];
interface Counts {
  readonly visits: number;
  readonly conversions: number;
}

const valuesOf = ({ visits, conversions }: Counts) => ({
  visits,
  conversionCount: conversions,
  conversionRate: visits > 0 ? (100 * conversions) / visits : null,
  bounceRate: visits > 0 ? (50 * conversions) / visits : null,
  revenueSum: conversions * 7.25,
});
const groupsOf = (each: Pairs): GroupValues[] =>
  each.map(({ before, after }, index) => ({ name: String(index), before: valuesOf(before), after: valuesOf(after) }));
const totalOf = (each: Pairs, side: 'before' | 'after') =>
  each.reduce((sum, { [side]: { visits, conversions } }) => ({ visits: sum.visits + visits, conversions: sum.conversions + conversions }), {
    visits: 0,
    conversions: 0,
  });
const wholeOf = (each: Pairs) => ({ before: valuesOf(totalOf(each, 'before')), after: valuesOf(totalOf(each, 'after')) });

describe('the split of a rate', () => {
  it('shows numbers that add up to the change with the remainder, to the last digit, whatever the groups are', () => {
    fc.assert(
      fc.property(pairs, fc.double({ min: -0.0002, max: 0.0002, noNaN: true }), (each, rounding) => {
        const whole = wholeOf(each);
        const change = (whole.after.conversionRate ?? 0) - (whole.before.conversionRate ?? 0) + rounding;
        const parts = partition('conversionRate', whole, groupsOf(each).slice(1), 'the rest') ?? [];
        const told = explain('conversionRate', change, parts, TOTALS);
        if (!told) throw new Error('nothing was explained');
        const sum = told.groups.reduce((total, { mix = 0, rate = 0 }) => total + mix + rate, told.remainder);
        expect(sum).toBeCloseTo(told.change, 9);
        // The remainder is what four decimals leave.
        expect(Math.abs(told.remainder)).toBeLessThan(0.0004 + 0.0001 * each.length);
      }),
    );
  });

  it('leaves to the rest the rate of those who are left, not an average; of an average likewise', () => {
    fc.assert(
      fc.property(counts, counts, (one, other) => {
        const each = [one, other].map((side) => ({ before: side, after: side }));
        const [part] = groupsOf(each);
        for (const metric of ['conversionRate', 'bounceRate'] as const) {
          const { before } = partition(metric, wholeOf(each), part ? [part] : [], 'the rest')?.[1] ?? {};
          // Not a number where there is no rest.
          const value = before ? before.numerator / before.denominator : Number.NaN;
          expect(Number.isNaN(value)).toBe(other.visits === 0);
          expect(Math.abs((value || 0) - (valuesOf(other)[metric] ?? 0))).toBeLessThan(1e-3);
        }
      }),
    );
  });
});

it('the split of a count adds up to the change, scaled where the ranges differ in length', () => {
  fc.assert(
    fc.property(pairs, fc.double({ min: 0.1, max: 10, noNaN: true }), (each, scale) => {
      const whole = wholeOf(each);
      const parts = partition('visits', whole, groupsOf(each).slice(1), 'the rest') ?? [];
      const told = explain('visits', whole.after.visits - scale * whole.before.visits, parts, { before: scale, after: 1 });
      const total = (told?.groups ?? []).reduce((all, { contribution }) => all + contribution, told?.remainder ?? 0);
      expect(total).toBeCloseTo(told?.change ?? Number.NaN, 5);
    }),
  );
});

it('the split of a count is refused where a part has no value', () => {
  const whole = { before: { visits: 2, conversionCount: 1 }, after: { visits: 2, conversionCount: 1 } };
  const gap = { name: 'a', before: { visits: null, conversionCount: 1 }, after: { visits: 1, conversionCount: 1 } };
  expect(partition('visits', whole, [gap], 'the rest')).toBeUndefined();
  expect(partition('conversionRate', whole, [gap], 'the rest')).toBeUndefined();
});

it('a segment that moved unlike all others ranks before one that moved like them, whatever their size', () => {
  const side = (visits: number, conversions: number) => valuesOf({ visits, conversions });
  const whole = { before: side(100_000, 3_000), after: side(100_000, 2_700) };
  const alike: GroupValues = { name: 'large', before: side(60_000, 1_800), after: side(60_000, 1_620) };
  const fallen: GroupValues = { name: 'small', before: side(5_000, 150), after: side(5_000, 75) };
  const score = (group: GroupValues) => contrastScore('conversionRate', whole, group, TOTALS);
  expect(score(alike)).toBeLessThan(0.1);
  // By hand: log(75 / 150) − log(2,625 / 2,850) over √(1/150 + 1/75 + 1/2,850 + 1/2,625).
  expect(score(fallen)).toBeCloseTo(0.6109 / 0.144, 1);
  expect(contrastScore('revenueSum', whole, fallen, TOTALS)).toBeCloseTo(score(fallen), 6);
});

it('a group that rose from nothing is unlike all others, as far as its counts say', () => {
  const before = { visits: 5_900 };
  const whole = { before, after: { visits: 25_000 } };
  const score = (after: number) =>
    contrastScore('visits', whole, { name: 'campaign', before: { visits: 0 }, after: { visits: after } }, TOTALS);
  const old = { name: 'old', before: { visits: 2_700 }, after: { visits: 2_700 } };
  expect(score(19_000)).toBeGreaterThan(contrastScore('visits', whole, old, TOTALS));
  // By hand: twice the sum of O log(O / E) of 0, 5,900, 10 and 24,990, whose first two are expected as 1.91 and 5,898.09.
  expect(score(10)).toBeCloseTo(
    Math.sqrt(2 * (5_900 * Math.log(5_900 / 5_898.0906) + 10 * Math.log(10 / 8.0906) + 24_990 * Math.log(24_990 / 24_991.9094))),
    2,
  );
  expect(score(0)).toBe(0);
  expect(contrastScore('conversionRate', whole, { name: 'new', before: { visits: 0 }, after: { visits: 9 } }, TOTALS)).toBe(0);
});

describe('the split of revenue', () => {
  const takings = fc.record({
    visits: fc.integer({ min: 1, max: 1e6 }),
    conversions: fc.integer({ min: 1, max: 1e5 }),
    revenue: fc.double({ min: 0.01, max: 1e8, noNaN: true }),
  });

  it('into visits, conversion and basket adds up exactly', () => {
    fc.assert(
      fc.property(takings, takings, (before: Takings, after: Takings) => {
        const { visits = 0, conversion = 0, basket = 0 } = splitRevenue(before, after) ?? {};
        const tolerance = 1e-9 * Math.max(before.revenue, after.revenue) + 1e-9;
        expect(Math.abs(visits + conversion + basket - (after.revenue - before.revenue))).toBeLessThan(tolerance);
      }),
    );
  });

  it('gives all to the factor that moved, and nothing where a side sold nothing', () => {
    const before = { visits: 1_000, conversions: 50, revenue: 4_000 };
    const split = splitRevenue(before, { visits: 1_000, conversions: 40, revenue: 3_200 });
    expect(split?.visits).toBeCloseTo(0, 9);
    expect(split?.conversion).toBeCloseTo(-800, 6);
    expect(split?.basket).toBeCloseTo(0, 6);
    expect(splitRevenue(before, { visits: 10, conversions: 0, revenue: 0 })).toBeUndefined();
  });
});

it.each([
  [-0.8, -0.2, true],
  [-0.4, -0.6, false],
  [-1.9, 0.9, true],
  [-3, 2, false],
  [0.5, -1.5, false],
])('shares that make %d of a change beside %d by values are its cause: %s', (mix, rate, told) => {
  const change = mix + rate;
  const group = { name: 'mobile', before: 4, after: 4 + change, mix, rate, contribution: change };
  expect(isMix({ metric: 'conversionRate', change, groups: [group], remainder: 0 })).toBe(told);
});
