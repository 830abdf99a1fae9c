import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { adjusted, discoveryLimit } from '../../src/statistics/discoveries.ts';
import { largeShare, logOfAtMost, logOfLarge, logOfLargest, logTail, normalOf, studentOf } from '../../src/statistics/tails.ts';

it('tails are those of the standard normal, far out too', () => {
  expect(Math.exp(logTail(1.959964))).toBeCloseTo(0.05, 6);
  expect(Math.exp(logTail(2.575829))).toBeCloseTo(0.01, 6);
  // 2 × (1 − Φ(10)) = 1.523971e-23.
  expect(logTail(10) / Math.log(1.523971e-23)).toBeCloseTo(1, 6);
  expect(logTail(60)).toBeLessThan(-1_700);
});

it('tails of Student turn into normal ones and back', () => {
  // Two-sided 1 % of t with 10 degrees of freedom is 3.1693.
  expect(normalOf(3.1693, 10)).toBeCloseTo(2.5758, 2);
  fc.assert(
    fc.property(fc.double({ min: -8, max: 8, noNaN: true }), fc.integer({ min: 3, max: 200 }), (z, freedom) => {
      expect(normalOf(studentOf(z, freedom), freedom)).toBeCloseTo(z, 8);
    }),
  );
});

it('tails of the largest of several are those of Šidák', () => {
  const single = Math.exp(logTail(2));
  expect(Math.exp(logOfLargest(2, 7))).toBeCloseTo(1 - (1 - single) ** 7, 10);
  expect(logOfLargest(2, 1)).toBeCloseTo(logTail(2), 10);
  expect(logOfLargest(9, 28)).toBeCloseTo(logTail(9) + Math.log(28), 6);
});

it('many p-values are cut as in the example of Benjamini and Hochberg', () => {
  const example = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719, 0.6528, 0.759, 1];
  expect(example.filter((value) => value <= discoveryLimit(example, 0.05))).toHaveLength(4);
  expect(discoveryLimit(example.toReversed(), 0.05)).toBe(discoveryLimit(example, 0.05));
  expect(discoveryLimit([0.4, 0.9], 0.05)).toBe(0);
  expect(discoveryLimit([0.001], 0.05, 1_000)).toBe(0);
});

it('many p-values are allowed for each other by Holm, in the order given', () => {
  const expected = [0.03, 0.06, 0.06, 0.02];
  for (const [at, value] of adjusted([0.01, 0.04, 0.03, 0.005]).entries()) expect(value).toBeCloseTo(expected[at] ?? 0, 12);
});

it('exact tails are those of R: ppois and pbinom', () => {
  expect(Math.exp(logOfAtMost(3, 10))).toBeCloseTo(0.01033605, 7);
  expect(Math.exp(logOfAtMost(2, 6, 20))).toBeCloseTo(0.03548313, 7);
  expect(logOfAtMost(0, 800)).toBeCloseTo(-800, 9);
  expect(logOfAtMost(900, 1_000)).toBeCloseTo(Math.log(0.0007), 0);
});

it('exact tails of one very large event are inverse to its share', () => {
  expect(logOfLarge(80, largeShare(80, 0.01))).toBeCloseTo(Math.log(0.01), 9);
});
