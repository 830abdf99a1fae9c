import { describe, expect, it } from 'vitest';
import { localTimes } from '../../../../src/domain/speed/engine/local-time.ts';
import { DAY_MS, makeWorld, type Shape, USUAL_NATURE } from '../../verdicts/speed/worlds.ts';
import { courseOf } from './course.ts';
import { excursionsIn, lastingLevels, leadingChange, levelOf, partsThatCount, plateausOf, scatterOf } from './levels.ts';
import { scaleRuns } from './run-noise.ts';

const LEAST = { relative: 0.05, absolute: 50 };

function courseOfWorld(
  shape: Shape,
  { times = 1, seed = 41, ...nature }: Partial<typeof USUAL_NATURE> & { times?: number; seed?: number } = {},
) {
  const world = makeWorld({ ...USUAL_NATURE, ...nature }, shape, seed);
  const values = world.values.map((value) => value * times);
  const least = { ...LEAST, absolute: LEAST.absolute * times };
  const course = courseOf(scaleRuns(world.dates, values, localTimes(world.dates, 'UTC'), least));
  return { world, course, counted: partsThatCount(course, least) };
}

const step: Shape = { kind: 'step', size: 0.2, agoMs: [4 * DAY_MS, 4 * DAY_MS] };

describe('a course of runs', () => {
  it('has one level where nothing happened, also where runs resemble each other and where days have a level of their own', () => {
    for (const nature of [{}, { ar: 0.9 }, { dayShock: 0.04 }]) expect(courseOfWorld({ kind: 'stable' }, nature).counted).toEqual([]);
  });

  it('dates a step to a few runs, whatever the unit', () => {
    const { world, course, counted } = courseOfWorld(step);
    const [change] = counted;
    expect(counted).toHaveLength(1);
    expect(Math.abs((change?.part.from ?? 0) - (world.changes[0] ?? 0))).toBeLessThanOrEqual(3);
    expect(change?.began.from).toBeLessThan(world.changes[0] ?? 0);
    expect(change?.began.to).toBeGreaterThanOrEqual(world.changes[0] ?? 0);
    const { effect = 0, error = 0 } = change ?? {};
    expect(Math.abs(effect - Math.log1p(0.2))).toBeLessThan(3 * error);
    const seconds = courseOfWorld(step, { times: 0.001 });
    expect(seconds.counted.map(({ part }) => part)).toEqual(counted.map(({ part }) => part));
    const plateaus = plateausOf(world.dates.length, counted);
    const groups = lastingLevels(plateaus, excursionsIn(plateaus, LEAST), LEAST);
    expect(leadingChange(groups, 0)).toMatchObject({ place: 1 });
    const [before, since] = groups.map((group) => levelOf(course, group).typical);
    expect((since ?? 0) / (before ?? 1)).toBeCloseTo(1.2, 1);
    expect(scatterOf(course)).toBeCloseTo(2 * 0.6745 * 0.1, 1);
  });

  it('reads a bump as an excursion', () => {
    const { world, counted } = courseOfWorld({ kind: 'bump', size: 0.5, lengthMs: DAY_MS, endedAgoMs: [6 * DAY_MS, 6 * DAY_MS] });
    const plateaus = plateausOf(world.dates.length, counted);
    expect(excursionsIn(plateaus, LEAST)).toEqual([{ first: 1, back: 2 }]);
  });
});
