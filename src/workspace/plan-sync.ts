import { FILE_LIFE_MS } from '../api/params.ts';
import type { RunManifest } from './manifest.ts';
import type { SuccessfulRun } from './successful-runs.ts';

/** What of the successful runs is there, can be fetched, or is gone. */
export interface SyncPlan {
  readonly present: readonly SuccessfulRun[];
  readonly wanted: readonly SuccessfulRun[];
  /** Not here, and completed so long ago that the platform keeps their files no longer. */
  readonly expired: readonly SuccessfulRun[];
}

interface Wish {
  readonly jobIds?: readonly number[] | undefined;
  /** Only runs that completed since, ms since 1970. */
  readonly sinceMs?: number | undefined;
  readonly nowMs: number;
}

/** Sorts successful runs by what is to be done about them; the wanted ones, the oldest first, because they expire first. */
export function planSync(runs: readonly SuccessfulRun[], here: readonly RunManifest[], { jobIds, sinceMs, nowMs }: Wish): SyncPlan {
  const known = new Set(here.map(({ jobId, runId }) => `${jobId}/${runId}`));
  const meant = runs.filter(
    ({ jobId, completedAt }) => (jobIds?.includes(jobId) ?? true) && (sinceMs === undefined || Date.parse(completedAt) >= sinceMs),
  );
  const isHere = ({ jobId, runId }: SuccessfulRun) => known.has(`${jobId}/${runId}`);
  const missing = meant.filter((run) => !isHere(run));
  // A run that does not say when it completed may still be there.
  const isExpired = ({ completedAt }: SuccessfulRun) => Date.parse(completedAt) + FILE_LIFE_MS <= nowMs;
  return {
    present: meant.filter(isHere),
    wanted: missing.filter((run) => !isExpired(run)).toReversed(),
    expired: missing.filter(isExpired),
  };
}
