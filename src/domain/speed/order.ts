/** The values in ascending order; typed, because that sorts several times faster. */
export function ascending(values: ArrayLike<number>): Float64Array {
  return new Float64Array(values).toSorted();
}

/** The value that a share of the sorted values does not exceed, interpolated between neighbours; NaN where there is none. */
export function quantile(sorted: Float64Array, share: number): number {
  const at = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(at)] ?? Number.NaN, sorted[Math.ceil(at)] ?? Number.NaN];
  return low + (high - low) * (at - Math.floor(at));
}

/** The middle value; NaN where there is none. */
export function median(values: ArrayLike<number>): number {
  return quantile(ascending(values), 0.5);
}

/** Index of the first of the sorted values, from `from` on, that is not below a value, or not even equal to it. */
function firstAbove(sorted: Float64Array, value: number, orEqual: boolean, from = 0): number {
  let [low, high] = [from, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = sorted[middle] ?? 0;
    if (other < value || (!orEqual && other === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ranks from 1; equal values share the mean of theirs. */
export function ranksOf(values: readonly number[]): number[] {
  const sorted = ascending(values);
  return values.map((value) => {
    const first = firstAbove(sorted, value, true);
    // Most values stand alone, and need no second search.
    const next = sorted[first + 1] === value ? firstAbove(sorted, value, false, first) : first + 1;
    return (first + 1 + next) / 2;
  });
}
