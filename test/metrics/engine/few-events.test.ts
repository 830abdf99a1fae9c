import { expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { lookThrough } from '../../../src/metrics/engine/scan.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { sampleSize } from '../../support/sample-size.ts';

it('a week of thirty times the visits at the same rate is no change of a rate of one or two events a day', () => {
  const { poisson } = seeded(5);
  const days = (index: number) => {
    const visits = poisson(index >= 155 && index < 162 ? 2700 : 90);
    return { label: dayAfter('2026-05-26', index), numerator: poisson((visits * 1.4) / 90), denominator: visits, isWhole: true };
  };
  const told = Array.from({ length: sampleSize({ full: 300, short: 60 }) }, () => {
    const own = Array.from({ length: 184 }, (_, index) => days(index));
    const [looked] = lookThrough([{ id: 'rate', kind: 'share', days: own }], dayAfter('2026-05-26', 124), dayAfter('2026-05-26', 183));
    return looked?.candidates.filter(({ pValue }) => pValue < 1e-4) ?? [];
  });
  // The middle Wednesday of so few had no event, so that a usual Wednesday stood at twenty times its level: in 20 of 300.
  expect(told.flat().length).toBeLessThanOrEqual(1);
});

/** Days of which the first 124 teach, with these counts behind them. */
const scanned = (kind: 'count' | 'share' | 'average', numeratorOn: (at: number) => number, denominator = 1) => {
  const days = Array.from({ length: 138 }, (_, at) => ({
    label: dayAfter('2026-05-26', at),
    numerator: numeratorOn(at),
    denominator,
    isWhole: true,
  }));
  return lookThrough([{ id: 'own', kind, days }], dayAfter('2026-05-26', 124), dayAfter('2026-05-26', 137))[0]?.candidates ?? [];
};

it('a campaign that began four days before the scan has no weekends', () => {
  const { poisson } = seeded(7);
  const isOn = (at: number) => at >= 120 && at < 131;
  const days = Array.from({ length: 138 }, (_, at) => (isOn(at) ? poisson(150) : 0));
  expect(scanned('count', (at) => days[at] ?? 0).filter(({ pValue }) => pValue < 0.01)).toEqual([]);
});

it('a day of three orders, where nine come since a fall, is no second fall', () => {
  const { binomial } = seeded(9);
  const days = Array.from({ length: 138 }, (_, at) => binomial(1300, at < 117 ? 0.028 : 0.0075));
  const found = scanned('share', (at) => (at === 127 ? 3 : (days[at] ?? 0)), 1300).filter(({ pValue }) => pValue < 0.01);
  expect(found.filter(({ shape }) => shape === 'outlier')).toEqual([]);
});

it('no event on a day is no wonder where days scatter as those of five do, whose number is not known', () => {
  const { poisson } = seeded(11);
  const days = Array.from({ length: 138 }, () => (0.2 * Math.max(1, poisson(5))) / 100);
  expect(scanned('average', (at) => (at === 130 ? 0 : 540 * (days[at] ?? 0)), 540).filter(({ pValue }) => pValue < 0.01)).toEqual([]);
});
