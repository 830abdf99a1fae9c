import { nth, nthDouble } from '../lib/nth.ts';
// Plain loops: the array methods with functions cost several times as much, and every series runs through these dozens of times.

/** The scalar product of two vectors of the same length, of the members `from` … `to` − 1. */
export function dot(a: Float64Array, b: Float64Array, from = 0, to = a.length): number {
  let sum = 0;
  for (let index = from; index < to; index += 1) sum += nthDouble(a, index) * nthDouble(b, index);
  return sum;
}

/** `a − share · b`, as a new vector. */
export function minus(a: Float64Array, b: Float64Array, share = 1): Float64Array {
  const rest = new Float64Array(a.length);
  for (let index = 0; index < a.length; index += 1) rest[index] = nthDouble(a, index) - share * nthDouble(b, index);
  return rest;
}

/** Takes `share · b` from `a`, in place. */
function subtract(a: Float64Array, b: Float64Array, share: number): void {
  for (let index = 0; index < a.length; index += 1) a[index] = nthDouble(a, index) - share * nthDouble(b, index);
}

/** The values at some places. */
export function pick(x: ArrayLike<number>, places: Int32Array): Float64Array {
  const picked = new Float64Array(places.length);
  for (let index = 0; index < places.length; index += 1) picked[index] = nth(x, nth(places, index));
  return picked;
}

/** Makes columns orthonormal in place by modified Gram–Schmidt and drops those that depend on the ones before. */
export function orthonormalise(columns: readonly Float64Array[]): Float64Array[] {
  const basis: Float64Array[] = [];
  for (const column of columns) {
    const before = dot(column, column);
    project(column, basis);
    const square = dot(column, column);
    if (square <= 1e-10 * before || square === 0) continue;
    const scale = 1 / Math.sqrt(square);
    for (let at = 0; at < column.length; at += 1) column[at] = nthDouble(column, at) * scale;
    basis.push(column);
  }
  return basis;
}

/** Takes out of a column what an orthonormal basis explains of it. */
export function project(column: Float64Array, basis: readonly Float64Array[]): Float64Array {
  for (const direction of basis) subtract(column, direction, dot(column, direction));
  return column;
}
