import { itemTypeOf } from './column-types.ts';
import { type Column, folded } from './columns.ts';
import { identifier, literal, literals } from './sql-text.ts';

/** Files that are read alike. */
export interface Source {
  readonly format: 'JSONL' | 'CSV';
  readonly gzip: boolean;
  /** Paths relative to the directory that the query runs in. */
  readonly files: readonly string[];
  /** Columns of the files; those of CSV in the order of the header. */
  readonly names: readonly string[];
}

/** Sources whose runs overlap: of the rows with one key, those of the file with the highest rank are kept. */
export interface Overlap {
  readonly sources: readonly Source[];
  readonly keys: readonly string[];
  /** When the run of a file was exported, as a rank. */
  readonly ranks: ReadonlyMap<string, number>;
}

/** A row may be as long as this; each thread holds two of them. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;
const FILE = '__file';
const RANK = '__rank';

/** The type that a file is read as: CSV holds arrays as JSON text. */
function readAs(column: Column, format: Source['format']): string {
  return format === 'CSV' && itemTypeOf(column.type) ? 'VARCHAR' : column.type;
}

function reader({ format, gzip, files, names }: Source, columns: readonly Column[], withFile: boolean): string {
  const byName = new Map(columns.map((column) => [column.name, column]));
  const declared = names.flatMap((name, index) => {
    const column = byName.get(name);
    if (column) return [`${literal(name)}: ${literal(readAs(column, format))}`];
    // CSV goes by position: what is not shown still takes its place.
    return format === 'CSV' ? [`${literal(`__unused_${index}`)}: 'VARCHAR'`] : [];
  });
  const options = [
    literals(files),
    `columns = {${declared.join(', ')}}`,
    `compression = ${gzip ? "'gzip'" : "'uncompressed'"}`,
    ...(withFile ? [`filename = '${FILE}'`] : []),
  ];
  // That lines are records is said, because a single column would be taken for bare values.
  if (format === 'JSONL')
    return `read_json(${[...options, "format = 'newline_delimited'", 'records = true', 'auto_detect = false', `maximum_object_size = ${MAX_ROW_BYTES}`].join(', ')})`;
  const csv = [
    'header = true',
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

function fileExpression(column: Column, format: Source['format']): string {
  const name = identifier(column.name);
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

/** All columns of the files from one source; null where it lacks one. */
function branch(source: Source, columns: readonly Column[], more: string): string {
  const own = new Set(source.names);
  const list = selectList(columns, (column) => (own.has(column.name) ? fileExpression(column, source.format) : `NULL::${column.type}`));
  return `SELECT ${list}${more} FROM ${reader(source, columns, more !== '')}`;
}

/** Some columns of the rows of sources, each with the rank of its run. */
function ranked(sources: readonly Source[], columns: readonly Column[], ranks: Overlap['ranks']): string {
  const rows = sources.map((source) => branch(source, columns, `, ${FILE}`)).join(' UNION ALL ');
  const values = [...ranks].map(([file, rank]) => `(${literal(file)}, ${rank})`).join(', ');
  return `(SELECT d.*, m.${RANK} FROM (${rows}) d JOIN (VALUES ${values}) m(${FILE}, ${RANK}) ON d.${FILE} = m.${FILE})`;
}

/** Rows of runs that overlap without those that a later export has too; a row without its whole key is kept. */
function deduplicated({ sources, keys, ranks }: Overlap, columns: readonly Column[]): string {
  const keyColumns = columns.filter(({ name }) => keys.includes(folded(name)));
  // The first export replaces nothing.
  const later = sources.flatMap((source) => {
    const files = source.files.filter((file) => (ranks.get(file) ?? 0) > 0);
    return files.length > 0 ? [{ ...source, files }] : [];
  });
  const same = keyColumns.map(({ name }) => `r.${identifier(name)} = k.${identifier(name)}`).join(' AND ');
  const all = columns.map(({ name }) => `r.${identifier(name)}`).join(', ');
  const rows = `SELECT ${all} FROM ${ranked(sources, columns, ranks)} r`;
  if (later.length === 0) return rows;
  return `${rows} ANTI JOIN ${ranked(later, keyColumns, ranks)} k ON ${same} AND k.${RANK} > r.${RANK}`;
}

/** The statement that creates the view `data`. */
export function viewSql(columns: readonly Column[], sources: readonly Source[], overlaps: readonly Overlap[]): string {
  const stored = columns.filter(({ from }) => from === undefined);
  const branches = [...sources.map((source) => branch(source, stored, '')), ...overlaps.map((overlap) => deduplicated(overlap, stored))];
  const rows = branches.join('\nUNION ALL\n');
  const nothing = `SELECT ${selectList(stored, ({ type }) => `NULL::${type}`)} WHERE false`;
  const list = selectList(columns, (column) => (column.from === undefined ? identifier(column.name) : derivedExpression(column)));
  return `CREATE VIEW data AS SELECT ${list} FROM (${rows === '' ? nothing : rows})`;
}
