import { isoTime } from '../../lib/clock.ts';
import type { Interval } from '../../lib/intervals.ts';
import { type Column, folded, itemTypeOf } from './columns.ts';

/** Lets the engine write rows in any order, which takes less memory. */
export const UNORDERED = 'SET preserve_insertion_order = false';

/** A quoted SQL identifier; any text is allowed. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A name in SQL, quoted only where necessary. */
export const sqlName = (name: string) => (/^[a-z_][a-z0-9_]*$/i.test(name) ? name : identifier(name));

/** A quoted SQL string. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A list of quoted SQL strings. */
export function literals(texts: readonly string[]): string {
  return `[${texts.map(literal).join(', ')}]`;
}

/** The views that there are, as the end of a sentence. */
export function viewWords(views: readonly string[]): string {
  return views.length === 1 ? `the only one is ${views[0]}` : `there are ${views.join(', ')}`;
}

/** Parquet files of the same columns. */
export interface Source {
  /** Paths relative to the directory that the query runs in. */
  readonly files: readonly string[];
  /** Columns by their names without case, with the type in which the files hold them. */
  readonly columns: ReadonlyMap<string, { readonly name: string; readonly heldAs: string }>;
  /** A file with the numbers of the rows that are left out. */
  readonly without?: string;
  /** Intervals of time that better sources hold, and the column that says when a row happened: rows of them are left out. */
  readonly taken?: { readonly by: string; readonly intervals: readonly Interval[] };
}

/** Sources whose runs overlap, perhaps of several jobs with different columns: of the rows with one key all columns are kept. */
export interface Overlap {
  readonly sources: readonly Source[];
  readonly keys: readonly string[];
  /** The files in the order in which their runs were exported. */
  readonly ranked: readonly string[];
}

const FILE = '__file';
const RANK = '__rank';

function reader({ files, without }: Source, withFile: boolean): string {
  const file = withFile ? `, filename = '${FILE}'` : '';
  const rows = `read_parquet(${literals(files)}${file}${without === undefined ? '' : `, file_row_number = true`})`;
  return without === undefined ? rows : `${rows} p ANTI JOIN read_parquet(${literal(without)}) w ON p.file_row_number = w.n`;
}

/** A number of cents or ms in its derived unit, exact. */
function scaled(value: string, { unit, type }: Column): string {
  const [factor, decimals] = unit === 'money' ? ['0.01', 2] : ['0.001', 3];
  return (itemTypeOf(type) ?? type) === 'DOUBLE' ? `${value} * ${factor}` : `CAST(${value} * ${factor} AS DECIMAL(18, ${decimals}))`;
}

/** A column as the files hold it, in the type that the view shows; null where they lack it. */
function fileExpression({ name, type }: Column, { columns }: Source): string {
  const own = columns.get(folded(name));
  if (!own) return `NULL::${type}`;
  return own.heldAs === type ? identifier(own.name) : `CAST(${identifier(own.name)} AS ${type})`;
}

function derivedExpression(column: Column): string {
  const from = identifier(column.from ?? column.name);
  return itemTypeOf(column.type) ? `array_transform(${from}, lambda v: ${scaled('v', column)})` : scaled(from, column);
}

function selectList(columns: readonly Column[], expressionOf: (column: Column) => string): string {
  return columns.map((column) => `${expressionOf(column)} AS ${identifier(column.name)}`).join(', ');
}

/** A condition for the rows that no better source holds; a row without a time is none of theirs. */
function outside({ taken }: Source): string {
  if (!taken) return '';
  const time = `TRY_CAST(${identifier(taken.by)} AS TIMESTAMP)`;
  const instant = (ms: number) => `TIMESTAMP ${literal(isoTime(ms))}`;
  const within = taken.intervals.map(({ startMs, endMs }) => `(${time} >= ${instant(startMs)} AND ${time} < ${instant(endMs)})`);
  return ` WHERE (${within.join(' OR ')}) IS NOT TRUE`;
}

/** All columns of the files from one source. */
function branch(source: Source, columns: readonly Column[], more: string): string {
  const list = selectList(columns, (column) => fileExpression(column, source));
  return `SELECT ${list}${more} FROM ${reader(source, more !== '')}${outside(source)}`;
}

const SOURCE = '__source';

/** One row for each key, every column as the last export that has the column says it. A row without its whole key is kept. */
function onePerKey({ sources, keys, ranked }: Overlap, columns: readonly Column[]): string {
  const rows = sources.map((source, index) => branch(source, columns, `, ${FILE}, ${index} AS ${SOURCE}`));
  const files = `(VALUES ${ranked.map((file, rank) => `(${literal(file)}, ${rank})`).join(', ')}) m(${FILE}, ${RANK})`;
  const all = `(SELECT d.*, m.${RANK} FROM (${rows.join(' UNION ALL ')}) d JOIN ${files} ON d.${FILE} = m.${FILE})`;
  const isKey = ({ name }: Column) => keys.includes(folded(name));
  const keyNames = columns.filter(isKey).map(({ name }) => identifier(name));
  const known = keyNames.map((name) => `${name} IS NOT NULL`).join(' AND ');
  const plain = selectList(columns, ({ name }) => identifier(name));
  const latest = (column: Column) => {
    const name = identifier(column.name);
    if (isKey(column)) return name;
    const having = sources.flatMap((source, index) => (source.columns.has(folded(column.name)) ? index : []));
    // Runs of other days hold it.
    if (having.length === 0) return `NULL::${column.type}`;
    return `arg_max_null(${name}, CASE WHEN ${SOURCE} IN (${having.join(', ')}) THEN ${RANK} END)`;
  };
  return `SELECT ${selectList(columns, latest)} FROM ${all} WHERE ${known} GROUP BY ${keyNames.join(', ')}
UNION ALL SELECT ${plain} FROM ${all} WHERE NOT (${known})`;
}

/** The statement that creates a view of all rows of all sources. */
export function viewSql(name: string, columns: readonly Column[], sources: readonly Source[], overlaps: readonly Overlap[]): string {
  const stored = columns.filter(({ from }) => from === undefined);
  const list = selectList(columns, (column) => (column.from === undefined ? identifier(column.name) : derivedExpression(column)));
  const branches = [...sources.map((source) => branch(source, stored, '')), ...overlaps.map((overlap) => onePerKey(overlap, stored))];
  const rows = branches.join('\nUNION ALL\n') || `SELECT ${selectList(stored, ({ type }) => `NULL::${type}`)} WHERE false`;
  return `CREATE VIEW ${identifier(name)} AS SELECT ${list} FROM (${rows})`;
}
