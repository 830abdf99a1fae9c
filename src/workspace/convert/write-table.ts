import { randomBytes } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { type ColumnType, closest, type ItemType, itemTypeOf, NEAREST_TYPES, numberForm, WHOLE_NUMBER } from '../query/column-types.ts';
import { type Column, columnOf, folded, mergedColumns, promisedColumns, timeColumn } from '../query/columns.ts';
import { keysOf } from '../query/data-view.ts';
import { openDatabase, rowsOf } from '../query/database.ts';
import type { Conversion, Converted, Machine, Piece } from '../query/protocol.ts';
import { identifier, literal, UNORDERED } from '../query/view-sql.ts';
import { messageOf, WorkspaceError } from '../store/disk.ts';
import type { RunManifest, RunTable, StoredColumn } from '../store/manifest.ts';
import { type RawFiles, rawFilesOf, textsOf } from './raw-files.ts';

/** How a column is held by what its values show, and of these how many cannot be. */
interface ColumnForm extends Pick<StoredColumn, 'type' | 'heldAs'> {
  /** Of text that may be numbers alone: how these are written. */
  readonly form?: string;
  readonly unread: number;
}

/** How a table is written, by what an attempt before showed. */
interface TableWay {
  /** Lines of JSON hold halves of characters. */
  readonly isMended: boolean;
  /** Columns by name, where all of their values were looked at and not their first alone. */
  readonly held?: ReadonlyMap<string, ColumnForm>;
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
/** Rows that show how columns are held, as long as no later one is found that cannot be. */
const SAMPLE_ROWS = 400;

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

type ListOf = (textOf: (name: string) => string | undefined) => string;

/** One SELECT over all files, or over the first rows of them, with expressions made of the texts of their columns. */
function selectFrom(raw: readonly RawFiles[], isMended: boolean, listOf: ListOf, rows?: number): string {
  const branches = raw.flatMap((files) => {
    if (files.paths.length === 0) return [];
    const { from, text } = textsOf(files, isMended);
    const byName = new Map(files.columns.map((column) => [folded(column.name), column]));
    const textOf = (name: string) => {
      const column = byName.get(folded(name));
      return column && text(column);
    };
    return [`(SELECT ${listOf(textOf)} FROM ${from}${rows === undefined ? '' : ` LIMIT ${rows}`})`];
  });
  return branches.join('\nUNION ALL\n');
}

function rowsSql(raw: readonly RawFiles[], columns: readonly StoredColumn[], isMended: boolean): string {
  const list: ListOf = (textOf) => {
    const values = columns.map(({ name, type, heldAs }) => {
      const text = textOf(name);
      if (text === undefined) return { name, value: `NULL::${heldAs ?? type}`, misfit: [] };
      const value = heldAs ? numberSql(text, heldAs) : valueSql(text, type);
      const isGiven = heldAs ? `${text} IS NOT NULL` : hasText(text);
      return { name, value, misfit: type === 'VARCHAR' && !heldAs ? [] : [`(${value} IS NULL AND ${isGiven})::INT`] };
    });
    const shown = values.map(({ value, name }) => `${value} AS ${identifier(name)}`);
    return [...shown, `(${['0', ...values.flatMap(({ misfit }) => misfit)].join(' + ')})::BIGINT AS ${MISFITS}`].join(', ');
  };
  const none = columns.map(({ name, type }) => `NULL::${type} AS ${identifier(name)}`);
  return selectFrom(raw, isMended, list) || `SELECT ${none.join(', ')}, 0::BIGINT AS ${MISFITS} WHERE false`;
}

/** The columns of a run as its fields say, those that identify rows, and how text that holds numbers is written. */
function columnsOfRun(run: RunManifest, raw: readonly RawFiles[]) {
  const files = raw.length > 0 ? raw.map((each) => each.columns) : [promisedColumns(run.fields)];
  const columns = mergedColumns(files.map((own) => own.map(columnOf)));
  const { names: keys, missing } = keysOf(run.scope, columns);
  // Users are compared and looked up as sessions are.
  const ids = new Set([...keys, ...columns.flatMap(({ name, field = name }) => (field === 'user_id' ? [folded(name)] : []))]);
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
    const asList: Option = { held: { type: 'VARCHAR[]' }, fits: one(`${list} IS NOT NULL`), isText: true };
    const asNumber: Option[] = form ? [{ held: { type, form }, fits: one(`regexp_matches(${text}, ${literal(form)})`), isText: true }] : [];
    return { present, options: [asList, ...asNumber] };
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

/** How columns are held, by all of their values, or by those of the first rows. */
async function heldBy(connection: DuckDBConnection, raw: readonly RawFiles[], own: RunColumns, isMended: boolean, rows?: number) {
  const asked = own.columns.map((column, at) => ({ column, text: `t${at}`, ...optionsOf(column, `t${at}`, own) }));
  const list: ListOf = (textOf) => asked.map(({ column, text }) => `${textOf(column.name) ?? 'NULL::VARCHAR'} AS ${text}`).join(', ');
  const counts = asked.map(({ present, options }) => {
    return `[${[present, ...options.map(({ fits }) => fits)].map((each) => `coalesce(sum(${each}), 0)::BIGINT`).join(', ')}]`;
  });
  const texts = selectFrom(raw, isMended, list, rows);
  const found = texts === '' ? [] : (await connection.runAndReadAll(`SELECT ${counts.join(', ')} FROM (${texts})`)).getRowsJS()[0];
  return new Map(
    asked.map(({ column, options }, at): [string, ColumnForm] => {
      const [values = 0, ...fitting] = ((found?.[at] ?? []) as readonly bigint[]).map(Number); // a list of counts each
      if (values === 0) return [column.name, { type: column.type, unread: 0 }];
      const fits = (option: Option) => fitting[options.indexOf(option)] ?? 0;
      const lax = options.filter(({ isText }) => !isText);
      const best = closest(lax, values, fits) ?? options.find((option) => option.isText && fits(option) === values);
      return [column.name, best ? { ...best.held, unread: values - fits(best) } : { type: 'VARCHAR', unread: 0 }];
    }),
  );
}

/** Plans the table of a run, whose columns are held in this way. */
function tablePlan(
  raw: readonly RawFiles[],
  { columns: known, ids, identity }: RunColumns,
  held: ReadonlyMap<string, ColumnForm>,
  isMended: boolean,
): TablePlan {
  const columns = known.map(({ unit, ...column }): StoredColumn => {
    const { type = column.type, heldAs } = held.get(column.name) ?? {};
    return { ...column, type, ...(unit && (itemTypeOf(type) ?? type) !== 'VARCHAR' && { unit }), ...(heldAs && { heldAs }) };
  });
  const time = timeColumn(columns);
  return {
    columns,
    select: rowsSql(raw, columns, isMended),
    texts: columns.flatMap(({ name }) => {
      const form = held.get(name)?.form;
      return form === undefined ? [] : [{ name, form }];
    }),
    // All rows of a run are of one project.
    order: columns.flatMap(({ name, field = name }) => (ids.has(folded(name)) && field !== 'project_id' ? [name] : [])),
    day: time && `CAST(${identifier(time.name)} AS DATE)`,
    amounts: amountsOf(columns),
    identity,
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

/** The part of a `RunTable` that its rows decide. */
type WrittenTable = Omit<RunTable, 'name' | 'bytes' | 'superseded'>;

/** Writes the table of a run, in another way where its values show that the first one was wrong. */
async function convert(connection: DuckDBConnection, of: Conversion, raw: readonly RawFiles[], way: TableWay): Promise<WrittenTable> {
  const own = columnsOfRun(of.run, raw);
  const { isMended } = way;
  try {
    const held = way.held ?? (await heldBy(connection, raw, own, isMended, SAMPLE_ROWS));
    const { misfits, rows, columns } = await writeRows(connection, tablePlan(raw, own, held, isMended), of.target);
    if (misfits > 0 && !way.held)
      return await convert(connection, of, raw, { isMended, held: await heldBy(connection, raw, own, isMended) });
    const unread = misfits === 0 ? [] : [...held].flatMap(([column, { unread: values }]) => (values > 0 ? [{ column, values }] : []));
    return { rows, columns, ...(isMended && { isMended }), ...(unread.length > 0 && { unread }) };
  } catch (error) {
    if (!isMended && HALF_CHARACTER.test(messageOf(error))) return convert(connection, of, raw, { isMended: true });
    throw error;
  }
}

/** Makes a table of a run. */
export async function convertRun({ run, directory, target }: Conversion, machine: Machine): Promise<Converted> {
  try {
    const files = [...run.files.map(({ name }) => `${directory}/${name}`), target];
    const connection = await openDatabase({ ...machine, setup: [UNORDERED], files });
    try {
      const raw = await rawFilesOf(connection, run, directory);
      return { table: await convert(connection, { run, directory, target }, raw, { isMended: false }) };
    } finally {
      connection.closeSync();
    }
  } catch (error) {
    return { damage: error instanceof WorkspaceError ? error.message : damageWords(messageOf(error)) };
  }
}

/** Writes what a SELECT gives into one Parquet file that is read once, so quickly; gives the number of rows. */
export async function writePiece(connection: DuckDBConnection, { select, target }: Piece): Promise<number> {
  await connection.run(copySql(select, target, 'snappy'));
  const [count] = await rowsOf(connection, `SELECT count(*) FROM read_parquet(${literal(target)})`);
  return Number(count?.[0]);
}
