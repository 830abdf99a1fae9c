// Plain loops: the array methods with functions cost several times as much, and every series runs through these dozens of times.

/** The scalar product of two vectors of the same length. */
export function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index += 1) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}

/** `a − share · b`, as a new vector. */
export function minus(a: Float64Array, b: Float64Array, share = 1): Float64Array {
  const rest = new Float64Array(a.length);
  for (let index = 0; index < a.length; index += 1) rest[index] = (a[index] ?? 0) - share * (b[index] ?? 0);
  return rest;
}

/** Takes `share · b` from `a`, in place. */
export function subtract(a: Float64Array, b: Float64Array, share: number): void {
  for (let index = 0; index < a.length; index += 1) a[index] = (a[index] ?? 0) - share * (b[index] ?? 0);
}

/** The values at some places. */
export function pick(x: ArrayLike<number>, places: Int32Array): Float64Array {
  const picked = new Float64Array(places.length);
  for (let index = 0; index < places.length; index += 1) picked[index] = x[places[index] ?? 0] ?? 0;
  return picked;
}

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
