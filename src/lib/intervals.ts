import { DAY_MS } from './clock.ts';

/** From one instant to another, in ms since 1970; the end is not in it. */
export interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

/** Whether an interval holds any time; one without a known or later end holds none. */
export const isSpan = ({ startMs, endMs }: Interval): boolean => startMs < endMs;

/** The time that intervals cover together, in order. */
export function union(intervals: readonly Interval[]): Interval[] {
  const joined: Interval[] = [];
  for (const { startMs, endMs } of intervals.filter(isSpan).toSorted((a, b) => a.startMs - b.startMs)) {
    const last = joined.at(-1);
    if (last && startMs <= last.endMs) joined[joined.length - 1] = { startMs: last.startMs, endMs: Math.max(last.endMs, endMs) };
    else joined.push({ startMs, endMs });
  }
  return joined;
}

/** The time that both cover, in order. */
export function intersect(some: readonly Interval[], others: readonly Interval[]): Interval[] {
  const theirs = union(others);
  const shared = union(some).flatMap((own) =>
    theirs.map((each) => ({ startMs: Math.max(own.startMs, each.startMs), endMs: Math.min(own.endMs, each.endMs) })),
  );
  return shared.filter(isSpan);
}

/** The time that the first cover and the others do not, in order. */
export function subtract(some: readonly Interval[], others: readonly Interval[]): Interval[] {
  const taken = union(others);
  const free = [...taken, undefined].map((next, at) => ({
    startMs: taken[at - 1]?.endMs ?? Number.NEGATIVE_INFINITY,
    endMs: next?.startMs ?? Number.POSITIVE_INFINITY,
  }));
  return intersect(some, free);
}

/** From the earliest beginning to the latest end; undefined without any interval. */
export function hullOf(intervals: readonly Interval[]): Interval | undefined {
  const all = union(intervals);
  const [first, last] = [all[0], all.at(-1)];
  return first && last && { startMs: first.startMs, endMs: last.endMs };
}

/** The time that intervals cover together, in ms. */
export function lengthOf(intervals: readonly Interval[]): number {
  return union(intervals).reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
}

/** The UTC days since 1970 that intervals cover whole, or `touched` in a part. */
export function daysIn(intervals: readonly Interval[], how: 'whole' | 'touched' = 'whole'): Set<number> {
  const [first, last] = how === 'whole' ? [Math.ceil, Math.floor] : [Math.floor, Math.ceil];
  const days = union(intervals).flatMap(({ startMs, endMs }) => {
    const from = first(startMs / DAY_MS);
    return Array.from({ length: Math.max(0, last(endMs / DAY_MS) - from) }, (_, at) => from + at);
  });
  return new Set(days);
}
