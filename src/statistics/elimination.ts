import { nthDouble } from '../lib/nth.ts';
import { dot, numbersOf } from './vectors.ts';

/** Pivots below this share of their diagonal belong to columns that say nothing new. */
const LEAST_PIVOT = 1e-9;

/** Takes a multiple of one row from another, in some columns. */
function takeFrom(row: Float64Array, other: Float64Array, factor: number, from: number, to: number): void {
  for (let column = from; column < to; column += 1) row[column] = nthDouble(row, column) - factor * nthDouble(other, column);
}

/**
 * Inverse of a symmetric positive matrix by Gauss and Jordan; rows and columns that depend on those before are zero. Plain loops, because
 * the array methods with functions cost several times as much.
 */
export function inverseOf(matrix: readonly Float64Array[]): Float64Array[] {
  const size = matrix.length;
  const diagonals = Float64Array.from(matrix, nthDouble);
  // Each row with its row of the inverse behind it.
  const rows = matrix.map((row, at) => {
    const both = new Float64Array(2 * size);
    both.set(row);
    both[size + at] = 1;
    return both;
  });
  for (const [pivot, row] of rows.entries()) {
    const diagonal = nthDouble(row, pivot);
    if (diagonal <= LEAST_PIVOT * nthDouble(diagonals, pivot)) {
      row.fill(0);
      for (const other of rows) other[pivot] = 0;
      continue;
    }
    // All its other columns are 0 by now, or still.
    const end = size + pivot + 1;
    for (let column = pivot; column < end; column += 1) row[column] = nthDouble(row, column) / diagonal;
    for (const other of rows) if (other !== row && other[pivot] !== 0) takeFrom(other, row, nthDouble(other, pivot), pivot, end);
  }
  return rows.map((row) => row.slice(size));
}

/**
 * The heights of columns that explain a series best, the inverse of the products of the columns, and their products with the series. A
 * ridge pulls heights to 0.
 */
export function leastSquares(columns: readonly Float64Array[], series: Float64Array, ridge = 0) {
  const inverse = inverseOf(
    columns.map((column, at) => numbersOf(columns, (other, place) => dot(column, other) + (place === at ? ridge : 0))),
  );
  const right = numbersOf(columns, (column) => dot(column, series));
  return { inverse, right, heights: numbersOf(inverse, (row) => dot(row, right)) };
}

/**
 * Cholesky without roots, in place, of the lower half of a symmetric matrix whose last row is the right side: the last pivot is what the
 * fit leaves of it. Returns the logarithm of the determinant of the rest; of the pivots from one on up to another, which is left out, where
 * the others are eliminated at another time.
 */
export function eliminate(lower: readonly Float64Array[], from = 0, to = lower.length - 1): number {
  let logDeterminant = 0;
  for (let pivot = from; pivot < to; pivot += 1) {
    const pivotRow = lower[pivot];
    if (!pivotRow) continue;
    const head = nthDouble(pivotRow, pivot);
    if (head < 1e-9) continue;
    logDeterminant += Math.log(head);
    for (let row = pivot + 1; row < lower.length; row += 1) {
      const line = lower[row] ?? pivotRow;
      const factor = nthDouble(line, pivot) / head;
      for (let column = pivot + 1; column <= row; column += 1)
        line[column] = nthDouble(line, column) - factor * nthDouble(lower[column] ?? line, pivot);
    }
  }
  return logDeterminant;
}
