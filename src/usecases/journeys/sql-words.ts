import { DAY_MS } from '../../lib/clock.ts';
import type { Dialect } from '../../workspace/query/examples.ts';
import { identifier, literal } from '../../workspace/query/view-sql.ts';
import { text } from '../../workspace/warehouse/schema.ts';

/** Expressions that the two engines write differently; all else of a statement is the same for both. */
export type SqlWords = ReturnType<typeof sqlWords>;

/** A condition that is 1 or 0, as both engines add it up. */
export function flag(condition: string): string {
  return `CASE WHEN ${condition} THEN 1 ELSE 0 END`;
}

/** The UTC day of ms since 1970, as a number. */
export function dayOfMs(sql: Pick<SqlWords, 'quotient'>, ms: string): string {
  return sql.quotient(ms, DAY_MS);
}

/** Texts as one. */
export function concat(...parts: readonly string[]): string {
  return `concat(${parts.join(', ')})`;
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

/** A window of ClickHouse shows a row only its frame. */
const WHOLE_FRAME = 'ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING';

type OfElement = (element: string, place: string) => string;

/** The one of two forms that an engine takes. */
type Form = (duckDb: string, clickHouse: string) => string;
type Quote = (value: string) => string;

/** Values of a row. */
function valueWords(dialect: Dialect, by: Form, quoted: Quote) {
  return {
    dialect,
    /** A quoted text. */
    text: quoted,
    /** A quoted name of a column. */
    name: identifier,
    /** One number of 64 bits that stands for some values: equal values have the same. */
    key: (...values: readonly string[]) =>
      by(`hash(${values.join(', ')})`, `cityHash64(${values.map((value) => `assumeNotNull(${value})`).join(', ')})`),
    /** The key that stands for nothing. */
    noKey: by('CAST(0 AS UBIGINT)', 'toUInt64(0)'),
    /** An instant as ms since 1970. */
    ms: (instant: string) => by(`epoch_ms(${instant})`, `toUnixTimestamp64Milli(assumeNotNull(${instant}))`),
    /** A constant instant. */
    instant: (atMs: number) =>
      by(`TIMESTAMP ${literal(new Date(atMs).toISOString().slice(0, -1).replace('T', ' '))}`, `fromUnixTimestamp64Milli(${atMs})`),
    /** The quotient of whole numbers, rounded down. */
    quotient: (value: string, divisor: number) => by(`(${value}) // ${divisor}`, `intDiv(${value}, ${divisor})`),
    /** A whole number of 64 bits with a sign. */
    whole: (value: string) => by(`CAST(${value} AS BIGINT)`, `toInt64(${value})`),
    /** A value that is never NULL, said so. */
    known: (value: string) => by(value, `assumeNotNull(${value})`),
    /** Whether a text is like a pattern in which `*` stands for any characters. */
    like(value: string, pattern: string) {
      if (!pattern.includes('*')) return `${value} = ${quoted(pattern)}`;
      const prefix = prefixOf(pattern);
      if (prefix !== undefined) return `${by('starts_with', 'startsWith')}(${value}, ${quoted(prefix)})`;
      return `${value} LIKE ${quoted(patternOf(pattern))}${by(" ESCAPE '\\'", '')}`;
    },
    /** Whether a bit is set, counted from 0. */
    bit: (value: string, at: number) => by(`(${value} & ${1 << at}) <> 0`, `bitAnd(${value}, ${1 << at}) <> 0`),
    /** Whether any of the bits of a mask is set. */
    anyBit: (value: string, mask: number | string) => by(`(${value} & ${mask}) <> 0`, `bitAnd(${value}, ${mask}) <> 0`),
  };
}

/** Aggregates and windows, and texts. */
function groupWords(by: Form, quoted: Quote) {
  return {
    /** The value of one row after in its window; NULL for the last. */
    after: (value: string, window: string) =>
      by(`lead(${value}) OVER (${window})`, `leadInFrame(toNullable(${value})) OVER (${window} ${WHOLE_FRAME})`),
    /** An aggregate: whole numbers, or pairs by their first value, as a list in ascending order. */
    sorted: (value: string) => by(`array_sort(list(${value}))`, `arraySort(groupArray(${value}))`),
    /** An aggregate: the elements of all lists in ascending order. */
    sortedAll: (list: string) => by(`array_sort(flatten(list(${list})))`, `arraySort(groupArrayArray(${list}))`),
    /** An aggregate: the value where another one is least. */
    ofLeast: (value: string, least: string) => `${by('arg_min', 'argMin')}(${value}, ${least})`,
    /** An aggregate: any of the values. */
    anyOf: (value: string) => `${by('any_value', 'any')}(${value})`,
    /** A number as text. */
    asText: (value: string) => by(`CAST(${value} AS VARCHAR)`, `toString(${value})`),
    /** A text in which all that a pattern finds is another text. */
    replaced: (value: string, pattern: string, other: string) =>
      by(
        `regexp_replace(${value}, ${quoted(pattern)}, ${quoted(other)}, 'g')`,
        `replaceRegexpAll(${value}, ${quoted(pattern)}, ${quoted(other)})`,
      ),
    /** The first part of a text that a pattern with one group finds; empty where there is none. */
    extracted: (value: string, pattern: string) =>
      by(`regexp_extract(${value}, ${quoted(pattern)}, 1)`, `extract(${value}, ${quoted(pattern)})`),
  };
}

/** Lists and pairs. */
function listWords(by: Form) {
  /** A function over the elements of a list, and over their places, from 1, where `isPlaced`. */
  const over = (duckDb: string, clickHouse: string, list: string, make: OfElement, isPlaced = false) =>
    isPlaced
      ? by(
          `${duckDb}(${list}, lambda e, i: ${make('e', 'i')})`,
          `${clickHouse}((e, i) -> ${make('e', 'i')}, ${list}, arrayEnumerate(${list}))`,
        )
      : by(`${duckDb}(${list}, lambda e: ${make('e', '')})`, `${clickHouse}(e -> ${make('e', '')}, ${list})`);
  const filter = (list: string, condition: OfElement) => over('array_filter', 'arrayFilter', list, condition);
  return {
    /** The elements of a list for which a condition holds. */
    filter,
    /** The first element of a list for which a condition holds; 0 where there is none. */
    first: (list: string, condition: OfElement) =>
      by(`coalesce(${filter(list, condition)}[1], 0)`, over('', 'arrayFirst', list, condition)),
    /** The elements of a list, a column, of which something is another than of the one before them. */
    changes: (list: string, of: (element: string) => string) =>
      over('array_filter', 'arrayFilter', list, (e, i) => `${i} = 1 OR ${of(e)} <> ${of(`${list}[${i} - 1]`)}`, true),
    /** A list of what is made of each element. */
    map: (list: string, make: OfElement) => over('array_transform', 'arrayMap', list, make),
    /** A list of what is made of each element and its place, from 1. */
    mapAt: (list: string, make: OfElement) => over('array_transform', 'arrayMap', list, make, true),
    /** The elements of one list and then those of another. */
    joined: (list: string, more: string) => `${by('array_concat', 'arrayConcat')}(${list}, ${more})`,
    /** Whether a list holds a value. */
    has: (list: string, value: string) => `${by('array_contains', 'has')}(${list}, ${value})`,
    /** The different elements of a list. */
    distinct: (list: string) => `${by('array_distinct', 'arrayDistinct')}(${list})`,
    /** The sum of a list of numbers. */
    summed: (list: string) => by(`array_aggregate(${list}, 'sum')`, `arraySum(${list})`),
    /** The largest of a list of numbers; 0 where there is none. */
    largest: (list: string) => by(`coalesce(array_max(${list}), 0)`, `if(empty(${list}), 0, arrayMax(${list}))`),
    /** Two values as one. */
    pair: (one: string, other: string) => by(`{'a': ${one}, 'b': ${other}}`, `tuple(${one}, ${other})`),
    /** The first value of a pair. */
    one: (pair: string) => by(`${pair}.a`, `tupleElement(${pair}, 1)`),
    /** The second value of a pair. */
    other: (pair: string) => by(`${pair}.b`, `tupleElement(${pair}, 2)`),
    /** The FROM clause that gives a row for each place of parallel lists of a table, whose elements become columns. */
    each: (table: string, lists: Readonly<Record<string, string>>) =>
      by(
        `(SELECT *, ${pairs(lists, (list, element) => `unnest(${list}) AS ${element}`)} FROM ${table})`,
        `(SELECT *, ${Object.keys(lists).join(', ')} FROM ${table} ARRAY JOIN ${pairs(lists, (list, element) => `${list} AS ${element}`)})`,
      ),
  };
}

/** The words of an engine. */
export function sqlWords(dialect: Dialect) {
  const by: Form = (duckDb, clickHouse) => (dialect === 'DuckDB' ? duckDb : clickHouse);
  const quoted: Quote = (value) => (dialect === 'DuckDB' ? literal(value) : text(value));
  return { ...valueWords(dialect, by, quoted), ...groupWords(by, quoted), ...listWords(by) };
}

/** Numbers as one text, blanks between them. */
export function lineOf(sql: SqlWords, numbers: readonly string[], between = ' '): string {
  return concat(...numbers.flatMap((number, at) => (at === 0 ? [sql.asText(number)] : [`'${between}'`, sql.asText(number)])));
}

/** The host of an address, without its port; empty or NULL where there is none. */
export function hostOf(sql: SqlWords, address: string): string {
  return sql.extracted(address, '^[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#:]+)');
}
