import { rangeOf } from '../../domain/exports/deliveries.ts';
import { type Interval, intersect, subtract, union } from '../../lib/intervals.ts';
import type { RunManifest } from '../store/manifest.ts';

/** Groups runs so that only those of one group share an instant; most groups have one run. */
export function overlappingGroups<Run extends Pick<RunManifest, 'from' | 'to'>>(runs: readonly Run[]): Run[][] {
  const groups: Run[][] = [];
  let untilMs = Number.NEGATIVE_INFINITY;
  const ranged = runs.map((run) => ({ run, ...rangeOf(run) }));
  for (const { run, startMs, endMs } of ranged.toSorted((a, b) => a.startMs - b.startMs)) {
    if (startMs < untilMs) groups.at(-1)?.push(run);
    else groups.push([run]);
    untilMs = Math.max(untilMs, endMs);
  }
  return groups;
}

/** The part of a run in the answer for its time. */
export interface RunTraits {
  /** Its columns identify each row. */
  readonly isKeyed: boolean;
  /** A column says when each row happened. */
  readonly hasTime: boolean;
  readonly columns: number;
  /** It is being loaded: its rows do not count yet, and others answer for its time. */
  readonly isComing?: boolean;
}

/** Runs that together answer for a time: one whose rows cannot be matched stands alone. */
export interface Share {
  readonly runs: readonly RunManifest[];
  readonly isKeyed: boolean;
  /** The parts of its time that better shares hold: rows of it are not added to theirs. */
  readonly taken: readonly Interval[];
}

/** Shares of a time, and the jobs that a reader must know about. */
export interface Shares {
  readonly shares: readonly Share[];
  /** Rows of them do not count, because better shares hold their time. */
  readonly reduced: readonly RunManifest[];
  /** Of these the runs whose rows cannot be matched. */
  readonly unmatched: readonly RunManifest[];
  /** They hold the visits of one device or segment: behind those of all, or for want of them. */
  readonly filtered: readonly RunManifest[];
}

function isFiltered({ deviceId, segmentId }: RunManifest): boolean {
  return deviceId !== undefined || segmentId !== undefined;
}

/**
 * Where runs share time, all visits come before some, rows that can be matched before others, many columns before few, late before early.
 */
export function sharesOf(group: readonly RunManifest[], traitsOf: (run: RunManifest) => RunTraits): Shares {
  const candidates = [false, true].flatMap((filtered) => {
    const own = group.filter((run) => isFiltered(run) === filtered);
    const keyed = own.filter((run) => traitsOf(run).isKeyed);
    const byWorth = (a: RunManifest, b: RunManifest) =>
      traitsOf(b).columns - traitsOf(a).columns || Date.parse(b.exportedAt) - Date.parse(a.exportedAt) || b.runId - a.runId;
    const others = own.filter((run) => !keyed.includes(run)).toSorted(byWorth);
    return [...(keyed.length > 0 ? [{ runs: keyed, isKeyed: true }] : []), ...others.map((run) => ({ runs: [run], isKeyed: false }))];
  });
  const better: RunManifest[] = [];
  const reduced: RunManifest[] = [];
  const shares = candidates.map(({ runs, isKeyed }): Share => {
    const taken = union(better.map(rangeOf));
    const kept = runs.filter((run) => {
      const own = [rangeOf(run)];
      if (intersect(own, taken).length === 0) return true;
      reduced.push(run);
      return traitsOf(run).hasTime && subtract(own, taken).length > 0;
    });
    better.push(...kept.filter((run) => !traitsOf(run).isComing));
    return { runs: kept, isKeyed, taken };
  });
  return {
    shares: shares.filter(({ runs }) => runs.length > 0),
    reduced,
    unmatched: reduced.filter((run) => !traitsOf(run).isKeyed),
    filtered: group.filter(isFiltered),
  };
}

function jobsOf(runs: readonly RunManifest[]): string {
  return [...new Set(runs.map(({ jobId }) => jobId))].toSorted((a, b) => a - b).join(', ');
}

/** Notes for a reader on the shares of all times. */
export function shareNotes(all: readonly Shares[], keys: readonly string[]): string[] {
  const unmatched = jobsOf(all.flatMap((each) => each.unmatched));
  const filtered = jobsOf(all.flatMap((each) => each.filtered));
  return [
    ...(unmatched === ''
      ? []
      : [`Rows of job ${unmatched} do not count on days that other runs hold: without ${keys.join(', ')} they cannot be matched.`]),
    ...(filtered === ''
      ? []
      : [
          `Job ${filtered} holds the visits of one device or segment alone: it adds nothing to days that ` +
            'exports of all visits hold, and days that it alone holds answer only questions about those visits.',
        ]),
  ];
}
