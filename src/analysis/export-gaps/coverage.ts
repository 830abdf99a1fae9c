import { FILE_LIFE_MS } from '../../api/params.ts';
import type { ExportRange } from '../export-plan/split-range.ts';
import type { CoveringRun } from './records.ts';

/** A part of a range with all runs that cover it; none for a gap. */
export interface Piece extends ExportRange {
  readonly runs: readonly CoveringRun[];
}

/** Cuts a range wherever a run begins or ends. */
export function piecesOf({ fromMs, toMs }: ExportRange, covering: readonly CoveringRun[]): Piece[] {
  const within = covering.filter((run) => run.toMs > fromMs && run.fromMs < toMs);
  const edges = within.flatMap((run) => [run.fromMs, run.toMs]).filter((edge) => edge > fromMs && edge < toMs);
  const cuts = [...new Set([fromMs, ...edges, toMs])].toSorted((a, b) => a - b);
  // Ranges in order: those that ended need not be looked at again, which a year of hours would feel.
  const inOrder = within.toSorted((a, b) => a.fromMs - b.fromMs);
  let open: CoveringRun[] = [];
  let next = 0;
  return cuts.slice(0, -1).map((start, index) => {
    const end = cuts[index + 1] ?? toMs;
    const first = next;
    while ((inOrder[next]?.fromMs ?? Number.POSITIVE_INFINITY) <= start) next += 1;
    open = [...open, ...inOrder.slice(first, next)].filter((run) => run.toMs > start);
    return { fromMs: start, toMs: end, runs: open };
  });
}

/** Whether the files of a run can still be had. */
export function isAvailable({ isKept, completedMs }: CoveringRun, nowMs: number): boolean {
  return isKept || completedMs === undefined || completedMs + FILE_LIFE_MS > nowMs;
}

/** The end of a range as the first instant after it: whether the interface counts the end in is not documented, so the last second of a minute means the next. */
export function firstAfter(endMs: number): number {
  const intoMinuteMs = endMs % 60_000;
  return intoMinuteMs >= 59_000 ? endMs - intoMinuteMs + 60_000 : endMs;
}
