import { describe, expect, it } from 'vitest';
import { meanShifts } from '../../../src/domain/speed/block-test.ts';
import { changePoints, varianceInflation } from '../../../src/domain/speed/change-point.ts';
import { fisherTest } from '../../../src/domain/speed/failures.ts';
import { median, ranksOf } from '../../../src/domain/speed/order.ts';
import { adjustForMany, rankTest, smallestP } from '../../../src/domain/speed/rank-test.ts';
import { hash, unit } from '../../../src/emulator/world/random.ts';
import { factorAt } from '../../../src/emulator/world/speed/noise.ts';

const scattered = (count: number, level: number, seed: number) =>
  Array.from({ length: count }, (_, index) => level * factorAt(unit(hash(seed, index)), 0.1));

// Expected values of SciPy 1.17: mannwhitneyu, fisher_exact, false_discovery_control.
describe('the rank test', () => {
  it.each<[string, number[], number[], number]>([
    ['the smallest samples', [1, 2, 3], [4, 5, 6], 0.1],
    ['samples that do not overlap', [1, 2, 3, 4, 5], [6, 7, 8, 9, 10], 0.007936507936507936],
    ['samples of different size', [1.1, 2.2, 3.3, 4.4], [2.5, 5.5, 6.6, 7.7, 0.5], 0.4126984126984127],
  ])('is exact for %s', (_, before, after, p) => {
    expect(rankTest(before, after)).toBeCloseTo(p, 12);
    expect(rankTest(after, before)).toBeCloseTo(p, 12);
  });

  it('corrects its approximation for ties and continuity', () => {
    expect(rankTest([1, 1, 2, 3, 4, 7, 8, 8], [2, 3, 4, 5, 5, 9, 9, 10])).toBeCloseTo(0.20523068162192737, 6);
    const large = Array.from({ length: 30 }, (_, index) => 2 * index);
    const other = Array.from({ length: 40 }, (_, index) => 15.5 + index);
    expect(rankTest(large, other)).toBeCloseTo(0.15613119063231623, 6);
  });

  it('finds nothing among equal values or in nothing, and is never sure beyond doubt', () => {
    expect(rankTest([5, 5, 5, 5], [5, 5, 5, 5, 5])).toBe(1);
    expect(rankTest([], [1, 2])).toBe(1);
    expect(
      rankTest(
        Array.from({ length: 400 }, (_, i) => i),
        Array.from({ length: 400 }, (_, i) => 1000 + i),
      ),
    ).toBe(1e-7);
  });

  it('grows less sure where values follow each other', () => {
    const [before, after] = [scattered(40, 100, 1), scattered(40, 106, 2)];
    expect(rankTest(before, after, 4)).toBeGreaterThan(rankTest(before, after));
  });

  it('knows the least that it can say of small samples', () => {
    expect(smallestP(3, 3)).toBeCloseTo(0.1, 12);
    expect(smallestP(5, 30)).toBeCloseTo(2 / 324_632, 12);
    expect(smallestP(0, 9)).toBe(1);
  });
});

it('adjusts for many comparisons as Benjamini and Hochberg do', () => {
  const adjusted = adjustForMany([0.01, 0.04, 0.03, 0.005, 0.5]);
  [0.025, 0.05, 0.05, 0.025, 0.5].forEach((p, index) => expect(adjusted[index]).toBeCloseTo(p, 12));
  expect(adjustForMany([])).toEqual([]);
});

it('compares failures as Fisher does', () => {
  expect(fisherTest({ hits: 3, n: 4 }, { hits: 1, n: 4 })).toBeCloseTo(0.48571428571428565, 9);
  expect(fisherTest({ hits: 96, n: 720 }, { hits: 29, n: 178 })).toBeCloseTo(0.3331367789171934, 6);
  expect(fisherTest({ hits: 10, n: 720 }, { hits: 20, n: 178 })).toBeCloseTo(1.63263157990216e-8, 12);
  expect(fisherTest({ hits: 0, n: 0 }, { hits: 0, n: 5 })).toBe(1);
});

it('ranks with means for equal values, and takes the middle', () => {
  expect(ranksOf([30, 10, 20, 10])).toEqual([4, 1.5, 3, 1.5]);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([])).toBeNaN();
});

describe('the search for change points', () => {
  const search = { leastZ: 4.5, shortest: 6 };

  it('finds none in a level series, in equal values, and in too few', () => {
    for (let seed = 0; seed < 50; seed += 1) expect(changePoints(scattered(900, 100, seed), search)).toEqual([]);
    expect(
      changePoints(
        Array.from({ length: 500 }, () => 7),
        search,
      ),
    ).toEqual([]);
    expect(changePoints([1, 2, 3], search)).toEqual([]);
    expect(changePoints([], search)).toEqual([]);
  });

  it('finds the first value of each level, in order and with its direction', () => {
    const values = [...scattered(300, 100, 1), ...scattered(100, 150, 2), ...scattered(200, 110, 3)];
    const found = changePoints(values, search);
    expect(found.map(({ index }) => index)).toEqual([300, 400]);
    expect(found.map(({ z }) => Math.sign(z))).toEqual([-1, 1]);
  });

  it('is not led astray by single outliers', () => {
    const values = scattered(600, 100, 4).map((value, index) => (index % 97 === 5 ? value * 40 : value));
    expect(changePoints(values, search)).toEqual([]);
  });

  it('finds steps among days, not drifts', () => {
    const days = [...scattered(20, 100, 5), ...scattered(5, 200, 6)];
    expect(meanShifts(days, { leastT: 7, shortest: 2 })).toEqual([20]);
    expect(meanShifts(scattered(38, 100, 7), { leastT: 7, shortest: 2 })).toEqual([]);
    expect(meanShifts([1, 1, 1, 1, 1], { leastT: 7, shortest: 2 })).toEqual([]);
  });

  it('measures how far values resemble their neighbours, steps aside', () => {
    const slow = Array.from({ length: 200 }, (_, index) => Math.sin(index / 10));
    expect(varianceInflation(slow, [])).toBeCloseTo(19, 0);
    const step = [...scattered(100, 100, 8), ...scattered(100, 200, 9)];
    expect(varianceInflation(step, [])).toBeGreaterThan(5);
    expect(varianceInflation(step, [100])).toBeLessThan(1.5);
    expect(varianceInflation([1, 2], [])).toBe(1);
  });
});
