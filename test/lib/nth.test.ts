import { expect, it } from 'vitest';
import { nth } from '../../src/lib/nth.ts';

it('a number at a place that exists is itself, also where it is 0 or no number', () => {
  expect([0, 1, 2].map((index) => nth([5, 0, Number.NaN], index))).toEqual([5, 0, Number.NaN]);
  expect(nth(Float64Array.of(2.5), 0)).toBe(2.5);
});

it('a place that does not exist is an error under test', () => {
  for (const index of [-1, 3, 0.5, Number.NaN]) expect(() => nth([1, 2, 3], index)).toThrow('There is no place');
});
