import { mean } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { expectationsOf, verdictsOf } from '../../../src/metrics/engine/expectation.ts';
import type { DailyPoint } from '../../../src/metrics/engine/series.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { times } from '../../support/times.ts';
import { pointsFrom, scaled } from '../points.ts';

const FIRST = '2026-01-05';

interface Site {
  readonly days: number;
  readonly visits: number;
  /** From this day on, so many times as many. */
  readonly step?: readonly [day: number, factor: number];
}

/** Days with weekends of 0.7, shocks of 5 % that carry over by 0.3, and Poisson counts. */
function daysOf({ days, visits, step = [days, 1] }: Site, seed: number): DailyPoint[] {
  const random = seeded(seed);
  let shock = random.normal();
  return pointsFrom(FIRST, days, (day) => {
    shock = 0.3 * shock + Math.sqrt(1 - 0.09) * random.normal();
    const usual = visits * (day % 7 > 4 ? 0.7 : 1) * (day >= step[0] ? step[1] : 1);
    return random.poisson(usual * Math.exp(0.05 * shock));
  });
}

const rowsOf = (days: readonly DailyPoint[], length: number) =>
  times(days.length / length, (row) => ({ days: days.slice(row * length, (row + 1) * length) }));

/** What was expected of the last week of 184 days over what was counted, after some change of the days before it. */
function expectedOf(days: readonly DailyPoint[], factorAt: (at: number) => number = () => 1) {
  const past = scaled(days.slice(0, 177), factorAt);
  const expected = expectationsOf('count', past, rowsOf(days.slice(177), 7))?.rows[0]?.expected ?? 0;
  return expected / days.slice(177).reduce((sum, { numerator }) => sum + numerator, 0);
}

/** Days of which only some in a row have anything, as those of a campaign. */
function campaign(seed: number): DailyPoint[] {
  const { integer, poisson } = seeded(seed);
  const [from, length, level] = [integer(0, 180), integer(1, 60), [0.2, 20, 500][seed % 3] ?? 1];
  return pointsFrom(FIRST, 212, (at) => (at >= from && at < from + length ? poisson(level) : 0));
}

describe('bounds at 95 %', () => {
  it.each(['count', 'amount'] as const)('are numbers, or unknown, wherever all that was counted began and ended: %s', (kind) => {
    const values = times(60, campaign).flatMap((days) => {
      const { rows = [] } = expectationsOf(kind, days.slice(0, 184), rowsOf(days.slice(184), 14)) ?? {};
      return rows.flatMap(({ expected, low, high }) => [expected, low, high]);
    });
    expect(values.length).toBeGreaterThan(20);
    expect(values.filter((value) => !Number.isFinite(value))).toEqual([]);
  });

  it('are unknown of what has been over for weeks', () => {
    const over = daysOf({ days: 184, visits: 500, step: [140, 0] }, 4);
    expect(expectationsOf('count', over.slice(0, 177), rowsOf(over.slice(177), 7))).toBeUndefined();
  });

  it('lie around the level that the last days have, after a step that goes on', () => {
    expect(1 / expectedOf(daysOf({ days: 184, visits: 2_000, step: [130, 0.6] }, 3))).toBeCloseTo(1, 1);
  });

  it('lie around a level that something else shows to have begun, where the days alone scatter too much to show it', () => {
    const ratios = times(20, (seed) => {
      const { normal } = seeded(seed + 1);
      const days = daysOf({ days: 150, visits: 2_000, step: [130, 0.75] }, seed + 1).map((day) => ({
        ...day,
        numerator: day.numerator * Math.exp(0.3 * normal()),
      }));
      const [past, later] = [days.slice(0, 143), rowsOf(days.slice(143), 7)];
      const of = (steps: readonly string[]) => expectationsOf('amount', past, later, { steps })?.rows[0]?.expected ?? 0;
      const level = 0.75 * 2_000 * (5 + 2 * 0.7) * Math.exp(0.3 ** 2 / 2);
      return { known: of([dayAfter(FIRST, 130)]) / level, alone: of([]) / level };
    });
    const meanOf = (side: 'known' | 'alone') => mean(ratios.map((each) => each[side]));
    expect(Math.abs(meanOf('known') - 1)).toBeLessThan(0.05);
    expect(meanOf('alone')).toBeGreaterThan(1.08);
  });

  it('do not go on with a single day that stands out at the end of what is known', () => {
    expect(expectedOf(daysOf({ days: 184, visits: 2_000 }, 8), (at) => (at === 176 ? 0.4 : 1))).toBeGreaterThan(0.85);
  });

  it('do not go on with a single high day behind days of a dip', () => {
    const factorAt = (at: number) => (at === 176 ? 1.45 : at >= 164 && at < 176 ? 0.6 : 1);
    expect(expectedOf(daysOf({ days: 184, visits: 2_000 }, 8), factorAt)).toBeLessThan(1.1);
  });

  it('are of later days alone: what was counted on them changes none', () => {
    const days = daysOf({ days: 100, visits: 2_000 }, 4);
    const later = days.slice(93);
    const [own, halved] = [1, 0.5].map((factor) =>
      expectationsOf(
        'count',
        days.slice(0, 93),
        rowsOf(
          scaled(later, () => factor),
          1,
        ),
      ),
    );
    const bounds = (found: typeof own) => found?.rows.map(({ expected, low, high }) => [expected, low, high]);
    expect(bounds(halved)).toEqual(bounds(own));
    expect(verdictsOf(halved?.rows ?? [])).toEqual(Array(7).fill('low'));
  });

  it('are wider the further ahead', () => {
    const days = daysOf({ days: 184, visits: 5_000 }, 5);
    const found = expectationsOf('count', days.slice(0, 156), rowsOf(days.slice(156), 7));
    const widths = (found?.rows ?? []).map(({ low, high, expected }) => (high - low) / expected);
    expect(widths).toEqual(widths.toSorted((a, b) => a - b));
  });

  it('of rates are those of the trials that are expected, with or without a count', () => {
    const random = seeded(6);
    const days = pointsFrom(FIRST, 120, () => [random.binomial(2_000, 0.03), 2_000]);
    const { numerator: _counted, ...ahead } = days[119] ?? { label: '', denominator: 1, isWhole: true, numerator: 0 };
    const [row] = expectationsOf('share', days.slice(0, 119), [{ days: [ahead] }])?.rows ?? [];
    expect(row?.expected).toBeCloseTo(0.03, 2);
    expect((row?.high ?? 0) - (row?.low ?? 0)).toBeGreaterThan(3 * Math.sqrt((0.03 * 0.97) / 2_000));
  });

  it('are not given where fewer than three weeks are known', () => {
    const days = daysOf({ days: 27, visits: 5_000 }, 7);
    expect(expectationsOf('count', days.slice(0, 20), rowsOf(days.slice(20), 7))).toBeUndefined();
  });
});

it('a day of revenue is the less high the more easily one very large order makes it so', () => {
  const orders = daysOf({ days: 184, visits: 60 }, 4);
  const scoreOf = (large: number, isKnown: boolean) => {
    const days = orders.map((day, at) => {
      const last = at === orders.length - 1 ? large : 0;
      return { ...day, numerator: 80 * day.numerator + last, ...(isKnown && { events: day.numerator }) };
    });
    return expectationsOf('amount', days.slice(0, -1), [{ days: days.slice(-1) }])?.rows[0]?.score ?? 0;
  };
  expect(scoreOf(3_000, true)).toBeLessThan(0.9 * scoreOf(3_000, false));
  expect(scoreOf(30_000, true)).toBeGreaterThan(3);
  expect(scoreOf(0, true)).toBe(scoreOf(0, false));
});
