import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';
import { ApiError } from '../../api/errors.ts';
import { byTime, type RunId, runManifest, storedColumn } from '../store/manifest.ts';
import { type Connection, StatementError, type WarehouseAccess } from './connection.ts';
import { createLedger, LEDGER, quoted } from './schema.ts';

const REMOVING = 'removing/';

/** A new generation of an attempt to load, as the ledger keeps it; `load` stays where a load goes on, `table` is the file of the rows. */
export function generationText(load: string, table: string): string {
  return `${load}/${randomUUID()}/loading/${table}`;
}

/** A generation of a run that is being removed: no load goes on from it. */
export function removingText(): string {
  return `${REMOVING}${randomUUID()}`;
}

/** Reads a generation that the ledger keeps; it may be the instant in ms of a removal, or of another version. */
export function readGeneration(kept: string) {
  const [, load, table] = /^([^/]+)\/[^/]+\/loading\/(.*)$/s.exec(kept) ?? [];
  return { load, table, isRemoving: kept.startsWith(REMOVING) };
}

const placed = z.array(storedColumn.extend({ at: z.string() }));
/** A run as the warehouse has it, or as it is getting there. */
const loadRecord = z
  .object({
    state: z.enum(['loading', 'loaded', 'removed']),
    /** Rows that have arrived; of a loaded run all. */
    rows: z.coerce.number(),
    /** Of the loader that has it; another one that continues the load has another. */
    generation: z.string(),
    /** When it was written, by the clock of the server, as its text. */
    written: z.string(),
    manifest: z.string().transform((json) => runManifest.parse(JSON.parse(json))),
    columns: z.string().transform((json) => placed.parse(JSON.parse(json))),
    /** Time since the last entry, by the clock of the server. */
    ageMs: z.coerce.number(),
  })
  .transform(({ manifest, ...rest }) => ({ ...rest, run: manifest }));
/** A run as the warehouse has it, or as it is getting there. */
export type LoadRecord = z.output<typeof loadRecord>;

/** A record as it is written. */
type LoadEntry = Omit<LoadRecord, 'ageMs' | 'written'>;

const UNKNOWN_TABLE = 60;
/** Replicas of the warehouse show what was written through another one a little later. */
const SHOWN_TRIES = 100;
const SHOWN_EVERY_MS = 50;
const LONG_AGO = '1970-01-01 00:00:00';

/** The record of what is loaded of one project, kept in the warehouse so that replicas share it. */
export function ledgerOf(access: WarehouseAccess, loader: Connection, project: string) {
  const table = `${quoted(access.database)}.${quoted(LEDGER)}`;
  const age = 'toUnixTimestamp64Milli(now64(6)) - toUnixTimestamp64Milli(l.written) AS ageMs';
  const select = `SELECT state, rows, generation, toString(l.written) AS written, manifest, columns, ${age} FROM ${table} AS l FINAL`;

  async function read(condition: string, parameters: Record<string, unknown>, signal?: AbortSignal): Promise<LoadRecord[]> {
    const options = { parameters: { project, ...parameters }, signal };
    try {
      const rows = await loader.rows(`${select} WHERE _project = {project:String} AND ${condition}`, options);
      // An entry of a later version is not understood; its run counts as not loaded.
      const records = rows.flatMap((row) => loadRecord.safeParse(row).data ?? []);
      // In the order that runs have on the disk; the server gives them in any.
      return records.toSorted(({ run: a }, { run: b }) => byTime(a, b) || a.jobId - b.jobId || a.runId - b.runId);
    } catch (error) {
      if (error instanceof StatementError && error.code === UNKNOWN_TABLE) return []; // nothing was loaded yet
      throw error;
    }
  }

  async function find({ jobId, runId }: RunId, signal?: AbortSignal): Promise<LoadRecord | undefined> {
    const [found] = await read('_job = {job:UInt64} AND _run = {run:UInt64}', { job: jobId, run: runId }, signal);
    return found;
  }

  /** Writes an entry that is newer than another one; of those with one token the server keeps the first. */
  async function insert({ run, columns, state, rows, generation }: LoadEntry, after = LONG_AGO, token?: string): Promise<void> {
    // The table and what was dropped from a source are not kept.
    const { table: _, sourceDropped: __, ...kept } = run;
    const texts = { manifest: JSON.stringify(kept), columns: JSON.stringify(columns) };
    const later = "greatest(now64(6), addMicroseconds(toDateTime64({after:String}, 6, 'UTC'), 1))";
    await loader.command(
      `INSERT INTO ${table} (_project, _job, _run, state, rows, generation, manifest, columns, written) VALUES ({project:String},
 {job:UInt64}, {run:UInt64}, {state:String}, {rows:UInt64}, {generation:String}, {manifest:String}, {columns:String}, ${later})`,
      {
        settings: { async_insert: 0, ...(token !== undefined && { insert_deduplication_token: token }) },
        parameters: { project, job: run.jobId, run: run.runId, state, rows, generation, ...texts, after },
      },
    );
  }

  return {
    /** Runs that are loaded or being loaded, by `from`, then by `exportedAt`. */
    records: (signal?: AbortSignal) => read(`state IN ('loading', 'loaded')`, {}, signal),
    /** The last entry of a run, removed ones included. */
    find,
    /** Writes an entry that is newer than `before`, which only clocks of several replicas can put in question. */
    write: (record: LoadEntry, before?: LoadRecord) => insert(record, before?.written),
    /** Writes a record with a new generation in the place of `before`; false where another loader was first. */
    async claim(record: LoadEntry, before: LoadRecord | undefined): Promise<boolean> {
      const { run, generation } = record;
      await createLedger(access, loader);
      const place = `${before?.generation ?? ''}@${before?.written ?? ''}`;
      // Two that saw the same record send the same token, so that one of their entries is dropped.
      await insert(record, before?.written, `claim/${project}/${run.jobId}/${run.runId}/${place}`);
      for (let tries = 0; tries < SHOWN_TRIES; tries += 1) {
        const now = await find(run);
        if (now?.generation === generation) return true;
        if (now && now.written !== before?.written) return false;
        await delay(SHOWN_EVERY_MS);
      }
      throw new ApiError('down', 'The warehouse does not show what was written into it.', { transient: true });
    },
  };
}

/** The record of one project. */
export type Ledger = ReturnType<typeof ledgerOf>;
