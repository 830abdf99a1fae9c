import { ApiError } from '../../api/errors.ts';
import { listExportRuns } from '../../api/operations/data-export.ts';
import { MAX_PAGE_SIZE } from '../../api/params.ts';
import { lower } from '../../domain/exports/plan/similar-jobs.ts';
import { DAY_MS, MINUTE_MS } from '../../lib/clock.ts';
import { counted } from '../../lib/number-text.ts';
import type { SuccessfulRun } from '../../workspace/download/sync-plan.ts';
import type { Context } from '../context.ts';

/** Of more jobs the runs are not listed, a request each. */
const MOST_JOBS = 8;
const USUAL_MS = 7 * DAY_MS;
/** A run that ended this lately may not be in the other list yet. */
const SETTLE_MS = 5 * MINUTE_MS;

interface RunsMeant {
  readonly jobIds: readonly number[] | undefined;
  /** Since when runs are looked at, ms since 1970; left out: the last 7 days. */
  readonly sinceMs: number | undefined;
}

/**
 * A sentence for each job with runs that succeeded and that the platform does not list among those with files: they count as good, and
 * days of them may be missing.
 */
export async function withoutFilesWords(
  listed: readonly SuccessfulRun[],
  { jobIds, sinceMs }: RunsMeant,
  { ask, nowMs }: Pick<Context, 'ask' | 'nowMs'>,
): Promise<string[]> {
  const fromMs = sinceMs ?? nowMs - USUAL_MS;
  const names = new Map(listed.filter(({ completedAt }) => Date.parse(completedAt) >= fromMs).map(({ jobId, name }) => [jobId, name]));
  const jobs = jobIds ?? [...names.keys()];
  if (jobs.length > MOST_JOBS) return [];
  const withFiles = new Set(listed.map(({ runId }) => runId));
  const outcomes = await Promise.all(
    jobs.map(async (jobId) => {
      const runs = await ask(listExportRuns, { jobId, limit: MAX_PAGE_SIZE }).catch((error: unknown) => {
        if (error instanceof ApiError) return [];
        throw error;
      });
      const days = runs.flatMap(({ jobRunId, state, endDate }) => {
        const endMs = Date.parse(endDate ?? '');
        const isMeant = lower(state) === 'success' && endMs >= fromMs && endMs < nowMs - SETTLE_MS;
        return isMeant && typeof jobRunId === 'number' && !withFiles.has(jobRunId) ? [new Date(endMs).toISOString().slice(0, 10)] : [];
      });
      return { jobId, days };
    }),
  );
  return outcomes.flatMap(({ jobId, days }) => {
    if (days.length === 0) return [];
    const name = names.get(jobId);
    const job = name === undefined ? `Job ${jobId}` : `"${name}" (${jobId})`;
    const what = `${counted(days.length, 'run')} succeeded without rows`;
    return [`${job}: ${what} (ended ${[...new Set(days)].toReversed().join(', ')}).`];
  });
}
