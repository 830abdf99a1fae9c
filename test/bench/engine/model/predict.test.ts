import { describe, expect, it } from 'vitest';
import { seeded } from '../../verdicts/random.ts';
import { study } from './model.ts';
import { detectableChange, effectOnDays, expectationsOf, prediction } from './predict.ts';
import { type DayValue, relativeOf, scaleDays } from './scale.ts';
import type { Quest } from './search.ts';

const DAY_MS = 86_400_000;
const [LEARNED, AHEAD] = [112, 28];
const labelOf = (day: number) => new Date(Date.parse('2026-01-05') + day * DAY_MS).toISOString().slice(0, 10);

function daysOf(seed: number, factorAt: (day: number) => number = () => 1): DayValue[] {
  const { normal, poisson } = seeded(seed);
  return Array.from({ length: LEARNED + AHEAD }, (_, day) => {
    const mean = 900 * (day % 7 > 4 ? 0.7 : 1) * Math.exp(0.05 * normal()) * factorAt(day);
    return { label: labelOf(day), numerator: poisson(mean), denominator: 1, isWhole: true };
  });
}

const HISTORY: readonly Quest[] = (['step', 'bump', 'point'] as const).map((shape) => ({
  shape,
  from: 7,
  to: LEARNED,
  level: 0.002,
  longest: 35,
}));

function expectedOf(days: readonly DayValue[], places: readonly (readonly number[])[]) {
  const scale = scaleDays(days, 'count', labelOf(LEARNED));
  const found = scale && study(scale, HISTORY);
  if (!found) throw new Error('There are too few days.');
  const rows = places.map((own) => ({ places: own, numerator: own.reduce((sum, at) => sum + (days[at]?.numerator ?? 0), 0), trials: 1 }));
  const own = prediction(found);
  return { own, rows, expected: expectationsOf(own, rows), found, scale };
}

describe('what is expected of days', () => {
  it('holds days and weeks in about 95 of 100 cases', () => {
    let [inside, all] = [0, 0];
    for (let seed = 100; seed < 140; seed += 1) {
      const days = Array.from({ length: AHEAD }, (_, at) => [LEARNED + at]);
      const weeks = Array.from({ length: 4 }, (_, week) => Array.from({ length: 7 }, (_day, at) => LEARNED + 7 * week + at));
      const { expected, rows } = expectedOf(daysOf(seed), [...days, ...weeks]);
      for (const [at, { low, high }] of expected.entries()) {
        all += 1;
        inside += Number((rows[at]?.numerator ?? 0) >= low && (rows[at]?.numerator ?? 0) <= high);
      }
    }
    expect(inside / all).toBeGreaterThan(0.92);
    expect(inside / all).toBeLessThan(0.98);
  });

  it('goes on with a level that lasts, and not with one of two days', () => {
    const level = (since: number) =>
      expectedOf(
        daysOf(7, (day) => (day >= since && day < LEARNED ? 0.5 : 1)),
        [[LEARNED + 2]],
      ).expected[0]?.expected ?? 0;
    expect(level(LEARNED - 40) / level(LEARNED)).toBeCloseTo(0.5, 1);
    expect(level(LEARNED - 2) / level(LEARNED)).toBeCloseTo(1, 1);
  });

  it('calls a day at half of the usual far off, and says what would show', () => {
    const { expected, own } = expectedOf(
      daysOf(8, (day) => (day === LEARNED ? 0.5 : 1)),
      [[LEARNED], [LEARNED + 1]],
    );
    expect(expected[0]?.score).toBeLessThan(-5);
    expect(Math.abs(expected[1]?.score ?? 9)).toBeLessThan(3.5);
    expect(detectableChange(own, 7, 1, 3, 0.015)).toBeLessThan(detectableChange(own, 1, 1, 3, 0.015));
    expect(detectableChange(own, 7, -1, 3, 0.015)).toBeGreaterThan(-0.3);
    expect(detectableChange(own, 7, -1, 3, 0.015)).toBeLessThan(-0.03);
  });

  it('gives what a change cost, within its bounds as a rule', () => {
    let inside = 0;
    for (let seed = 20; seed < 40; seed += 1) {
      const days = daysOf(seed, (day) => (day >= 90 && day < 100 ? 0.6 : 1));
      const { found } = expectedOf(days, []);
      const change = found.changes.find(({ from, to }) => from <= 92 && to >= 98);
      if (!change) throw new Error('The fall was not found.');
      const numerators = days.map(({ numerator }) => numerator);
      const [cost, most, least] = effectOnDays(found.model, change, numerators);
      const counted = numerators.slice(change.from, change.to).reduce((sum, numerator) => sum + numerator, 0);
      expect(cost).toBeCloseTo(counted * (1 - 1 / (1 + relativeOf(found.model.scale, change.effect))), 6);
      inside += Number(most < counted - counted / 0.6 && least > counted - counted / 0.6);
    }
    expect(inside).toBeGreaterThanOrEqual(17);
  });
});
