import type { StoredColumn } from '../store/manifest.ts';

/** A column as DuckDB declares it; parallel arrays are lists. */
export type ColumnType = StoredColumn['type'];
/** The type of one value of a column; ids and other 64-bit integers are VARCHAR, so that no digit is lost. */
export type ItemType = Exclude<ColumnType, `${string}[]`>;

/** Types that values of a known one may be of instead of text, the closest first. */
export const NEAREST_TYPES: Readonly<Record<ItemType, readonly ItemType[]>> = {
  BIGINT: ['BIGINT', 'DOUBLE'],
  DOUBLE: ['DOUBLE'],
  BOOLEAN: ['BOOLEAN', 'BIGINT'],
  DATE: ['DATE', 'TIMESTAMP'],
  TIMESTAMP: ['TIMESTAMP'],
  VARCHAR: [],
};

const WHOLE = '-?(0|[1-9][0-9]{0,14})';
/** Whole numbers as they are written: one with leading zeros, or more digits than a double holds exactly, is a code. */
export const WHOLE_NUMBER = `^${WHOLE}$`;
/** Texts that a double of 15 digits gives back as they are written: "1.10" is none. */
const DECIMAL_TEXT = `^(${WHOLE}|-?(0|[1-9][0-9]{0,8})[.][0-9]{0,5}[1-9]|-?(0|[1-9][0-9]{0,4})[.][0-9]{0,9}[1-9])$`;
/** What was written as a number: its last digits say no more than a double holds. */
const JSON_NUMBER = `^${WHOLE}([.][0-9]+)?([eE][+-]?[0-9]+)?$`;

/** Texts that are compared as texts though they may look like numbers. */
const CODES = /(^|_)(ids?|keys?|codes?|hash|unhashed|versions?|zip|phone)$/i;

/** The pattern by which all values of a column of text are numbers; undefined where it is called an id, code or version. */
export function numberForm(name: string, areNumbers: boolean): string | undefined {
  if (CODES.test(name)) return undefined;
  return areNumbers ? JSON_NUMBER : DECIMAL_TEXT;
}

/** The type of the list's items, or undefined for a column that is no list. */
export function itemTypeOf(type: ColumnType): ItemType | undefined {
  return type.endsWith('[]') ? (type.slice(0, -2) as ItemType) : undefined; // what stands before the brackets
}

/** The closest type that all values fit, else one that most fit, so that a single odd value does not make a column text. */
export function closest<Type>(types: readonly Type[], values: number, fitting: (type: Type) => number): Type | undefined {
  return types.find((type) => fitting(type) === values) ?? types.find((type) => 2 * fitting(type) > values);
}

/** Types whose values another one holds too. */
const WIDER: Readonly<Partial<Record<ColumnType, ColumnType>>> = {
  BIGINT: 'DOUBLE',
  DATE: 'TIMESTAMP',
  'BIGINT[]': 'DOUBLE[]',
  'DATE[]': 'TIMESTAMP[]',
};

/** One type for both; text, or a list of texts, holds everything. */
export function commonType(a: ColumnType, b: ColumnType): ColumnType {
  if (a === b || WIDER[b] === a) return a;
  if (WIDER[a] === b) return b;
  return itemTypeOf(a) && itemTypeOf(b) ? 'VARCHAR[]' : 'VARCHAR';
}

/** Units of columns. */
export type Unit = NonNullable<StoredColumn['unit']>;

/** Facts about a field that are known before a file is read. */
interface KnownField {
  readonly type: ColumnType;
  readonly unit?: Unit;
}

/** Fields whose names do not say what they hold; ids are text, because a user id lies above 2^53. */
const named: Readonly<Record<string, KnownField>> = {
  project_id: { type: 'BIGINT' },
  session_number: { type: 'BIGINT' },
  view_number: { type: 'BIGINT' },
  device_id: { type: 'BIGINT' },
  scroll_rate: { type: 'DOUBLE', unit: '%' },
  frustration_score: { type: 'DOUBLE' },
  fully_loaded: { type: 'BIGINT', unit: 'ms' },
  start_render: { type: 'BIGINT', unit: 'ms' },
  'session_transaction_items.quantity': { type: 'BIGINT[]' },
};

/** Meanings of fields whose names could be misread. */
const meanings: Readonly<Record<string, string>> = {
  session_number: 'number of the session of this visitor; 1 is a new visitor',
  view_number: 'number of the view in its session, from 1',
  is_excludable: 'true: the session looks automated',
  referer_url: 'NULL: direct visit, or the browser sent none',
};

/** The meaning of a field whose name could be misread. */
export function meaningOf(fieldName: string): string | undefined {
  return Object.hasOwn(meanings, fieldName) ? meanings[fieldName] : undefined;
}

/** Fields that are parallel arrays. */
const LISTS = /^(app_events|session_transaction_items|errors)\./;

/** The names say the unit: what a field holds by the end of its name. */
const endings: readonly (readonly [RegExp, ItemType, Unit?])[] = [
  [/_cents$/, 'BIGINT', 'cents'],
  [/_msec$/, 'BIGINT', 'ms'],
  [/_number_of_\w+$/, 'BIGINT'],
  [/_(width|height)$/, 'BIGINT', 'px'],
  [/(_ind|^is_\w+)$/, 'BOOLEAN'],
  [/_time$/, 'TIMESTAMP', 'UTC'],
  [/_date$/, 'DATE', 'UTC'],
];

/** The type of a field; text where neither the list nor the name shows it. */
export function knownField(fieldName: string): KnownField {
  const known = Object.hasOwn(named, fieldName) ? named[fieldName] : undefined;
  if (known) return known;
  const [, item = 'VARCHAR', unit] = endings.find(([ending]) => ending.test(fieldName)) ?? [];
  return { type: LISTS.test(fieldName) ? `${item}[]` : item, ...(unit && { unit }) };
}
