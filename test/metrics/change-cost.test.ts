import { expect, it } from 'vitest';
import { costOfChange, costOfFactors, isOfOthers, type TotalOn } from '../../src/metrics/change-cost.ts';

/** Totals of the week of a change, and of the four weeks before it. */
const totals = (week: Readonly<Record<string, number>>, before: Readonly<Record<string, number>>): TotalOn => {
  return (metric, from) => (from < DAYS.from ? { total: before[metric] ?? 0, days: 28 } : { total: week[metric] ?? 0, days: 7 });
};
const DAYS = { from: '2026-10-05', to: '2026-10-11' };
const factor = (metric: string, relative: number) => ({ metric, relative, low: relative - 0.05, high: relative + 0.05 });

it('a cost is what the total would have been without the change, less certain of two factors than of one', () => {
  const { value, low, high } = costOfFactors(900, [{ relative: -0.1, low: -0.15, high: -0.05 }]);
  expect([value, low, high].map(Math.round)).toEqual([-100, -157, -46]);
  const one = factor('visits', -0.2);
  const [both, single] = [costOfFactors(640, [one, one]), costOfFactors(640, [one])];
  expect(both.value).toBeCloseTo(640 - 1000, 6);
  expect(both.high - both.low).toBeGreaterThan(single.high - single.low);
});

it('the chance of the orders themselves is in the bounds where no factor holds it', () => {
  // Visits 7 times as many, known to 5 %: 92 orders came of about 13, and 92 scatter by 19.
  const rise = [{ metric: 'visits', relative: 6, low: 5.7, high: 6.4 }];
  const on = totals({ conversionCount: 92, visits: 92 }, {});
  const { value, low, high } = costOfChange('conversionCount', rise, DAYS, on);
  expect([value, low, high].map(Math.round)).toEqual([79, 63, 95]);
  expect(costOfChange('visits', rise, DAYS, on)).toEqual(costOfFactors(92, rise));
  const both = [...rise, factor('conversionRate', 0.1)];
  expect(costOfChange('conversionCount', both, DAYS, on)).toEqual(costOfFactors(92, both));
});

it('orders are worth what they were on the days of a change and before together; without orders before, what they were worth', () => {
  const fall = [factor('conversionRate', -0.5)];
  const week = { revenueSum: 10_000, conversionCount: 100 };
  expect(costOfChange('revenueSum', fall, DAYS, totals(week, { revenueSum: 63_000, conversionCount: 900 })).value).toBeCloseTo(-7_300, 6);
  expect(costOfChange('revenueSum', fall, DAYS, totals(week, {})).value).toBeCloseTo(-10_000, 6);
  // A basket that changed has the worth of its own days.
  expect(
    costOfChange('revenueSum', [factor('cartAverage', -0.5)], DAYS, totals(week, { revenueSum: 63_000, conversionCount: 900 })).value,
  ).toBeCloseTo(-10_000, 6);
});

it('a rate that moves because others come or stay away costs nothing; one that moves with the orders does', () => {
  const isDiluted = (relative: number, visits: number, conversionCount: number, metric = 'conversionRate') => {
    const on = totals({ visits: 7 * visits, conversionCount: 7 * conversionCount }, { visits: 28_000, conversionCount: 840 });
    return isOfOthers([factor(metric, relative)], DAYS, on);
  };
  // Visitors of a campaign, who buy a little.
  expect(isDiluted(-0.5, 2_500, 38)).toBe(true);
  expect(isDiluted(-0.5, 2_500, 38, 'visits')).toBe(false);
  // A checkout that breaks, also in a week with more visits.
  expect(isDiluted(-0.4, 1_000, 18)).toBe(false);
  expect(isDiluted(-0.5, 1_500, 22)).toBe(false);
  // Automated visits that end.
  expect(isDiluted(0.9, 550, 30)).toBe(true);
  expect(isDiluted(0.3, 1_000, 39)).toBe(false);
  expect(isOfOthers([factor('conversionRate', -0.5)], DAYS, () => undefined)).toBe(false);
});
