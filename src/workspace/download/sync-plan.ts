import type { Ask } from '../../api/client.ts';
import type { RunManifest } from '../store/manifest.ts';
import { allRunRows, type RunRow, runRowsOf } from './run-rows.ts';

/** A run that produced files, with instants as ISO in UTC; empty texts where the platform says nothing. */
export interface SuccessfulRun {
  readonly jobId: number;
  readonly runId: number;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly completedAt: string;
  readonly format: string;
  readonly scope: string;
}

/** The same instant in UTC; empty where there is none. */
export function utc(instant: string | null | undefined): string {
  const ms = Date.parse(instant ?? '');
  return Number.isNaN(ms) ? '' : new Date(ms).toISOString();
}

/** All successful runs of a project, the latest completed first; one whose ids exceed 2^53 cannot be asked for and is left out. */
export async function successfulRuns(ask: Ask): Promise<SuccessfulRun[]> {
  return asSuccessful(await allRunRows(ask));
}

/** Those of some jobs alone, in the same order. */
export async function successfulRunsOf(jobIds: readonly number[], ask: Ask): Promise<SuccessfulRun[]> {
  return asSuccessful(await runRowsOf(jobIds, ask));
}

/** Records of successful runs as runs, the latest completed first; one whose ids exceed 2^53 is left out. */
export function asSuccessful(rows: readonly RunRow[]): SuccessfulRun[] {
  const runs = rows.flatMap(({ jobId, jobRunId, name, from, to, completionTime, format, scope }): SuccessfulRun[] => {
    if (typeof jobId !== 'number' || typeof jobRunId !== 'number') return [];
    const texts = { name: name ?? '', format: format ?? '', scope: scope ?? '' };
    return [{ jobId, runId: jobRunId, ...texts, from: utc(from), to: utc(to), completedAt: utc(completionTime) }];
  });
  return runs.toSorted((a, b) => (a.completedAt < b.completedAt ? 1 : -1));
}

/** The successful runs by state: on disk, available, or expired. */
export interface SyncPlan {
  readonly present: readonly SuccessfulRun[];
  readonly wanted: readonly SuccessfulRun[];
  /** Not on disk, and completed so long ago that the platform has deleted their files. */
  readonly expired: readonly SuccessfulRun[];
}

interface SyncSelection {
  readonly jobIds?: readonly number[] | undefined;
  /** Only runs that completed since, ms since 1970. */
  readonly sinceMs?: number | undefined;
  readonly nowMs: number;
  readonly fileLifeMs: number;
}

/** Sorts successful runs by state; those to download come oldest first, because they expire first. */
export function planSync(
  runs: readonly SuccessfulRun[],
  here: readonly RunManifest[],
  { jobIds, sinceMs, nowMs, fileLifeMs }: SyncSelection,
): SyncPlan {
  const known = new Set(here.map(({ jobId, runId }) => `${jobId}/${runId}`));
  const meant = runs.filter(
    ({ jobId, completedAt }) => (jobIds?.includes(jobId) ?? true) && (sinceMs === undefined || Date.parse(completedAt) >= sinceMs),
  );
  const isHere = ({ jobId, runId }: SuccessfulRun) => known.has(`${jobId}/${runId}`);
  const missing = meant.filter((run) => !isHere(run));
  // A run that does not say when it completed may still be there.
  const isExpired = ({ completedAt }: SuccessfulRun) => Date.parse(completedAt) + fileLifeMs <= nowMs;
  return {
    present: meant.filter(isHere),
    wanted: missing.filter((run) => !isExpired(run)).toReversed(),
    expired: missing.filter(isExpired),
  };
}

/** The state of a download at the end of a call. */
export type SyncOutcome = 'fetched' | 'under way' | 'failed';

/** Columns of the table, one row for each job. */
export const SYNC_COLUMNS = ['jobId', 'job', 'fetched', 'under way', 'failed', 'here before', 'expired', 'expired from', 'expired to'];

type SyncRow = (string | number | null)[];

/**
 * One row a job: those with something to fetch first, then those that lost most; of jobs whose runs have all expired, only the first
 * `lostShown` get one, and `more` counts the others.
 */
export function syncTable(
  { present, wanted, expired }: SyncPlan,
  outcomes: readonly SyncOutcome[],
  lostShown: number,
): { rows: SyncRow[]; more: number } {
  const jobs = new Map<number, string>();
  for (const { jobId, name } of [...wanted, ...expired, ...present]) jobs.set(jobId, name);
  const rows = [...jobs].map(([jobId, job]) => {
    const own = (runs: readonly SuccessfulRun[]) => runs.filter((run) => run.jobId === jobId);
    const count = (wish: SyncOutcome) => wanted.filter((run, index) => run.jobId === jobId && outcomes[index] === wish).length;
    const gone = own(expired).toSorted((a, b) => (a.from < b.from ? -1 : 1));
    const until = gone
      .map(({ to }) => to)
      .toSorted()
      .at(-1);
    const row: SyncRow = [
      jobId,
      job,
      count('fetched'),
      count('under way'),
      count('failed'),
      own(present).length,
      gone.length,
      gone[0]?.from ?? null,
      until ?? null,
    ];
    return { row, wanted: own(wanted).length, gone: gone.length, isLost: own(wanted).length + own(present).length === 0 };
  });
  const inOrder = rows.toSorted((a, b) => b.wanted - a.wanted || b.gone - a.gone);
  const lost = new Set(inOrder.filter(({ isLost }) => isLost).slice(lostShown));
  return { rows: inOrder.filter((each) => !lost.has(each)).map(({ row }) => row), more: lost.size };
}
