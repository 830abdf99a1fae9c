import { describe, expect, it } from 'vitest';
import { daysToShow, detectableChange, smallestAhead } from '../../../src/metrics/engine/detectable.ts';
import { largeShare } from '../../../src/statistics/tails.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { countsFrom, isWeekend, pointsFrom } from '../points.ts';

const DAYS = 184;
const FIRST = '2026-01-05';

/** Visits with weekends of 0.7 and shocks of 5 %. */
const siteOf = (seed: number) => countsFrom(FIRST, DAYS, seed, 0.05, (label) => (isWeekend(label) ? 5_600 : 8_000));

describe('the smallest change that would show', () => {
  it('takes the fewer days the larger it is, and more than 92 where it is tiny', () => {
    const visits = siteOf(1);
    const [large, middle, tiny] = [0.3, 0.1, 0.001].map((size) => daysToShow('count', visits, size));
    expect(large).toBeLessThanOrEqual(2);
    expect(middle).toBeGreaterThan(large ?? 0);
    expect(middle).toBeLessThan(15);
    expect(tiny).toBeNull();
    const smallest = smallestAhead('count', visits) ?? 0;
    expect(smallest).toBeGreaterThan(0.001);
    expect([daysToShow('count', visits, 1.001 * smallest), daysToShow('count', visits, 0.98 * smallest)]).toEqual([
      expect.any(Number),
      null,
    ]);
  });

  it('is more than one very large order makes of a sum, which hides no fall', () => {
    const random = seeded(9);
    const sums = pointsFrom(FIRST, DAYS, () => 10 + random.poisson(10)).map((day) => {
      return { ...day, events: day.numerator, numerator: day.numerator * 80 * Math.exp(0.05 * random.normal()) };
    });
    const [history, days] = [sums.slice(0, -7), sums.slice(-7)];
    const orders = days.reduce((sum, { events }) => sum + events, 0);
    const rise = detectableChange('amount', history, days, 1) ?? 0;
    expect(rise).toBeGreaterThan(largeShare(orders, 0.015 / 7));
    const withoutEvents = (own: typeof sums) => own.map(({ events: _, ...day }) => day);
    expect(rise).toBeGreaterThan(2 * (detectableChange('amount', withoutEvents(history), withoutEvents(days), 1) ?? 0));
    expect(detectableChange('amount', history, days, -1)).toBe(detectableChange('amount', withoutEvents(history), withoutEvents(days), -1));
  });

  it('is no fall where chance alone may leave nothing on such days, while a rise would show', () => {
    const random = seeded(5);
    const orders = pointsFrom(FIRST, DAYS, () => random.poisson(0.4));
    const [history, days] = [orders.slice(0, -7), orders.slice(-7)];
    expect(detectableChange('count', history, days, -1)).toBe(-1);
    expect(detectableChange('count', history, days, 1)).toBeGreaterThan(0.5);
  });

  it('is not known of a site that is too young', () => {
    const visits = siteOf(2);
    expect(detectableChange('count', visits.slice(0, 20), visits.slice(20, 27), 1)).toBeUndefined();
    expect(daysToShow('count', visits.slice(0, 20), 0.2)).toBeUndefined();
    expect(smallestAhead('count', visits.slice(0, 20))).toBeUndefined();
  });
});
