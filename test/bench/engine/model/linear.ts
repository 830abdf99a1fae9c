import { nthDouble } from '../../../../src/lib/nth.ts';

// Plain loops: the array methods with functions cost several times as much, and every series runs through these dozens of times.

/** A pivot below this share of its diagonal is of a column that depends on those before: its coefficient is 0. */
const LEAST_PIVOT = 1e-10;
const DEPENDENT = 1e150;

/** The lower half of the scalar products of columns over their first `rows` members, row by row into a square matrix. */
export function productsOf(columns: readonly Float64Array[], rows: number, into: Float64Array): Float64Array {
  const size = columns.length;
  for (const [row, column] of columns.entries())
    for (let other = 0; other <= row; other += 1) {
      const past = columns[other] ?? column;
      let sum = 0;
      for (let at = 0; at < rows; at += 1) sum += nthDouble(column, at) * nthDouble(past, at);
      into[row * size + other] = sum;
    }
  return into;
}

/**
 * Cholesky factor, in place, of the lower half of a symmetric matrix of `width` columns, the first `size` rows of it; further rows are
 * solved along (they become right sides over the factor). Returns the logarithm of the determinant of the first `size` rows.
 */
export function factorise(matrix: Float64Array, size: number, width = size): number {
  let logDeterminant = 0;
  for (let row = 0; row < width; row += 1)
    for (let column = 0; column <= row; column += 1) {
      let sum = nthDouble(matrix, row * width + column);
      const diagonal = sum;
      const until = Math.min(column, size);
      for (let at = 0; at < until; at += 1) sum -= nthDouble(matrix, row * width + at) * nthDouble(matrix, column * width + at);
      if (row > column) matrix[row * width + column] = column < size ? sum / nthDouble(matrix, column * width + column) : sum;
      else if (row >= size) matrix[row * width + row] = Math.max(0, sum);
      else if (sum <= LEAST_PIVOT * diagonal) matrix[row * width + row] = DEPENDENT;
      else {
        matrix[row * width + row] = Math.sqrt(sum);
        logDeterminant += Math.log(sum);
      }
    }
  return logDeterminant;
}

/** The right side over a Cholesky factor, in place: L⁻¹ b. */
export function forwards(factor: Float64Array, size: number, right: Float64Array): Float64Array {
  for (let row = 0; row < size; row += 1) {
    let sum = nthDouble(right, row);
    for (let at = 0; at < row; at += 1) sum -= nthDouble(factor, row * size + at) * nthDouble(right, at);
    right[row] = sum / nthDouble(factor, row * size + row);
  }
  return right;
}

/** The same of the transposed factor: L'⁻¹ b, so that after `forwards` the system is solved. */
export function backwards(factor: Float64Array, size: number, right: Float64Array): Float64Array {
  for (let row = size - 1; row >= 0; row -= 1) {
    let sum = nthDouble(right, row);
    for (let at = row + 1; at < size; at += 1) sum -= nthDouble(factor, at * size + row) * nthDouble(right, at);
    right[row] = sum / nthDouble(factor, row * size + row);
  }
  return right;
}

/** Sums of the members before each place, the sum of all at the end. */
export function sumsBefore(column: Float64Array, size: number): Float64Array {
  const sums = new Float64Array(size + 1);
  for (let at = 0; at < size; at += 1) sums[at + 1] = nthDouble(sums, at) + nthDouble(column, at);
  return sums;
}

/** The scalar product of two columns over their first `rows` members. */
export function dotOf(a: Float64Array, b: Float64Array, rows = a.length): number {
  let sum = 0;
  for (let at = 0; at < rows; at += 1) sum += nthDouble(a, at) * nthDouble(b, at);
  return sum;
}
