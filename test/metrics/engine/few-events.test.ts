import { expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { lookThrough } from '../../../src/metrics/engine/scan.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { sampleSize } from '../../support/sample-size.ts';
import { times } from '../../support/times.ts';
import { pointsFrom } from '../points.ts';

const FIRST = '2026-05-26';

/** What is found, as far as it may be told, in days of which the first 124 teach. */
const found = (kind: 'count' | 'share' | 'average', countOn: Parameters<typeof pointsFrom>[2], days = 138, chance = 0.01) => {
  const series = { id: 'own', kind, days: pointsFrom(FIRST, days, countOn) };
  const [looked] = lookThrough([series], dayAfter(FIRST, 124), dayAfter(FIRST, days - 1));
  return (looked?.candidates ?? []).filter(({ pValue }) => pValue < chance);
};

it('a week of thirty times the visits at the same rate is no change of a rate of one or two events a day', () => {
  const { poisson } = seeded(5);
  const countOn = (at: number): [number, number] => {
    const visits = poisson(at >= 155 && at < 162 ? 2700 : 90);
    return [poisson((visits * 1.4) / 90), visits];
  };
  const told = times(sampleSize({ full: 300, short: 60 }), () => found('share', countOn, 184, 1e-4));
  // The middle Wednesday of so few had no event, so that a usual Wednesday stood at twenty times its level: in 20 of 300.
  expect(told.flat().length).toBeLessThanOrEqual(1);
});

it('a campaign that began four days before the scan has no weekends', () => {
  const { poisson } = seeded(7);
  expect(found('count', (at) => (at >= 120 && at < 131 ? poisson(150) : 0))).toEqual([]);
});

it('a day of three orders, where nine come since a fall, is no second fall', () => {
  const { binomial } = seeded(9);
  const orders = times(138, (at) => binomial(1300, at < 117 ? 0.028 : 0.0075)).with(127, 3);
  expect(found('share', (at) => [orders[at] ?? 0, 1300]).filter(({ shape }) => shape === 'outlier')).toEqual([]);
});

it('no event on a day is no wonder where days scatter as those of five do, whose number is not known', () => {
  const { poisson } = seeded(11);
  const sums = times(138, () => (540 * 0.2 * Math.max(1, poisson(5))) / 100).with(130, 0);
  expect(found('average', (at) => [sums[at] ?? 0, 540])).toEqual([]);
});
