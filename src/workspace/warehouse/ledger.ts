import * as z from 'zod';
import { type RunId, type RunManifest, runManifest, storedColumn } from '../store/manifest.ts';
import { type Connection, StatementError, type WarehouseAccess } from './connection.ts';
import { createLedger, LEDGER, type PlacedColumn, quoted } from './schema.ts';

/** A run as the warehouse has it, or as it is getting there. */
export interface LoadRecord {
  readonly state: 'loading' | 'loaded' | 'removed';
  readonly run: RunManifest;
  readonly columns: readonly PlacedColumn[];
  /** Rows that have arrived; of a loaded run all. */
  readonly rows: number;
  /** The same as long as one load goes on, whoever continues it. */
  readonly generation: string;
  /** Time since the last entry, by the clock of the server. */
  readonly ageMs: number;
}

/** The record of what is loaded, kept in the warehouse so that replicas share it. */
export interface Ledger {
  /** Runs of a project that are loaded or being loaded, by `from`, then by `exportedAt`. */
  records(signal?: AbortSignal): Promise<LoadRecord[]>;
  /** The last entry of a run, removed ones included. */
  find(run: RunId, signal?: AbortSignal): Promise<LoadRecord | undefined>;
  write: (record: Omit<LoadRecord, 'ageMs'>) => Promise<void>;
}

const placed = z.array(storedColumn.extend({ at: z.string() }));
const entry = z.object({
  state: z.enum(['loading', 'loaded', 'removed']),
  rows: z.coerce.number(),
  generation: z.string(),
  manifest: z.string().transform((json) => runManifest.parse(JSON.parse(json))),
  columns: z.string().transform((json) => placed.parse(JSON.parse(json))),
  ageMs: z.coerce.number(),
});
const UNKNOWN_TABLE = 60;

function recordOf(row: unknown): LoadRecord[] {
  // An entry of a later version is not understood; its run counts as not loaded.
  const { data } = entry.safeParse(row);
  if (!data) return [];
  const { manifest: run, ...rest } = data;
  return [{ ...rest, run }];
}

/** The record of one project. */
export function ledgerOf(access: WarehouseAccess, loader: Connection, project: string): Ledger {
  const table = `${quoted(access.database)}.${quoted(LEDGER)}`;
  const age = 'toUnixTimestamp64Milli(now64(6)) - toUnixTimestamp64Milli(written) AS ageMs';
  const select = `SELECT state, rows, generation, manifest, columns, ${age} FROM ${table} FINAL`;
  let created: Promise<void> | undefined;

  async function read(condition: string, parameters: Record<string, unknown>, signal?: AbortSignal): Promise<LoadRecord[]> {
    const options = { parameters: { project, ...parameters }, signal };
    try {
      const rows = await loader.rows(`${select} WHERE _project = {project:String} AND ${condition}`, options);
      return rows.flatMap(recordOf);
    } catch (error) {
      if (error instanceof StatementError && error.code === UNKNOWN_TABLE) return []; // nothing was loaded yet
      throw error;
    }
  }

  return {
    async records(signal) {
      const found = await read(`state IN ('loading', 'loaded')`, {}, signal);
      const start = ({ run }: LoadRecord) => Date.parse(run.from);
      return found.toSorted((a, b) => start(a) - start(b) || Date.parse(a.run.exportedAt) - Date.parse(b.run.exportedAt));
    },
    async find({ jobId, runId }, signal) {
      const [found] = await read('_job = {job:UInt64} AND _run = {run:UInt64}', { job: jobId, run: runId }, signal);
      return found;
    },
    async write({ state, run, columns, rows, generation }) {
      created ??= createLedger(access, loader);
      await created.catch((error: unknown) => {
        created = undefined;
        throw error;
      });
      const { table: _, sourceDropped: __, ...kept } = run;
      await loader.command(
        `INSERT INTO ${table} (_project, _job, _run, state, rows, generation, manifest, columns, written) SELECT {project:String},
 {job:UInt64}, {run:UInt64}, {state:String}, {rows:UInt64}, {generation:String}, {manifest:String}, {columns:String}, now64(6)`,
        {
          parameters: {
            project,
            job: run.jobId,
            run: run.runId,
            state,
            rows,
            generation,
            manifest: JSON.stringify(kept),
            columns: JSON.stringify(columns),
          },
        },
      );
    },
  };
}
