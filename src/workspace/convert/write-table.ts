import { randomBytes } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import {
  type ColumnType,
  closest,
  type ItemType,
  itemTypeOf,
  nearestTypes,
  numbersIn,
  WHOLE_NUMBER,
  type WholeNumber,
  wholeNumberOf,
} from '../query/column-types.ts';
import { type Column, columnOf, folded, mergedColumns, promisedColumns, timeColumn } from '../query/columns.ts';
import { keysOf } from '../query/data-view.ts';
import { openDatabase } from '../query/database.ts';
import type { Conversion, Converted, Machine, Piece } from '../query/protocol.ts';
import { identifier, literal, UNORDERED } from '../query/view-sql.ts';
import { messageOf, WorkspaceError } from '../store/disk.ts';
import type { RunManifest, RunTable, StoredColumn } from '../store/manifest.ts';
import { type RawFiles, rawFilesOf, textsOf } from './raw-files.ts';

/** How a table is written, by what an attempt before showed. */
interface TableWay {
  /** An id is no number, though samples are. */
  readonly idsAsText: boolean;
  /** Lines of JSON hold halves of characters. */
  readonly isMended: boolean;
  /** Types of columns, by name, whose values as a whole fit another one than their beginning showed. */
  readonly types: ReadonlyMap<string, ColumnType>;
}

/** The content of a run's table, and how it is written. */
interface TablePlan {
  readonly columns: readonly StoredColumn[];
  /** A SELECT of all rows, and in `MISFITS` the number of values of a row that are not of their column's type. */
  readonly select: string;
  /** Columns of text that may hold numbers alone, with how these are written: all their values are looked at. */
  readonly texts: readonly { readonly name: string; readonly form: string }[];
  /** Names of the columns that rows are sorted by, and the expression of the day of a row, which comes first. */
  readonly order: readonly string[];
  readonly day: string | undefined;
  /** Amounts of a row, as expressions of whole numbers, whose sums are compared with those of the source. */
  readonly amounts: readonly string[];
  /** Columns that identify a row, of which only the last is kept; none where rows cannot be told apart. */
  readonly identity: readonly string[];
}

/** The column of a `TablePlan`'s rows that counts values which are left out. */
const MISFITS = '__misfits';
/** The engine's message for an id that does not fit a number. */
const NO_NUMBER = 'an id is no whole number';

const AMOUNTS = new Set(['cents', 'money']);

/** The amounts of a row as expressions of whole numbers; of a list their sum. */
function amountsOf(columns: readonly Column[]): string[] {
  const whole = (value: string, item: ItemType) => (item === 'DOUBLE' ? `round(${value} * 1000)` : value);
  return columns.flatMap(({ name, type, unit }) => {
    if (!unit || !AMOUNTS.has(unit)) return [];
    const item = itemTypeOf(type);
    if (item) return [`array_aggregate(array_transform(${identifier(name)}, lambda v: ${whole('v', item)}), 'sum')`];
    return [whole(identifier(name), type === 'DOUBLE' ? 'DOUBLE' : 'BIGINT')];
  });
}

/** A text as a value of a type; null where it is none. An instant with an offset is that instant in UTC. */
function valueSql(text: string, type: ColumnType): string {
  const item = itemTypeOf(type);
  if (item) return `CASE WHEN json_valid(${text}) THEN from_json(${text}, ${literal(JSON.stringify([item]))}) END`;
  // The engine rounds decimals where a whole number is asked for.
  if (type === 'BIGINT') return `TRY_CAST(CASE WHEN NOT contains(${text}, '.') THEN ${text} END AS BIGINT)`;
  if (type === 'DOUBLE') return `CASE WHEN isfinite(TRY_CAST(${text} AS DOUBLE)) THEN TRY_CAST(${text} AS DOUBLE) END`;
  if (type === 'TIMESTAMP') return `TRY_CAST(${text} AS TIMESTAMPTZ)::TIMESTAMP`;
  return type === 'VARCHAR' ? text : `TRY_CAST(${text} AS ${type})`;
}

const hasText = (text: string) => `coalesce(${text}, '') <> ''`;

/** One SELECT over all files, with expressions made of the texts of their columns. */
function selectFrom(raw: readonly RawFiles[], isMended: boolean, listOf: (textOf: (name: string) => string | undefined) => string): string {
  const branches = raw.flatMap((files) => {
    if (files.paths.length === 0) return [];
    const { from, text } = textsOf(files, isMended);
    const byName = new Map(files.columns.map((column) => [folded(column.name), column]));
    const textOf = (name: string) => {
      const column = byName.get(folded(name));
      return column && text(column);
    };
    return [`SELECT ${listOf(textOf)} FROM ${from}`];
  });
  return branches.join('\nUNION ALL\n');
}

function rowsSql(raw: readonly RawFiles[], columns: readonly Column[], isMended: boolean): string {
  const list = (textOf: (name: string) => string | undefined) => {
    const values = columns.map(({ name, type }) => {
      const text = textOf(name);
      return { text, value: text === undefined ? `NULL::${type}` : valueSql(text, type), name, type };
    });
    const misfits = values.flatMap(({ text, value, type }) =>
      text === undefined || type === 'VARCHAR' ? [] : [`(${value} IS NULL AND ${hasText(text)})::INT`],
    );
    const shown = values.map(({ value, name }) => `${value} AS ${identifier(name)}`);
    return [...shown, `(${['0', ...misfits].join(' + ')})::BIGINT AS ${MISFITS}`].join(', ');
  };
  const none = columns.map(({ name, type }) => `NULL::${type} AS ${identifier(name)}`);
  return selectFrom(raw, isMended, list) || `SELECT ${none.join(', ')}, 0::BIGINT AS ${MISFITS} WHERE false`;
}

/** Ids of rows as numbers that give the same text again; the statement ends with `NO_NUMBER` where one does not. */
function withNumbers(rows: string, columns: readonly StoredColumn[]): string {
  const held = columns.flatMap(({ name, heldAs }, index) =>
    heldAs && heldAs !== 'VARCHAR' ? [{ id: identifier(name), number: `__number_${index}`, heldAs }] : [],
  );
  if (held.length === 0) return rows;
  const numbers = held.map(({ id, number, heldAs }) => `TRY_CAST(${id} AS ${heldAs}) AS ${number}`);
  const wrong = (heldAs: WholeNumber) => `error(${literal(NO_NUMBER)})::${heldAs}`;
  const checked = held.map(
    ({ id, number, heldAs }) => `CASE WHEN ${number}::VARCHAR IS DISTINCT FROM ${id} THEN ${wrong(heldAs)} ELSE ${number} END AS ${id}`,
  );
  const own = held.map(({ number }) => number).join(', ');
  return `SELECT * EXCLUDE (${own}) REPLACE (${checked.join(', ')}) FROM (SELECT *, ${numbers.join(', ')} FROM (${rows}))`;
}

/** Plans the table of a run; ids whose samples are whole numbers are stored as numbers, unless `idsAsText`. */
function tablePlan(run: RunManifest, raw: readonly RawFiles[], { idsAsText, isMended, types }: TableWay): TablePlan {
  const files = raw.length > 0 ? raw.map((each) => each.columns) : [promisedColumns(run.fields)];
  const columns = mergedColumns(files.map((own) => own.map(columnOf))).map((column) => ({
    ...column,
    type: types.get(column.name) ?? column.type,
  }));
  const all = files.flat();
  const samplesOf = ({ name }: Column) => all.flatMap((each) => (folded(each.name) === folded(name) ? each.samples : []));
  const time = timeColumn(columns);
  const { names: keys, missing } = keysOf(run.scope, columns);
  // Users are compared and looked up as sessions are.
  const ids = new Set([...keys, ...columns.flatMap(({ name, field = name }) => (field === 'user_id' ? [folded(name)] : []))]);
  const stored = columns.map((column): StoredColumn => {
    if (idsAsText || column.type !== 'VARCHAR' || !ids.has(folded(column.name))) return column;
    const heldAs = wholeNumberOf(samplesOf(column));
    return { ...column, ...(heldAs && { heldAs }) };
  });
  return {
    columns: stored,
    select: withNumbers(rowsSql(raw, columns, isMended), stored),
    texts: stored.flatMap((column) => {
      const form = column.type === 'VARCHAR' && !column.heldAs ? numbersIn(column.name, samplesOf(column)) : undefined;
      return form ? [{ name: column.name, form }] : [];
    }),
    // All rows of a run are of one project.
    order: columns.flatMap(({ name, field = name }) => (ids.has(folded(name)) && field !== 'project_id' ? [name] : [])),
    day: time && `CAST(${identifier(time.name)} AS DATE)`,
    amounts: amountsOf(columns),
    identity: missing.length > 0 ? [] : keys,
  };
}

/** The engine's words for an escape of half a character in a line of JSON. */
const HALF_CHARACTER = /Malformed JSON.*surrogate/s;

/** Faults of files by the engine's words. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [/unicode|utf-?8/i, 'is not UTF-8 text'],
  [/Malformed JSON|JSON transform/i, 'is not valid JSON'],
  [/gzip|inflate|zlib|incorrect header|unexpected end of file/i, 'is not a whole gzip file'],
  [/maximum.*(size|length)|line_size/i, 'is longer than 16 MB'],
  [/CSV Error/i, 'does not have the columns of the header'],
];
const MOST_CHARS = 200;

/** The first text that one of these patterns finds. */
const firstOf = (message: string, ...patterns: readonly RegExp[]) => patterns.flatMap((each) => each.exec(message)?.[1] ?? [])[0];

/** Which file of a run is at fault, which line of it where that is known, and what is wrong, from what the engine says. */
function damageWords(message: string): string {
  const file = firstOf(message, /in file "(?:[^"]*\/)?([^"]+)"/, /file = (?:\S*\/)?(\S+)/, /"(?:[^"]*\/)?([^"]+\.gz)"/);
  const inJson = firstOf(message, /in line (\d+)/);
  // The reader of JSON counts from the line after.
  const line = inJson === undefined ? firstOf(message, /Line: (\d+)/) : Number(inJson) - 1;
  const place = [file ?? [], line === undefined ? [] : `line ${line}`].flat().join(', ');
  const [, fault] = FAULTS.find(([words]) => words.test(message)) ?? [];
  if (fault !== undefined) return `${place || 'a file'} ${fault}`;
  return [place, (message.split('\n')[0] ?? '').slice(0, MOST_CHARS)].filter((part) => part !== '').join(': ');
}

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

/** A condition that lets every row pass and counts it, with the sums of its whole numbers, in what is given beside it. */
async function tallyRows(connection: DuckDBConnection, numbers: readonly string[]) {
  const { BIGINT, BOOLEAN, DuckDBScalarFunction } = await import('../query/duckdb.ts');
  const tally = { rows: 0, sums: numbers.map(() => 0n) };
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
async function settledTypes(connection: DuckDBConnection, raw: readonly RawFiles[], columns: readonly Column[], isMended: boolean) {
  const settled: { name: string; type: ColumnType; values: number }[] = [];
  for (const { name, type: first } of columns) {
    if (first === 'VARCHAR') continue;
    const types = nearestTypes(first);
    const texts = selectFrom(raw, isMended, (textOf) => `${textOf(name) ?? 'NULL::VARCHAR'} AS t`);
    const counts = types.map((type) => `count(${valueSql('t', type)})`);
    const [found = []] = await rowsOf(connection, `SELECT count(*), ${counts.join(', ')} FROM (${texts}) WHERE ${hasText('t')}`);
    const [present = 0, ...fitting] = found.map(Number);
    const fittingOf = (type: ColumnType) => fitting[types.indexOf(type)] ?? 0;
    const type = closest(types, present, fittingOf) ?? 'VARCHAR';
    settled.push({ name, type, values: type === 'VARCHAR' ? 0 : present - fittingOf(type) });
  }
  return settled;
}

/** The part of a `RunTable` that its rows decide. */
type WrittenTable = Omit<RunTable, 'name' | 'bytes' | 'superseded'>;

/** Writes the table of a run, in another way where its values show that the first one was wrong. */
async function convert(connection: DuckDBConnection, of: Conversion, raw: readonly RawFiles[], way: TableWay): Promise<WrittenTable> {
  const plan = tablePlan(of.run, raw, way);
  try {
    const { misfits, rows, columns } = await writeRows(connection, plan, of.target);
    const settled = misfits === 0 ? [] : await settledTypes(connection, raw, plan.columns, way.isMended);
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
export async function convertRun(of: Conversion, machine: Machine): Promise<Converted> {
  const { run, directory, target } = of;
  try {
    const raw = await rawFilesOf(run, directory);
    const files = [...raw.flatMap(({ paths }) => paths), target];
    const connection = await openDatabase({ ...machine, setup: [UNORDERED], files });
    try {
      return { table: await convert(connection, of, raw, { idsAsText: false, isMended: false, types: new Map() }) };
    } finally {
      connection.closeSync();
    }
  } catch (error) {
    const words = error instanceof WorkspaceError ? error.message : damageWords(messageOf(error));
    return { damage: words };
  }
}

/** Writes what a SELECT gives into one Parquet file that is read once, so quickly; gives the number of rows. */
export async function writePiece(connection: DuckDBConnection, { select, target }: Piece): Promise<number> {
  await connection.run(copySql(select, target, 'snappy'));
  const [count] = await rowsOf(connection, `SELECT count(*) FROM read_parquet(${literal(target)})`);
  return Number(count?.[0]);
}
