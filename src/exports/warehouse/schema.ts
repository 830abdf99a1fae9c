import { type ColumnType, itemTypeOf } from '../query/columns.ts';
import type { StoredColumn } from '../store/manifest.ts';
import type { Connection, WarehouseAccess } from './connection.ts';

/** A quoted name of ClickHouse. */
export function quoted(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

/** A quoted text of ClickHouse. */
export function text(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

const ITEMS: Readonly<Record<string, string>> = {
  VARCHAR: 'Nullable(String)',
  BIGINT: 'Nullable(Int64)',
  DOUBLE: 'Nullable(Float64)',
  BOOLEAN: 'Nullable(Bool)',
  DATE: 'Nullable(Date32)',
  TIMESTAMP: "Nullable(DateTime64(6, 'UTC'))",
};

/** The type that a column has in ClickHouse, as its system tables write it; a list is an array, and no list an empty one. */
export function warehouseType(type: ColumnType): string {
  const item = itemTypeOf(type);
  return item ? `Array(${ITEMS[item]})` : (ITEMS[type] ?? 'Nullable(String)');
}

/** The table that holds the rows of a scope. */
export function tableOf(view: string): string {
  return `export_${view}`;
}

/** The table in which it is recorded what is loaded. */
export const LEDGER = 'export_loads';

/** Columns of the warehouse beside those of the export; names and order of the sent values. */
export const OWN_COLUMNS = ['_project', '_job', '_run', '_version', '_day', '_time', '_key'] as const;

/** Insertions that are recognised when they are repeated. */
const REMEMBERED_INSERTS = 10_000;

/** How a table is stored: of equal keys the latest row by `version` stays, in partitions where there are any. */
function storedSql({ engine }: WarehouseAccess, version: string, order: string): string {
  const window = engine === 'ReplacingMergeTree' ? 'non_replicated_deduplication_window' : 'replicated_deduplication_window';
  return `ENGINE = ${engine}(${version}) ${order} SETTINGS ${window} = ${REMEMBERED_INSERTS}`;
}

/**
 * The table of a scope: a partition for each project and month, ordered by day and row key, the latest export of a row replacing the
 * others. A row without a time of its own stands in the month of 1970.
 */
function scopeTableSql(access: WarehouseAccess, table: string): string {
  return `CREATE TABLE IF NOT EXISTS ${quoted(access.database)}.${quoted(table)} (
  _project LowCardinality(String), _job UInt64, _run UInt64, _version UInt64,
  _day Date32, _time DateTime64(6, 'UTC'), _key String
) ${storedSql(access, '_version', 'PARTITION BY (_project, toYYYYMM(_day)) ORDER BY (_project, _job, _day, _key)')}`;
}

/** Makes the table of the record. */
export function createLedger(access: WarehouseAccess, loader: Connection): Promise<void> {
  return loader.command(`CREATE TABLE IF NOT EXISTS ${quoted(access.database)}.${quoted(LEDGER)} (
  _project LowCardinality(String), _job UInt64, _run UInt64, state LowCardinality(String), rows UInt64,
  generation String, manifest String, columns String, written DateTime64(6, 'UTC')
) ${storedSql(access, 'written', 'ORDER BY (_project, _job, _run)')}`);
}

/** A column of a run and what it is called in the table of its scope. */
export interface PlacedColumn extends StoredColumn {
  readonly at: string;
}

/** Makes the table of a scope with these columns, or adds those that it lacks; none ever changes its type. */
export async function placeColumns(
  access: WarehouseAccess,
  loader: Connection,
  table: string,
  columns: readonly StoredColumn[],
): Promise<PlacedColumn[]> {
  await loader.command(scopeTableSql(access, table));
  // Another loader may add one of the same name meanwhile: what counts is what is there afterwards.
  for (;;) {
    const rows = await loader.rows('SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String}', {
      parameters: { database: access.database, table },
    });
    const there = new Map(rows.map(({ name, type }) => [name, String(type)]));
    const placed = columns.map((column) => {
      const { name, type } = column;
      // One of another type that has the name keeps it.
      return { ...column, at: [undefined, warehouseType(type)].includes(there.get(name)) ? name : `${name}:${type}` };
    });
    const absent = placed.filter(({ at }) => !there.has(at));
    if (absent.length === 0) return placed;
    const added = absent.map(({ at, type }) => `ADD COLUMN IF NOT EXISTS ${quoted(at)} ${warehouseType(type)}`);
    // Rows lie by day, so the bounds of a block of rows are narrow.
    const bounds = absent.flatMap(({ at, type }) =>
      type === 'DATE' || type === 'TIMESTAMP' ? [`ADD INDEX IF NOT EXISTS ${quoted(`bounds_${at}`)} ${quoted(at)} TYPE minmax`] : [],
    );
    await loader.command(`ALTER TABLE ${quoted(access.database)}.${quoted(table)} ${[...added, ...bounds].join(', ')}`);
  }
}
