/** A run with its range; the end is excluded. */
interface Ranged {
  readonly from: string;
  readonly to: string;
}

/** Groups runs so that only those of one group share an instant; most groups have one run. */
export function overlappingGroups<Run extends Ranged>(runs: readonly Run[]): Run[][] {
  const groups: Run[][] = [];
  let endMs = Number.NEGATIVE_INFINITY;
  for (const run of runs.toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from))) {
    if (Date.parse(run.from) < endMs) groups.at(-1)?.push(run);
    else groups.push([run]);
    endMs = Math.max(endMs, Date.parse(run.to));
  }
  return groups;
}

/** An interval of time in ms; the end is excluded. */
export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

/** The intervals that the runs cover together, and the gaps between them. */
export function coverageOf(runs: readonly Ranged[]): { covered: Interval[]; gaps: Interval[] } {
  const covered: { startMs: number; endMs: number }[] = [];
  for (const run of runs.toSorted((a, b) => Date.parse(a.from) - Date.parse(b.from))) {
    const [startMs, endMs] = [Date.parse(run.from), Date.parse(run.to)];
    const last = covered.at(-1);
    // The platform may end a range on its last millisecond.
    if (last && startMs <= last.endMs + 1) last.endMs = Math.max(last.endMs, endMs);
    else covered.push({ startMs, endMs });
  }
  const gaps = covered.slice(1).map(({ startMs }, index) => ({ startMs: covered[index]?.endMs ?? startMs, endMs: startMs }));
  return { covered, gaps };
}

/** The pieces of these intervals that the others do not cover, each piece once, in the order of time. */
export function uncovered(asked: readonly Interval[], covered: readonly Interval[]): readonly Interval[] {
  let left = [...asked];
  for (const { startMs, endMs } of covered) {
    left = left.flatMap((piece) => {
      // The platform may end a range on its last millisecond.
      if (endMs + 1 <= piece.startMs || startMs >= piece.endMs) return [piece];
      const before = { startMs: piece.startMs, endMs: startMs };
      const after = { startMs: endMs, endMs: piece.endMs };
      return [before, after].filter((part) => part.endMs - part.startMs > 1);
    });
  }
  const seen = new Set<string>();
  return left
    .filter(({ startMs, endMs }) => !seen.has(`${startMs} ${endMs}`) && seen.add(`${startMs} ${endMs}`))
    .toSorted((a, b) => a.startMs - b.startMs);
}

/** The time that intervals take together, in ms. */
export function lengthOf(intervals: readonly Interval[]): number {
  return intervals.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
}

/** The pieces of intervals that lie in this one. */
export function within(intervals: readonly Interval[], { startMs, endMs }: Interval): Interval[] {
  const cut = intervals.map((each) => ({ startMs: Math.max(each.startMs, startMs), endMs: Math.min(each.endMs, endMs) }));
  return cut.filter((each) => each.startMs < each.endMs);
}
