import { grouped } from '../../lib/grouped.ts';
import type { RunManifest, StoredColumn } from '../store/manifest.ts';
import { type ColumnType, commonType, itemTypeOf, knownField, type Unit } from './column-types.ts';

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

/** How a field is called in answers: by its own name, whatever its alias; variables have none but that. */
function nameOfField(field: Field): string | undefined {
  return VARIABLES.has(field.fieldName) ? nameInFile(field) : field.fieldName;
}

/** Names as DuckDB distinguishes them. */
export function folded(name: string): string {
  return name.toLowerCase();
}

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
  const named = columns.map((column) => (count(column.name) === 1 ? column.name : (column.inFile[0] ?? column.name)));
  const isClear = new Set(named.map(folded)).size === named.length;
  return columns.map((column, index) => ({ ...column, name: (isClear ? named[index] : column.inFile[0]) ?? column.name }));
}

/** Columns of files that have these keys or headers. */
export function fileColumns(names: readonly string[], fields: readonly Field[]): FileColumn[] {
  const columns = [...grouped(names, folded).values()].map((same): FileColumn => {
    const inFile = [...new Set(same)];
    const [first = ''] = inFile;
    const field = fieldOf(first, fields);
    return { name: (field && nameOfField(field)) ?? first, inFile, field };
  });
  return withoutAliases(columns);
}

/** Columns that a job promises, of files that nobody has seen. */
export function promisedColumns(fields: readonly Field[]): FileColumn[] {
  return fileColumns(namesInFile(fields), fields);
}

/** Columns of JSON whose lines have these keys; those of fields that no seen line holds are there too. */
export function keyedColumns(seen: readonly string[], fields: readonly Field[]): FileColumn[] {
  const known = new Set(seen.map((name) => fieldOf(name, fields)));
  return fileColumns([...seen, ...namesInFile(fields.filter((field) => !known.has(field)))], fields);
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
  const names = new Set(stored.map(({ name }) => folded(name)));
  return stored.flatMap((column) => {
    const derivation = column.unit && derivations[column.unit];
    const name = derivation?.nameOf(column.name);
    if (!derivation || name === undefined || names.has(folded(name))) return [column];
    return [column, { name, type: column.type, unit: derivation.unit, from: column.name }];
  });
}

/** Columns of a table as a view shows them. */
export function shownColumns(columns: readonly StoredColumn[]): Column[] {
  return columns.map(({ name, type, unit, field }) => ({ name, type, ...(unit && { unit }), ...(field !== undefined && { field }) }));
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
