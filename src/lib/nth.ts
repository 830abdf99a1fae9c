let isChecked = false;

/** Makes `nth` throw where a place does not exist, for tests and benches: outside of them such a place counts as 0. */
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
