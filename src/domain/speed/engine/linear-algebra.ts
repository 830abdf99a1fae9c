/** The inverse of a positive definite matrix, by Gauss and Jordan; the matrix is overwritten. */
export function inverseOf(matrix: Float64Array[]): Float64Array[] {
  const size = matrix.length;
  const inverse = matrix.map((_, row) => Float64Array.from({ length: size }, (_each, column) => (row === column ? 1 : 0)));
  for (let pivot = 0; pivot < size; pivot += 1) {
    const [row, result] = [matrix[pivot], inverse[pivot]];
    if (!row || !result) continue;
    const head = row[pivot] ?? 1;
    for (let column = 0; column < size; column += 1) {
      row[column] = (row[column] ?? 0) / head;
      result[column] = (result[column] ?? 0) / head;
    }
    for (let other = 0; other < size; other += 1) {
      const [line, target] = [matrix[other], inverse[other]];
      const factor = line?.[pivot] ?? 0;
      if (other === pivot || !line || !target || factor === 0) continue;
      for (let column = 0; column < size; column += 1) {
        line[column] = (line[column] ?? 0) - factor * (row[column] ?? 0);
        target[column] = (target[column] ?? 0) - factor * (result[column] ?? 0);
      }
    }
  }
  return inverse;
}
