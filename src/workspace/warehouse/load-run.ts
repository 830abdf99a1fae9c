import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../api/errors.ts';
import { type Column, folded, timeColumn } from '../query/columns.ts';
import { keysOf, viewName } from '../query/data-view.ts';
import { writePiece } from '../query/sql-process.ts';
import { identifier, literal } from '../query/view-sql.ts';
import type { RunManifest } from '../store/manifest.ts';
import type { Connection, WarehouseAccess } from './connection.ts';
import { generationText, readGeneration } from './generation.ts';
import type { Ledger, LoadRecord } from './ledger.ts';
import { OWN_COLUMNS, type PlacedColumn, placeColumns, quoted, tableOf, text } from './schema.ts';

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

/** The surroundings of a load. */
export interface LoadContext {
  readonly access: WarehouseAccess;
  readonly loader: Connection;
  readonly ledger: Ledger;
  /** Name of the project in the warehouse. */
  readonly project: string;
  /** Directory of the run, with its table. */
  readonly directory: string;
  /** For whom it runs: holders take turns. */
  readonly holder: string;
  readonly signal: AbortSignal;
  /** Called with the rows that have arrived. */
  readonly report: (rows: number) => void;
  /** Rows that are sent at a time; left out: as many as a server holds well. */
  readonly pieceRows?: number | undefined;
  /** The bundled process of DuckDB, for callers that are bundled elsewhere. */
  readonly script?: string;
}

/** Of two exports the later one has the larger version; in the same millisecond the one with the larger id. */
function versionOf({ exportedAt, runId }: Pick<RunManifest, 'exportedAt' | 'runId'>): string {
  return String(BigInt(Date.parse(exportedAt)) * 2n ** 22n + BigInt(runId % 2 ** 22));
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
  const own = [
    `${literal(project)} AS _project`,
    `${run.jobId}::UBIGINT AS _job`,
    `${run.runId}::UBIGINT AS _run`,
    `${versionOf(run)}::UBIGINT AS _version`,
    `coalesce(CAST(${instant} AS DATE), DATE ${literal(DAY_OF_NONE)}) AS _day`,
    `coalesce(${instant}, TIMESTAMP ${literal(DAY_OF_NONE)}) AS _time`,
    `${keySql(run, columns)} AS _key`,
  ];
  const value = ({ name, type, heldAs }: PlacedColumn) => (heldAs ? `CAST(${identifier(name)} AS ${type})` : identifier(name));
  const list = [...own, ...columns.map((column) => `${value(column)} AS ${identifier(column.at)}`)];
  const rows = `read_parquet(${literal(file)}, file_row_number = true)`;
  return `SELECT ${list.join(', ')} FROM ${rows} WHERE file_row_number >= ${from} AND file_row_number < ${to}`;
}

/** Deletes the rows of runs; what an earlier export said of the same rows is gone too where it was merged. */
export async function deleteRows(
  { access, loader, project }: Pick<LoadContext, 'access' | 'loader' | 'project'>,
  runs: readonly RunManifest[],
  kept = '0',
): Promise<void> {
  for (const scope of new Set(runs.map((run) => run.scope))) {
    const table = `${quoted(access.database)}.${quoted(tableOf(viewName(scope)))}`;
    const ids = runs.filter((run) => run.scope === scope).map(({ jobId, runId }) => `(${jobId}, ${runId})`);
    await loader.command(
      `ALTER TABLE ${table} DELETE WHERE _project = ${text(project)} AND (_job, _run) IN (${ids.join(', ')}) AND NOT (${kept})`,
      { settings: { mutations_sync: '2' } },
    );
  }
}

function busy(): ApiError {
  return new ApiError('busy', 'another server is loading it', { retryAfterMs: SILENT_MS });
}

/** A loader's claim: its generation, the part of the tokens that stays where a load goes on, and the rows that are there. */
interface Claim {
  readonly generation: string;
  readonly load: string;
  readonly columns: PlacedColumn[];
  readonly rows: number;
}

/** The way on from what the ledger says of a run. */
type LoadStep =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'busy' }
  | { readonly kind: 'goes on'; readonly load: string; readonly rows: number }
  /** `stale`: the record of an earlier export, whose rows go first. */
  | { readonly kind: 'begins'; readonly stale: LoadRecord | undefined };

function stepOf(run: RunManifest, before: LoadRecord | undefined): LoadStep {
  if (!before) return { kind: 'begins', stale: undefined };
  // Removed after it was downloaded here: only a new download brings it back.
  if (before.state === 'removed')
    return Date.parse(run.downloadedAt) <= Number(before.generation) ? { kind: 'nothing' } : { kind: 'begins', stale: undefined };
  const stale = before.columns.length > 0 ? before : undefined;
  if (before.state === 'loaded') return before.run.exportedAt === run.exportedAt ? { kind: 'nothing' } : { kind: 'begins', stale };
  const generation = readGeneration(before.generation);
  const isOwn = 'table' in generation && generation.table === (run.table?.name ?? '');
  if (isOwn && generation.phase === 'loading') return { kind: 'goes on', load: generation.load, rows: before.rows };
  // A load says how far it is after each piece; another one from its own table would take its rows away.
  const isAlive = !isOwn && generation.phase !== 'removing' && before.ageMs < SILENT_MS;
  return isAlive ? { kind: 'busy' } : { kind: 'begins', stale };
}

/** Takes on the load of a run, which one loader of all servers does; undefined where nothing is to be loaded. */
async function claimLoad(run: RunManifest, { access, loader, ledger, project, signal }: LoadContext): Promise<Claim | undefined> {
  const before = await ledger.find(run, signal);
  const step = stepOf(run, before);
  if (step.kind === 'nothing') return undefined;
  if (step.kind === 'busy') throw busy();
  const table = run.table?.name ?? '';
  const [load, rows] = step.kind === 'goes on' ? [step.load, step.rows] : [randomUUID(), 0];
  const columns = run.table ? await placeColumns(access, loader, tableOf(viewName(run.scope)), run.table.columns) : [];
  const generation = generationText({ phase: 'loading', load, table });
  const entry = { state: 'loading' as const, run, columns, rows };
  const stale = step.kind === 'begins' ? step.stale : undefined;
  let latest = before;
  if (stale) {
    const deleting = { ...entry, columns: stale.columns, generation: generationText({ phase: 'deleting', load, table }) };
    if (!(await ledger.claim(deleting, before))) throw busy();
    await deleteRows({ access, loader, project }, [stale.run]);
    latest = await ownRecord(run, deleting.generation, ledger);
  }
  if (!(await ledger.claim({ ...entry, generation }, latest))) throw busy();
  return { generation, load, columns, rows };
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
  const { loader, ledger, project, directory, holder, signal, report, pieceRows = PIECE_ROWS, script } = context;
  const claim = await claimLoad(run, context);
  if (!claim) return;
  const { generation, columns } = claim;
  let { rows } = claim;
  const name = run.table?.name ?? '';
  const target = tableOf(viewName(run.scope));
  const total = run.table?.rows ?? 0;
  report(rows);
  const names = [...OWN_COLUMNS, ...columns.map(({ at }) => at)].map(quoted);
  const remove = (piece: string) => rm(join(directory, piece), { force: true });

  async function pieceFrom(from: number): Promise<string> {
    const piece = `piece-${randomUUID()}.tmp`;
    const select = pieceSql(run, columns, name, project, [from, from + pieceRows]);
    const options = { directory, holder, signal, timeoutMs: PIECE_TIMEOUT_MS, ...(script !== undefined && { script }) };
    try {
      const written = await writePiece({ select, file: name, target: piece }, options);
      if (written === Math.min(pieceRows, total - from)) return piece;
      throw new Error(`The table of run ${run.runId} has fewer rows than its manifest says.`);
    } catch (error) {
      await remove(piece);
      throw error;
    }
  }

  let own: LoadRecord | undefined;
  let next = rows < total ? pieceFrom(rows) : undefined;
  try {
    while (next) {
      const piece = await next;
      const [from, end] = [rows, Math.min(rows + pieceRows, total)];
      // The next one is written while this one is sent.
      next = end < total ? pieceFrom(end) : undefined;
      next?.catch(() => undefined); // it is met when its turn comes
      const settings = {
        insert_deduplication_token: `${project}/${run.jobId}/${run.runId}/${claim.load}/${from}`,
        max_partitions_per_insert_block: '10000',
        ...ONE_BLOCK,
      };
      try {
        own = await ownRecord(run, generation, ledger, signal);
        await loader.insert(quoted(target), names, createReadStream(join(directory, piece)), { settings, signal });
      } finally {
        await remove(piece);
      }
      rows = end;
      report(rows);
      if (rows < total) await ledger.write({ state: 'loading', run, columns, rows, generation }, own);
    }
  } finally {
    await next?.then(remove, () => undefined);
  }
  await ledger.write({ state: 'loaded', run, columns, rows, generation }, await ownRecord(run, generation, ledger, signal));
}
