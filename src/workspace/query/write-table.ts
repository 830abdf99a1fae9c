import { randomBytes } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { DECIMAL_LENGTH, DECIMAL_NUMBER, WHOLE_NUMBER } from './column-types.ts';
import type { ConvertTask, PieceTask, ResolveTask, Written } from './protocol.ts';
import { identifier, literal, literals } from './view-sql.ts';

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
  const { BIGINT, BOOLEAN, DuckDBScalarFunction } = await import('./duckdb.ts');
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
function numbersSql(texts: readonly string[]): string[] {
  return texts.map(identifier).map((id) => {
    const whole = `bool_and(regexp_matches(${id}, ${literal(WHOLE_NUMBER)}))`;
    const decimal = `bool_and(regexp_matches(${id}, ${literal(DECIMAL_NUMBER)}) AND length(${id}) <= ${DECIMAL_LENGTH})`;
    return `CASE WHEN ${whole} THEN 'BIGINT' WHEN ${decimal} THEN 'DOUBLE' END`;
  });
}

/**
 * Writes the rows of a run into one Parquet file, reads it back, and compares it with what was counted while the source was read.
 */
export async function convert(connection: DuckDBConnection, task: ConvertTask): Promise<Written> {
  const { select, target, order, day, amounts, texts, identity } = task;
  // The function is given every row only where nothing is null; what is no such number, or too large, counts by its hash.
  const numbers = amounts.map((amount) => `coalesce(TRY_CAST(${amount} AS BIGINT), (hash(${amount}) >> 1)::BIGINT)`);
  const tuple = identity.map(identifier).join(', ');
  const known = identity.map((name) => `${identifier(name)} IS NOT NULL`).join(' AND ');
  // Rows that were delivered twice are rare: only then all are sorted by key.
  const lastOfEach = `SELECT * EXCLUDE (__row) FROM (SELECT *, row_number() OVER () AS __row FROM (${select}))
    QUALIFY NOT (${known}) OR row_number() OVER (PARTITION BY ${tuple} ORDER BY __row DESC) = 1`;
  const { tally, condition } = await tallyRows(connection, numbers);
  const counted = `SELECT * FROM (${select}) WHERE ${condition}`;
  const keys = [...(day === undefined ? [] : [day]), ...order.map(identifier)];
  await connection.run(copySql(keys.length > 0 ? `SELECT * FROM (${counted}) ORDER BY ${keys.join(', ')}` : counted, target));
  const sums = numbers.map((number) => `coalesce(sum(${number}), 0)`);
  const repeats = identity.length > 0 ? `count(hash(${tuple})) FILTER (${known}) - count(DISTINCT hash(${tuple})) FILTER (${known})` : '0';
  const checks = ['count(*)', ...sums, ...numbersSql(texts), repeats];
  const [found = []] = await rowsOf(connection, `SELECT ${checks.join(', ')} FROM read_parquet(${literal(target)})`);
  const read = [tally.rows, ...tally.sums];
  const written = found.slice(0, read.length);
  if (String(written) !== String(read)) throw new Error(`the table has ${String(written)} (rows, sums), the source ${String(read)}`);
  if (Number(found.at(-1)) > 0) return convert(connection, { ...task, select: lastOfEach, identity: [] });
  const types = texts.map((name, index) => [name, found[read.length + index]] as const);
  const isNumber = (type: unknown): type is 'BIGINT' | 'DOUBLE' => type === 'BIGINT' || type === 'DOUBLE';
  return { rows: tally.rows, numbers: Object.fromEntries(types.flatMap(([name, type]) => (isNumber(type) ? [[name, type]] : []))) };
}

/** Writes the numbers of the rows that later files hold too; gives how many there are. A row without its whole key is never replaced. */
export async function resolveOverlap(connection: DuckDBConnection, { file, later, keys, textKeys, target }: ResolveTask): Promise<number> {
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
