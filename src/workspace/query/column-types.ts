import type { StoredColumn } from '../store/manifest.ts';

/** A column as DuckDB declares it; parallel arrays are lists. */
export type ColumnType = StoredColumn['type'];
/** The type of one value of a column; ids and other 64-bit integers are VARCHAR, so that no digit is lost. */
export type ItemType = Exclude<ColumnType, `${string}[]`>;

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}(:?\d{2})?)?)?$/;

/** Whether a value in a file can be read as a type. */
const fits: Readonly<Record<ItemType, (value: unknown) => boolean>> = {
  BIGINT: (value) => /^-?\d{1,18}$/.test(String(value)),
  // A whole number beyond 2^53 would lose digits.
  DOUBLE: (value) =>
    typeof value === 'number'
      ? !Number.isInteger(value) || Number.isSafeInteger(value)
      : /^-?\d{1,15}(\.\d+)?([eE][+-]?\d+)?$/.test(String(value)),
  BOOLEAN: (value) => /^(true|false)$/i.test(String(value)),
  DATE: (value) => DATE.test(String(value)),
  TIMESTAMP: (value) => TIMESTAMP.test(String(value)),
  VARCHAR: () => true,
};

/** Types that a field may have instead of its known one, the closest first; VARCHAR holds everything. */
const nearest: Readonly<Record<ItemType, readonly ItemType[]>> = {
  BIGINT: ['BIGINT', 'DOUBLE'],
  DOUBLE: ['DOUBLE'],
  BOOLEAN: ['BOOLEAN', 'BIGINT'],
  DATE: ['DATE', 'TIMESTAMP'],
  TIMESTAMP: ['TIMESTAMP'],
  VARCHAR: [],
};

/** Whole numbers of 64 bits, which a table may hold instead of text. */
export type WholeNumber = Exclude<NonNullable<StoredColumn['heldAs']>, 'VARCHAR'>;

const WHOLE = '-?(0|[1-9][0-9]{0,14})';
/** Whole numbers as they are written: one with leading zeros, or more digits than a double holds exactly, is a code. */
export const WHOLE_NUMBER = `^${WHOLE}$`;
/** Texts that a double of 15 digits gives back as they are written: "1.10" is none. */
const DECIMAL_TEXT = `^(${WHOLE}|-?(0|[1-9][0-9]{0,8})[.][0-9]{0,5}[1-9]|-?(0|[1-9][0-9]{0,4})[.][0-9]{0,9}[1-9])$`;
/** What was written as a number: its last digits say no more than a double holds. */
const JSON_NUMBER = `^${WHOLE}([.][0-9]+)?([eE][+-]?[0-9]+)?$`;

/** Texts that are compared as texts though they may look like numbers. */
const CODES = /(^|_)(ids?|keys?|codes?|hash|unhashed|versions?|zip|phone)$/i;

/**
 * The pattern by which all values of a column of text are numbers, where these values show that they may be; undefined where they are none,
 * or the column is called an id, code or version.
 */
export function numbersIn(name: string, values: readonly unknown[]): string | undefined {
  if (CODES.test(name)) return undefined;
  const present = values.filter((value) => !isAbsent(value));
  const form = present.length > 0 && present.every((value) => typeof value === 'number') ? JSON_NUMBER : DECIMAL_TEXT;
  const pattern = new RegExp(form);
  return present.every((value) => pattern.test(String(value))) ? form : undefined;
}

/** The whole numbers that hold all of these values exactly as they are written; undefined where none do, or there is no value. */
export function wholeNumberOf(values: readonly unknown[]): WholeNumber | undefined {
  const texts = values.filter((value) => !isAbsent(value)).map(String);
  if (texts.length === 0 || !texts.every((text) => /^(0|-?[1-9]\d{0,19})$/.test(text))) return undefined;
  const numbers = texts.map(BigInt);
  if (numbers.every((number) => BigInt.asIntN(64, number) === number)) return 'BIGINT';
  return numbers.every((number) => BigInt.asUintN(64, number) === number) ? 'UBIGINT' : undefined;
}

/** The type of the list's items, or undefined for a column that is no list. */
export function itemTypeOf(type: ColumnType): ItemType | undefined {
  return type.endsWith('[]') ? (type.slice(0, -2) as ItemType) : undefined; // what stands before the brackets
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined || value === '';
}

function fittingItem(type: ItemType, values: readonly unknown[]): ItemType {
  const present = values.filter((value) => !isAbsent(value));
  if (present.some((value) => typeof value === 'object')) return 'VARCHAR';
  return closest(nearest[type], present.length, (candidate) => present.filter(fits[candidate]).length) ?? 'VARCHAR';
}

/** The closest type that all values fit, else one that most fit, so that a single odd value does not make a column text. */
export function closest<Type>(types: readonly Type[], values: number, fitting: (type: Type) => number): Type | undefined {
  return types.find((type) => fitting(type) === values) ?? types.find((type) => 2 * fitting(type) > values);
}

/** The types that a column of this one may have instead of text, itself first. */
export function nearestTypes(type: ColumnType): ColumnType[] {
  const item = itemTypeOf(type);
  return item ? nearest[item].map((each): ColumnType => `${each}[]`) : [...nearest[type as ItemType]]; // no list
}

/** `type` where the sample values fit it, otherwise the closest type that they fit. */
export function fittingType(type: ColumnType, values: readonly unknown[]): ColumnType {
  const item = itemTypeOf(type);
  if (!item) return fittingItem(type as ItemType, values); // no list
  const lists = values.filter((value) => !isAbsent(value)).map(asList);
  return lists.includes(undefined)
    ? 'VARCHAR'
    : `${fittingItem(
        item,
        lists.flatMap((list) => list ?? []),
      )}[]`;
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

/** The items of an array, or of the JSON text of one, as CSV holds it. */
export function asList(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value;
  if (typeof value !== 'string' || !value.startsWith('[')) return undefined;
  try {
    const parsed: unknown = JSON.parse(value);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

/** Units of columns. */
export type Unit = NonNullable<StoredColumn['unit']>;

/** Facts about a field that are known before a file is read. */
export interface KnownField {
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
