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

/** Stretches of time in ms, in order; the end is excluded. */
export interface Stretch {
  readonly startMs: number;
  readonly endMs: number;
}

/** What the runs cover together, and what lies between without data. */
export function coverageOf(runs: readonly Ranged[]): { covered: Stretch[]; gaps: Stretch[] } {
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
