import { expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { judgePeriods } from '../../../src/metrics/engine/judge.ts';
import { sampleSize } from '../../support/sample-size.ts';
import { countsFrom, isWeekend, shareOf } from '../points.ts';

const DAYS = 170;
const FIRST = '2026-04-14';
const labelAt = (day: number) => dayAfter(FIRST, day);

/** Visits that rise by `payDays` from the 26th to the 3rd and fall by half as much on other days; the last ones are 30 September 2026. */
const daysOf = (payDays: number, seed: number) =>
  countsFrom(FIRST, DAYS, seed, 0.04, (label) => {
    const date = Number(label.slice(8));
    return 20_000 * (date >= 26 || date <= 3 ? 1 + payDays : 1 - payDays / 2) * (isWeekend(label) ? 0.8 : 1);
  });

it('the course of a month is taken out of a comparison over the first pay days', () => {
  const verdictOf = (seed: number) =>
    judgePeriods({
      kind: 'count',
      days: daysOf(0.15, seed),
      baseline: { from: labelAt(DAYS - 14), to: labelAt(DAYS - 8) },
      period: { from: labelAt(DAYS - 7), to: labelAt(DAYS - 1) },
    }).verdict;
  expect(shareOf(sampleSize({ full: 60, short: 20 }), (seed) => verdictOf(seed) !== 'within noise')).toBeLessThanOrEqual(0.15);
});
