import type { JudgeOptions } from '../../../../src/domain/speed/engine/judge-series.ts';
import { makeWorld, type Nature, type Shape, USUAL_NATURE, type World } from '../../../bench/verdicts/speed/worlds.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const EFFECT = { relative: 0.05, absolute: 50 };

/** A generated scenario and the options to judge it with. */
export function worldOf(shape: Shape, nature: Partial<Nature> = {}, seed = 1): { world: World; options: JudgeOptions } {
  const world = makeWorld({ ...USUAL_NATURE, ...nature }, shape, seed);
  return { world, options: { period: world.period, effect: EFFECT, timeZone: 'UTC' } };
}

/** The answer, where it is in one state; throws otherwise. */
export function inState<A extends { readonly state: string }, S extends A['state']>(answer: A, state: S): A & { readonly state: S } {
  const isIn = (each: A): each is A & { readonly state: S } => each.state === state;
  if (!isIn(answer)) throw new Error(`It is ${answer.state}, not ${state}.`);
  return answer;
}
