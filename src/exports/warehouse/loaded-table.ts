import { grouped } from '../../lib/grouped.ts';
import { inGroups } from '../../lib/number-text.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import type { ProjectWorkspace } from '../project-workspace.ts';
import { isSameRun, type RunManifest } from '../store/manifest.ts';
import type { LoadRecord } from './ledger.ts';
import type { ProjectWarehouse } from './project-warehouse.ts';
import type { Load } from './warehouse.ts';

/** Columns of the table of what is loaded, one row for each job; rows of runs that overlap are counted in each. */
export const LOADED_COLUMNS = ['jobId', 'job', 'scope', 'runs', 'from', 'to', 'rows', 'loading'];

/** One row a job, the largest first. */
export function loadedTable(records: readonly LoadRecord[]): (string | number | null)[][] {
  const jobs = [...grouped(records, ({ run }) => run.jobId)].map(([jobId, own]) => {
    const loaded = own.filter(({ state }) => state === 'loaded');
    const rows = sumOfKnown(loaded, (record) => record.rows);
    const ends = loaded.map(({ run }) => run.to).toSorted();
    const { jobName = null, scope = null } = own.at(-1)?.run ?? {};
    return {
      rows,
      row: [jobId, jobName, scope, loaded.length, loaded[0]?.run.from ?? null, ends.at(-1) ?? null, rows, own.length - loaded.length],
    };
  });
  return jobs.toSorted((a, b) => b.rows - a.rows).map(({ row }) => row);
}

/** Why a run is not removed, for a person. */
export function inseparableWords({ run }: LoadRecord, other: LoadRecord): string {
  return (
    `In the warehouse its rows cannot be told from those of run ${other.run.runId}, which stays: the job exports no column of time. ` +
    `Purge all of job ${run.jobId} (without before), and download again what is to stay.`
  );
}

/** The rows that a removal deletes in the warehouse, for a person to confirm. */
export function loadedBody(records: readonly LoadRecord[], { address, database }: { readonly address: string; readonly database: string }) {
  const jobs = [...new Set(records.map(({ run }) => run.jobId))];
  const rows = sumOfKnown(records, (record) => record.rows);
  return { warehouse: { place: `${address}/${database}`, runs: records.length, rows, jobs, lostBy: 'all who may read this project' } };
}

/** Where the runs of a project are: on the disk, and loaded. */
export interface LoadPlaces {
  readonly workspace: ProjectWorkspace;
  readonly warehouse: ProjectWarehouse;
}

/** Rows that have arrived, of how many. */
export function rowsWords({ rows, totalRows }: Pick<Load, 'rows' | 'totalRows'>): string {
  return `${inGroups(rows)} of ${inGroups(totalRows)} rows`;
}

/** Loads that are under way, in words: how many, and how many of their rows have arrived. */
export function loadsWords(loads: readonly Load[]): string {
  const all = { rows: sumOfKnown(loads, ({ rows }) => rows), totalRows: sumOfKnown(loads, ({ totalRows }) => totalRows) };
  return `${loads.length === 1 ? '1 run is' : `${loads.length} runs are`} being loaded into the warehouse: ${rowsWords(all)}`;
}

/** The reason why a downloaded run is not in the warehouse yet, in words. */
export function waitingWords(
  { jobId, runId, format }: RunManifest,
  { workspace, warehouse }: LoadPlaces,
  records: readonly LoadRecord[],
): string {
  const run = `Run ${runId} of job ${jobId}`;
  const failure = warehouse.failure({ jobId, runId });
  if (failure !== undefined) return `${run} could not be loaded into the warehouse: ${failure}`;
  const refusal = workspace.conversionFailure({ jobId, runId });
  if (refusal !== undefined) return `${run} could not be converted, so that it cannot be loaded into the warehouse: ${refusal.message}`;
  if (!/^(jsonl|csv)$/i.test(format)) return `${run} exports ${format}, which cannot be loaded into the warehouse.`;
  const load = warehouse.underWay().find((each) => isSameRun(each, { jobId, runId }));
  if (load) return `${run} is being loaded into the warehouse: ${rowsWords(load)}.`;
  const there = records.find((record) => record.state === 'loading' && isSameRun(record.run, { jobId, runId }));
  if (there) return `${run} is being loaded into the warehouse by another server: ${inGroups(there.rows)} rows so far.`;
  return `${run} is downloaded, and not in the warehouse yet.`;
}
