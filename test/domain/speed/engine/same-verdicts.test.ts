import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { judgeSeries } from '../../../../src/domain/speed/engine/judge-series.ts';
import type { Nature, Shape } from '../../../bench/verdicts/speed/worlds.ts';
import { DAY_MS, HOUR_MS, worldOf } from './runs.ts';

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

/** As far as all versions of Node compute alike. */
const digits = (_name: string, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(8)) : value);

// What makes the engine faster leaves these as they are; a change of its statistics renews them.
test.each(SHAPES)('verdicts on worlds of the bench: $kind', (shape) => {
  const verdicts = NATURES.map((nature, index) => {
    const { world, options } = worldOf(shape, nature, 40 + index);
    const verdict = judgeSeries(world, { ...options, timeZone: index % 2 === 0 ? 'UTC' : 'Europe/Paris' });
    const whole = createHash('sha256').update(JSON.stringify(verdict, digits)).digest('hex').slice(0, 16);
    return `${verdict.state} ${whole}`;
  });
  expect(verdicts).toMatchSnapshot();
});
