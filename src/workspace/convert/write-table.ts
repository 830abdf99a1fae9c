import { randomBytes } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { closest, WHOLE_NUMBER } from '../query/column-types.ts';
import { openDatabase } from '../query/database.ts';
import type { Converted, ConvertTask, Machine, PieceTask, ResolveTask } from '../query/protocol.ts';
import { identifier, literal, literals } from '../query/view-sql.ts';
import { WorkspaceError } from '../store/disk.ts';
import type { RunTable, StoredColumn } from '../store/manifest.ts';
import { damageWords, HALF_CHARACTER } from './damage.ts';
import { type RawFiles, rawFilesOf } from './raw-files.ts';
import { MISFITS, NO_NUMBER, type TablePlan, type TableWay, tablePlan } from './table-plan.ts';

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

/** Number of rows, and sums of whole numbers that they hold. */
interface Tally {
  rows: number;
  readonly sums: bigint[];
}

/** A condition that lets every row pass and counts it, with its whole numbers, in what is given beside it. */
async function tallyRows(connection: DuckDBConnection, numbers: readonly string[]): Promise<{ tally: Tally; condition: string }> {
  const { BIGINT, BOOLEAN, DuckDBScalarFunction } = await import('../query/duckdb.ts');
  const tally: Tally = { rows: 0, sums: numbers.map(() => 0n) };
  const name = `__tally_${randomBytes(6).toString('hex')}`;
  const count = DuckDBScalarFunction.create({
    name,
    parameterTypes: numbers.map(() => BIGINT),
    returnType: BOOLEAN,
    volatile: true, // run for each row once, never left out or repeated
    mainFunction(_info, chunk, output) {
      const { rowCount } = chunk;
      for (const index of numbers.keys()) {
        const values = chunk.getColumnVector(index);
        let sum = 0n;
        for (let row = 0; row < rowCount; row += 1) sum += values.getItem(row) as bigint; // never null, as `convert` writes them
        tally.sums[index] = (tally.sums[index] ?? 0n) + sum;
      }
      for (let row = 0; row < rowCount; row += 1) output.setItem(row, true);
      output.flush();
      tally.rows += rowCount;
    },
  });
  connection.registerScalarFunction(count);
  return { tally, condition: `${name}(${numbers.join(', ')})` };
}

/** Which of the columns of text hold numbers alone, by all their values; one without a value does not. */
function numbersSql(texts: TablePlan['texts']): string[] {
  return texts.map(({ name, form }) => {
    const areAll = (pattern: string) => `bool_and(regexp_matches(${identifier(name)}, ${literal(pattern)}))`;
    return `CASE WHEN ${areAll(WHOLE_NUMBER)} THEN 'BIGINT' WHEN ${areAll(form)} THEN 'DOUBLE' END`;
  });
}

/** A column of text that holds numbers alone is one of numbers; the table keeps their text, for a run beside it that holds other values. */
function withType(column: StoredColumn, type: unknown): StoredColumn {
  return type === 'BIGINT' || type === 'DOUBLE' ? { ...column, type, heldAs: 'VARCHAR' } : column;
}

/** Writes the rows of a run into one Parquet file, reads it back, and compares it with what was counted while the source was read. */
export async function writeRows(connection: DuckDBConnection, plan: TablePlan, target: string) {
  const { select, order, day, amounts, texts, identity } = plan;
  // The function is given every row only where nothing is null; what is no such number, or too large, counts by its hash.
  const numbers = amounts.map((amount) => `coalesce(TRY_CAST(${amount} AS BIGINT), (hash(${amount}) >> 1)::BIGINT)`);
  const tuple = identity.map(identifier).join(', ');
  const known = identity.map((name) => `${identifier(name)} IS NOT NULL`).join(' AND ');
  // Rows that were delivered twice are rare: only then all are sorted by key.
  const lastOfEach = `SELECT * EXCLUDE (__row) FROM (SELECT *, row_number() OVER () AS __row FROM (${select}))
    QUALIFY NOT (${known}) OR row_number() OVER (PARTITION BY ${tuple} ORDER BY __row DESC) = 1`;
  const { tally, condition } = await tallyRows(connection, [...numbers, MISFITS]);
  const counted = `SELECT * EXCLUDE (${MISFITS}) FROM (${select}) WHERE ${condition}`;
  const keys = [...(day === undefined ? [] : [day]), ...order.map(identifier)];
  await connection.run(copySql(keys.length > 0 ? `SELECT * FROM (${counted}) ORDER BY ${keys.join(', ')}` : counted, target));
  const sums = numbers.map((number) => `coalesce(sum(${number}), 0)`);
  const repeats = identity.length > 0 ? `count(hash(${tuple})) FILTER (${known}) - count(DISTINCT hash(${tuple})) FILTER (${known})` : '0';
  const checks = ['count(*)', ...sums, ...numbersSql(texts), repeats];
  const [found = []] = await rowsOf(connection, `SELECT ${checks.join(', ')} FROM read_parquet(${literal(target)})`);
  const read = [tally.rows, ...tally.sums.slice(0, -1)];
  const written = found.slice(0, read.length);
  if (String(written) !== String(read)) throw new Error(`the table has ${String(written)} (rows, sums), the source ${String(read)}`);
  if (Number(found.at(-1)) > 0) return writeRows(connection, { ...plan, select: lastOfEach, identity: [] }, target);
  const numberOf = new Map(texts.map(({ name }, index) => [name, found[read.length + index]]));
  const columns = plan.columns.map((column) => withType(column, numberOf.get(column.name)));
  return { rows: tally.rows, columns, misfits: Number(tally.sums.at(-1)) };
}

/** The types that fit most values of each column, and how many values do not fit. */
async function settledTypes(connection: DuckDBConnection, { fits }: TablePlan) {
  const settled: { name: string; type: StoredColumn['type']; values: number }[] = [];
  for (const { column, types, sql } of fits) {
    const [[present = 0, ...fitting] = []] = (await rowsOf(connection, sql)).map((row) => row.map(Number));
    const type = closest(types, present, (each) => fitting[types.indexOf(each)] ?? 0) ?? 'VARCHAR';
    settled.push({ name: column.name, type, values: type === 'VARCHAR' ? 0 : present - (fitting[types.indexOf(type)] ?? 0) });
  }
  return settled;
}

/** The part of a `RunTable` that its rows decide. */
type WrittenTable = Omit<RunTable, 'name' | 'bytes' | 'superseded'>;

/** Writes the table of a run, in another way where its values show that the first one was wrong. */
async function convert(
  connection: DuckDBConnection,
  of: ConvertTask['runs'][number],
  raw: readonly RawFiles[],
  way: TableWay,
): Promise<WrittenTable> {
  const plan = tablePlan(of.run, raw, way);
  try {
    const { misfits, rows, columns } = await writeRows(connection, plan, of.target);
    const settled = misfits === 0 ? [] : await settledTypes(connection, plan);
    const types = new Map(settled.map(({ name, type }) => [name, type]));
    if (plan.columns.some(({ name, type }) => type !== (types.get(name) ?? type)))
      return await convert(connection, of, raw, { ...way, types });
    const unread = settled.flatMap(({ name, values }) => (values > 0 ? [{ column: name, values }] : []));
    return { rows, columns, ...(way.isMended && { isMended: true }), ...(unread.length > 0 && { unread }) };
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    if (!way.idsAsText && message.includes(NO_NUMBER)) return convert(connection, of, raw, { ...way, idsAsText: true });
    if (!way.isMended && HALF_CHARACTER.test(message)) return convert(connection, of, raw, { ...way, isMended: true });
    throw error;
  }
}

/** Makes a table of a run. */
export async function convertRun(of: ConvertTask['runs'][number], machine: Machine): Promise<Converted> {
  const { run, directory, target } = of;
  try {
    const raw = await rawFilesOf(run, directory);
    const files = [...raw.flatMap(({ paths }) => paths), target];
    const connection = await openDatabase({ ...machine, setup: ['SET preserve_insertion_order = false'], files });
    try {
      return { runId: run.runId, table: await convert(connection, of, raw, { idsAsText: false, isMended: false, types: new Map() }) };
    } finally {
      connection.closeSync();
    }
  } catch (error) {
    const words = error instanceof WorkspaceError ? error.message : damageWords(error instanceof Error ? error.message : String(error));
    return { runId: run.runId, damage: words };
  }
}

/** Writes the numbers of the rows that later files hold too; gives how many there are. A row without its whole key is never replaced. */
export async function resolveOverlap(
  connection: DuckDBConnection,
  { file, later, keys, textKeys, target }: ResolveTask['runs'][number],
): Promise<number> {
  const value = (row: string, name: string) => `${row}.${identifier(name)}${textKeys.includes(name) ? '::VARCHAR' : ''}`;
  const same = keys.map((name) => `${value('a', name)} = ${value('b', name)}`).join(' AND ');
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
