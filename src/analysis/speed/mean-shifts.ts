interface Split {
  readonly index: number;
  readonly t: number;
}

/** The split of a series whose two means lie farthest apart, measured by Student's t. */
function widestSplit(values: readonly number[], shortest: number): Split | undefined {
  const n = values.length;
  const total = values.reduce((sum, value) => sum + value, 0);
  const mean = total / n;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  let best: Split | undefined;
  let sum = 0;
  for (let index = 1; index <= n - shortest; index += 1) {
    sum += (values[index - 1] ?? 0) - mean;
    if (index < shortest) continue;
    const between = (sum * sum * n) / (index * (n - index));
    const t = Math.sqrt((between * (n - 2)) / Math.max(squares - between, Number.MIN_VALUE));
    if (!best || t > best.t) best = { index, t };
  }
  return best;
}

/**
 * Where the mean of a series shifts by far more than it scatters, in order: binary segmentation by least squares (Scott and
 * Knott 1974). For short series, in which ranks cannot tell a step from a drift.
 */
export function meanShifts(values: readonly number[], { leastT, shortest }: { leastT: number; shortest: number }): number[] {
  const split = values.length >= 2 * shortest ? widestSplit(values, shortest) : undefined;
  if (!split || split.t < leastT) return [];
  const { index } = split;
  const options = { leastT, shortest };
  return [...meanShifts(values.slice(0, index), options), index, ...meanShifts(values.slice(index), options).map((at) => index + at)];
}
