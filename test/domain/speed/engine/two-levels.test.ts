import { expect, it } from 'vitest';
import { twoLevelsIn } from '../../../../src/domain/speed/engine/judge-series.ts';
import { DAY_MS, HOUR_MS } from '../../../../src/lib/clock.ts';
import { seeded } from '../../../bench/verdicts/random.ts';

const START_MS = Date.parse('2025-08-04T00:00:00Z');
const HOURS = 37 * 24;
const CHANGED = HOURS - 5 * 24;

/** Hourly runs around 2,000 ms; what each is multiplied with is drawn by `factor`. */
function split(seed: number, factor: (hour: number, draw: number, other: number) => number) {
  const { normal, uniform } = seeded(seed);
  const series = {
    dates: Array.from({ length: HOURS }, (_, hour) => START_MS + hour * HOUR_MS),
    values: Array.from({ length: HOURS }, (_, hour) => 2000 * Math.exp(0.08 * normal()) * factor(hour, uniform(), normal())),
  };
  return twoLevelsIn({ series, effect: { relative: 0.05, absolute: 50 } }, 'UTC');
}

it('two levels of which one is new are told apart: when, how many runs, and at which level', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const found = split(seed, (hour, draw) => (hour >= CHANGED && draw < 0.3 ? 1.5 : 1));
    expect(Math.abs((found?.fromMs ?? 0) - START_MS - CHANGED * HOUR_MS)).toBeLessThan(DAY_MS);
    expect(Math.abs((found?.share ?? 0) - 0.3)).toBeLessThan(0.12);
    expect(Math.abs((found?.relative ?? 0) - 0.5)).toBeLessThan(0.06);
  }
});

it('two levels are none where all runs scatter more widely than before', () => {
  const found = Array.from({ length: 40 }, (_, seed) =>
    split(seed, (hour, _draw, other) => (hour >= CHANGED ? Math.exp(0.13 * other) : 1)),
  );
  // One in twenty such samples looks like two levels on one side by chance.
  expect(found.filter(Boolean).length).toBeLessThanOrEqual(2);
});

it('two levels are none where all runs moved, where one day did, or where nothing happened', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    expect(split(seed, (hour) => (hour >= CHANGED ? 1.3 : 1))).toBeUndefined();
    expect(split(seed, (hour) => (hour >= CHANGED && hour < CHANGED + 24 ? 1.5 : 1))).toBeUndefined();
    expect(split(seed, () => 1)).toBeUndefined();
  }
});
