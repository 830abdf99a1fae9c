import { type Held, rangeOf } from '../../domain/exports/coverage.ts';
import { type Interval, intersect, subtract, union } from '../../lib/intervals.ts';
import type { RunManifest } from '../store/manifest.ts';
import { type Column, columnOf, folded, keysOf, promisedColumns, shownColumns, timeColumn } from './columns.ts';

/** A run as far as it says what its files hold: one that is here, or that a plan will bring. */
export type HoldingRun = Pick<RunManifest, 'scope' | 'from' | 'to' | 'fields'> & {
  readonly [Name in 'table' | 'deviceId' | 'segmentId' | 'exportedAt' | 'jobId' | 'runId']?: RunManifest[Name] | undefined;
};

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

/** The columns of a run: of its table, else those that its job promises; none where it lists none. */
export function columnsIn({ table, fields }: Pick<HoldingRun, 'table' | 'fields'>): Column[] {
  return table ? shownColumns(table.columns) : promisedColumns(fields).map(columnOf);
}

/** The facts that tell the part of runs in the answer for their time. */
interface RunTraits<Run> {
  readonly columns: ReadonlyMap<Run, readonly Column[]>;
  /** Whether one of its columns says when each row happened. */
  readonly hasTime?: (columns: readonly Column[]) => boolean;
  /** It is being loaded: its rows do not count yet, and others answer for its time. */
  readonly isComing?: (run: Run) => boolean;
}

/** Runs that together answer for a time: one whose rows cannot be matched stands alone. */
export interface Share<Run = RunManifest> {
  readonly runs: readonly Run[];
  readonly isKeyed: boolean;
  /** The parts of its time that better shares hold: rows of it are not added to theirs. */
  readonly taken: readonly Interval[];
}

function isFiltered({ deviceId, segmentId }: HoldingRun): boolean {
  return deviceId !== undefined || segmentId !== undefined;
}

function jobsOf(runs: readonly HoldingRun[]): string {
  return [...new Set(runs.map(({ jobId = 0 }) => jobId))].toSorted((a, b) => a - b).join(', ');
}

/** Notes for a reader on how rows come together; `unmatched` are runs whose rows cannot be matched with better ones. */
function notesOn(shares: readonly Share<HoldingRun>[], unmatched: readonly HoldingRun[], runs: readonly HoldingRun[]): string[] {
  const isOnce = shares.some((share) => share.isKeyed && overlappingGroups(share.runs).length < share.runs.length);
  const keys = keysOf(runs[0]?.scope ?? '', []).missing.join(', ');
  const [behind, filtered] = [unmatched, runs.filter(isFiltered)].map(jobsOf);
  return [
    isOnce && 'Some runs overlap: each row counts once, as the last export has it.',
    behind && `Rows of job ${behind} do not count on days that other runs hold: without ${keys} they cannot be matched.`,
    filtered &&
      `Job ${filtered} holds the visits of one device or segment alone: it adds nothing to days that ` +
        'exports of all visits hold, and days that it alone holds answer only questions about those visits.',
  ].flatMap((note) => note || []);
}

/** The time that shares of these runs answer for. */
function heldBy<Run extends HoldingRun>(
  shares: readonly Share<Run>[],
  runs: readonly Run[],
  { columns, isComing = () => false }: RunTraits<Run>,
): Held {
  const names = new Map([...columns].map(([run, own]) => [run, new Set(own.map(({ name }) => folded(name)))]));
  const areParts = runs.every(isFiltered);
  return (column, deviceIds) => {
    const counts = (run: Run) => {
      const isOfDevice = run.segmentId === undefined && deviceIds?.every((id) => id === run.deviceId) === true;
      const own = names.get(run);
      return (
        !isComing(run) && (areParts || isOfDevice || !isFiltered(run)) && (column === undefined || !own?.size || own.has(folded(column)))
      );
    };
    return union(shares.flatMap((share) => subtract(share.runs.filter(counts).map(rangeOf), share.taken)));
  };
}

/**
 * The shares that answer for the time of runs of a scope, in groups that share some. All visits come before some, rows that can be matched
 * before others, many columns before few, late before early; what is of one device or segment counts with the rest only where all is.
 */
export function sharesOf<Run extends HoldingRun>(groups: readonly (readonly Run[])[], traits: RunTraits<Run>) {
  const { columns, hasTime = (own) => timeColumn(own) !== undefined, isComing = () => false } = traits;
  const runs = groups.flat();
  const columnsOf = (run: Run) => columns.get(run) ?? [];
  // A run that lists no column may have all.
  const isKeyed = (run: Run) => columnsOf(run).length === 0 || keysOf(run.scope, columnsOf(run)).missing.length === 0;
  const byWorth = (a: Run, b: Run) =>
    columnsOf(b).length - columnsOf(a).length ||
    Date.parse(b.exportedAt ?? '') - Date.parse(a.exportedAt ?? '') ||
    (b.runId ?? 0) - (a.runId ?? 0);
  /** Rows of them do not count, because better shares hold their time. */
  const reduced: Run[] = [];
  const shares = groups.flatMap((group): Share<Run>[] => {
    const better: Run[] = [];
    const candidates = [false, true].flatMap((filtered) => {
      const own = group.filter((run) => isFiltered(run) === filtered);
      const others = own.filter((run) => !isKeyed(run)).toSorted(byWorth);
      return [{ runs: own.filter(isKeyed), isKeyed: true }, ...others.map((run) => ({ runs: [run], isKeyed: false }))];
    });
    return candidates.map((each) => {
      const taken = union(better.map(rangeOf));
      const kept = each.runs.filter((run) => {
        const own = [rangeOf(run)];
        if (intersect(own, taken).length === 0) return true;
        reduced.push(run);
        return hasTime(columnsOf(run)) && subtract(own, taken).length > 0;
      });
      better.push(...kept.filter((run) => !isComing(run)));
      return { ...each, runs: kept, taken };
    });
  });
  const unmatched = reduced.filter((run) => !isKeyed(run));
  return { shares, reduced, held: heldBy(shares, runs, traits), notes: notesOn(shares, unmatched, runs) };
}

/** The time that runs of a scope answer for, as far as their tables and jobs say what they hold. */
export function heldIn(runs: readonly HoldingRun[], scope: string): Held {
  const own = runs.filter((run) => run.scope.toLowerCase() === scope.toLowerCase());
  return sharesOf(overlappingGroups(own), { columns: new Map(own.map((run) => [run, columnsIn(run)])) }).held;
}
