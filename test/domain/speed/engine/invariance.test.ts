import { expect, test } from 'vitest';
import type { Verdict } from '../../../../src/domain/speed/engine/judge-series.ts';
import type { Nature, Shape } from '../../../bench/verdicts/speed/worlds.ts';
import { DAY_MS, EFFECT, HOUR_MS, judge, judged } from './runs.ts';

const SHAPES: readonly Shape[] = [
  { kind: 'stable' },
  { kind: 'step', size: 0.2, agoMs: [3 * DAY_MS, 5 * DAY_MS] },
  { kind: 'bump', size: 0.4, lengthMs: DAY_MS, endedAgoMs: [4 * DAY_MS, 6 * DAY_MS] },
  { kind: 'drift', size: 0.3 },
  {
    kind: 'two steps',
    sizes: [0.2, -0.15],
    agoMs: [
      [10 * DAY_MS, 12 * DAY_MS],
      [2 * DAY_MS, 4 * DAY_MS],
    ],
  },
];
const NATURES: readonly Partial<Nature>[] = [
  {},
  { ar: 0.9 },
  { outliers: 0.08 },
  { noise: 0.3 },
  { cadenceMs: HOUR_MS / 4, baselineDays: 10 },
];

/** The first number that can only be an instant, in ms. */
const INSTANT = Date.parse('2020-01-01T00:00:00Z');

/** Every instant in a value, in order. */
function instantsIn(value: unknown): number[] {
  if (typeof value === 'number') return value > INSTANT ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(instantsIn) : [];
}

/** The state of a verdict, and every instant in it. */
function read(verdict: Verdict, shiftMs = 0) {
  return { state: verdict.state, instants: instantsIn(verdict).map((ms) => ms - shiftMs) };
}

test.each(SHAPES)('the verdict on a world with $kind depends neither on the unit nor on the weeks that passed before', (shape) => {
  for (const [index, nature] of NATURES.entries()) {
    const { world, verdict } = judged(shape, nature, 40 + index);
    const inMicroseconds = { ...world, values: world.values.map((ms) => 1000 * ms) };
    expect(read(judge(inMicroseconds, { ...EFFECT, absolute: 1000 * EFFECT.absolute }))).toEqual(read(verdict));
    const shiftMs = 8 * 7 * DAY_MS;
    const { startMs, endMs } = world.period;
    const later = {
      ...world,
      dates: world.dates.map((ms) => ms + shiftMs),
      period: { startMs: startMs + shiftMs, endMs: endMs + shiftMs },
    };
    expect(read(judge(later), shiftMs)).toEqual(read(verdict));
  }
});
