import { itemTypeOf } from './column-types.ts';
import { type Column, folded } from './columns.ts';

/** A quoted SQL identifier; any text is allowed. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A quoted SQL string. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A list of quoted SQL strings. */
export function literals(texts: readonly string[]): string {
  return `[${texts.map(literal).join(', ')}]`;
}

/** Files that are read alike. */
export interface Source {
  readonly format: 'JSONL' | 'CSV' | 'PARQUET';
  readonly gzip: boolean;
  /** False for CSV that begins with a row. */
  readonly header?: false;
  /** Lines are mended before they are read: half a character becomes U+FFFD. */
  readonly isMended?: true;
  /** Paths relative to the directory that the query runs in. */
  readonly files: readonly string[];
  /** Columns of the files; those of CSV in the order of the header. */
  readonly names: readonly string[];
  /** The name of a column in the files, where that is another. */
  readonly inFile?: ReadonlyMap<string, string>;
  /** Types of the columns as the files hold them; left out where the reader gets the types. */
  readonly types?: ReadonlyMap<string, string>;
  /** A Parquet file with the numbers of the rows that are left out. */
  readonly without?: string;
  /** Intervals of time that better sources hold, and the column that says when a row happened: rows of them are left out. */
  readonly taken?: { readonly by: string; readonly intervals: readonly { readonly startMs: number; readonly endMs: number }[] };
}

/** Sources whose runs overlap: of the rows with one key, those of the file with the highest rank are kept. */
export interface Overlap {
  readonly sources: readonly Source[];
  readonly keys: readonly string[];
  /** When the run of a file was exported, as a rank. */
  readonly ranks: ReadonlyMap<string, number>;
  /** The runs are of several jobs, which may export different columns of one row: all of them are kept. */
  readonly severalJobs: boolean;
}

/** A row may be as long as this; each thread holds two of them. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;
const FILE = '__file';
const RANK = '__rank';

/** The type that a file is read as: CSV holds arrays as JSON text. */
function readAs(column: Column, format: Source['format']): string {
  return format === 'CSV' && itemTypeOf(column.type) ? 'VARCHAR' : column.type;
}

function reader(source: Source, columns: readonly Column[], withFile: boolean): string {
  const { format, gzip, header, files, names, without } = source;
  if (format === 'PARQUET') {
    const file = withFile ? `, filename = '${FILE}'` : '';
    const rows = `read_parquet(${literals(files)}${file}${without === undefined ? '' : `, file_row_number = true`})`;
    return without === undefined ? rows : `${rows} p ANTI JOIN read_parquet(${literal(without)}) w ON p.file_row_number = w.n`;
  }
  const compression = `compression = ${gzip ? "'gzip'" : "'uncompressed'"}`;
  if (source.isMended) return mendedRows(source, columns, compression);
  const byName = new Map(columns.map((column) => [column.name, column]));
  const declared = names.flatMap((name, index) => {
    const column = byName.get(name);
    if (column) return [`${literal(source.inFile?.get(name) ?? name)}: ${literal(readAs(column, format))}`];
    // CSV columns go by position: a column that is not shown still counts.
    return format === 'CSV' ? [`${literal(`__unused_${index}`)}: 'VARCHAR'`] : [];
  });
  const options = [literals(files), `columns = {${declared.join(', ')}}`, compression, ...(withFile ? [`filename = '${FILE}'`] : [])];
  // That lines are records is said, because a single column would be taken for bare values.
  if (format === 'JSONL') {
    const json = ["format = 'newline_delimited'", 'records = true', 'auto_detect = false', `maximum_object_size = ${MAX_ROW_BYTES}`];
    return `read_json(${[...options, ...json].join(', ')})`;
  }
  const csv = [
    `header = ${header !== false}`,
    'auto_detect = false',
    "delim = ','",
    `quote = '"'`,
    `escape = '"'`,
    "nullstr = ''",
    'allow_quoted_nulls = false',
  ];
  return `read_csv(${[...options, ...csv, `max_line_size = ${MAX_ROW_BYTES}`, `buffer_size = ${2 * MAX_ROW_BYTES}`].join(', ')})`;
}

/** A number of cents or ms in its derived unit, exact. */
function scaled(value: string, { unit, type }: Column): string {
  const [factor, decimals] = unit === 'money' ? ['0.01', 2] : ['0.001', 3];
  return (itemTypeOf(type) ?? type) === 'DOUBLE' ? `${value} * ${factor}` : `CAST(${value} * ${factor} AS DECIMAL(18, ${decimals}))`;
}

function fileExpression(column: Column, { format, types, inFile }: Source): string {
  const name = identifier(inFile?.get(column.name) ?? column.name);
  if (types) return types.get(column.name) === column.type ? name : `CAST(${name} AS ${column.type})`;
  const item = itemTypeOf(column.type);
  return format === 'CSV' && item ? `from_json(${name}, ${literal(JSON.stringify([item]))})` : name;
}

function derivedExpression(column: Column): string {
  const from = identifier(column.from ?? column.name);
  return itemTypeOf(column.type) ? `array_transform(${from}, lambda v: ${scaled('v', column)})` : scaled(from, column);
}

function selectList(columns: readonly Column[], expressionOf: (column: Column) => string): string {
  return columns.map((column) => `${expressionOf(column)} AS ${identifier(column.name)}`).join(', ');
}

/** A line with U+FFFD for each escape of half a character, which no reader accepts; whole pairs and written backslashes stay. */
function mendedLine(): string {
  // Control characters stand for what stays: a line of JSON holds none.
  const pair = String.raw`'\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})'`;
  const kept = String.raw`regexp_replace(replace(line, '\\', chr(1)), ${pair}, chr(2) || '\1' || chr(3) || '\2', 'g')`;
  const halves = String.raw`regexp_replace(${kept}, '\\u[dD][89a-fA-F][0-9a-fA-F]{2}', '\\ufffd', 'g')`;
  return String.raw`replace(replace(replace(${halves}, chr(2), '\u'), chr(3), '\u'), chr(1), '\\')`;
}

/** JSON lines with whole characters. */
function mendedRows(source: Source, columns: readonly Column[], compression: string): string {
  const names = new Set(source.names);
  const types = Object.fromEntries(
    columns.flatMap(({ name, type }) => (names.has(name) ? [[source.inFile?.get(name) ?? name, type]] : [])),
  );
  const options = [
    literals(source.files),
    "columns = {'line': 'VARCHAR'}",
    compression,
    `header = false, auto_detect = false, delim = '\x1f', quote = '', escape = '', filename = '${FILE}'`,
    `max_line_size = ${MAX_ROW_BYTES}, buffer_size = ${2 * MAX_ROW_BYTES}`,
  ];
  const lines = `SELECT ${mendedLine()} AS line, ${FILE} FROM read_csv(${options.join(', ')})`;
  return `(SELECT unnest(from_json(line, ${literal(JSON.stringify(types))})), ${FILE} FROM (${lines}))`;
}

/** A condition for the rows that no better source holds; a row without a time is none of theirs. */
function outside({ taken, inFile }: Source): string {
  if (!taken) return '';
  const time = `TRY_CAST(${identifier(inFile?.get(taken.by) ?? taken.by)} AS TIMESTAMP)`;
  const instant = (ms: number) => `TIMESTAMP ${literal(new Date(ms).toISOString())}`;
  const within = taken.intervals.map(({ startMs, endMs }) => `(${time} >= ${instant(startMs)} AND ${time} < ${instant(endMs)})`);
  return ` WHERE (${within.join(' OR ')}) IS NOT TRUE`;
}

/** All columns of the files from one source; null where it lacks one. */
function branch(source: Source, columns: readonly Column[], more: string): string {
  const own = new Set(source.names);
  const list = selectList(columns, (column) => (own.has(column.name) ? fileExpression(column, source) : `NULL::${column.type}`));
  return `SELECT ${list}${more} FROM ${reader(source, columns, more !== '')}${outside(source)}`;
}

const [SOURCE, ROW] = ['__source', '__row'];

/** All rows of an overlap, each with its source and with a rank of its delivery: by the run, then by its place in the file. */
function ranked({ sources, ranks }: Overlap, columns: readonly Column[]): string {
  const rows = sources.map((source, index) => {
    // A table holds no key twice.
    const row = source.format === 'PARQUET' ? '0' : 'row_number() OVER ()';
    return branch(source, columns, `, ${FILE}, ${index} AS ${SOURCE}, ${row} AS ${ROW}`);
  });
  const values = [...ranks].map(([file, rank]) => `(${literal(file)}, ${rank})`).join(', ');
  const files = `(VALUES ${values}) m(${FILE}, ${RANK})`;
  const rank = `m.${RANK}::BIGINT * 1000000000000 + d.${ROW} AS ${RANK}`;
  return `(SELECT d.*, ${rank} FROM (${rows.join(' UNION ALL ')}) d JOIN ${files} ON d.${FILE} = m.${FILE})`;
}

/** Whether all sources of an overlap have the same columns, so that the later row replaces the earlier one whole. */
function isUniform({ sources }: Overlap, columns: readonly Column[]): boolean {
  return columns.every(({ name }) => new Set(sources.map(({ names }) => names.includes(name))).size <= 1);
}

/**
 * One row for each key: as it was delivered last, or, of several jobs, every column as the last export that has the column says it. A row
 * without its whole key is kept.
 */
function onePerKey(overlap: Overlap, columns: readonly Column[]): string {
  const { sources, keys, severalJobs } = overlap;
  const all = ranked(overlap, columns);
  const isKey = ({ name }: Column) => keys.includes(folded(name));
  const keyNames = columns.filter(isKey).map(({ name }) => identifier(name));
  const known = keyNames.map((name) => `${name} IS NOT NULL`).join(' AND ');
  const plain = selectList(columns, ({ name }) => identifier(name));
  if (!severalJobs || isUniform(overlap, columns)) {
    const place = `row_number() OVER (PARTITION BY ${keyNames.join(', ')} ORDER BY ${RANK} DESC)`;
    return `SELECT ${plain} FROM ${all} QUALIFY NOT (${known}) OR ${place} = 1`;
  }
  const latest = (column: Column) => {
    const name = identifier(column.name);
    if (isKey(column)) return name;
    const having = sources.flatMap(({ names }, index) => (names.includes(column.name) ? [index] : []));
    // Runs of other days hold it.
    if (having.length === 0) return `NULL::${column.type}`;
    return `arg_max_null(${name}, CASE WHEN ${SOURCE} IN (${having.join(', ')}) THEN ${RANK} END)`;
  };
  return `SELECT ${selectList(columns, latest)} FROM ${all} WHERE ${known} GROUP BY ${keyNames.join(', ')}
UNION ALL SELECT ${plain} FROM ${all} WHERE NOT (${known})`;
}

/** A SELECT of the columns that the files hold, all rows of all sources. */
export function storedRowsSql(columns: readonly Column[], sources: readonly Source[], overlaps: readonly Overlap[] = []): string {
  const branches = [...sources.map((source) => branch(source, columns, '')), ...overlaps.map((overlap) => onePerKey(overlap, columns))];
  return branches.join('\nUNION ALL\n') || `SELECT ${selectList(columns, ({ type }) => `NULL::${type}`)} WHERE false`;
}

/** The statement that creates a view. */
export function viewSql(name: string, columns: readonly Column[], sources: readonly Source[], overlaps: readonly Overlap[]): string {
  const stored = columns.filter(({ from }) => from === undefined);
  const list = selectList(columns, (column) => (column.from === undefined ? identifier(column.name) : derivedExpression(column)));
  return `CREATE VIEW ${identifier(name)} AS SELECT ${list} FROM (${storedRowsSql(stored, sources, overlaps)})`;
}
