import { rm } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { grouped } from '../../lib/grouped.ts';
import { isRecord } from '../../lib/is-record.ts';
import { foundIn } from '../../lib/sentences.ts';
import {
  type Column,
  type ColumnType,
  closest,
  columnOf,
  type FileColumn,
  fileColumns,
  folded,
  type ItemType,
  itemTypeOf,
  keyedColumns,
  keysOf,
  mergedColumns,
  NEAREST_TYPES,
  numberForm,
  promisedColumns,
  timeColumn,
  WHOLE_NUMBER,
} from '../query/columns.ts';
import { openDatabase, rowsOf } from '../query/database.ts';
import type { Conversion, Converted, Machine, Piece } from '../query/sql-process.ts';
import { identifier, literal, literals, UNORDERED } from '../query/view-sql.ts';
import { messageOf, WorkspaceError } from '../store/disk.ts';
import type { RunFile, RunManifest, StoredColumn } from '../store/manifest.ts';
import { SCRATCH } from '../store/quota.ts';
import { csvRecords, headersOf } from './csv-headers.ts';

/** Lines of a file that are looked at. */
const LOOKED_AT = 40;

/** Downloaded files of a run that are read alike. */
interface RawFiles {
  readonly format: 'JSONL' | 'CSV';
  readonly gzip: boolean;
  /** Paths relative to the directory of the process. */
  readonly paths: readonly string[];
  readonly columns: readonly FileColumn[];
  /** The headers of CSV in their order, which is all that tells its columns apart. */
  readonly headers: readonly string[];
  /** Whether CSV begins with a row. */
  readonly isHeaderless: boolean;
}

interface RawFile {
  readonly file: RunFile;
  readonly path: string;
}

/** The first lines of a file as they are written. */
async function firstLines(connection: DuckDBConnection, { file: { gzip }, path }: RawFile): Promise<string[]> {
  const rows = await rowsOf(connection, `SELECT coalesce(line, '') FROM ${linesOf({ paths: [path], gzip }, false)} LIMIT ${LOOKED_AT}`);
  return rows.map(([line]) => String(line));
}

function recordIn(line: string): Readonly<Record<string, unknown>> {
  try {
    const row: unknown = JSON.parse(line);
    return isRecord(row) ? row : {};
  } catch {
    return {}; // the conversion names the line
  }
}

/** The first, the middle and the last file show keys that the list of fields does not have. */
async function jsonFiles(connection: DuckDBConnection, files: readonly RawFile[], { fields }: RunManifest): Promise<RawFiles[]> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  for (const at of new Set([0, files.length >> 1, files.length - 1])) {
    const file = files[at];
    if (file) rows.push(...(await firstLines(connection, file)).map(recordIn));
  }
  const values = ({ inFile }: FileColumn) => inFile.flatMap((name) => rows.map((row) => row[name] ?? [])).flat();
  const columns = keyedColumns([...new Set(rows.flatMap((row) => Object.keys(row)))], fields).map((column) => {
    const own = values(column);
    return { ...column, areNumbers: own.length > 0 && own.every((value) => typeof value === 'number') };
  });
  return [...grouped(files, ({ file }) => file.gzip)].map(([gzip, own]) => {
    return { format: 'JSONL', gzip, paths: own.map(({ path }) => path), columns, headers: [], isHeaderless: false };
  });
}

/** The order of the columns matters, so the first line of each file is read; a file without rows is left out. */
async function csvFiles(connection: DuckDBConnection, files: readonly RawFile[], { fields, runId }: RunManifest): Promise<RawFiles[]> {
  const looks: { raw: RawFile; file: string; cells: readonly string[]; isShort: boolean }[] = [];
  for (const raw of files) {
    const [cells, second] = csvRecords((await firstLines(connection, raw)).join('\n'), 2);
    if (cells) looks.push({ raw, file: `File ${raw.file.name} of run ${runId}`, cells, isShort: second === undefined });
  }
  const all = headersOf(looks, fields).map((look) => ({ ...look, gzip: look.raw.file.gzip }));
  return [...grouped(all, ({ names, isRow, gzip }) => JSON.stringify([names, isRow, gzip])).values()].flatMap((alike) =>
    alike.slice(0, 1).map(({ names, isRow, gzip }) => {
      const paths = alike.flatMap(({ raw, isShort }) => (isShort && !isRow ? [] : raw.path));
      return { format: 'CSV', gzip, paths, columns: fileColumns(names, fields), headers: names, isHeaderless: isRow } as const;
    }),
  );
}

/** A row may be as long as this; each thread holds two of them. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;

/** A line with U+FFFD for each escape of half a character, which no reader accepts; whole pairs and written backslashes stay. */
function mendedLine(): string {
  // Control characters stand for what stays: a line of JSON holds none.
  const pair = String.raw`'\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})'`;
  const kept = String.raw`regexp_replace(replace(line, '\\', chr(1)), ${pair}, chr(2) || '\1' || chr(3) || '\2', 'g')`;
  const halves = String.raw`regexp_replace(${kept}, '\\u[dD][89a-fA-F][0-9a-fA-F]{2}', '\\ufffd', 'g')`;
  return String.raw`replace(replace(replace(${halves}, chr(2), '\u'), chr(3), '\u'), chr(1), '\\')`;
}

/** A call that reads the columns of files as texts; `options` belong to the reader. */
function readerOf(reader: 'csv' | 'json', files: Pick<RawFiles, 'paths' | 'gzip'>, names: readonly string[], options: string): string {
  const columns = names.map((name) => `${literal(name)}: 'VARCHAR'`).join(', ');
  const compression = files.gzip ? 'gzip' : 'uncompressed';
  return `read_${reader}(${literals(files.paths)}, columns = {${columns}}, compression = '${compression}', ${options})`;
}

const LINE_SIZES = `auto_detect = false, max_line_size = ${MAX_ROW_BYTES}, buffer_size = ${2 * MAX_ROW_BYTES}`;

/** Lines of JSON, which are parsed by the statement: mended ones, and those whose keys differ in case, which no reader tells apart. */
function linesOf(files: Pick<RawFiles, 'paths' | 'gzip'>, isMended: boolean): string {
  const rows = readerOf('csv', files, ['line'], `header = false, delim = '\x1f', quote = '', escape = '', ${LINE_SIZES}`);
  return `(SELECT ${isMended ? mendedLine() : 'line'} AS line FROM ${rows})`;
}

/** Rows of files as a relation, and each column of it as an expression of text, exactly as it is written; null where it is absent. */
function textsOf(files: RawFiles, isMended: boolean): { from: string; text: (column: FileColumn) => string } {
  const first = (texts: readonly string[]) => (texts.length === 1 ? (texts[0] ?? 'NULL') : `coalesce(${texts.join(', ')})`);
  if (files.format === 'CSV') {
    const text = ({ inFile }: FileColumn) => first(files.headers.flatMap((name, index) => (inFile.includes(name) ? `c${index}` : [])));
    const names = files.headers.map((_, index) => `c${index}`);
    const quoting = `delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false`;
    return { from: readerOf('csv', files, names, `header = ${!files.isHeaderless}, ${quoting}, ${LINE_SIZES}`), text };
  }
  if (!isMended && files.columns.every(({ inFile }) => inFile.length === 1)) {
    const names = files.columns.flatMap(({ inFile }) => inFile);
    // That lines are records is said, because a single column would be taken for bare values.
    const lines = `format = 'newline_delimited', records = true, auto_detect = false, maximum_object_size = ${MAX_ROW_BYTES}`;
    return { from: readerOf('json', files, names, lines), text: ({ inFile }) => first(inFile.map(identifier)) };
  }
  const member = (name: string) => `json_extract_string(line, ${literal(`$.${JSON.stringify(name)}`)})`;
  return { from: linesOf(files, isMended), text: ({ inFile }) => first(inFile.map(member)) };
}

/** How a column is held by what its values show, and how many of these cannot be. */
interface ColumnForm extends Pick<StoredColumn, 'type' | 'heldAs'> {
  readonly unread: number;
}

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
  // The engine takes 1 and t for true, and the day of an instant.
  if (type === 'BOOLEAN') return `TRY_CAST(CASE WHEN lower(${text}) IN ('true', 'false') THEN ${text} END AS BOOLEAN)`;
  if (type === 'DATE') return `TRY_CAST(CASE WHEN length(${text}) = 10 THEN ${text} END AS DATE)`;
  if (type === 'TIMESTAMP') return `TRY_CAST(${text} AS TIMESTAMPTZ)::TIMESTAMP`;
  return text;
}

const hasText = (text: string) => `coalesce(${text}, '') <> ''`;

/** An id as a number that gives the same text again; null where it is none. */
function numberSql(text: string, heldAs: string): string {
  return `CASE WHEN TRY_CAST(${text} AS ${heldAs})::VARCHAR = ${text} THEN TRY_CAST(${text} AS ${heldAs}) END`;
}

/** The columns of a run as its fields say, those that identify rows, and how text that holds numbers is written. */
function columnsOfRun(run: RunManifest, raw: readonly RawFiles[]) {
  const files = raw.length > 0 ? raw.map((each) => each.columns) : [promisedColumns(run.fields)];
  const columns = mergedColumns(files.map((own) => own.map(columnOf)));
  const { names: keys, missing } = keysOf(run.scope, columns);
  // Users are compared and looked up as sessions are.
  const ids = new Set([...keys, ...columns.flatMap(({ name, field = name }) => (field === 'user_id' ? folded(name) : []))]);
  const formOf = ({ name }: Column) =>
    numberForm(
      name,
      files.flat().every((each) => folded(each.name) !== folded(name) || each.areNumbers === true),
    );
  return { columns, ids, identity: missing.length > 0 ? [] : keys, formOf };
}

type RunColumns = ReturnType<typeof columnsOfRun>;

/** A way to hold a column, and how many values of a row it can hold. */
interface Option {
  readonly held: Omit<ColumnForm, 'unread'>;
  readonly fits: string;
  /** It must fit all values, because as text all of them can be read. */
  readonly isText?: true;
}

/** The number of values in a text of a column, and the ways to hold it instead of plain text, the closest first. */
function optionsOf(column: Column, text: string, { ids, formOf }: RunColumns): { present: string; options: Option[] } {
  const { name, type } = column;
  const item = itemTypeOf(type);
  const one = (condition: string) => `coalesce(${condition}, false)::INT`;
  const isId = type === 'VARCHAR' && ids.has(folded(name));
  const present = one(isId ? `${text} IS NOT NULL` : hasText(text));
  if (isId) {
    const asNumber = (heldAs: 'BIGINT' | 'UBIGINT'): Option => {
      return { held: { type, heldAs }, fits: one(`${numberSql(text, heldAs)} IS NOT NULL`), isText: true };
    };
    return { present, options: [asNumber('BIGINT'), asNumber('UBIGINT')] };
  }
  const list = valueSql(text, 'VARCHAR[]');
  if (type === 'VARCHAR') {
    const form = formOf(column);
    // An empty text is no number, so that a column with one is text.
    const asNumber = (own: 'BIGINT' | 'DOUBLE', pattern: string): Option => {
      const fits = `(${one(`regexp_matches(${text}, ${literal(pattern)})`)} - ${one(`${text} = ''`)})`;
      // The table keeps the text, for a run beside it that holds other values.
      return { held: { type: own, heldAs: 'VARCHAR' }, fits, isText: true };
    };
    const asList: Option = { held: { type: 'VARCHAR[]' }, fits: one(`starts_with(${text}, '[') AND ${list} IS NOT NULL`), isText: true };
    return { present, options: [asList, ...(form ? [asNumber('BIGINT', WHOLE_NUMBER), asNumber('DOUBLE', form)] : [])] };
  }
  // A whole number of more digits than a double holds is none.
  const isValue = (value: string, own: ItemType) =>
    `${valueSql(value, own)} IS NOT NULL${own === 'DOUBLE' ? ` AND NOT regexp_matches(${value}, '^-?[0-9]{16}')` : ''}`;
  const types = NEAREST_TYPES[item ?? (type as ItemType)]; // no list
  if (!item) return { present, options: types.map((each) => ({ held: { type: each }, fits: one(isValue(text, each)) })) };
  const items = (condition: string) => `len(array_filter(${list}, lambda v: ${hasText('v')} AND ${condition}))`;
  const fitting = (condition: string) => `coalesce(${items(condition)}, 0)`;
  return {
    present: `coalesce(${items('true')}, ${present})`,
    options: [
      ...types.map((each): Option => ({ held: { type: `${each}[]` }, fits: fitting(isValue('v', each)) })),
      { held: { type: 'VARCHAR[]' }, fits: fitting('true'), isText: true },
    ],
  };
}

/** How the columns of a run are held, by all of their values, each with the expression that makes it of its text: `t0` for the first. */
async function heldColumns(connection: DuckDBConnection, own: RunColumns, path: string) {
  const asked = own.columns.map((column, at) => ({ column, text: `t${at}`, ...optionsOf(column, `t${at}`, own) }));
  const counts = asked.map(({ present, options }) => {
    return `[${[present, ...options.map(({ fits }) => fits)].map((each) => `coalesce(sum(${each}), 0)::BIGINT`).join(', ')}]`;
  });
  const sql = `SELECT ${counts.join(', ')} FROM read_parquet(${literal(path)})`;
  const [found] = counts.length === 0 ? [] : (await connection.runAndReadAll(sql)).getRowsJS();
  return asked.map(({ column: { unit, ...column }, text, options }, at) => {
    const [values = 0, ...fitting] = ((found?.[at] ?? []) as readonly bigint[]).map(Number); // a list of counts each
    const fits = (option: Option) => fitting[options.indexOf(option)] ?? 0;
    const lax = options.filter(({ isText }) => !isText);
    const best = closest(lax, values, fits) ?? options.find((option) => option.isText && fits(option) === values);
    const form: ColumnForm = best ? { ...best.held, unread: values - fits(best) } : { type: 'VARCHAR', unread: 0 };
    const { unread, type, heldAs } = values === 0 ? { type: column.type, unread: 0 } : form;
    const stored: StoredColumn = {
      ...column,
      type,
      ...(unit && (itemTypeOf(type) ?? type) !== 'VARCHAR' && { unit }),
      ...(heldAs && { heldAs }),
    };
    const isNumber = heldAs !== undefined && heldAs !== 'VARCHAR';
    const value = isNumber ? numberSql(text, heldAs) : valueSql(text, heldAs ?? type);
    return { stored, value: `${value} AS ${identifier(column.name)}`, unread };
  });
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

/** Which file of a run is at fault, which line of it where that is known, and what is wrong, from what the engine says. */
function damageWords(message: string): string {
  const file = foundIn(message, /in file "(?:[^"]*\/)?([^"]+)"/, /file = (?:\S*\/)?(\S+)/, /"(?:[^"]*\/)?([^"]+\.gz)"/);
  const inJson = foundIn(message, /in line (\d+)/);
  // The reader of JSON counts from the line after.
  const line = inJson === undefined ? foundIn(message, /Line: (\d+)/) : Number(inJson) - 1;
  const place = [file ?? [], line === undefined ? [] : `line ${line}`].flat().join(', ');
  const [, fault] = FAULTS.find(([words]) => words.test(message)) ?? [];
  if (fault !== undefined) return `${place || 'a file'} ${fault}`;
  return [place, (message.split('\n')[0] ?? '').slice(0, MOST_CHARS)].filter((part) => part !== '').join(': ');
}

/** Rows of a group: of a table so few that a day of a large site has groups of its own, of what is read once fewer, for less memory. */
const GROUP_ROWS = { zstd: 122_880, snappy: 16_384 };

/** Copies the rows of a statement into a file and gives their number. */
async function copied(
  connection: DuckDBConnection,
  select: string,
  target: string,
  compression: keyof typeof GROUP_ROWS = 'zstd',
): Promise<number> {
  // Version 2 packs numbers as differences, which are read in a third of the time and take no more room.
  const options = [
    'FORMAT parquet',
    `COMPRESSION ${compression}`,
    `ROW_GROUP_SIZE ${GROUP_ROWS[compression]}`,
    'USE_TMP_FILE false',
    'PARQUET_VERSION V2',
  ];
  const [count] = await rowsOf(connection, `COPY (${select}) TO ${literal(target)} (${options.join(', ')})`);
  return Number(count?.[0]);
}

/** One SELECT of the texts of some columns over all files, `t0` for the first. */
function textsSql(raw: readonly RawFiles[], columns: readonly Column[], isMended: boolean): string {
  const branches = raw.flatMap((files) => {
    if (files.paths.length === 0) return [];
    const { from, text } = textsOf(files, isMended);
    const byName = new Map(files.columns.map((column) => [folded(column.name), column]));
    const list = columns.map(({ name }, at) => {
      const own = byName.get(folded(name));
      return `${own ? text(own) : 'NULL'}::VARCHAR AS t${at}`;
    });
    return [`SELECT ${list.join(', ')} FROM ${from}`];
  });
  return branches.join('\nUNION ALL\n') || `SELECT ${columns.map((_, at) => `NULL::VARCHAR AS t${at}`).join(', ')} WHERE false`;
}

/** Writes a table, reads it back, and compares its amounts, and its rows where they were counted, with those of the statement. */
export async function writeRows(
  connection: DuckDBConnection,
  { columns, select, order, rows }: { columns: readonly StoredColumn[]; select: string; order: readonly string[]; rows?: number },
  target: string,
): Promise<number> {
  await copied(connection, order.length > 0 ? `SELECT * FROM (${select}) ORDER BY ${order.join(', ')}` : select, target);
  // What is no whole number, or too large, counts by its hash.
  const sums = amountsOf(columns).map((amount) => `sum(coalesce(TRY_CAST(${amount} AS BIGINT), (hash(${amount}) >> 1)::BIGINT))`);
  const checked = async (from: string) => (await rowsOf(connection, `SELECT ${['count(*)', ...sums].join(', ')} FROM ${from}`))[0] ?? [];
  const [[counted, ...source], written] = [await checked(`(${select})`), await checked(`read_parquet(${literal(target)})`)];
  const expected = [rows ?? counted, ...source];
  if (String(written) !== String(expected))
    throw new Error(`the table has ${String(written)} (rows, sums), the source ${String(expected)}`);
  return Number(written[0]);
}

/** Makes the table of a run by way of a file of its texts, so that its source is read once, whatever its values show. */
async function convert(connection: DuckDBConnection, { run, directory, target }: Conversion, texts: string) {
  const files = run.files.filter(({ bytes }) => bytes > 0).map((file) => ({ file, path: `${directory}/${file.name}` }));
  const raw = await (run.format.toUpperCase() === 'CSV' ? csvFiles : jsonFiles)(connection, files, run);
  const own = columnsOfRun(run, raw);
  const { columns: known, identity } = own;
  const stage = async (isMended: boolean) => ({
    isMended,
    rows: await copied(connection, textsSql(raw, known, isMended), texts, 'snappy'),
  });
  const { isMended, rows } = await stage(false).catch((error: unknown) => {
    if (HALF_CHARACTER.test(messageOf(error))) return stage(true);
    throw error;
  });
  const held = await heldColumns(connection, own, texts);
  const columns = held.map(({ stored }) => stored);
  const values = held.map(({ value }) => value).join(', ');
  const typed = `SELECT ${values} FROM read_parquet(${literal(texts)})`;
  const tuple = identity.map(identifier).join(', ');
  const isWhole = identity.map((name) => `${identifier(name)} IS NOT NULL`).join(' AND ');
  const repeats = `SELECT count(hash(${tuple})) - count(DISTINCT hash(${tuple})) FROM (${typed}) WHERE ${isWhole}`;
  const [found] = identity.length > 0 ? await rowsOf(connection, repeats) : [];
  // Rows that were delivered twice are rare: only then all are numbered in their order, and sorted by key.
  const isRepeated = Number(found?.[0] ?? 0) > 0;
  if (isRepeated) await copied(connection, `SELECT *, row_number() OVER () AS n FROM (${textsSql(raw, known, isMended)})`, texts, 'snappy');
  const lastOfEach = `SELECT * EXCLUDE (__row) FROM (SELECT ${values}, n AS __row FROM read_parquet(${literal(texts)}))
    QUALIFY NOT (${isWhole}) OR row_number() OVER (PARTITION BY ${tuple} ORDER BY __row DESC) = 1`;
  const time = timeColumn(columns);
  // All rows of a run are of one project.
  const ids = columns.flatMap(({ name, field = name }) => (own.ids.has(folded(name)) && field !== 'project_id' ? identifier(name) : []));
  const order = [...(time ? [`CAST(${identifier(time.name)} AS DATE)`] : []), ...ids];
  const table = { columns, order, ...(isRepeated ? { select: lastOfEach } : { select: typed, rows }) };
  const unread = held.flatMap(({ stored: { name }, unread: missed }) => (missed > 0 ? { column: name, values: missed } : []));
  return {
    rows: await writeRows(connection, table, target),
    columns,
    ...(isMended && { isMended: true as const }),
    ...(unread.length > 0 && { unread }),
  };
}

/** Runs a task in a database of its own, which opens these files alone. */
async function withDatabase<T>(machine: Machine, files: readonly string[], task: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const connection = await openDatabase({ ...machine, setup: [UNORDERED], files });
  try {
    return await task(connection);
  } finally {
    connection.closeSync();
  }
}

/** Makes a table of a run. */
export async function convertRun(conversion: Conversion, machine: Machine): Promise<Converted> {
  const { run, directory, target } = conversion;
  const texts = `${target}${SCRATCH}`;
  try {
    const files = [...run.files.map(({ name }) => `${directory}/${name}`), texts, target];
    return { table: await withDatabase(machine, files, (connection) => convert(connection, conversion, texts)) };
  } catch (error) {
    return { damage: error instanceof WorkspaceError ? error.message : damageWords(messageOf(error)) };
  } finally {
    await rm(texts, { force: true });
  }
}

/** Writes what a SELECT gives into one Parquet file that is read once, so quickly; gives the number of rows. */
export function writePiece({ select, files, target }: Piece, machine: Machine): Promise<number> {
  return withDatabase(machine, [...files, target], (connection) => copied(connection, select, target, 'snappy'));
}
