import type { InputOf } from '../../api/operation.ts';
import type { listSuccessfulExportRuns } from '../../api/operations/data-export.ts';
import { DEFAULT_PAGE_SIZE, instantOf } from '../../api/params.ts';
import { rangeOf } from '../../domain/exports/coverage.ts';
import { filesUntil } from '../../domain/exports/files-until.ts';
import type { Covering } from '../../domain/exports/gaps/find-gaps.ts';
import { type JobRecord, numericIds } from '../../domain/exports/plan/similar-jobs.ts';
import { DAY_MS, MINUTE_MS } from '../../lib/clock.ts';
import { type FileLife, learnFileLife } from '../../workspace/download/file-life.ts';
import { allRunRows, asSuccessful, type RunRow, runRowsOf, type SuccessfulRun } from '../../workspace/download/run-rows.ts';
import type { Context } from '../context.ts';
import { type ExportContext, readJobs } from './export-lists.ts';

/** `lastRunTime` says when a run started; no run is taken to last longer. */
const LONGEST_RUN_MS = 2 * DAY_MS;
/** Jobs that are asked for how long files live: the last run of one may have failed. */
const MOST_ASKED = 3;

const lastRunMs = ({ lastRunTime }: JobRecord): number => instantOf(lastRunTime ?? '');

/** The ids of jobs that may have completed a run since an instant, ms since 1970; where a record does not say when the job ran, it may. */
function ranSince(jobs: readonly JobRecord[], sinceMs: number): number[] {
  return numericIds(jobs.filter((job) => !(lastRunMs(job) < sinceMs - LONGEST_RUN_MS)));
}

/** The successful runs of some jobs; else, where an instant is given, of all jobs that may have completed a run since; else of all. */
export async function readRunRows(jobIds: readonly number[] | undefined, sinceMs: number | undefined, ask: Context['ask']) {
  if (jobIds) return runRowsOf(jobIds, ask);
  return sinceMs === undefined ? allRunRows(ask) : runRowsOf(ranSince(await readJobs(ask), sinceMs), ask);
}

/** How long files are kept, as one of the latest runs of these jobs says it. */
async function fileLifeAmong(jobs: readonly JobRecord[], ask: Context['ask']) {
  const ran = jobs.filter((job) => lastRunMs(job) > 0).toSorted((a, b) => lastRunMs(b) - lastRunMs(a));
  return learnFileLife(ask, asSuccessful(await runRowsOf(numericIds(ran.slice(0, MOST_ASKED)), ask)));
}

/** A run as it is listed, with its range and what is left of its files. */
export interface ListedDelivery extends Covering, SuccessfulRun {
  readonly runId: number;
  /** When the platform deletes the files, ms since 1970; not a number where it is not known. */
  readonly untilMs: number;
}

/** Listed runs, the latest completed first, with what is left of the files of each, and how long files are kept. */
export async function deliveriesAmong(rows: readonly RunRow[], { ask, workspace, nowMs }: ExportContext, known?: FileLife) {
  const listed = asSuccessful(rows);
  const [kept, life] = await Promise.all([workspace().then((opened) => opened.runs()), known ?? learnFileLife(ask, listed)]);
  const here = new Set(kept.map(({ jobId, runId }) => `${jobId}/${runId}`));
  const runs = listed.map((run): ListedDelivery => {
    const untilMs = Date.parse(run.completedAt) + life.ms;
    // A run that does not say when it completed may still be there.
    const onPlatform = untilMs <= nowMs ? 'expired' : 'available';
    return { ...run, range: rangeOf(run), untilMs, state: here.has(`${run.jobId}/${run.runId}`) ? 'downloaded' : onPlatform };
  });
  return { runs, life };
}

/** The runs of these jobs whose files still exist here or on the platform, as far as they may reach beyond an instant. */
export async function availableRuns(jobs: readonly JobRecord[], fromMs: number, context: ExportContext) {
  if (jobs.length === 0) return [];
  const [kept, life] = await Promise.all([context.workspace().then((opened) => opened.runs()), fileLifeAmong(jobs, context.ask)]);
  const ids = new Set(jobs.map(({ jobId }) => jobId));
  const keptJobs = kept.map(({ jobId }) => jobId).filter((jobId) => ids.has(jobId));
  const rows = await runRowsOf([...ranSince(jobs, Math.max(fromMs, context.nowMs - life.ms)), ...keptJobs], context.ask);
  return (await deliveriesAmong(rows, context, life)).runs.filter(({ state }) => state !== 'expired');
}

/** Which successful runs are wanted; instants in ms since 1970. */
interface RunSelection extends InputOf<typeof listSuccessfulExportRuns> {
  readonly jobIds?: readonly number[] | undefined;
  /** The range of a run ends after it. */
  readonly fromMs?: number | undefined;
  /** The range of a run begins at or before it. */
  readonly toMs?: number | undefined;
  /** The files of a run still exist and are deleted before it, as far as the life of files is known. */
  readonly expiresBeforeMs?: number | undefined;
}

/** Who turns pages gets them of the list as it was for the first: of many jobs it takes longer to read than lists are kept. */
const PAGES_MS = 10 * MINUTE_MS;

/**
 * A page of the successful runs that fit, all that do, and those among which they were looked for; with `expiresBeforeMs` those that go
 * first come first.
 */
export async function selectRuns(
  { jobIds, fromMs, toMs, expiresBeforeMs, order = 'DESC', limit = DEFAULT_PAGE_SIZE, page = 1 }: RunSelection,
  context: Pick<Context, 'ask' | 'nowMs'>,
) {
  const { nowMs } = context;
  const ask: Context['ask'] = (operation, input, how) =>
    context.ask(operation, input, { keepMs: PAGES_MS, ...(page > 1 && { maxAgeMs: PAGES_MS }), ...how });
  const isLate = !jobIds && (fromMs !== undefined || expiresBeforeMs !== undefined);
  const known = isLate ? await fileLifeAmong(await readJobs(ask), ask) : undefined;
  // The range of a run ends before the run begins, and files exist only of runs that completed within the life of files.
  const sinceMs = known && Math.max(fromMs ?? 0, expiresBeforeMs === undefined ? 0 : nowMs - known.ms);
  const listed = await readRunRows(jobIds, sinceMs, ask);
  const life = known ?? (await learnFileLife(ask, asSuccessful(listed)));
  const goneMs = (run: RunRow) => filesUntil(run, life.ms);
  const found = (order === 'ASC' ? listed.toReversed() : listed).filter(
    (run) =>
      (jobIds === undefined || jobIds.some((id) => id === run.jobId)) &&
      (fromMs === undefined || instantOf(run.to ?? '') > fromMs) &&
      (toMs === undefined || instantOf(run.from ?? '') <= toMs) &&
      (expiresBeforeMs === undefined || (goneMs(run) > nowMs && goneMs(run) < expiresBeforeMs)),
  );
  const sorted = expiresBeforeMs === undefined ? found : found.toSorted((a, b) => goneMs(a) - goneMs(b));
  const start = Math.max(0, page - 1) * limit;
  return { runs: sorted.slice(start, start + limit), found, listed, life };
}
