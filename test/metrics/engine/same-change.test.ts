import { expect, it } from 'vitest';
import { lookThrough } from '../../../src/metrics/engine/scan.ts';
import type { Planted } from '../../bench/verdicts/metrics/world.ts';
import { fourWeeks, HISTORY, labelOf } from './four-weeks.ts';

const draw = (planted: readonly Planted[]) => fourWeeks(planted, 4);

it('few events that stay away for a day are no change', () => {
  const world = draw([]);
  const days = (quiet: number) =>
    world.labels.map((day, at) => ({
      label: day,
      numerator: at === HISTORY + 9 ? quiet : 6 + ((at * 5) % 7),
      denominator: 1,
      isWhole: true,
    }));
  const found = (quiet: number) =>
    lookThrough([{ id: 'few', kind: 'count', days: days(quiet) }], labelOf(world, 0), labelOf(world, 27))[0]?.candidates ?? [];
  // Poisson with a mean of nine: none in one of 8,000 days, 28 of which are looked at.
  expect(found(0).every(({ pValue }) => pValue > 1e-3)).toBe(true);
  expect(found(60)[0]?.pValue).toBeLessThan(1e-4);
});

it('few events that take their money with them are no change of revenue either', () => {
  const world = draw([]);
  const orders = (at: number) => (at === HISTORY + 9 ? 0 : 6 + ((at * 5) % 7));
  const days = world.labels.map((day, at) => {
    const events = orders(at);
    return { label: day, numerator: events * (70 + ((at * 11) % 23)), events, denominator: 1, isWhole: true };
  });
  const [looked] = lookThrough([{ id: 'money', kind: 'amount', days }], labelOf(world, 0), labelOf(world, 27));
  expect(looked?.candidates.filter(({ pValue }) => pValue < 1e-3)).toEqual([]);
});
