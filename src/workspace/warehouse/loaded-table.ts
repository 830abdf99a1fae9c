import { grouped } from '../../lib/grouped.ts';
import type { LoadRecord } from './ledger.ts';

/** Columns of the table of what is loaded, one row for each job; rows of runs that overlap are counted in each. */
export const LOADED_COLUMNS = ['jobId', 'job', 'scope', 'runs', 'from', 'to', 'rows', 'loading'];

/** One row a job, the largest first. */
export function loadedTable(records: readonly LoadRecord[]): (string | number | null)[][] {
  const jobs = [...grouped(records, ({ run }) => run.jobId)].map(([jobId, own]) => {
    const loaded = own.filter(({ state }) => state === 'loaded');
    const rows = loaded.reduce((sum, record) => sum + record.rows, 0);
    const ends = loaded.map(({ run }) => run.to).toSorted();
    const { jobName = null, scope = null } = own.at(-1)?.run ?? {};
    return {
      rows,
      row: [jobId, jobName, scope, loaded.length, loaded[0]?.run.from ?? null, ends.at(-1) ?? null, rows, own.length - loaded.length],
    };
  });
  return jobs.toSorted((a, b) => b.rows - a.rows).map(({ row }) => row);
}

/** Which loaded runs a removal means: of some jobs or all, and where an instant is given only those whose data end by then. */
export function removable(
  records: readonly LoadRecord[],
  { jobIds, beforeMs }: { readonly jobIds?: readonly number[] | undefined; readonly beforeMs?: number | undefined },
): LoadRecord[] {
  return records.filter(({ run }) => (jobIds?.includes(run.jobId) ?? true) && (beforeMs === undefined || Date.parse(run.to) <= beforeMs));
}

/** What a removal deletes in the warehouse, for a person to confirm. */
export function loadedBody(records: readonly LoadRecord[], { address, database }: { readonly address: string; readonly database: string }) {
  const jobs = [...new Set(records.map(({ run }) => run.jobId))];
  const rows = records.reduce((sum, record) => sum + record.rows, 0);
  return { warehouse: { place: `${address}/${database}`, runs: records.length, rows, jobs, lostBy: 'all who may read this project' } };
}
