import { judgeSeries, type State, type Verdict } from '../../../src/speed/engine/judge-series.ts';
import type { Move } from '../../../src/speed/engine/run-series.ts';
import { makeWorld, type Nature, type Shape, USUAL_NATURE, type World } from '../../bench/verdicts/speed/worlds.ts';

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
export const EFFECT = { relative: 0.05, absolute: 50 };

/** A generated scenario and its verdict. */
export function judged(shape: Shape, nature: Partial<Nature> = {}, seed = 1): { world: World; verdict: Verdict } {
  const world = makeWorld({ ...USUAL_NATURE, ...nature }, shape, seed);
  return { world, verdict: judge(world) };
}

/** The verdict on a world. */
export const judge = (world: Pick<World, 'dates' | 'values' | 'period'>, effect = EFFECT): Verdict =>
  judgeSeries({ series: { dates: world.dates, values: world.values }, effect }, { period: world.period, timeZone: 'UTC' });

/** A verdict that is in one state, with the move it is about; throws otherwise. */
export function inState(verdict: Verdict, state: State): Verdict & { readonly move: Move } {
  const { move } = verdict;
  if (verdict.state !== state || !move) throw new Error(`It is ${verdict.state}, not ${state}.`);
  return { ...verdict, move };
}
