import { describe, expect, it } from 'vitest';
import { seeded } from '../../verdicts/random.ts';
import { effectsOfEarlierYears } from './calendar.ts';
import { study } from './model.ts';
import { type DayValue, relativeOf, type SpecialEffect, scaleDays } from './scale.ts';
import type { Quest } from './search.ts';

const DAY_MS = 86_400_000;
/** The days from a Monday in October to Black Friday 2025. */
const [FIRST, DAYS] = [Date.parse('2025-08-11'), 110];
const labelOf = (day: number) => new Date(FIRST + day * DAY_MS).toISOString().slice(0, 10);
/** From Monday of the week of Black Friday on. */
const SPECIAL = 105;

function daysOf(seed: number, factorAt: (day: number) => number, special?: SpecialEffect): DayValue[] {
  const { normal, poisson } = seeded(seed);
  return Array.from({ length: DAYS }, (_, day) => {
    const numerator = poisson(20_000 * (day % 7 > 4 ? 0.8 : 1) * Math.exp(0.04 * normal()) * factorAt(day));
    return { label: labelOf(day), numerator, denominator: 1, isWhole: true, ...(day >= SPECIAL && { special }) };
  });
}

const QUESTS: readonly Quest[] = [
  { shape: 'step', from: SPECIAL - 2, to: DAYS, level: 0.01 },
  { shape: 'bump', from: SPECIAL - 2, to: DAYS, level: 0.001 },
];

/** The relative size of the change that is found, undefined without one. */
function sizeOf(days: readonly DayValue[]): number | undefined {
  const scale = scaleDays(days, 'count', labelOf(SPECIAL - 2));
  const [change] = (scale && study(scale, QUESTS)?.changes) ?? [];
  return scale && change && relativeOf(scale, change.effect);
}

describe('special days', () => {
  const unknown: SpecialEffect = { mean: 0, sd: 0.5, side: 1 };

  it('of which no earlier year is known hide no fall, and show no rise', () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const fall = sizeOf(daysOf(seed, (day) => (day >= SPECIAL ? 0.8 : 1), unknown));
      expect(fall).toBeGreaterThan(-0.27);
      expect(fall).toBeLessThan(-0.13);
      expect(sizeOf(daysOf(seed, (day) => (day >= SPECIAL ? 1.3 : 1), unknown))).toBeUndefined();
      expect(sizeOf(daysOf(seed, () => 1, unknown))).toBeUndefined();
    }
  });

  it('do what they did in earlier years, or nothing', () => {
    const keyOf = (label: string) => (label.endsWith('-11-28') || label.endsWith('-11-27') ? label.slice(5) : undefined);
    const year = (factor: number) => {
      const { normal } = seeded(4);
      return Array.from({ length: 100 }, (_, day) => {
        const label = new Date(Date.parse('2024-10-01') + day * DAY_MS).toISOString().slice(0, 10);
        return { label, numerator: 1e6 * Math.exp(0.03 * normal()) * (keyOf(label) ? factor : 1), denominator: 1, isWhole: true };
      });
    };
    const moved = effectsOfEarlierYears(year(2), keyOf).get('11-28');
    expect(moved?.mean).toBeCloseTo(Math.log(2), 0);
    expect(moved?.sd).toBeGreaterThan(0.1);
    const calm = effectsOfEarlierYears(year(1), keyOf).get('11-28');
    expect(Math.abs(calm?.mean ?? 1)).toBeLessThan(0.03);
    expect(calm?.sd).toBeLessThan(0.04);
    expect(effectsOfEarlierYears([], keyOf).size).toBe(0);
  });
});
