import { describe, expect, it } from 'vitest';
import { seeded } from '../../verdicts/random.ts';
import { extended, judgedFrom, learn, study } from './model.ts';
import { type DayValue, relativeOf, scaleDays } from './scale.ts';
import type { Quest } from './search.ts';
import { differenceOf } from './windows.ts';

const DAY_MS = 86_400_000;
const [DAYS, JUDGED] = [140, 112];

const labelOf = (day: number) => new Date(Date.parse('2026-01-05') + day * DAY_MS).toISOString().slice(0, 10);

/** Days of a site whose level is multiplied on some of them. */
function daysOf(factorAt: (day: number) => number, seed = 3, shift = 0): DayValue[] {
  const { normal, poisson } = seeded(seed);
  return Array.from({ length: DAYS }, (_, day) => {
    const mean = 4_000 * (day % 7 > 4 ? 0.8 : 1) * Math.exp(0.04 * normal()) * factorAt(day);
    return { label: labelOf(day + shift), numerator: poisson(mean), denominator: 1, isWhole: true };
  });
}

const QUESTS: readonly Quest[] = (['step', 'bump', 'point'] as const).flatMap((shape) => [
  { shape, from: 7, to: JUDGED, level: 0.0002, longest: 35 },
  { shape, from: JUDGED, to: DAYS, level: 0.004 },
]);

function studied(days: readonly DayValue[], kind: 'count' | 'amount' = 'count', from = labelOf(JUDGED)) {
  const scale = scaleDays(days, kind, from);
  const found = scale && study(scale, QUESTS);
  if (!found) throw new Error('There are too few days.');
  return found;
}

const spansOf = (found: ReturnType<typeof studied>) => found.changes.map(({ shape, from, to }) => ({ shape, from, to }));

describe('a model of days', () => {
  it('finds a fall on its day with its size, and nothing where nothing happened', () => {
    expect(studied(daysOf(() => 1)).changes).toEqual([]);
    const { changes, model } = studied(daysOf((day) => (day >= 130 ? 0.8 : 1)));
    expect(changes).toMatchObject([{ shape: 'step', from: 130, to: DAYS }]);
    const { effect = 0, error = 0 } = changes[0] ?? {};
    expect(relativeOf(model.scale, effect - 2 * error)).toBeLessThan(-0.2);
    expect(relativeOf(model.scale, effect + 2 * error)).toBeGreaterThan(-0.2);
  });

  it('finds a rise and its fall alike, and an old step hides no new one', () => {
    expect(spansOf(studied(daysOf((day) => (day >= 118 && day < 128 ? 1.3 : 1))))).toEqual([{ shape: 'bump', from: 118, to: 128 }]);
    const both = spansOf(studied(daysOf((day) => (day >= 70 ? 0.6 : 1) * (day >= 133 ? 0.85 : 1))));
    expect(both).toEqual([
      { shape: 'step', from: 70, to: DAYS },
      { shape: 'step', from: 133, to: DAYS },
    ]);
  });

  it('says the same of amounts in another unit, of days in another order, and of the same weekdays weeks later', () => {
    const days = daysOf((day) => (day >= 125 ? 1.25 : 1));
    const cents = days.map((day) => ({ ...day, numerator: day.numerator * 100 }));
    const [own, other] = [studied(days, 'amount'), studied(cents, 'amount')];
    expect(spansOf(other)).toEqual(spansOf(own));
    expect(other.changes[0]?.effect).toBeCloseTo(own.changes[0]?.effect ?? Number.NaN, 9);
    expect(studied(days.toReversed()).changes).toEqual(studied(days).changes);
    const later = studied(
      daysOf((day) => (day >= 125 ? 1.25 : 1), 3, 21),
      'count',
      labelOf(JUDGED + 21),
    );
    expect(spansOf(later)).toEqual(spansOf(studied(days)));
  });

  it('compares two windows by what is expected of their days', () => {
    const found = studied(daysOf((day) => (day >= 126 ? 0.8 : 1)));
    const level = differenceOf(found, { from: labelOf(112), to: labelOf(125) }, { from: labelOf(126), to: labelOf(139) }, new Set());
    expect(Math.abs((level?.difference ?? 0) - Math.log(0.8))).toBeLessThan(3 * (level?.error ?? 0));
    expect(level?.changes).toBeCloseTo(level?.difference ?? Number.NaN, 1);
    expect(
      differenceOf(found, { from: '2025-01-01', to: '2025-01-07' }, { from: labelOf(126), to: labelOf(139) }, new Set()),
    ).toBeUndefined();
  });

  it('is extended by further days to what is learned with them, and learned in turns of 28 days', () => {
    const days = daysOf((day) => (day >= 130 ? 0.8 : 1));
    const scaleOf = (until: number, kind: 'count' | 'amount') => scaleDays(days.slice(0, until), kind, labelOf(JUDGED));
    for (const kind of ['count', 'amount'] as const) {
      const [early, late] = [scaleOf(126, kind), scaleOf(DAYS, kind)];
      const [model, whole] = [early && learn(early), late && learn(late)];
      if (!model || !late || !whole) throw new Error('There are too few days.');
      const { fit } = extended(model, late);
      for (const at of [0, 60, 139]) expect(fit.score[at]).toBeCloseTo(whole.fit.score[at] ?? Number.NaN, 8);
    }
    const turns = Array.from({ length: 84 }, (_, day) => judgedFrom(labelOf(day)));
    expect(new Set(turns).size).toBeLessThanOrEqual(4);
    expect(turns.every((first, day) => first <= labelOf(day))).toBe(true);
    expect(judgedFrom(labelOf(80), labelOf(20)) <= labelOf(20)).toBe(true);
  });

  it('can be sent to another thread', () => {
    const { model } = studied(daysOf(() => 1));
    expect(structuredClone(model)).toEqual(model);
  });
});
