import { onApiError } from '../../api/errors.ts';
import type { PayloadOf } from '../../api/operation.ts';
import { listExportRuns } from '../../api/operations/data-export.ts';
import { MAX_PAGE_SIZE } from '../../api/params.ts';
import { type JobRecord, lower } from '../../domain/exports/plan/similar-jobs.ts';
import { DAY_MS, MINUTE_MS } from '../../lib/clock.ts';
import { counted } from '../../lib/number-text.ts';
import { firstOf } from '../../lib/sentences.ts';
import type { ChosenRun } from '../../workspace/download/downloads.ts';
import type { SuccessfulRun } from '../../workspace/download/run-rows.ts';
import type { Context } from '../context.ts';
import { readJobs } from './export-lists.ts';

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

/** A job with runs that gave no rows. */
interface EmptyRuns {
  readonly jobId: number | string;
  readonly name?: string | null | undefined;
  /** The day on which each ended, ISO. */
  readonly days: readonly string[];
}

/** A job with those of its runs that succeeded and that the platform does not list among those with files: they count as good. */
export function withEmptyRuns(
  { jobId, name }: Omit<EmptyRuns, 'days'>,
  runs: PayloadOf<typeof listExportRuns>,
  listed: readonly SuccessfulRun[],
  [fromMs, untilMs]: readonly [number, number],
): EmptyRuns[] {
  const withFiles = new Set(listed.map(({ runId }) => runId));
  const days = runs.flatMap(({ jobRunId, state, endDate }) => {
    const endMs = Date.parse(endDate ?? '');
    const isMeant = lower(state) === 'success' && endMs >= fromMs && endMs < untilMs - SETTLE_MS;
    return isMeant && typeof jobRunId === 'number' && !withFiles.has(jobRunId) ? [new Date(endMs).toISOString().slice(0, 10)] : [];
  });
  return days.length > 0 ? [{ jobId, name, days }] : [];
}

/** A sentence for each of these jobs: days of them may be missing. */
export function emptyRunWords(jobs: readonly EmptyRuns[]): string[] {
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
      const runs = await ask(listExportRuns, { jobId, limit: MAX_PAGE_SIZE }).catch(onApiError(() => []));
      return withEmptyRuns({ jobId, name: names.get(jobId) }, runs, listed, [fromMs, Math.min(nowMs, untilMs + SETTLE_MS)]);
    }),
  );
  return emptyRunWords(empty.flat());
}

/** A sentence on the jobs whose run the platform still computes, or is about to: their files are not among those of successful runs. */
export async function computingWords(jobIds: readonly number[] | undefined, ask: Context['ask']): Promise<string[]> {
  const isUnderWay = ({ state, frequency }: JobRecord) =>
    lower(state) === 'computing' || (lower(state) === 'active' && lower(frequency) === 'once');
  const all = await readJobs(ask).catch(onApiError(() => []));
  const jobs = all.filter((job) => isUnderWay(job) && (jobIds?.includes(Number(job.jobId)) ?? true));
  const names = jobs.map(({ jobId, name }) => `"${name ?? ''}" (${jobId})`);
  return jobs.length === 0 ? [] : [`Still computed by the platform: ${firstOf(names, MOST_JOBS)}; a later call fetches what comes of it.`];
}

/** A sentence on runs of a job that succeeded without rows since the one that was chosen as its latest; none where it was named. */
export async function newerWithoutRows(jobId: number, { listed }: ChosenRun, context: Pick<Context, 'ask' | 'nowMs'>): Promise<string[]> {
  if (!listed) return [];
  return withoutFilesWords([listed], { jobIds: [jobId], sinceMs: Date.parse(listed.completedAt) }, context);
}
