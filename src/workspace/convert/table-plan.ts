import {
  type ColumnType,
  type ItemType,
  itemTypeOf,
  nearestTypes,
  numbersIn,
  type WholeNumber,
  wholeNumberOf,
} from '../query/column-types.ts';
import { type Column, columnOf, folded, mergedColumns, promisedColumns, timeColumn } from '../query/columns.ts';
import { keysOf } from '../query/data-view.ts';
import { identifier, literal } from '../query/view-sql.ts';
import type { RunManifest, StoredColumn } from '../store/manifest.ts';
import { type RawFiles, textsOf } from './raw-files.ts';

/** How a table is written, by what an attempt before showed. */
export interface TableWay {
  /** An id is no number, though samples are. */
  readonly idsAsText: boolean;
  /** Lines of JSON hold halves of characters. */
  readonly isMended: boolean;
  /** Types of columns, by name, whose values as a whole fit another one than their beginning showed. */
  readonly types: ReadonlyMap<string, ColumnType>;
}

/** The content of a run's table, and how it is written. */
export interface TablePlan {
  readonly columns: readonly StoredColumn[];
  /** A SELECT of all rows, and in `MISFITS` the number of values of a row that are not of their column's type. */
  readonly select: string;
  /** For each column that is no text: a SELECT of the number of its values, and of those that fit the types it may have, closest first. */
  readonly fits: readonly { readonly column: Column; readonly types: readonly ColumnType[]; readonly sql: string }[];
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
export const MISFITS = '__misfits';
/** The engine's message for an id that does not fit a number. */
export const NO_NUMBER = 'an id is no whole number';

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

function fitsOf(raw: readonly RawFiles[], columns: readonly Column[], isMended: boolean): TablePlan['fits'] {
  return columns.flatMap((column) => {
    if (column.type === 'VARCHAR') return [];
    const types = nearestTypes(column.type);
    const texts = selectFrom(raw, isMended, (textOf) => `${textOf(column.name) ?? 'NULL::VARCHAR'} AS t`);
    const counts = types.map((type) => `count(${valueSql('t', type)}) FILTER (${hasText('t')})`);
    return [{ column, types, sql: `SELECT count(*) FILTER (${hasText('t')}), ${counts.join(', ')} FROM (${texts})` }];
  });
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
export function tablePlan(run: RunManifest, raw: readonly RawFiles[], { idsAsText, isMended, types }: TableWay): TablePlan {
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
    fits: fitsOf(raw, columns, isMended),
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
