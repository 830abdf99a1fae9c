import { grouped } from '../../lib/grouped.ts';
import type { RunManifest, StoredColumn } from '../store/manifest.ts';

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
function commonType(a: ColumnType, b: ColumnType): ColumnType {
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

type Field = RunManifest['fields'][number];

/** A column of the view `data`. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  readonly unit?: Unit;
  /** The field of the platform, where the column is called otherwise. */
  readonly field?: string;
  /** The column that this one is computed from; left out for a column of the files. */
  readonly from?: string;
}

/** A column of files: what they call it, and the field behind it. */
export interface FileColumn {
  readonly name: string;
  /** Its keys or headers in the files; several where they differ in case alone. */
  readonly inFile: readonly string[];
  readonly field?: Field | undefined;
  /** Its first values are numbers of JSON, which say no more than their digits. */
  readonly areNumbers?: boolean;
}

/** Fields that may be chosen several times. */
const VARIABLES: ReadonlySet<string> = new Set(['custom_var', 'dynamic_var']);

/**
 * How a field is called in the files: by its alias, or by its own name with position or key; undefined for a variable without them, which
 * only the files name.
 */
function nameInFile({ fieldName, aliasName, customVarPosition, dynamicVarKey }: Field): string | undefined {
  if (typeof aliasName === 'string') return aliasName;
  const variable = customVarPosition ?? dynamicVarKey;
  if (variable !== undefined) return `${fieldName}_${variable}`;
  return VARIABLES.has(fieldName) ? undefined : fieldName;
}

/** The names that files may have for these fields: aliases, and the fields' own. */
export function namesInFile(fields: readonly Field[]): string[] {
  return fields.flatMap((field) => nameInFile(field) ?? []);
}

/** The fields that a job or plan lists, as a manifest keeps them; one without a name is left out. */
export function listedFields(fields: readonly Readonly<Record<string, unknown>>[] | null | undefined): Field[] {
  return (fields ?? []).flatMap(({ fieldName, aliasName, customVarPosition, dynamicVarKey }) => {
    if (typeof fieldName !== 'string') return [];
    const position = Number(customVarPosition ?? Number.NaN);
    return {
      fieldName,
      ...(typeof aliasName === 'string' && { aliasName }),
      ...(Number.isInteger(position) && { customVarPosition: position }),
      ...(typeof dynamicVarKey === 'string' && { dynamicVarKey }),
    };
  });
}

/** Names as DuckDB distinguishes them. */
export function folded(name: string): string {
  return name.toLowerCase();
}

/** The names of columns in that way. */
export const foldedNames = (columns: readonly { readonly name: string }[]) => new Set(columns.map(({ name }) => folded(name)));

/** Names as they are compared: services differ in case and in what stands between words. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, '');

/** The field that a key or header stands for: services write its alias or its own name, some with the scope before it. */
export function fieldOf(inFile: string, fields: readonly Field[]): Field | undefined {
  const spellings = new Set([inFile, inFile.replace(/^(sessions|views)[._]/i, '')].map(plain));
  const isCalled = (name: string | undefined) => name !== undefined && spellings.has(plain(name));
  return (
    fields.find((field) => nameInFile(field) === inFile) ??
    fields.find((field) => isCalled(nameInFile(field))) ??
    fields.find(({ fieldName }) => !VARIABLES.has(fieldName) && isCalled(fieldName))
  );
}

/** An alias is undone, unless another column would have the same name. */
function withoutAliases(columns: readonly FileColumn[]): FileColumn[] {
  const count = (name: string) => columns.filter((other) => folded(other.name) === folded(name)).length;
  const undone = columns.map((column) => (count(column.name) === 1 ? column.name : (column.inFile[0] ?? column.name)));
  const isClear = new Set(undone.map(folded)).size === undone.length;
  return columns.map((column, index) => ({ ...column, name: (isClear ? undone[index] : column.inFile[0]) ?? column.name }));
}

/** Columns of files that have these keys or headers. */
export function fileColumns(names: readonly string[], fields: readonly Field[]): FileColumn[] {
  const columns = [...grouped(names, folded).values()].map((same): FileColumn => {
    const inFile = [...new Set(same)];
    const [first = ''] = inFile;
    const field = fieldOf(first, fields);
    // A field has its own name in answers, whatever its alias; variables have none but that.
    const name = field && (VARIABLES.has(field.fieldName) ? nameInFile(field) : field.fieldName);
    return { name: name ?? first, inFile, field };
  });
  return withoutAliases(columns);
}

/** Columns that a job promises, of files that nobody has seen. */
export function promisedColumns(fields: readonly Field[]): FileColumn[] {
  return fileColumns(namesInFile(fields), fields);
}

/** The names of the variables among these fields in answers. */
export function variableNames(fields: readonly Field[]): string[] {
  return promisedColumns(fields).flatMap(({ name, field }) => (field && VARIABLES.has(field.fieldName) ? name : []));
}

/** Columns of JSON whose lines have these keys; those of fields that no seen line holds are there too. */
export function keyedColumns(seen: readonly string[], fields: readonly Field[]): FileColumn[] {
  const known = new Set(seen.map((name) => fieldOf(name, fields)));
  return fileColumns([...seen, ...namesInFile(fields.filter((field) => !known.has(field)))], fields);
}

/** The names of the columns that the files hold, without those that are computed from them. */
export function storedNames(columns: readonly Column[]): string[] {
  return columns.flatMap(({ name, from }) => (from === undefined ? name : []));
}

/** The type of a column as a statement sees it: what is derived from whole numbers is exact. */
export function typeOf({ type, unit, from }: Column): string {
  if (from === undefined || (itemTypeOf(type) ?? type) === 'DOUBLE') return type;
  return `DECIMAL(18, ${unit === 'money' ? 2 : 3})${itemTypeOf(type) ? '[]' : ''}`;
}

/** The column that says when a row happened. */
export function timeColumn(columns: readonly Column[]): Column | undefined {
  return columns.find(({ field, name, type }) => /^(session|view)_time$/.test(field ?? name) && type === 'TIMESTAMP');
}

/** A column of files by its field; those of variables are texts. */
export function columnOf({ name, field }: FileColumn): Column {
  const isVariable = field !== undefined && VARIABLES.has(field.fieldName);
  const known = isVariable ? { type: 'VARCHAR' as const } : knownField(field?.fieldName ?? name);
  return { name, ...known, ...(field && field.fieldName !== name && !isVariable && { field: field.fieldName }) };
}

const derivations: Partial<Record<Unit, { unit: Unit; nameOf: (name: string) => string }>> = {
  cents: { unit: 'money', nameOf: (name) => (name.endsWith('_cents') ? name.slice(0, -6) : `${name}_money`) },
  ms: { unit: 's', nameOf: (name) => `${name.replace(/_msec$/, '')}_seconds` },
};

/** The columns of several files or tables together, by names without case; where types differ, one that holds both. */
export function mergedColumns(all: readonly (readonly Column[])[]): Column[] {
  const merged = new Map<string, Column>();
  for (const column of all.flat()) {
    const known = merged.get(folded(column.name));
    merged.set(folded(column.name), known ? { ...known, type: commonType(known.type, column.type) } : column);
  }
  return [...merged.values()];
}

/** The same, each followed by the one in a derived unit. */
export function columnsOf(all: readonly (readonly Column[])[]): Column[] {
  const stored = mergedColumns(all);
  const names = foldedNames(stored);
  return stored.flatMap((column) => {
    const derivation = column.unit && derivations[column.unit];
    const name = derivation?.nameOf(column.name);
    if (!derivation || name === undefined || names.has(folded(name))) return [column];
    return [column, { name, type: column.type, unit: derivation.unit, from: column.name }];
  });
}

/** Fields that identify a row, beside the project; views have a number in their session. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  sessions: ['session_id'],
  views: ['session_id', 'view_number'],
};

/** The names of the columns that identify a row, in lower case, or the fields that are missing for that. */
export function keysOf(scope: string, columns: readonly Column[]): { names: string[]; missing: string[] } {
  const wanted = KEYS[scope.toLowerCase()] ?? ['session_id', 'view_number'];
  const columnFor = (field: string) => columns.find(({ name, field: renamed = name }) => renamed === field);
  const names = ['project_id', ...wanted].flatMap((field) => folded(columnFor(field)?.name ?? '') || []);
  return { names, missing: wanted.filter((field) => !columnFor(field)) };
}
