import { DAY_MS } from '../../lib/clock.ts';
import type { Dialect } from '../../workspace/query/examples.ts';
import { identifier, literal } from '../../workspace/query/view-sql.ts';
import { text } from '../../workspace/warehouse/schema.ts';

/** Expressions that the two engines write differently; all else of a statement is the same for both. */
export interface SqlWords {
  readonly dialect: Dialect;
  /** A quoted text. */
  text(value: string): string;
  /** A quoted name of a column. */
  name(column: string): string;
  /** One number of 64 bits that stands for some values: equal values have the same. */
  key(...values: readonly string[]): string;
  /** An instant as ms since 1970. */
  ms(instant: string): string;
  /** A constant instant. */
  instant(atMs: number): string;
  /** The quotient of whole numbers, rounded down. */
  quotient(value: string, divisor: number): string;
  /** Whether a text is like a pattern in which `*` stands for any characters. */
  like(value: string, pattern: string): string;
  /** Whether a bit is set, counted from 0. */
  bit(value: string, at: number): string;
  /** Whether any of the bits of a mask is set. */
  anyBit(value: string, mask: number): string;
  /** The value of one row before in its window; NULL for the first. */
  before(value: string, window: string): string;
  /** The value of one row after in its window; NULL for the last. */
  after(value: string, window: string): string;
  /** An aggregate: whole numbers as a list in ascending order. */
  sorted(value: string): string;
  /** The first element of a list for which a condition holds; 0 where there is none. */
  first(list: string, condition: (element: string) => string): string;
  /** The elements of a list for which a condition holds. */
  filter(list: string, condition: (element: string) => string): string;
  /** The elements of a list, a column, of which something is another than of the one before them. */
  changes(list: string, of: (element: string) => string): string;
  /** A list of what is made of each element and its place, from 1. */
  mapAt(list: string, make: (element: string, place: string) => string): string;
  /** Two values as one. */
  pair(one: string, other: string): string;
  /** The first value of a pair. */
  one(pair: string): string;
  /** The second value of a pair. */
  other(pair: string): string;
  /** The elements of one list and then those of another. */
  joined(list: string, more: string): string;
  /** An aggregate: the elements of all lists in ascending order. */
  sortedAll(list: string): string;
  /** A list of what is made of each element. */
  map(list: string, make: (element: string) => string): string;
  /** Whether a list holds a value. */
  has(list: string, value: string): string;
  /** An aggregate: the value where another one is least. */
  ofLeast(value: string, by: string): string;
  /** An aggregate: any of the values. */
  anyOf(value: string): string;
  /** The FROM clause that gives a row for each place of parallel lists of a table, whose elements become columns. */
  each(table: string, lists: Readonly<Record<string, string>>): string;
  /** A whole number of 64 bits with a sign. */
  whole(value: string): string;
  /** The key that stands for nothing. */
  readonly noKey: string;
  /** A value that is never NULL, said so. */
  known(value: string): string;
  /** The host of an address; empty or NULL where there is none. */
  host(address: string): string;
}

/** A condition that is 1 or 0, as both engines add it up. */
export function flag(condition: string): string {
  return `CASE WHEN ${condition} THEN 1 ELSE 0 END`;
}

/** The UTC day of ms since 1970, as a number. */
export function dayOfMs(sql: SqlWords, ms: string): string {
  return sql.quotient(ms, DAY_MS);
}

function patternOf(pattern: string): string {
  return pattern.replaceAll(/[\\%_]/g, (each) => `\\${each}`).replaceAll(/\*+/g, '%');
}

/** The text before a `*` at the end, where that is the only one. */
function prefixOf(pattern: string): string | undefined {
  return /^[^*]*\*$/.test(pattern) ? pattern.slice(0, -1) : undefined;
}

function pairs(lists: Readonly<Record<string, string>>, write: (list: string, element: string) => string): string {
  return Object.entries(lists)
    .map(([element, list]) => write(list, element))
    .join(', ');
}

const duckDb: SqlWords = {
  dialect: 'DuckDB',
  text: literal,
  name: identifier,
  key: (...values) => `hash(${values.join(', ')})`,
  ms: (instant) => `epoch_ms(${instant})`,
  instant: (atMs) => `TIMESTAMP ${literal(new Date(atMs).toISOString().slice(0, -1).replace('T', ' '))}`,
  quotient: (value, divisor) => `(${value}) // ${divisor}`,
  like(value, pattern) {
    if (!pattern.includes('*')) return `${value} = ${literal(pattern)}`;
    const prefix = prefixOf(pattern);
    return prefix === undefined ? `${value} LIKE ${literal(patternOf(pattern))} ESCAPE '\\'` : `starts_with(${value}, ${literal(prefix)})`;
  },
  bit: (value, at) => `(${value} & ${1 << at}) <> 0`,
  anyBit: (value, mask) => `(${value} & ${mask}) <> 0`,
  before: (value, window) => `lag(${value}) OVER (${window})`,
  after: (value, window) => `lead(${value}) OVER (${window})`,
  sorted: (value) => `array_sort(list(${value}))`,
  first: (list, condition) => `coalesce(array_filter(${list}, lambda e: ${condition('e')})[1], 0)`,
  filter: (list, condition) => `array_filter(${list}, lambda e: ${condition('e')})`,
  changes: (list, of) => `array_filter(${list}, lambda e, i: i = 1 OR ${of('e')} <> ${of(`${list}[i - 1]`)})`,
  mapAt: (list, make) => `array_transform(${list}, lambda e, i: ${make('e', 'i')})`,
  pair: (one, other) => `{'a': ${one}, 'b': ${other}}`,
  one: (pair) => `${pair}.a`,
  other: (pair) => `${pair}.b`,
  joined: (list, more) => `array_concat(${list}, ${more})`,
  sortedAll: (list) => `array_sort(flatten(list(${list})))`,
  has: (list, value) => `array_contains(${list}, ${value})`,
  ofLeast: (value, by) => `arg_min(${value}, ${by})`,
  anyOf: (value) => `any_value(${value})`,
  each: (table, lists) => `(SELECT *, ${pairs(lists, (list, element) => `unnest(${list}) AS ${element}`)} FROM ${table})`,
  map: (list, make) => `array_transform(${list}, lambda e: ${make('e')})`,
  whole: (value) => `CAST(${value} AS BIGINT)`,
  noKey: 'CAST(0 AS UBIGINT)',
  known: (value) => value,
  host: (address) => `regexp_extract(${address}, '^[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#]+)', 1)`,
};

/** A window of ClickHouse shows a row only its frame. */
const WHOLE_FRAME = 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING';

const clickHouse: SqlWords = {
  dialect: 'ClickHouse',
  text,
  name: identifier,
  key: (...values) => `cityHash64(${values.map((value) => `assumeNotNull(${value})`).join(', ')})`,
  ms: (instant) => `toUnixTimestamp64Milli(assumeNotNull(${instant}))`,
  instant: (atMs) => `fromUnixTimestamp64Milli(${atMs})`,
  quotient: (value, divisor) => `intDiv(${value}, ${divisor})`,
  like(value, pattern) {
    if (!pattern.includes('*')) return `${value} = ${text(pattern)}`;
    const prefix = prefixOf(pattern);
    return prefix === undefined ? `${value} LIKE ${text(patternOf(pattern))}` : `startsWith(${value}, ${text(prefix)})`;
  },
  bit: (value, at) => `bitAnd(${value}, ${1 << at}) <> 0`,
  anyBit: (value, mask) => `bitAnd(${value}, ${mask}) <> 0`,
  before: (value, window) => `lagInFrame(toNullable(${value})) OVER (${window} ${WHOLE_FRAME})`,
  after: (value, window) => `leadInFrame(toNullable(${value})) OVER (${window} ${WHOLE_FRAME})`,
  sorted: (value) => `arraySort(groupArray(${value}))`,
  first: (list, condition) => `arrayFirst(e -> ${condition('e')}, ${list})`,
  filter: (list, condition) => `arrayFilter(e -> ${condition('e')}, ${list})`,
  changes: (list, of) => `arrayFilter((e, i) -> i = 1 OR ${of('e')} <> ${of(`${list}[i - 1]`)}, ${list}, arrayEnumerate(${list}))`,
  mapAt: (list, make) => `arrayMap((e, i) -> ${make('e', 'i')}, ${list}, arrayEnumerate(${list}))`,
  pair: (one, other) => `tuple(${one}, ${other})`,
  one: (pair) => `tupleElement(${pair}, 1)`,
  other: (pair) => `tupleElement(${pair}, 2)`,
  joined: (list, more) => `arrayConcat(${list}, ${more})`,
  sortedAll: (list) => `arraySort(groupArrayArray(${list}))`,
  has: (list, value) => `has(${list}, ${value})`,
  ofLeast: (value, by) => `argMin(${value}, ${by})`,
  anyOf: (value) => `any(${value})`,
  each: (table, lists) =>
    `(SELECT *, ${Object.keys(lists).join(', ')} FROM ${table} ARRAY JOIN ${pairs(lists, (list, element) => `${list} AS ${element}`)})`,
  map: (list, make) => `arrayMap(e -> ${make('e')}, ${list})`,
  whole: (value) => `toInt64(${value})`,
  noKey: 'toUInt64(0)',
  known: (value) => `assumeNotNull(${value})`,
  host: (address) => `extract(${address}, '^[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#]+)')`,
};

/** The words of an engine. */
export function sqlWords(dialect: Dialect): SqlWords {
  return dialect === 'DuckDB' ? duckDb : clickHouse;
}
