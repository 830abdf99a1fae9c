import { expect, it } from 'vitest';
import { dot, orthonormalise } from '../../src/statistics/vectors.ts';
import { whitenerOf } from '../../src/statistics/whitening.ts';

const times = Float64Array.of(0, 1, 2, 5, 6);
const shape = { sampling: Float64Array.of(0.5, 1, 0.2, 0.8, 1.5), shock: 2, carry: 0.6 };
const size = times.length;

/** Covariance of two days: shocks that decay, and sampling. */
const covariance = (row: number, column: number) =>
  shape.shock * shape.carry ** Math.abs((times[row] ?? 0) - (times[column] ?? 0)) + (row === column ? (shape.sampling[row] ?? 0) : 0);

const unit = (at: number) => Float64Array.from({ length: size }, (_, index) => (index === at ? 1 : 0));

it('makes noise independent: the inverse of its covariance is W’W', () => {
  const { apply, applyTransposed } = whitenerOf(times, shape);
  const precision = Array.from({ length: size }, (_, at) => applyTransposed(apply(unit(at))));
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column < size; column += 1) {
      const product = Array.from({ length: size }, (_, at) => covariance(row, at) * (precision[column]?.[at] ?? 0)).reduce(
        (sum, value) => sum + value,
        0,
      );
      expect(product).toBeCloseTo(row === column ? 1 : 0, 10);
    }
  }
});

it('sums the precision over intervals', () => {
  const { apply, precisionsFrom } = whitenerOf(times, shape);
  for (let from = 0; from < size; from += 1) {
    for (const [count, precision] of precisionsFrom(from).entries()) {
      const white = apply(new Float64Array(size).fill(1, from, from + count));
      expect(precision).toBeCloseTo(dot(white, white), 10);
    }
  }
});

it('knows the determinant of a covariance', () => {
  const pair = whitenerOf(Float64Array.of(0, 1), { sampling: Float64Array.of(1, 1), shock: 2, carry: 0.5 });
  expect(pair.logDeterminant).toBeCloseTo(Math.log(3 * 3 - 1), 10);
});

it('makes columns orthonormal and drops what depends on the others', () => {
  const columns = [Float64Array.of(1, 1, 1), Float64Array.of(1, 2, 4), Float64Array.of(2, 3, 5), Float64Array.of(0, 1, 0)];
  const basis = orthonormalise(columns);
  expect(basis).toHaveLength(3);
  for (const [row, one] of basis.entries())
    for (const [at, other] of basis.entries()) expect(dot(one, other)).toBeCloseTo(row === at ? 1 : 0, 10);
});
