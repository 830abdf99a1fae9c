import { orNone } from '../api/errors.ts';
import type { InputOf, PayloadOf } from '../api/operation.ts';
import { listExportRuns, type listSuccessfulExportRuns } from '../api/operations/data-export.ts';
import { DEFAULT_PAGE_SIZE, instantOf, MAX_PAGE_SIZE } from '../api/params.ts';
import { DAY_MS, dayText, MINUTE_MS } from '../lib/clock.ts';
import { counted } from '../lib/number-text.ts';
import { firstOf } from '../lib/sentences.ts';
import type { Context } from '../names/context.ts';
import { rangeOf } from './coverage.ts';
import type { ChosenRun } from './download/download-run.ts';
import { allRunRows, asSuccessful, type FileLife, learnFileLife, type RunRow, runRowsOf, type SuccessfulRun } from './download/run-rows.ts';
import { type ExportContext, readJobs, runsHere } from './export-lists.ts';
import { filesUntil } from './files-until.ts';
import type { Covering } from './gaps/find-gaps.ts';
import { isActive, isOnce, isRunning, type JobRecord, lower, numericIds } from './plan/similar-jobs.ts';
import { runKey } from './store/manifest.ts';

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
export async function deliveriesAmong(rows: readonly RunRow[], context: ExportContext, known?: FileLife) {
  const listed = asSuccessful(rows);
  const [kept, life] = await Promise.all([runsHere(context), known ?? learnFileLife(context.ask, listed)]);
  const here = new Set(kept.map(runKey));
  const runs = listed.map((run): ListedDelivery => {
    const untilMs = Date.parse(run.completedAt) + life.ms;
    // A run that does not say when it completed may still be there.
    const onPlatform = untilMs <= context.nowMs ? 'expired' : 'available';
    return { ...run, range: rangeOf(run), untilMs, state: here.has(runKey(run)) ? 'downloaded' : onPlatform };
  });
  return { runs, life };
}

/** The runs of these jobs whose files still exist here or on the platform, as far as they may reach beyond an instant. */
export async function availableRuns(jobs: readonly JobRecord[], fromMs: number, context: ExportContext) {
  if (jobs.length === 0) return [];
  const [kept, life] = await Promise.all([runsHere(context), fileLifeAmong(jobs, context.ask)]);
  const keptJobs = kept.flatMap(({ jobId }) => (jobs.some((job) => job.jobId === jobId) ? jobId : []));
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
      (fromMs === undefined || instantOf(run.to ?? '') > fromMs) &&
      (toMs === undefined || instantOf(run.from ?? '') <= toMs) &&
      (expiresBeforeMs === undefined || (goneMs(run) > nowMs && goneMs(run) < expiresBeforeMs)),
  );
  const sorted = expiresBeforeMs === undefined ? found : found.toSorted((a, b) => goneMs(a) - goneMs(b));
  const start = Math.max(0, page - 1) * limit;
  return { runs: sorted.slice(start, start + limit), found, listed, life };
}

/** Of more jobs the runs are not listed, a request each. */
const MOST_JOBS = 8;
const USUAL_MS = 7 * DAY_MS;
/** A run that ended this lately may not be in the other list yet. */
const SETTLE_MS = 5 * MINUTE_MS;

interface RunsMeant {
  readonly jobIds: readonly number[] | undefined;
  /** Since when runs are looked at, ms since 1970; left out: the last 7 days. */
  readonly sinceMs: number | undefined;
  /** Runs that ended later are not looked at, ms since 1970. */
  readonly untilMs?: number | undefined;
}

/** A job with the days (ISO) of its runs that succeeded and that the platform does not list among those with files: they count as good. */
export function withEmptyRuns(
  { jobId, name }: Pick<JobRecord, 'jobId' | 'name'>,
  runs: PayloadOf<typeof listExportRuns>,
  listed: readonly SuccessfulRun[],
  [fromMs, untilMs]: readonly [number, number],
) {
  const withFiles = new Set(listed.map(({ runId }) => runId));
  const days = runs.flatMap(({ jobRunId, state, endDate }) => {
    const endMs = Date.parse(endDate ?? '');
    const isMeant = lower(state) === 'success' && endMs >= fromMs && endMs < untilMs - SETTLE_MS;
    return isMeant && typeof jobRunId === 'number' && !withFiles.has(jobRunId) ? [dayText(endMs / DAY_MS)] : [];
  });
  return days.length > 0 ? [{ jobId, name, days }] : [];
}

/** A sentence for each of these jobs: days of them may be missing. */
export function emptyRunWords(jobs: ReturnType<typeof withEmptyRuns>): string[] {
  return jobs.map(({ jobId, name, days }) => {
    const job = !name ? `Job ${jobId}` : `"${name}" (${jobId})`;
    const what = `${counted(days.length, 'run')} succeeded without rows`;
    return `${job}: ${what} (ended ${[...new Set(days)].toReversed().join(', ')}).`;
  });
}

/** The same of the runs of some jobs, else of those with a run among the listed, whose files are not among these. */
export async function withoutFilesWords(
  listed: readonly SuccessfulRun[],
  { jobIds, sinceMs, untilMs = Number.POSITIVE_INFINITY }: RunsMeant,
  { ask, nowMs }: Pick<Context, 'ask' | 'nowMs'>,
): Promise<string[]> {
  const fromMs = sinceMs ?? nowMs - USUAL_MS;
  const names = new Map(listed.filter(({ completedAt }) => Date.parse(completedAt) >= fromMs).map(({ jobId, name }) => [jobId, name]));
  const jobs = jobIds ?? [...names.keys()];
  if (jobs.length > MOST_JOBS) return [];
  const empty = await Promise.all(
    jobs.map(async (jobId) => {
      const runs = await ask(listExportRuns, { jobId, limit: MAX_PAGE_SIZE }).catch(orNone);
      return withEmptyRuns({ jobId, name: names.get(jobId) }, runs, listed, [fromMs, Math.min(nowMs, untilMs + SETTLE_MS)]);
    }),
  );
  return emptyRunWords(empty.flat());
}

/** A sentence on the jobs whose run the platform still computes, or is about to: their files are not among those of successful runs. */
export async function computingWords(jobIds: readonly number[] | undefined, ask: Context['ask']): Promise<string[]> {
  const isUnderWay = (job: JobRecord) => isRunning(job) && (!isActive(job) || isOnce(job));
  const all = await readJobs(ask).catch(orNone);
  const jobs = all.filter((job) => isUnderWay(job) && (jobIds?.includes(Number(job.jobId)) ?? true));
  const names = jobs.map(({ jobId, name }) => `"${name ?? ''}" (${jobId})`);
  return jobs.length === 0 ? [] : [`Still computed by the platform: ${firstOf(names, MOST_JOBS)}; a later call fetches what comes of it.`];
}

/** A sentence on runs of a job that succeeded without rows since the one that was chosen as its latest; none where it was named. */
export async function newerWithoutRows(jobId: number, { listed }: ChosenRun, context: Pick<Context, 'ask' | 'nowMs'>): Promise<string[]> {
  if (!listed) return [];
  return withoutFilesWords([listed], { jobIds: [jobId], sinceMs: Date.parse(listed.completedAt) }, context);
}
