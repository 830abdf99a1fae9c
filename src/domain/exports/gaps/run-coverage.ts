import { FILE_LIFE_MS } from '../../../api/params.ts';
import type { ExportRange } from '../plan/job-bodies.ts';

/** A run that is in the list of successful runs, with the range that it covers. */
export interface CoveringRun extends ExportRange {
  readonly runId: number | string;
  /** When its files were ready; undefined where the platform does not say. */
  readonly completedMs?: number;
  /** Its files are in the workspace. */
  readonly isKept: boolean;
}

/** A run in the list of all runs of the job, which does not show its range. */
export interface JobRun {
  readonly runId: number | string;
  readonly startedMs?: number;
  /** In lower case. */
  readonly state: string;
}

/** All that is known of a job whose data may have gaps. */
export interface ExportHistory {
  /** In lower case. */
  readonly frequency: string;
  /** In lower case. */
  readonly state: string;
  /** The range that its next run will cover, and when that begins. */
  readonly next?: ExportRange & { readonly startMs?: number };
  readonly createdMs?: number;
  readonly runs: readonly JobRun[];
  /** How long the platform keeps files; left out: as long as deployments usually do. */
  readonly fileLifeMs?: number;
  /** Successful runs of the job itself. */
  readonly covering: readonly CoveringRun[];
  /** Successful runs of the once jobs that backfill it. */
  readonly backfilled: readonly CoveringRun[];
  /** Ranges of backfill jobs that are not done, with their ids. */
  readonly filling: readonly (ExportRange & { readonly jobId: number | string })[];
}

/** The status of a part of a range: it has data, or the reason why not. */
export type Status =
  /** Exported; the files are in the workspace or can be downloaded. */
  | 'available'
  /** Exported; the files are neither in the workspace nor at the platform. */
  | 'expired'
  /** A run succeeded without rows. */
  | 'empty'
  /** The same, although the platform counts visits there. */
  | 'suspicious'
  /** A run failed. */
  | 'failed'
  /** No run began although one was due. */
  | 'missing'
  /** A run is under way. */
  | 'running'
  /** A backfill job is under way. */
  | 'filling'
  /** The job was suspended. */
  | 'suspended'
  /** The job did not exist yet. */
  | 'before';

/** One day or hour, or several that follow one another. */
export interface StatusInterval extends ExportRange {
  readonly status: Status;
  /** Days or hours. */
  readonly slots: number;
  /** Runs, or backfill jobs, that show it. */
  readonly by: readonly (number | string)[];
  /** Visits that the platform counts in a suspicious interval. */
  readonly visits?: number;
}

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
export function isAvailable({ isKept, completedMs }: CoveringRun, nowMs: number, fileLifeMs = FILE_LIFE_MS): boolean {
  return isKept || completedMs === undefined || completedMs + fileLifeMs > nowMs;
}

/**
 * The end of a range as the first instant after it: whether the interface counts the end in is not documented, so the last second of a
 * minute means the next.
 */
export function firstAfter(endMs: number): number {
  const intoMinuteMs = endMs % 60_000;
  return intoMinuteMs >= 59_000 ? endMs - intoMinuteMs + 60_000 : endMs;
}
