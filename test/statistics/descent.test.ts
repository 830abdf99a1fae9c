import { expect, it } from 'vitest';
import { type Descent, descend } from '../../src/statistics/descent.ts';
import { solverOf } from '../../src/statistics/elimination.ts';

/** Rows of a logistic regression with a ridge: two features that go together, and one that foretells everything. */
const rows = Array.from({ length: 60 }, (_, at) => {
  const [one, two] = [Math.sin(at), Math.sin(at) + 0.2 * Math.cos(3 * at)];
  return { features: Float64Array.of(1, one, two, at > 40 ? 1 : 0), hit: at > 40 || Math.sin(7 * at) > 0.4 ? 1 : 0 };
});
const RIDGE = 0.1;

const chanceAt = (point: Float64Array, features: Float64Array) =>
  1 / (1 + Math.exp(-features.reduce((sum, value, at) => sum + value * (point[at] ?? 0), 0)));

function gradientAt(point: Float64Array): Float64Array {
  const gradient = point.map((value) => RIDGE * value);
  for (const { features, hit } of rows)
    for (const [at, value] of features.entries()) gradient[at] = (gradient[at] ?? 0) + value * (chanceAt(point, features) - hit);
  return gradient;
}

/** The curvature at 0, times a factor. */
function solveTimes(factor: number): Descent['solve'] {
  const matrix = new Float64Array(16);
  for (let row = 0; row < 4; row += 1)
    for (let column = 0; column <= row; column += 1)
      matrix[row * 4 + column] =
        factor *
        (rows.reduce((sum, { features }) => sum + 0.25 * (features[row] ?? 0) * (features[column] ?? 0), 0) + (row === column ? RIDGE : 0));
  return solverOf(matrix, 4);
}

const usual = { start: new Float64Array(4), gradientAt, longest: 4, enough: 1e-8, mostSteps: 100 };

it.each([1, 0.05, 20])('finds where the gradient is none, also from a curvature that is %f times the right one', (factor) => {
  const found = descend({ ...usual, solve: solveTimes(factor) });
  for (const value of gradientAt(found)) expect(Math.abs(value)).toBeLessThan(1e-6);
});

it('learns from its steps: fewer than the same curvature alone would take', () => {
  let asked = 0;
  const counted = (point: Float64Array) => {
    asked += 1;
    return gradientAt(point);
  };
  descend({ ...usual, enough: 1e-4, gradientAt: counted, solve: solveTimes(1) });
  const [solve, point] = [solveTimes(1), new Float64Array(4)];
  let plain = 0;
  for (let largest = 1; largest > 1e-4; plain += 1) {
    const step = solve(gradientAt(point));
    largest = step.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    for (const [at, value] of step.entries()) point[at] = (point[at] ?? 0) - value;
  }
  expect(asked).toBeLessThan(plain);
});

it('asks for the gradient at the point that it gives last', () => {
  let last: Float64Array | undefined;
  const found = descend({
    ...usual,
    solve: solveTimes(0.05),
    gradientAt(point) {
      last = point;
      return gradientAt(point);
    },
  });
  expect(last).toEqual(found);
});
