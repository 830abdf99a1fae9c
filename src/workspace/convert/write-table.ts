import type { DuckDBConnection } from '@duckdb/node-api';
import type { ConvertTask, PieceTask, ResolveTask } from '../query/protocol.ts';
import { identifier, literal, literals } from '../query/view-sql.ts';

/** Rows of a group in the file: small enough that a day of a large site has groups of its own. */
const GROUP_ROWS = 122_880;

async function rowsOf(connection: DuckDBConnection, sql: string): Promise<readonly (readonly unknown[])[]> {
  return (await connection.runAndReadAll(sql)).getRows();
}

function copySql(select: string, target: string, compression: 'zstd' | 'snappy' = 'zstd'): string {
  // Version 2 packs numbers as differences, which are read in a third of the time and take no more room.
  const options = [
    'FORMAT parquet',
    `COMPRESSION ${compression}`,
    `ROW_GROUP_SIZE ${GROUP_ROWS}`,
    'USE_TMP_FILE false',
    'PARQUET_VERSION V2',
  ];
  return `COPY (${select}) TO ${literal(target)} (${options.join(', ')})`;
}

/** Number of rows and the sums. */
function checkSql(rows: string, sums: readonly string[]): string {
  return `SELECT ${['count(*)', ...sums].map((expression) => `(${expression})::VARCHAR`).join(', ')} FROM ${rows}`;
}

/**
 * Writes the rows of a run into one Parquet file, reads it back, and compares it with the source, which is read once more; gives the number
 * of rows.
 */
export async function convert(connection: DuckDBConnection, { select, target, order, day, sums }: ConvertTask): Promise<number> {
  const keys = [...(day === undefined ? [] : [day]), ...order.map(identifier)];
  const ordered = keys.length > 0 ? `SELECT * FROM (${select}) ORDER BY ${keys.join(', ')}` : select;
  await connection.run(copySql(ordered, target));
  const [written] = await rowsOf(connection, checkSql(`read_parquet(${literal(target)})`, sums));
  const [source] = await rowsOf(connection, checkSql(`(${select})`, sums));
  if (JSON.stringify(written) !== JSON.stringify(source))
    throw new Error(`the table has ${String(written)} (rows, sums), the source ${String(source)}`);
  return Number(written?.[0]);
}

/** Writes the numbers of the rows that later files hold too; gives how many there are. A row without its whole key is never replaced. */
export async function resolveOverlap(connection: DuckDBConnection, { file, later, keys, target }: ResolveTask): Promise<number> {
  const same = keys.map((name) => `a.${identifier(name)} = b.${identifier(name)}`).join(' AND ');
  const names = keys.map(identifier).join(', ');
  const rows = `read_parquet(${literal(file)}, file_row_number = true) a
    SEMI JOIN (SELECT ${names} FROM read_parquet(${literals(later)}, union_by_name = true)) b ON ${same}`;
  await connection.run(copySql(`SELECT a.file_row_number AS n FROM ${rows}`, target));
  const [count] = await rowsOf(connection, `SELECT count(*) FROM read_parquet(${literal(target)})`);
  return Number(count?.[0]);
}

/** Writes what a SELECT gives into one Parquet file that is read once, so quickly; gives the number of rows. */
export async function writePiece(connection: DuckDBConnection, { select, target }: PieceTask): Promise<number> {
  await connection.run(copySql(select, target, 'snappy'));
  const [count] = await rowsOf(connection, `SELECT count(*) FROM read_parquet(${literal(target)})`);
  return Number(count?.[0]);
}
