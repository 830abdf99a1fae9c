import { expect, it } from 'vitest';
import { lookThrough } from '../../../../src/domain/metrics/engine/scan.ts';
import { dayAfter } from '../../../../src/lib/calendar.ts';
import { seeded } from '../../../bench/verdicts/random.ts';
import { sampleSize } from '../../../support/sample-size.ts';

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
