import { mean } from 'simple-statistics';
import { expect, it } from 'vitest';
import { scatterOfWeekdays } from '../../../src/metrics/engine/weekday-scatter.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { times } from '../../support/times.ts';

const SATURDAY = 6;

/** The scatter over some weeks in which Sunday and Saturday are this many times as wide as the others. */
function scatterOf(weeks: number, weekend: number, seed: number) {
  const { normal } = seeded(seed);
  const weekdays = Uint8Array.from({ length: 7 * weeks }, (_, day) => day % 7);
  const residuals = Float64Array.from(weekdays, (weekday) => normal() * (weekday % SATURDAY === 0 ? weekend : 1));
  return scatterOfWeekdays(residuals, weekdays);
}

it('the scatter of weekdays is that of each where weekends are much wider', () => {
  const all = times(20, (seed) => scatterOf(24, 4, seed));
  const usual = times(7, (weekday) => mean(all.map((factors) => factors[weekday] ?? 0)));
  expect(Math.min(usual[0] ?? 0, usual[SATURDAY] ?? 0)).toBeGreaterThan(10);
  expect(Math.max(...usual.slice(1, SATURDAY))).toBeLessThan(1.5);
});

it('the scatter of weekdays is nearly one where weekdays scatter alike, whatever chance makes of them', () => {
  const largest = times(50, (seed) => Math.max(...scatterOf(24, 1, seed))).toSorted((a, b) => a - b);
  expect(largest[25]).toBeLessThan(1.15);
  expect(largest.at(-1)).toBeLessThan(2.5);
});

it('the scatter of weekdays is one with too few weeks', () => {
  expect(scatterOf(5, 4, 1)).toEqual([1, 1, 1, 1, 1, 1, 1]);
});
