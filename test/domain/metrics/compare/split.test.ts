import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  explain,
  type Group,
  type GroupValues,
  rest,
  splitRate,
  splitRevenue,
  type Takings,
} from '../../../../src/domain/metrics/compare/contributions.ts';

/** Ranges of equal length: totals are compared as they are. */
const TOTALS = { before: 1, after: 1 };

const counts = fc
  .integer({ min: 0, max: 50_000 })
  .chain((visits) => fc.integer({ min: 0, max: visits }).map((conversions) => ({ visits, conversions })));
const groups = fc
  .array(fc.record({ name: fc.string(), before: counts, after: counts }), { minLength: 1, maxLength: 6 })
  .filter((each) => each.some(({ before }) => before.visits > 0) && each.some(({ after }) => after.visits > 0));

const rateOf = (each: readonly Group[], side: 'before' | 'after') => {
  const sum = (name: 'visits' | 'conversions') => each.reduce((total, group) => total + group[side][name], 0);
  return sum('conversions') / sum('visits');
};
const valuesOf = ({ visits, conversions }: Group['before']) => ({ visits, conversionCount: conversions, revenueSum: conversions * 7.25 });

describe('the split of a rate', () => {
  it('adds up to the change, whatever the groups are', () => {
    fc.assert(
      fc.property(groups, (each) => {
        const total = splitRate(each).reduce((sum, { mix, rate }) => sum + mix + rate, 0);
        expect(total).toBeCloseTo(rateOf(each, 'after') - rateOf(each, 'before'), 10);
      }),
    );
  });

  it('is all mix where no rate moved, and all rate where no share moved', () => {
    const steady = splitRate([
      { name: 'a', before: { visits: 1_000, conversions: 100 }, after: { visits: 1_000, conversions: 100 } },
      { name: 'b', before: { visits: 1_000, conversions: 10 }, after: { visits: 9_000, conversions: 90 } },
    ]);
    expect(steady.map(({ rate }) => rate)).toEqual([0, 0]);
    expect(steady.reduce((sum, { mix }) => sum + mix, 0)).toBeCloseTo(0.019 - 0.055, 12);
    const moved = splitRate([
      { name: 'a', before: { visits: 1_000, conversions: 100 }, after: { visits: 2_000, conversions: 100 } },
      { name: 'b', before: { visits: 1_000, conversions: 10 }, after: { visits: 2_000, conversions: 20 } },
    ]);
    expect(moved.map(({ mix }) => Math.abs(mix))).toEqual([0, 0]);
    expect(moved[0]?.rate).toBeCloseTo(-0.025, 12);
  });

  it('shows numbers that add up to the change with the remainder, to the last digit', () => {
    fc.assert(
      fc.property(groups, fc.double({ min: -0.0002, max: 0.0002, noNaN: true }), (each, rounding) => {
        const change = 100 * (rateOf(each, 'after') - rateOf(each, 'before')) + rounding;
        const values = each.map(({ name, before, after }) => ({ name, before: valuesOf(before), after: valuesOf(after) }));
        const told = explain('conversionRate', change, values, TOTALS);
        if (!told) throw new Error('nothing was explained');
        const sum = told.groups.reduce((total, { mix = 0, rate = 0 }) => total + mix + rate, told.remainder);
        expect(sum).toBeCloseTo(told.change, 9);
        // The remainder is what four decimals leave.
        expect(Math.abs(told.remainder)).toBeLessThan(0.0004 + 0.0001 * each.length);
      }),
    );
  });

  it('takes rates of counts: what is left after subtraction has the rate of those who are left, not an average', () => {
    fc.assert(
      fc.property(counts, counts, (one, other) => {
        const whole = { visits: one.visits + other.visits, conversions: one.conversions + other.conversions };
        expect(rest(valuesOf(whole), [valuesOf(one)])).toMatchObject({ visits: other.visits, conversionCount: other.conversions });
      }),
    );
  });
});

describe('the split of a count', () => {
  it('adds up to the change, scaled where the ranges differ in length', () => {
    fc.assert(
      fc.property(groups, fc.double({ min: 0.1, max: 10, noNaN: true }), (each, scale) => {
        const factors = { before: scale, after: 1 };
        const values = each.map(({ name, before, after }): GroupValues => ({ name, before: valuesOf(before), after: valuesOf(after) }));
        const sum = (side: 'before' | 'after') => each.reduce((total, group) => total + group[side].visits, 0);
        const told = explain('visits', sum('after') - scale * sum('before'), values, factors);
        const total = (told?.groups ?? []).reduce((all, { contribution }) => all + contribution, told?.remainder ?? 0);
        expect(total).toBeCloseTo(told?.change ?? Number.NaN, 5);
      }),
    );
  });

  it('is refused where a count has no value, and for what no counts make', () => {
    const gap = [{ name: 'a', before: { visits: null, conversionCount: 1 }, after: { visits: 1, conversionCount: 1 } }];
    expect(explain('visits', 1, gap, TOTALS)).toBeUndefined();
    expect(explain('conversionRate', 1, gap, TOTALS)).toBeUndefined();
    expect(
      explain('bounceRate', 1, [{ name: 'a', before: { visits: 1, bounceRate: 3 }, after: { visits: 1, bounceRate: 4 } }], TOTALS),
    ).toBeUndefined();
    expect(rest({ visits: 5, conversionCount: null }, [{ visits: 2, conversionCount: 1 }])).toEqual({
      visits: 3,
      conversionCount: null,
      revenueSum: null,
    });
  });
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
