import { expect, it } from 'vitest';
import { atUsualBasket, costOfDays, costOfFactors, isDiluted, scatterOfOrders } from '../../../src/domain/metrics/change-cost.ts';

const OF_RATE = { isOfRate: true, scatter: 0 };
const fall = [{ relative: -0.6, low: -0.65, high: -0.55 }];

it('the days of a change share its cost by their visits, and their parts add up to the whole', () => {
  const [all, first, rest] = [
    { total: 200, visits: 10_000, days: 10 },
    { total: 140, visits: 4_000, days: 5 },
    { total: 60, visits: 6_000, days: 5 },
  ];
  const whole = costOfFactors(200, fall);
  const parts = [first, rest].map((some) => costOfDays({ some, all }, fall, OF_RATE).value);
  // 500 orders would have come, of which 200 on the first days: 60 fewer there, and 240 fewer on the others.
  expect(whole.value).toBeCloseTo(-300, 6);
  expect(parts.map((part) => Math.round(part))).toEqual([-60, -240]);
  const same = costOfDays({ some: all, all }, fall, OF_RATE);
  expect([same.low, same.high].map((bound) => bound.toFixed(6))).toEqual([whole.low, whole.high].map((bound) => bound.toFixed(6)));
});

it('days without known visits share by their number', () => {
  const all = { total: 200, visits: 0, days: 10 };
  expect(costOfDays({ some: { total: 100, visits: 0, days: 5 }, all }, fall, OF_RATE).value).toBeCloseTo(-150, 6);
});

it('the chance of the orders themselves is in the bounds where no factor holds it', () => {
  // Visits 7 times as many, known to 5 %: 92 orders came of about 13, and 92 scatter by 19.
  const rise = [{ relative: 6, low: 5.7, high: 6.4 }];
  expect(scatterOfOrders('conversionCount', ['visits'], 92)).toBeCloseTo(1 / 92, 9);
  const { value, low, high } = costOfFactors(92, rise, 1 / 92);
  expect([value, low, high].map(Math.round)).toEqual([79, 63, 95]);
  const plain = costOfFactors(92, rise);
  expect(plain.high - plain.low).toBeLessThan(2);
  for (const factors of [['conversionRate'], ['visits', 'conversionRate'], ['conversionCount']])
    expect(scatterOfOrders('conversionCount', factors, 92)).toBe(0);
  expect([scatterOfOrders('visits', ['visits'], 92), scatterOfOrders('revenueSum', ['visits'], 0)]).toEqual([0, 0]);
});

it('orders are worth what they were on the days of a change and before together; without orders before, what they were worth', () => {
  expect(atUsualBasket({ revenue: 10_000, orders: 100 }, { revenue: 63_000, orders: 900 })).toBeCloseTo(7_300, 6);
  expect(atUsualBasket({ revenue: 10_000, orders: 100 }, { revenue: 0, orders: 0 })).toBe(10_000);
});

it('a rate that moves because others come or stay away costs nothing; one that moves with the orders does', () => {
  const before = { visits: 28_000, orders: 840, days: 28 };
  const week = (visits: number, orders: number) => ({ visits: 7 * visits, orders: 7 * orders, days: 7 });
  // Visitors of a campaign, who buy a little.
  expect(isDiluted(-0.5, week(2_500, 38), before)).toBe(true);
  // A checkout that breaks, also in a week with more visits.
  expect(isDiluted(-0.4, week(1_000, 18), before)).toBe(false);
  expect(isDiluted(-0.5, week(1_500, 22), before)).toBe(false);
  // Automated visits that end.
  expect(isDiluted(0.9, week(550, 30), before)).toBe(true);
  expect(isDiluted(0.3, week(1_000, 39), before)).toBe(false);
  expect(isDiluted(-0.5, week(2_500, 38), { visits: 0, orders: 0, days: 0 })).toBe(false);
});
