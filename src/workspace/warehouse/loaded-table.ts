import { grouped } from '../../lib/grouped.ts';
import type { RunId, RunManifest } from '../store/manifest.ts';
import type { LoadRecord } from './ledger.ts';
import { timeColumn } from './load-run.ts';

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

/** Whether two runs of a job hold some of the same days. */
function overlap(a: RunManifest, b: RunManifest): boolean {
  return a.jobId === b.jobId && a.scope === b.scope && Date.parse(a.from) < Date.parse(b.to) && Date.parse(b.from) < Date.parse(a.to);
}

/**
 * Of runs that are to go, those that would take rows with them which an earlier export that stays holds too: without a column of time it is
 * not known which of their rows these are. With each the run that stays.
 */
export function inseparable(going: readonly LoadRecord[], all: readonly LoadRecord[]): Map<LoadRecord, LoadRecord> {
  const found = new Map<LoadRecord, LoadRecord>();
  for (;;) {
    const staying = all.filter(({ run }) => !going.some((each) => isSame(each.run, run) && !found.has(each)));
    const next = going
      .filter((record) => !found.has(record) && record.columns.length > 0 && !timeColumn(record.columns))
      .flatMap((record) => {
        const other = staying.find(
          ({ run }) => overlap(run, record.run) && Date.parse(run.exportedAt) <= Date.parse(record.run.exportedAt),
        );
        return other && !isSame(other.run, record.run) ? [{ record, other }] : [];
      });
    if (next.length === 0) return found;
    for (const { record, other } of next) found.set(record, other);
  }
}

function isSame(a: RunId, b: RunId): boolean {
  return a.jobId === b.jobId && a.runId === b.runId;
}

/** Why a run is not removed, for a person. */
export function inseparableWords({ run }: LoadRecord, other: LoadRecord): string {
  return (
    `In the warehouse its rows cannot be told from those of run ${other.run.runId}, which stays: the job exports no column of time. ` +
    `Purge all of job ${run.jobId} (without before), and download again what is to stay.`
  );
}

/** What a removal deletes in the warehouse, for a person to confirm. */
export function loadedBody(records: readonly LoadRecord[], { address, database }: { readonly address: string; readonly database: string }) {
  const jobs = [...new Set(records.map(({ run }) => run.jobId))];
  const rows = records.reduce((sum, record) => sum + record.rows, 0);
  return { warehouse: { place: `${address}/${database}`, runs: records.length, rows, jobs, lostBy: 'all who may read this project' } };
}
