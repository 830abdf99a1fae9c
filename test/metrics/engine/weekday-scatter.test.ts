import { expect, it } from 'vitest';
import { scatterOfWeekdays } from '../../../src/metrics/engine/weekday-scatter.ts';
import { seeded } from '../../bench/verdicts/random.ts';

const SATURDAY = 6;

/** Residuals of some weeks, those of Sunday and Saturday this many times as wide. */
function weeksOf(weeks: number, weekend: number, seed: number) {
  const { normal } = seeded(seed);
  const weekdays = Uint8Array.from({ length: 7 * weeks }, (_, day) => day % 7);
  return { weekdays, residuals: Float64Array.from(weekdays, (weekday) => normal() * (weekday % SATURDAY === 0 ? weekend : 1)) };
}

const scatterOf = (weeks: number, weekend: number, seed: number) => {
  const { residuals, weekdays } = weeksOf(weeks, weekend, seed);
  return scatterOfWeekdays(residuals, weekdays);
};

it('the scatter of weekdays is that of each where weekends are much wider', () => {
  const all = Array.from({ length: 20 }, (_, seed) => scatterOf(24, 4, seed));
  const mean = (weekday: number) => all.reduce((sum, factors) => sum + (factors[weekday] ?? 0), 0) / all.length;
  expect(mean(0)).toBeGreaterThan(10);
  expect(mean(SATURDAY)).toBeGreaterThan(10);
  expect(Math.max(mean(1), mean(2), mean(3), mean(4), mean(5))).toBeLessThan(1.5);
});

it('the scatter of weekdays is nearly one where weekdays scatter alike, whatever chance makes of them', () => {
  const largest = Array.from({ length: 50 }, (_, seed) => Math.max(...scatterOf(24, 1, seed))).toSorted((a, b) => a - b);
  expect(largest[25]).toBeLessThan(1.15);
  expect(largest.at(-1)).toBeLessThan(2.5);
});

it('the scatter of weekdays is one with too few weeks', () => {
  expect(scatterOf(5, 4, 1)).toEqual([1, 1, 1, 1, 1, 1, 1]);
});
