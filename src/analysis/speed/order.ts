import { medianSorted } from 'simple-statistics';

/** The values in ascending order; much faster than a sort with a comparison. */
export function ascending(values: readonly number[]): number[] {
  return Array.from(new Float64Array(values).toSorted());
}

/** The middle value; NaN where there is none. */
export function median(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : medianSorted(ascending(values));
}

/** Ranks from 1; equal values share the mean of theirs. */
export function ranksOf(values: readonly number[]): number[] {
  const sorted = ascending(values);
  const rankOf = new Map<number, number>();
  for (let from = 0; from < sorted.length; ) {
    const value = sorted[from] ?? 0;
    let to = from + 1;
    while (to < sorted.length && sorted[to] === value) to += 1;
    rankOf.set(value, (from + 1 + to) / 2);
    from = to;
  }
  return values.map((value) => rankOf.get(value) ?? 0);
}
