import { nth, nthDouble, nthPlace } from '../lib/nth.ts';
// Plain loops: the array methods with functions cost several times as much, and every series runs through these dozens of times.

/** A number of each item of a list; several times as fast as `Float64Array.from`, which asks an iterator for each. */
export const numbersOf = <Each>(items: readonly Each[], numberOf: (item: Each, at: number) => number) =>
  new Float64Array(items.map(numberOf));

/** The scalar product of two vectors of the same length, of the members `from` … `to` − 1. */
export function dot(a: Float64Array, b: Float64Array, from = 0, to = a.length): number {
  let sum = 0;
  for (let index = from; index < to; index += 1) sum += nthDouble(a, index) * nthDouble(b, index);
  return sum;
}

/** The sum of the members `from` … `to` − 1. */
export function total(values: Float64Array, from = 0, to = values.length): number {
  let sum = 0;
  for (let index = from; index < to; index += 1) sum += nthDouble(values, index);
  return sum;
}

/** The sum of the members before each one, and of all. */
export function sumsOf(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let at = 0; at < values.length; at += 1) sums[at + 1] = nthDouble(sums, at) + nthDouble(values, at);
  return sums;
}

/** `a − b`, as a new vector. */
export function minus(a: Float64Array, b: Float64Array): Float64Array {
  const difference = a.slice();
  subtract(difference, b, 1);
  return difference;
}

/** Takes `share · b` from `a`, in place. */
export function subtract(a: Float64Array, b: Float64Array, share: number): void {
  for (let index = 0; index < a.length; index += 1) a[index] = nthDouble(a, index) - share * nthDouble(b, index);
}

/** The values at some places. */
export function pick(x: Float64Array, places: Int32Array): Float64Array {
  const picked = new Float64Array(places.length);
  for (let index = 0; index < places.length; index += 1) picked[index] = nthDouble(x, nthPlace(places, index));
  return picked;
}

/**
 * The scalar products of a vector with columns `from` … `to` − 1, into a list of that many. Four at a time: each sum waits for its own last
 * addition, and the others go on meanwhile.
 */
export function dots(a: Float64Array, columns: readonly Float64Array[], from: number, to: number, into: Float64Array): void {
  for (let first = from; first < to; first += 4) {
    const own = columns[first] ?? a;
    const [second, third, fourth] = [columns[first + 1] ?? own, columns[first + 2] ?? own, columns[first + 3] ?? own];
    let [one, two, three, four] = [0, 0, 0, 0];
    for (let at = 0; at < a.length; at += 1) {
      const value = nthDouble(a, at);
      one += value * nthDouble(own, at);
      two += value * nthDouble(second, at);
      three += value * nthDouble(third, at);
      four += value * nthDouble(fourth, at);
    }
    into[first - from] = one;
    into[first - from + 1] = two;
    into[first - from + 2] = three;
    into[first - from + 3] = four;
  }
}

/** Makes columns orthonormal in place by modified Gram–Schmidt and drops those that depend on the ones before. */
export function orthonormalise(columns: readonly Float64Array[]): Float64Array[] {
  const basis: Float64Array[] = [];
  const squares = columns.map((column) => dot(column, column));
  const shares = new Float64Array(columns.length);
  for (const [index, column] of columns.entries()) {
    const square = dot(column, column);
    if (square <= 1e-10 * nth(squares, index) || square === 0) continue;
    const scale = 1 / Math.sqrt(square);
    for (let at = 0; at < column.length; at += 1) column[at] = nthDouble(column, at) * scale;
    basis.push(column);
    dots(column, columns, index + 1, columns.length, shares);
    for (let later = index + 1; later < columns.length; later += 1)
      subtract(columns[later] ?? column, column, nthDouble(shares, later - index - 1));
  }
  return basis;
}

/** Takes out of a column what an orthonormal basis explains of it. */
export function project(column: Float64Array, basis: readonly Float64Array[]): Float64Array {
  for (const direction of basis) subtract(column, direction, dot(column, direction));
  return column;
}
