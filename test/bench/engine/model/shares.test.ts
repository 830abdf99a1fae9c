import { describe, expect, it } from 'vitest';
import { localTimes } from '../../../../src/domain/speed/engine/local-time.ts';
import { seeded } from '../../verdicts/random.ts';
import { makeWorld, USUAL_NATURE } from '../../verdicts/speed/worlds.ts';
import { courseOf } from './course.ts';
import { scaleRuns } from './run-noise.ts';
import { chanceOfDifference, dispersionOf, shareChange, shareOf, twoLevelsIn } from './shares.ts';

const RUNS = 600;

function hitsOf(shareAt: (run: number) => number, seed = 1) {
  const { uniform } = seeded(seed);
  return {
    isHit: Array.from({ length: RUNS }, (_, run) => uniform() < shareAt(run)),
    days: Array.from({ length: RUNS }, (_, run) => Math.floor(run / 24)),
  };
}

describe('shares of runs', () => {
  it('that changed are found near their place; of those that stay at most 2 % are called changed at 1 %', () => {
    const change = shareChange(
      hitsOf((run) => (run >= 500 ? 0.25 : 0.03)),
      0.01,
    );
    expect(Math.abs((change?.at ?? 0) - 500)).toBeLessThan(15);
    const alarms = Array.from({ length: 300 }, (_, seed) =>
      shareChange(
        hitsOf(() => 0.1, seed),
        0.01,
      ),
    ).filter(Boolean).length;
    expect(alarms).toBeLessThanOrEqual(9);
  });

  it('are compared exactly where few failed, and by days where these scatter', () => {
    // fisher.test(matrix(c(1, 9, 11, 3), 2)) of R: 0.002759.
    expect(chanceOfDifference(shareOf(1, 10), shareOf(11, 14), 1)).toBeCloseTo(0.00276, 4);
    expect(chanceOfDifference(shareOf(100, 1_000), shareOf(150, 1_000), 4)).toBeGreaterThan(
      chanceOfDifference(shareOf(100, 1_000), shareOf(150, 1_000), 1),
    );
    const outage = hitsOf((run) => (Math.floor(run / 24) === 7 ? 0.9 : 0.05));
    expect(dispersionOf(outage, () => 0.08)).toBeGreaterThan(3);
  });

  it('at another level are told where the others kept theirs', () => {
    const world = makeWorld({ ...USUAL_NATURE, cycle: 'none' }, { kind: 'stable' }, 61);
    const { uniform } = seeded(2);
    const split = world.dates.length - 150;
    const values = world.values.map((value, run) => (run >= split && uniform() < 0.35 ? value * 1.7 : value));
    const levelsOf = (some: readonly number[]) =>
      twoLevelsIn(courseOf(scaleRuns(world.dates, some, localTimes(world.dates, 'UTC'), { relative: 0.05, absolute: 50 })));
    const found = levelsOf(values);
    expect(Math.abs((found?.at ?? 0) - split)).toBeLessThan(20);
    expect((found?.moved.typical ?? 0) / (found?.usual.typical ?? 1)).toBeCloseTo(1.7, 0);
    expect(levelsOf(world.values)).toBeUndefined();
  });
});
