let isChecked = false;

/** Makes the functions below throw where a place does not exist, for tests and benches: outside of them such a place counts as 0. */
export function checkPlaces(): void {
  isChecked = true;
}

function missing(values: ArrayLike<number>, index: number): number {
  if (isChecked) throw new RangeError(`There is no place ${index} among ${values.length} numbers.`);
  return 0;
}

/** The number at a place that exists: a mistaken index is an error of the program, and no value that is missing. */
export function nth(values: ArrayLike<number>, index: number): number {
  return values[index] ?? missing(values, index);
}

// An access that has seen more than four kinds of arrays is several times as slow in V8, so long loops have a function of their own.

/** `nth` for loops over doubles. */
export function nthDouble(values: Float64Array, index: number): number {
  return values[index] ?? missing(values, index);
}

/** `nth` for loops over places. */
export function nthPlace(values: Int32Array, index: number): number {
  return values[index] ?? missing(values, index);
}

/** `nth` for loops over columns of unsigned whole numbers. */
export function nthUnsigned(values: Uint8Array | Uint16Array | Uint32Array, index: number): number {
  return values[index] ?? missing(values, index);
}
