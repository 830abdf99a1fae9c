import { expect, it } from 'vitest';
import { lookThrough } from '../../../src/metrics/engine/scan.ts';
import { pointsFrom, scaled } from '../points.ts';
import { fourWeeks, HISTORY, labelOf } from './four-weeks.ts';

/** What is found where so many orders came on each day, of so much money where that is looked at, and some others on one of them. */
const found = (quiet: number, kind: 'count' | 'amount' = 'count') => {
  const world = fourWeeks([], 4);
  const days = pointsFrom(world.labels[0] ?? '', world.labels.length, (at) => (at === HISTORY + 9 ? quiet : 6 + ((at * 5) % 7)));
  const sold = scaled(days, (at) => 70 + ((at * 11) % 23)).map((day, at) => ({ ...day, events: days[at]?.numerator ?? 0 }));
  const series = { id: 'few', kind, days: kind === 'count' ? days : sold };
  return lookThrough([series], labelOf(world, 0), labelOf(world, 27))[0]?.candidates ?? [];
};

it('few events that stay away for a day are no change', () => {
  // Poisson with a mean of nine: none in one of 8,000 days, 28 of which are looked at.
  expect(found(0).every(({ pValue }) => pValue > 1e-3)).toBe(true);
  expect(found(60)[0]?.pValue).toBeLessThan(1e-4);
});

it('few events that take their money with them are no change of revenue either', () => {
  expect(found(0, 'amount').filter(({ pValue }) => pValue < 1e-3)).toEqual([]);
});
