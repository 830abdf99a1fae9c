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
