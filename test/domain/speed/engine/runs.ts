import type { JudgeOptions } from '../../../../src/domain/speed/engine/judge-series.ts';
import { makeWorld, type Nature, type Shape, type World } from '../../../bench/verdicts/speed/worlds.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const EFFECT = { relative: 0.05, absolute: 50 };

/** Hourly runs of 37 days that scatter by 10 %, with weekends and nights. */
export const NATURE: Nature = {
  cadenceMs: HOUR_MS,
  baselineDays: 30,
  periodDays: 7,
  noise: 0.1,
  ar: 0.3,
  outliers: 0.02,
  cycle: 'weekend and nights',
};

/** A generated scenario and the options to judge it with. */
export function worldOf(shape: Shape, nature: Partial<Nature> = {}, seed = 1): { world: World; options: JudgeOptions } {
  const world = makeWorld({ ...NATURE, ...nature }, shape, seed);
  return { world, options: { period: world.period, effect: EFFECT, timeZone: 'UTC' } };
}
