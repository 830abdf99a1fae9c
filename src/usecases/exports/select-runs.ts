import { DEFAULT_PAGE_SIZE, instantOf } from '../../api/params.ts';
import { type FileLife, learnFileLife } from '../../workspace/download/file-life.ts';
import { allRunRows, type RunRow, runRowsOf } from '../../workspace/download/run-rows.ts';
import { asSuccessful } from '../../workspace/download/sync-plan.ts';
import type { Context } from '../context.ts';
import { readJobs } from './export-lists.ts';
import { fileLifeAmong, runRowsSince } from './recent-runs.ts';

/** Which successful runs are wanted; instants in ms since 1970. */
interface RunSelection {
  readonly jobIds?: readonly number[] | undefined;
  /** The range of a run ends after it. */
  readonly fromMs?: number | undefined;
  /** The range of a run begins at or before it. */
  readonly toMs?: number | undefined;
  /** The files of a run still exist and are deleted before it, as far as the life of files is known. */
  readonly expiresBeforeMs?: number | undefined;
  readonly limit?: number | undefined;
  readonly page?: number | undefined;
  readonly order?: 'ASC' | 'DESC' | undefined;
  readonly nowMs: number;
}

function isSelected(
  { jobId, from, to, completionTime }: RunRow,
  { jobIds, fromMs, toMs, expiresBeforeMs, nowMs }: RunSelection,
  fileLifeMs: number,
): boolean {
  const [startMs, endMs] = [instantOf(from ?? ''), instantOf(to ?? '')];
  const goneMs = instantOf(completionTime ?? '') + fileLifeMs;
  return (
    (jobIds === undefined || jobIds.some((id) => id === jobId)) &&
    (fromMs === undefined || endMs > fromMs) &&
    (toMs === undefined || startMs <= toMs) &&
    (expiresBeforeMs === undefined || (goneMs > nowMs && goneMs < expiresBeforeMs))
  );
}

/** The runs among which the wanted ones are, and how long files are kept. */
async function listFor(
  { jobIds, fromMs, expiresBeforeMs, nowMs }: RunSelection,
  ask: Context['ask'],
): Promise<{ listed: RunRow[]; life: FileLife }> {
  if (jobIds || (fromMs === undefined && expiresBeforeMs === undefined)) {
    const listed = jobIds ? await runRowsOf(jobIds, ask) : await allRunRows(ask);
    return { listed, life: await learnFileLife(ask, asSuccessful(listed)) };
  }
  const life = await fileLifeAmong(await readJobs(ask), ask);
  // The range of a run ends before the run begins, and files exist only of runs that completed within the life of files.
  const sinceMs = Math.max(fromMs ?? 0, expiresBeforeMs === undefined ? 0 : nowMs - life.ms);
  return { listed: await runRowsSince(sinceMs, ask), life };
}

/**
 * A page of the successful runs that fit, all that do, and those among which they were looked for; with `expiresBeforeMs` those that go
 * first come first.
 */
export async function selectRuns(
  ask: Context['ask'],
  selection: RunSelection,
): Promise<{ runs: RunRow[]; found: readonly RunRow[]; listed: readonly RunRow[]; life: FileLife }> {
  const { order = 'DESC', limit = DEFAULT_PAGE_SIZE, page = 1, expiresBeforeMs } = selection;
  const { listed, life } = await listFor(selection, ask);
  const all = order === 'ASC' ? listed.toReversed() : listed;
  const fitting = all.filter((run) => isSelected(run, selection, life.ms));
  const sorted =
    expiresBeforeMs === undefined
      ? fitting
      : fitting.toSorted((a, b) => instantOf(a.completionTime ?? '') - instantOf(b.completionTime ?? ''));
  const start = Math.max(0, page - 1) * limit;
  return { runs: sorted.slice(start, start + limit), found: fitting, listed, life };
}
