import { describe, expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { costOnDays, totalsOf } from '../../../src/metrics/change-cost.ts';
import { atTheirPlaces, changesBefore, changesFrom, notOver } from '../../../src/metrics/expected/expected-changes.ts';
import type { ExpectedInput, FoundChange } from '../../../src/metrics/expected/expected-lines.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { times } from '../../support/times.ts';
import { NOTHING_KNOWN, rowOn } from '../points.ts';

const FIRST = '2026-07-01';
const DAYS = 140;

/** Days of a site whose rate is another from one day to the next; orders and revenue follow, and visits on some days make up for it. */
function input(metrics: readonly string[], { from, to = DAYS, factor }: { from: number; to?: number; factor: number }): ExpectedInput {
  const random = seeded(11);
  const days = times(DAYS, (at) => {
    const label = dayAfter(FIRST, at);
    const visits = random.poisson(5_000);
    const conversionCount = random.binomial(visits, 0.04 * (at >= from && at < to ? factor : 1));
    const values = { visits, conversionCount, conversionRate: (100 * conversionCount) / visits, revenueSum: 80 * conversionCount };
    return rowOn(label, values);
  });
  return { query: { metrics, bases: [] }, lines: [], days, known: NOTHING_KNOWN, timeZone: 'UTC' } as never;
}

/** The same with so many times the amounts of some metrics from one day on. */
function risenFrom(asked: ExpectedInput, from: number, factors: Readonly<Record<string, number>>): ExpectedInput {
  const days = asked.days.map((row, at) => {
    const more = Object.entries(factors).map(([metric, factor]) => [metric, factor * (row.values[metric] ?? 0)]);
    return at < from ? row : { ...row, values: { ...row.values, ...Object.fromEntries(more) } };
  });
  return { ...asked, days };
}

const day = (at: number) => dayAfter(FIRST, at);
const daysOf = (found: readonly FoundChange[]) => found.map(({ change: { from, to } }) => [from, to]);

/** What the first change costs up to a day. */
const costOf = ([own]: readonly FoundChange[], last: string) =>
  own && costOnDays(own.metric, totalsOf(own.reading.known), own.change, last);

describe('changes around the rows of an expectation', () => {
  it('that began shortly before the first row and go on are told apart from those among the rows', () => {
    const fall = input(['conversionRate'], { from: 120, factor: 0.6 });
    const before = changesBefore(fall, day(126));
    expect(changesFrom(fall, day(126))).toEqual([]);
    expect(before.map(({ change }) => change.from)).toEqual([day(120)]);
    expect(changesFrom(fall, day(110))).toMatchObject([{ change: { from: day(120) } }]);
    expect(changesBefore(fall, day(110))).toEqual([]);
  });

  it('that have ended before the rows have their last day, and are no level of theirs', () => {
    const ended = changesBefore(input(['conversionRate'], { from: 100, to: 112, factor: 0.6 }), day(126));
    expect(daysOf(ended)).toEqual([[day(100), day(111)]]);
    expect([notOver(ended, day(126)), notOver(ended, day(111))]).toEqual([[], ended]);
  });

  it('that only the last row showed are of that day alone where the days after it are known', () => {
    const told = (to: number) => {
      const whole = input(['conversionRate'], { from: 120, to, factor: 0.5 });
      const asked = { ...whole, days: whole.days.slice(0, 121) };
      const among = changesFrom(asked, day(120));
      expect(daysOf(among)).toEqual([[day(120), undefined]]);
      return { among, later: changesFrom(whole, day(120), day(120)) };
    };
    const alone = told(121);
    expect(daysOf(alone.later)).toEqual([[day(120), day(120)]]);
    const [later, among] = [alone.later, alone.among].map((found) => costOf(found, day(120))?.value ?? 0);
    expect((later ?? 0) / (among ?? 1)).toBeCloseTo(1, 1);
    expect(daysOf(told(127).later)).toEqual([[day(120), day(126)]]);
    const lasting = told(DAYS).later;
    expect(daysOf(lasting)).toEqual([[day(120), undefined]]);
    // Up to the last row that was asked for, half of 200 orders of 80 a day, whatever is known of the days behind it.
    for (const days of [10, DAYS - 120]) {
      const value = costOf(lasting, day(119 + days))?.value;
      expect(value).toBeLessThan(-0.85 * 8_000 * days);
      expect(value).toBeGreaterThan(-1.15 * 8_000 * days);
    }
  });

  it('are told of the factor alone where a product changed with it', () => {
    const among = changesFrom(input(['conversionRate', 'revenueSum'], { from: 120, factor: 0.6 }), day(110));
    expect(among.map(({ metric }) => metric)).toEqual(['conversionRate']);
    expect(costOf(among, day(DAYS))).toMatchObject({ metric: 'revenueSum' });
  });

  it('have the days of the factor where the product alone is asked for, which a few good days do not end', () => {
    const fall = input(['revenueSum'], { from: 120, factor: 0.8 });
    // Large orders on the last five days, so that the amount alone is back.
    const among = changesFrom(risenFrom(fall, DAYS - 5, { revenueSum: 1.3 }), day(110));
    expect(among.map(({ metric, change: { from, to } }) => [metric, from, to])).toEqual([['conversionRate', day(120), undefined]]);
    expect(among[0]?.change.relative).toBeCloseTo(-0.2, 1);
    expect(costOf(among, day(DAYS))?.metric).toBe('revenueSum');
  });

  it('are told of the factor where others made up for it, so that the product did not move', () => {
    const fall = input(['revenueSum'], { from: 120, factor: 0.6 });
    const told = changesFrom(risenFrom(fall, 120, { visits: 1 / 0.6, revenueSum: 1 / 0.6 }), day(110)).map(
      ({ metric, change: { from } }) => [metric, from],
    );
    expect(told).toContainEqual(['conversionRate', day(120)]);
  });

  it('are none where a product rose and none of its factors did', () => {
    const calm = input(['revenueSum'], { from: DAYS, factor: 1 });
    // Larger orders that are counted in no basket of these days.
    const { days } = risenFrom(calm, 110, { revenueSum: 1.4 });
    const sold = days.map((row, at) => (at < 110 ? row : { ...row, values: { ...row.values, cartAverage: 80 } }));
    expect(changesFrom({ ...calm, days: sold }, day(100))).toEqual([]);
  });
});

describe('a single day', () => {
  /** The visits of a site and of its two devices, of which one has so many times its visits on a day, and the other so many. */
  function risenOn(at: number, mobile: number, desktop: number) {
    const random = seeded(12);
    const days = times(DAYS, (own) => {
      const [first, second] = [mobile, desktop].map((factor) => random.poisson(3_000 * (own === at ? factor : 1)));
      const visits = { all: (first ?? 0) + (second ?? 0), mobile: first ?? 0, desktop: second ?? 0 };
      return (['all', 'mobile', 'desktop'] as const).map((device) => rowOn(day(own), { visits: visits[device] }, { device }));
    }).flat();
    const ofAll = days.filter(({ selection }) => selection.device === 'all');
    const asked = { query: { metrics: ['visits'], bases: [] }, lines: [], days: ofAll, known: NOTHING_KNOWN, timeZone: 'UTC' } as never;
    return atTheirPlaces(changesFrom(asked, day(110)), days, NOTHING_KNOWN as never).map(({ reading: { device }, change }) => ({
      device,
      day: change.from,
      size: Number(change.relative.toFixed(1)),
    }));
  }

  it('is told of the device that made it, by its size there', () => {
    expect(risenOn(130, 1.6, 1)).toEqual([{ device: 'mobile', day: day(130), size: 0.6 }]);
  });

  it('is told of all visits where the devices moved alike, or one of them only somewhat more', () => {
    expect(risenOn(130, 1.4, 1.4)).toEqual([{ device: 'all', day: day(130), size: 0.4 }]);
    expect(risenOn(130, 1.45, 1.35)).toEqual([{ device: 'all', day: day(130), size: 0.4 }]);
  });
});
