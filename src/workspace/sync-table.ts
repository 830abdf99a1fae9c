import type { SyncPlan } from './plan-sync.ts';
import type { SuccessfulRun } from './successful-runs.ts';

/** How the download of a run stands at the end of a call. */
export type SyncOutcome = 'fetched' | 'under way' | 'failed';

/** Columns of the table, one row for each job. */
export const SYNC_COLUMNS = ['jobId', 'job', 'fetched', 'under way', 'failed', 'here before', 'expired', 'expired from', 'expired to'];

type Row = (string | number | null)[];

/** One row a job: those with something to fetch first, then those that lost most; of jobs whose runs have all expired, only the first `lostShown` get one, and `more` counts the others. */
export function syncTable(
  { present, wanted, expired }: SyncPlan,
  outcomes: readonly SyncOutcome[],
  lostShown: number,
): { rows: Row[]; more: number } {
  const jobs = new Map<number, string>();
  for (const { jobId, name } of [...wanted, ...expired, ...present]) jobs.set(jobId, name);
  const rows = [...jobs].map(([jobId, job]) => {
    const own = (runs: readonly SuccessfulRun[]) => runs.filter((run) => run.jobId === jobId);
    const count = (wish: SyncOutcome) => wanted.filter((run, index) => run.jobId === jobId && outcomes[index] === wish).length;
    const gone = own(expired).toSorted((a, b) => (a.from < b.from ? -1 : 1));
    const until = gone.map(({ to }) => to).toSorted().at(-1); // biome-ignore format: one thought
    const row: Row = [jobId, job, count('fetched'), count('under way'), count('failed'), own(present).length, gone.length, gone[0]?.from ?? null, until ?? null]; // biome-ignore format: one thought
    return { row, wanted: own(wanted).length, gone: gone.length, isLost: own(wanted).length + own(present).length === 0 };
  });
  const inOrder = rows.toSorted((a, b) => b.wanted - a.wanted || b.gone - a.gone);
  const lost = new Set(inOrder.filter(({ isLost }) => isLost).slice(lostShown));
  return { rows: inOrder.filter((each) => !lost.has(each)).map(({ row }) => row), more: lost.size };
}
