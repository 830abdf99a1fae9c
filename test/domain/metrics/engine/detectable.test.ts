import { describe, expect, it } from 'vitest';
import { daysToShow, detectableChange, smallestAhead } from '../../../../src/domain/metrics/engine/detectable.ts';
import { judgePeriods } from '../../../../src/domain/metrics/engine/judge.ts';
import type { DailyPoint } from '../../../../src/domain/metrics/engine/series.ts';
import { largeShare } from '../../../../src/domain/metrics/engine/study.ts';
import { DAY_MS } from '../../../../src/lib/clock.ts';
import { seeded } from '../../../bench/verdicts/random.ts';
import { sampleSize } from '../../../support/sample-size.ts';

const DAYS = 184;
const labelAt = (day: number) => new Date(Date.parse('2026-01-05') + day * DAY_MS).toISOString().slice(0, 10);

/** Visits with weekends of 0.7 and shocks of 5 %, of which three in a hundred buy. */
function siteOf(seed: number): { visits: DailyPoint[]; rate: DailyPoint[] } {
  const random = seeded(seed);
  const days = Array.from({ length: DAYS }, (_, day) => {
    const visits = random.poisson(8_000 * (day % 7 > 4 ? 0.7 : 1) * Math.exp(0.05 * random.normal()));
    return { label: labelAt(day), visits, orders: random.binomial(visits, 0.03) };
  });
  return {
    visits: days.map(({ label, visits }) => ({ label, numerator: visits, denominator: 1, isWhole: true })),
    rate: days.map(({ label, visits, orders }) => ({ label, numerator: orders, denominator: visits, isWhole: true })),
  };
}

describe('the smallest change that would show', () => {
  it.each([
    ['visits', 'count', 7, 1],
    ['visits', 'count', 7, -1],
    ['visits', 'count', 3, 1],
    ['rate', 'share', 7, 1],
    ['rate', 'share', 7, -1],
  ] as const)('of %s is found in about four of five sites (%s, %d days, side %d)', { tags: 'nightly' }, (metric, kind, length, side) => {
    const sites = sampleSize({ full: 100, short: 40 });
    let found = 0;
    for (let seed = 1; seed <= sites; seed += 1) {
      const days = siteOf(seed)[metric];
      const first = DAYS - length;
      const size = detectableChange(kind, days.slice(0, first), days.slice(first), side) ?? 0;
      expect(Math.sign(size)).toBe(side);
      const changed = days.map((day, at) => (at < first ? day : { ...day, numerator: Math.round(day.numerator * (1 + size)) }));
      const baseline = { from: labelAt(first - length), to: labelAt(first - 1) };
      found += Number(
        judgePeriods({ kind, days: changed, baseline, period: { from: labelAt(first), to: labelAt(DAYS - 1) } }).verdict ===
          (side > 0 ? 'up' : 'down'),
      );
    }
    expect(found / sites).toBeGreaterThan(0.62);
    expect(found / sites).toBeLessThan(0.95);
  });

  it('takes the fewer days the larger it is, and more than 92 where it is tiny', () => {
    const { visits } = siteOf(1);
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
    const sums = Array.from({ length: DAYS }, (_, day) => {
      const events = 10 + random.poisson(10);
      return { label: labelAt(day), numerator: events * 80 * Math.exp(0.05 * random.normal()), denominator: 1, events, isWhole: true };
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
    const orders = Array.from({ length: DAYS }, (_, day) => ({
      label: labelAt(day),
      numerator: random.poisson(0.4),
      denominator: 1,
      isWhole: true,
    }));
    const [history, days] = [orders.slice(0, -7), orders.slice(-7)];
    expect(detectableChange('count', history, days, -1)).toBe(-1);
    expect(detectableChange('count', history, days, 1)).toBeGreaterThan(0.5);
  });

  it('is not known of a site that is too young', () => {
    const { visits } = siteOf(2);
    expect(detectableChange('count', visits.slice(0, 20), visits.slice(20, 27), 1)).toBeUndefined();
    expect(daysToShow('count', visits.slice(0, 20), 0.2)).toBeUndefined();
    expect(smallestAhead('count', visits.slice(0, 20))).toBeUndefined();
  });
});
