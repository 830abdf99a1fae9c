import type { Dialect } from '../exports/query/examples.ts';
import { literal } from '../exports/query/view-sql.ts';
import { text } from '../exports/warehouse/schema.ts';
import { DAY_MS } from '../lib/clock.ts';
import type { Choice, Step } from './step.ts';

/** Expressions that the two engines write differently; all else is written as ClickHouse does, and DuckDB knows it by macros. */
export type SqlWords = ReturnType<typeof sqlWords>;

/** A condition that is 1 or 0, as both engines add it up. */
export function flag(condition: string): string {
  return `CASE WHEN ${condition} THEN 1 ELSE 0 END`;
}

/** The branches of a CASE. */
export function cases(branches: readonly (readonly [when: string, then: string | number])[], other: string | number): string {
  const whens = branches.map(([when, then]) => `WHEN ${when} THEN ${then}`);
  return branches.length === 0 ? String(other) : `CASE ${whens.join(' ')} ELSE ${other} END`;
}

/** One number of 64 bits that stands for some values: equal values have the same. */
export function keyOf(...values: readonly string[]): string {
  return `cityHash64(${values.map((value) => `assumeNotNull(${value})`).join(', ')})`;
}

/** The key that stands for nothing. */
export const NO_KEY = 'toUInt64(0)';

/** An instant as ms since 1970. */
export function msOf(instant: string): string {
  return `toUnixTimestamp64Milli(assumeNotNull(${instant}))`;
}

/** The UTC day of ms since 1970, as a number. */
export function dayOfMs(ms: string): string {
  return `intDiv(${ms}, ${DAY_MS})`;
}

/** A condition on an instant to lie between two others, of which the later one is left out; ms since 1970. */
export function isBetween(instant: string, fromMs: number, toMs: number): string {
  return `${instant} >= fromUnixTimestamp64Milli(${fromMs}) AND ${instant} < fromUnixTimestamp64Milli(${toMs})`;
}

/** The host of an address, without its port; empty or NULL where there is none. */
export function hostOf(address: string): string {
  return `REGEXP_EXTRACT(${address}, '^[a-zA-Z][a-zA-Z0-9+.-]*://([^/?#:]+)', 1)`;
}

/** Makes something of an element, and of its place, from 1. */
type OfElement = (element: string, place: string) => string;

/** The words of an engine. */
export function sqlWords(dialect: Dialect) {
  const isDuckDb = dialect === 'DuckDB';
  const quoted = isDuckDb ? literal : text;
  const over = (duckDb: string, clickHouse: string, list: string, make: OfElement) => {
    const [names, places] = make.length > 1 ? ['e, i', `, arrayEnumerate(${list})`] : ['e', ''];
    const made = make('e', 'i');
    return isDuckDb ? `${duckDb}(${list}, lambda ${names}: ${made})` : `${clickHouse}((${names}) -> ${made}, ${list}${places})`;
  };
  return {
    dialect,
    /** A quoted text. */
    text: quoted,
    /** Whether a text is like a pattern in which `*` stands for any characters. */
    like(value: string, pattern: string) {
      if (!pattern.includes('*')) return `${value} = ${quoted(pattern)}`;
      if (/^[^*]*\*$/.test(pattern)) return `startsWith(${value}, ${quoted(pattern.slice(0, -1))})`;
      const escaped = pattern.replaceAll(/[\\%_]/g, (each) => `\\${each}`).replaceAll(/\*+/g, '%');
      return `${value} LIKE ${quoted(escaped)}${isDuckDb ? " ESCAPE '\\'" : ''}`;
    },
    /** The elements of a list for which a condition holds. */
    filter: (list: string, condition: OfElement) => over('array_filter', 'arrayFilter', list, condition),
    /** A list of what is made of each element. */
    map: (list: string, make: OfElement) => over('array_transform', 'arrayMap', list, make),
    /** The FROM clause that gives a row for each place of parallel lists of a table, whose elements become columns. */
    each(table: string, lists: Readonly<Record<string, string>>) {
      const entries = Object.entries(lists);
      const join = (write: (list: string, element: string) => string) => entries.map(([element, list]) => write(list, element)).join(', ');
      return isDuckDb
        ? `(SELECT *, ${join((list, element) => `unnest(${list}) AS ${element}`)} FROM ${table})`
        : `(SELECT *, ${Object.keys(lists).join(', ')} FROM ${table} ARRAY JOIN ${join((list, element) => `${list} AS ${element}`)})`;
    },
  };
}

/** The first element of a pair. */
export const one = (pair: string) => `tupleElement(${pair}, 1)`;
/** The second one. */
export const other = (pair: string) => `tupleElement(${pair}, 2)`;

/** The first element of a list of numbers for which a condition holds; 0 where there is none. */
export function firstOf(sql: SqlWords, list: string, condition: OfElement): string {
  return `coalesce(${sql.filter(list, condition)}[1], 0)`;
}

/** The elements of a list, a column, of which something is another than of the one before them. */
export function changesOf(sql: SqlWords, list: string, of: (element: string) => string): string {
  return sql.filter(list, (e, i) => `${i} = 1 OR ${of(e)} <> ${of(`${list}[${i} - 1]`)}`);
}

function conditionOf(conditions: readonly string[]): string | undefined {
  return conditions.length === 0 ? undefined : `(${conditions.join(' OR ')})`;
}

/** Whether a step is fulfilled by the page whose path an expression gives; undefined where no page does that. */
export function pageCondition({ choices }: Step, path: string, sql: SqlWords): string | undefined {
  return conditionOf(choices.flatMap((choice) => (choice.kind === 'page' ? sql.like(path, choice.pattern) : [])));
}

/** Whether a step is fulfilled by the app event whose name an expression gives; undefined where no event does that. */
export function eventCondition({ choices }: Step, name: string, sql: SqlWords): string | undefined {
  return conditionOf(choices.flatMap((choice: Choice) => (choice.kind === 'event' ? sql.like(name, choice.name) : [])));
}

/** A number whose bits say which of some conditions hold, the first in bit 0. */
export function maskOf(conditions: readonly (string | undefined)[]): string {
  return conditions.flatMap((condition, at) => (condition === undefined ? [] : [cases([[condition, 2 ** at]], 0)])).join(' + ') || '0';
}
