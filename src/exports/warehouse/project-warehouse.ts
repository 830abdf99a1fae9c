import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../api/errors.ts';
import { createFairSemaphore } from '../../lib/concurrency.ts';
import { intersect } from '../../lib/intervals.ts';
import { RETRY_MS, rangeOf } from '../coverage.ts';
import { type Column, folded, keysOf, timeColumn } from '../query/columns.ts';
import { viewName } from '../query/data-view.ts';
import { writePiece } from '../query/sql-process.ts';
import { identifier, literal } from '../query/view-sql.ts';
import { messageOf } from '../store/disk.ts';
import { takeLock } from '../store/lock.ts';
import { isReady, type RunId, type RunManifest, runKey, safeName } from '../store/manifest.ts';
import { type Connection, type WarehouseAccess } from './connection.ts';
import { generationText, type Ledger, type LoadRecord, ledgerOf, readGeneration, removingText } from './ledger.ts';
import { runStatement, type WarehouseStatement } from './run-statement.ts';
import { OWN_COLUMNS, type PlacedColumn, placeColumns, quoted, tableOf, text } from './schema.ts';
import type { Load, LoadState, Warehouse } from './warehouse.ts';
import { coveredSql } from './warehouse-view.ts';

/** Rows that are sent at a time: the server holds a Parquet file in memory while it reads it. */
const PIECE_ROWS = 983_040;
const PIECE_TIMEOUT_MS = 10 * 60_000;
/** Between the parts of a key, which hold no control characters. */
const SEPARATOR = 31;
/** Before the key of a row without its whole key, so that it is like no other. */
const KEYLESS = 30;
/** A load that was silent for so long has ended. */
const SILENT_MS = 10 * 60_000;
const DAY_OF_NONE = '1970-01-01';
/** A piece is stored as one block, in its order: a piece that is sent again is then recognised as a whole. */
const ONE_BLOCK = {
  async_insert: 0,
  min_insert_block_size_rows: '4000000',
  min_insert_block_size_bytes: '0',
  max_insert_block_size: '4000000',
  input_format_parquet_preserve_order: 1,
} as const;

/** Where the rows of a project are, and the record of them. */
interface ProjectPlace {
  readonly access: WarehouseAccess;
  readonly loader: Connection;
  readonly ledger: Ledger;
  /** Name of the project in the warehouse. */
  readonly project: string;
}

/** The surroundings of a load. */
interface LoadContext extends ProjectPlace {
  /** Directory of the run, with its table. */
  readonly directory: string;
  /** For whom it runs: holders take turns. */
  readonly holder: string;
  readonly signal: AbortSignal;
  /** Called with the rows that have arrived. */
  readonly report: (rows: number) => void;
  /** Rows that are sent at a time; left out: as many as a server holds well. */
  readonly pieceRows?: number | undefined;
}

/** The key of a row as one text, as DuckDB computes it. */
function keySql(run: RunManifest, columns: readonly Column[]): string {
  const { names, missing } = keysOf(run.scope, columns);
  const own = `chr(${KEYLESS}) || ${literal(`${run.runId}`)} || chr(${SEPARATOR}) || file_row_number`;
  if (missing.length > 0) return own;
  // The project is a column of its own, and an export may leave it out.
  const parts = columns.filter((column) => names.includes(folded(column.name)) && (column.field ?? column.name) !== 'project_id');
  const whole = parts.map(({ name }) => `${identifier(name)} IS NOT NULL`).join(' AND ');
  const values = parts.map(({ name }) => `${identifier(name)}::VARCHAR`).join(', ');
  return `CASE WHEN ${whole} THEN concat_ws(chr(${SEPARATOR}), ${values}) ELSE ${own} END`;
}

/** A SELECT of some rows of the table of a run, as the warehouse has them. */
function pieceSql(
  run: RunManifest,
  columns: readonly PlacedColumn[],
  file: string,
  project: string,
  [from, to]: readonly [number, number],
): string {
  const time = timeColumn(columns);
  const instant = time ? identifier(time.name) : 'NULL::TIMESTAMP';
  // Of two exports the later one has the larger version; in the same millisecond the one with the larger id.
  const version = BigInt(Date.parse(run.exportedAt)) * 2n ** 22n + BigInt(run.runId % 2 ** 22);
  const own = [
    `${literal(project)} AS _project`,
    `${run.jobId}::UBIGINT AS _job`,
    `${run.runId}::UBIGINT AS _run`,
    `${version}::UBIGINT AS _version`,
    `coalesce(CAST(${instant} AS DATE), DATE ${literal(DAY_OF_NONE)}) AS _day`,
    `coalesce(${instant}, TIMESTAMP ${literal(DAY_OF_NONE)}) AS _time`,
    `${keySql(run, columns)} AS _key`,
  ];
  const value = ({ name, type, heldAs }: PlacedColumn) => (heldAs ? `CAST(${identifier(name)} AS ${type})` : identifier(name));
  const list = [...own, ...columns.map((column) => `${value(column)} AS ${identifier(column.at)}`)];
  const rows = `read_parquet(${literal(file)}, file_row_number = true)`;
  return `SELECT ${list.join(', ')} FROM ${rows} WHERE file_row_number >= ${from} AND file_row_number < ${to}`;
}

/** Deletes the rows of a run; what an earlier export said of the same rows is gone too where it was merged. */
async function deleteRows(
  { access, loader, project }: ProjectPlace,
  { scope, jobId, runId }: RunManifest,
  kept: readonly string[] = [],
): Promise<void> {
  const table = `${quoted(access.database)}.${quoted(tableOf(viewName(scope)))}`;
  const own = `_project = ${text(project)} AND _job = ${jobId} AND _run = ${runId}`;
  await loader.command(`ALTER TABLE ${table} DELETE WHERE ${[own, ...kept.map((each) => `NOT (${each})`)].join(' AND ')}`, {
    settings: { mutations_sync: '2' },
  });
}

function busy(): ApiError {
  return new ApiError('busy', 'another server is loading it', { retryAfterMs: SILENT_MS });
}

/**
 * How a run is loaded by what the ledger says of it: from which row, and the part of the tokens that stays where a load goes on. Undefined
 * where nothing is to be loaded; throws where another server is at it.
 */
function stepOf(run: RunManifest, before: LoadRecord | undefined): { load: string; rows: number } | undefined {
  const anew = { load: randomUUID(), rows: 0 };
  if (!before) return anew;
  // Removed after it was downloaded here: only a new download brings it back.
  if (before.state === 'removed') return Date.parse(run.downloadedAt) <= Number(before.generation) ? undefined : anew;
  if (before.state === 'loaded') return before.run.exportedAt === run.exportedAt ? undefined : anew;
  const { load, table, isRemoving } = readGeneration(before.generation);
  const isOwn = load !== undefined && table === (run.table?.name ?? '');
  // A load says how far it is after each piece; another one from its own table would take its rows away.
  if (!isOwn && !isRemoving && before.ageMs < SILENT_MS) throw busy();
  return isOwn && before.rows > 0 ? { load, rows: before.rows } : anew;
}

/** Takes on the load of a run, which one loader of all servers does; undefined where nothing is to be loaded. */
async function claimLoad(run: RunManifest, context: LoadContext) {
  const { access, loader, ledger, signal } = context;
  const before = await ledger.find(run, signal);
  const step = stepOf(run, before);
  if (!step) return undefined;
  const generation = generationText(step.load, run.table?.name ?? '');
  const columns = run.table ? await placeColumns(access, loader, tableOf(viewName(run.scope)), run.table.columns) : [];
  const earlier = before?.state === 'removed' ? [] : (before?.columns ?? []);
  // While rows of an earlier export may be there, its record says that there is a table.
  const entry = { state: 'loading' as const, run, rows: step.rows, generation, columns: columns.length > 0 ? columns : earlier };
  if (!(await ledger.claim(entry, before))) throw busy();
  // A load that begins finds none of them, nor what one that was killed has sent.
  if (step.rows === 0 && earlier.length > 0) await deleteRows(context, run);
  return { ...step, generation, columns };
}

/** The record of a run as long as it is of this generation; throws where another server has taken it on. */
async function ownRecord(run: RunManifest, generation: string, ledger: Ledger, signal?: AbortSignal): Promise<LoadRecord> {
  const record = await ledger.find(run, signal);
  if (record?.generation === generation) return record;
  throw busy();
}

/**
 * Loads a converted run once, by one of all servers: a load that was killed goes on after its last piece, and is undone where it was made
 * from another table. Throws where the warehouse or the disk fails, and a `busy` ApiError where another server loads it. Two processes of
 * one directory must not load from it at a time.
 */
export async function loadRun(run: RunManifest, context: LoadContext): Promise<void> {
  const { loader, ledger, project, directory, holder, signal, report, pieceRows = PIECE_ROWS } = context;
  const claim = await claimLoad(run, context);
  if (!claim) return;
  const { generation, load, columns } = claim;
  let { rows } = claim;
  const table = `${runKey(run)}/${run.table?.name ?? ''}`;
  const target = quoted(tableOf(viewName(run.scope)));
  const total = run.table?.rows ?? 0;
  const names = [...OWN_COLUMNS, ...columns.map(({ at }) => at)].map(quoted);
  // In the directory of the project, where one process writes for all of its runs.
  const options = { directory: join(directory, '../..'), holder, signal, timeoutMs: PIECE_TIMEOUT_MS };
  report(rows);
  while (rows < total) {
    const piece = `piece-${randomUUID()}.tmp`;
    const end = Math.min(rows + pieceRows, total);
    const settings = {
      insert_deduplication_token: `${project}/${run.jobId}/${run.runId}/${load}/${rows}`,
      max_partitions_per_insert_block: '10000',
      ...ONE_BLOCK,
    };
    try {
      const select = pieceSql(run, columns, table, project, [rows, end]);
      const written = await writePiece({ select, files: [table], target: `${runKey(run)}/${piece}` }, options);
      if (written !== end - rows) throw new Error(`The table of run ${run.runId} has fewer rows than its manifest says.`);
      const own = await ownRecord(run, generation, ledger, signal);
      await loader.insert(target, names, createReadStream(join(directory, piece)), { settings, signal });
      rows = end;
      report(rows);
      if (rows < total) await ledger.write({ state: 'loading', run, columns, rows, generation }, own);
    } finally {
      await rm(join(directory, piece), { force: true });
    }
  }
  await ledger.write({ state: 'loaded', run, columns, rows, generation }, await ownRecord(run, generation, ledger, signal));
}

/** Where the files of runs are, and for whom they are loaded. */
interface LoadPlace {
  readonly holder: string;
  readonly signal: AbortSignal;
  directoryOf(run: RunId): string;
  reading<T>(runs: readonly RunId[], task: (manifests: RunManifest[]) => Promise<T>): Promise<T>;
}

/** Loads of a process at a time, half of them for one principal. */
const LOADS_AT_ONCE = 2;
const inTurn = createFairSemaphore(LOADS_AT_ONCE);

/** `<authentication server>/<project>`: ids of two servers may be equal. */
export function projectName(authUrl: string, projectId: number): string {
  return `${safeName(authUrl)}/${projectId}`;
}

/** Rows of a run that goes which another one that stays holds too, as conditions. */
function keptSql(record: LoadRecord, staying: readonly LoadRecord[]): string[] {
  if (!timeColumn(record.columns)) return [];
  const { run } = record;
  const own = staying.filter((other) => other.run.jobId === run.jobId && other.run.scope === run.scope).map((other) => rangeOf(other.run));
  return intersect([rangeOf(run)], own).map(({ startMs, endMs }) => coveredSql(run.jobId, startMs, endMs));
}

/**
 * Of runs that are to be removed, those that would take rows with them which an earlier export that stays contains too. Without a column of
 * time it is not known which of their rows these are. With each the run that stays.
 */
export function inseparable(going: readonly LoadRecord[], all: readonly LoadRecord[]): Map<LoadRecord, LoadRecord> {
  const found = new Map<LoadRecord, LoadRecord>();
  const untold = going.filter(({ columns }) => columns.length > 0 && !timeColumn(columns));
  const staying = all.filter((record) => !going.includes(record));
  const isMixed = ({ run: a }: LoadRecord, { run: b }: LoadRecord) =>
    a.jobId === b.jobId &&
    a.scope === b.scope &&
    intersect([rangeOf(a)], [rangeOf(b)]).length > 0 &&
    Date.parse(b.exportedAt) <= Date.parse(a.exportedAt);
  // What stays for such a reason keeps others in its turn.
  for (const other of staying)
    for (const record of untold)
      if (!found.has(record) && isMixed(record, other)) {
        found.set(record, other);
        staying.push(record);
      }
  return found;
}

/** Loads a run in its turn, under its lock, from the files that it has by then, and notes how that ended; never rejects. */
async function loadOne(
  run: RunManifest,
  place: LoadPlace,
  { done, failures }: LoadState,
  parts: Omit<LoadContext, 'holder' | 'signal' | 'directory'>,
): Promise<void> {
  const { holder, signal } = place;
  const [directory, key] = [place.directoryOf(run), runKey(run)];
  const load = async ([now = run]: readonly RunManifest[]) => {
    const lock = await takeLock(directory, 'load');
    if (!('release' in lock)) throw new ApiError('busy', 'another server of this directory is loading it', { retryAfterMs: RETRY_MS });
    try {
      await loadRun(now, { ...parts, holder, signal, directory });
    } finally {
      await lock.release();
    }
  };
  try {
    await inTurn(holder, () => place.reading([run], load));
    done.add(key);
    failures.delete(key);
  } catch (error) {
    // A load that the end of a session stopped goes on with the next session.
    if (signal.aborted) return;
    // Another server does it; the next call looks again.
    if (error instanceof ApiError && error.kind === 'busy') failures.delete(key);
    else failures.set(key, messageOf(error));
  }
}

/** Removes loaded runs; rows that a run that stays holds too are kept. */
async function removeLoaded(records: readonly LoadRecord[], nowMs: number, place: ProjectPlace): Promise<void> {
  const { ledger } = place;
  const going = new Set(records.map(({ run }) => runKey(run)));
  const staying = (await ledger.records()).filter(({ run }) => !going.has(runKey(run)));
  for (const record of records) {
    // First the record: rows that a kill leaves belong to no run, and the next call deletes them.
    await ledger.write({ ...record, state: 'loading', generation: removingText() }, record);
    if (record.columns.length > 0) await deleteRows(place, record.run, keptSql(record, staying));
    await ledger.write({ ...record, state: 'removed', rows: 0, generation: String(nowMs) }, record);
  }
}

/** Opens the part of the warehouse that belongs to a project; `permit` throws where the caller may not read its exports. */
export function openProjectWarehouse(
  warehouse: Warehouse,
  { authUrl, projectId, permit }: { readonly authUrl: string; readonly projectId: number; readonly permit: () => Promise<unknown> },
) {
  const { access, loader, reader, pieceRows, states } = warehouse;
  const project = projectName(authUrl, projectId);
  const ledger = ledgerOf(access, loader, project);
  // Sessions of all its callers share it.
  const state: LoadState = states.get(project) ?? { running: new Map(), done: new Set(), failures: new Map(), listeners: new Set() };
  states.set(project, state);
  const started = new Set<Promise<void>>();
  const { listeners } = state;
  const parts = { access, loader, ledger, project, pieceRows };

  return {
    /** Scheme, host and port. */
    address: access.address,
    database: access.database,
    /** Name of the project there. */
    project,
    /** Finished and running loads; throws where the platform does not let the caller read exports of the project. */
    async records(signal?: AbortSignal): Promise<LoadRecord[]> {
      await permit();
      return ledger.records(signal);
    },
    /** Starts the load of converted runs that are not there yet; `reading` keeps their files in place meanwhile. */
    load(runs: readonly RunManifest[], place: LoadPlace): void {
      for (const run of runs) {
        const key = runKey(run);
        if (!isReady(run) || state.running.has(key) || state.done.has(key) || place.signal.aborted) continue;
        const load = { jobId: run.jobId, runId: run.runId, rows: 0, totalRows: run.table?.rows ?? 0 };
        const report = (rows: number) => {
          load.rows = rows;
          for (const listener of listeners) listener();
        };
        const result = loadOne(run, place, state, { ...parts, report }).finally(() => {
          state.running.delete(key);
          started.delete(result);
        });
        started.add(result);
        state.running.set(key, { load, result });
      }
    },
    /** Loads of this process that are under way. */
    underWay: (): Load[] => [...state.running.values()].map(({ load }) => ({ ...load })),
    /** Calls `listener` when rows have arrived, until the returned function is called. */
    onProgress(listener: () => void): () => void {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    /** Why the last load of a run failed, where it did. */
    failure: (run: RunId) => state.failures.get(runKey(run)),
    /** Resolves when no load of this process is under way; `own`: none that was started here. */
    async settled(own?: 'own'): Promise<void> {
      await Promise.all(own ? started : [...state.running.values()].map(({ result }) => result));
    },
    query: (statement: WarehouseStatement) => runStatement(statement, { access, reader, project }),
    /** Deletes runs there; rows that a run which stays holds too remain as the last export had them. */
    async remove(records: readonly LoadRecord[], nowMs: number): Promise<void> {
      try {
        await removeLoaded(records, nowMs, parts);
      } finally {
        for (const { run } of records) state.done.delete(runKey(run));
      }
    },
  };
}

/** The exports of one project in the warehouse, as one caller works with them. */
export type ProjectWarehouse = ReturnType<typeof openProjectWarehouse>;
