/** Factorises a symmetric positive definite matrix of this size in place (Cholesky); only its lower half is read and written. */
function factorise(matrix: Float64Array, size: number): void {
  for (let row = 0; row < size; row += 1) {
    for (let column = 0; column <= row; column += 1) {
      let sum = matrix[row * size + column] ?? 0;
      for (let at = 0; at < column; at += 1) sum -= (matrix[row * size + at] ?? 0) * (matrix[column * size + at] ?? 0);
      // A diagonal that rounding took below 0 belongs to a feature that says nothing of its own.
      matrix[row * size + column] = row === column ? Math.sqrt(Math.max(sum, 1e-12)) : sum / (matrix[column * size + column] ?? 1);
    }
  }
}

/** Solves `matrix × x = right` for a symmetric positive definite matrix, of which the lower half is given; both are overwritten. */
export function solveSymmetric(matrix: Float64Array, right: Float64Array): Float64Array {
  const size = right.length;
  factorise(matrix, size);
  for (let row = 0; row < size; row += 1) {
    let sum = right[row] ?? 0;
    for (let at = 0; at < row; at += 1) sum -= (matrix[row * size + at] ?? 0) * (right[at] ?? 0);
    right[row] = sum / (matrix[row * size + row] ?? 1);
  }
  for (let row = size - 1; row >= 0; row -= 1) {
    let sum = right[row] ?? 0;
    for (let at = row + 1; at < size; at += 1) sum -= (matrix[at * size + row] ?? 0) * (right[at] ?? 0);
    right[row] = sum / (matrix[row * size + row] ?? 1);
  }
  return right;
}
