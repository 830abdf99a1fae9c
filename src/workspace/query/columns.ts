import type { RunManifest, StoredColumn } from '../store/manifest.ts';
import { asList, type ColumnType, commonType, fittingType, itemTypeOf, knownField, type Unit } from './column-types.ts';

type Field = RunManifest['fields'][number];
/** A field as jobs, plans and manifests have it. */
interface Selected {
  readonly fieldName: string;
  readonly aliasName?: string | null | undefined;
  readonly customVarPosition?: number | string | undefined;
  readonly dynamicVarKey?: string | undefined;
}

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

/** One way in which files are laid out: the names of their columns, the fields behind them, and sample values. */
export interface Layout {
  readonly names: readonly string[];
  /** The name of a column in the files, where that is another. */
  readonly inFile?: ReadonlyMap<string, string>;
  readonly fields: readonly Field[];
  readonly samples: ReadonlyMap<string, readonly unknown[]>;
  /** The columns with their types, where they are known: of runs that were converted. */
  readonly stored?: readonly StoredColumn[];
}

/** Fields that may be chosen several times. */
const VARIABLES: ReadonlySet<string> = new Set(['custom_var', 'dynamic_var']);

/**
 * How a field is called in the files: by its alias, or by its own name with position or key; undefined for a variable without them, which
 * only the files name.
 */
function nameInFile({ fieldName, aliasName, customVarPosition, dynamicVarKey }: Selected): string | undefined {
  if (typeof aliasName === 'string') return aliasName;
  const variable = customVarPosition ?? dynamicVarKey;
  if (variable !== undefined) return `${fieldName}_${variable}`;
  return VARIABLES.has(fieldName) ? undefined : fieldName;
}

/** The layout of files that nobody has seen, as their job promises it. */
export function promisedLayout(fields: readonly Field[]): Layout {
  return layoutOf(namesInFile(fields), fields);
}

/** The names in the files that the fields explain. */
export function namesInFile(fields: readonly Field[]): string[] {
  return fields.flatMap((field) => nameInFile(field) ?? []);
}

/** How a field is called in answers: by its own name, whatever its alias; variables have none but that. */
export function nameOfField(field: Selected): string | undefined {
  return VARIABLES.has(field.fieldName) ? nameInFile(field) : field.fieldName;
}

/** The names of columns, each with what the files call it: an alias is undone, unless another column would have the same name. */
function withoutAliases(pairs: readonly { readonly name: string; readonly inFile: string }[]): Map<string, string> {
  const once = pairs.map(({ name }) => pairs.filter((other) => folded(other.name) === folded(name)).length === 1);
  const names = pairs.map(({ name, inFile }, index) => (once[index] ? name : inFile));
  const isClear = new Set(names.map(folded)).size === names.length;
  return new Map(pairs.map(({ inFile }, index) => [(isClear && names[index]) || inFile, inFile]));
}

/** The layout of files whose columns have these names there; `samplesOf` gives values of a column of the files. */
export function layoutOf(
  columns: readonly string[],
  fields: readonly Field[],
  samplesOf: (name: string) => readonly unknown[] = () => [],
): Layout {
  const named = columns.map((name) => {
    const field = fields.find((each) => nameInFile(each) === name);
    return { inFile: name, name: (field && nameOfField(field)) ?? name };
  });
  const inFile = withoutAliases(named);
  return { names: [...inFile.keys()], inFile, fields, samples: new Map([...inFile].map(([name, place]) => [name, samplesOf(place)])) };
}

/** Columns of tables of before, which may bear an alias, under the names of their fields. */
export function namedByField<Stored extends StoredColumn>(columns: readonly Stored[]): Omit<Stored, 'field'>[] {
  const names = [...withoutAliases(columns.map(({ name, field = name }) => ({ name: field, inFile: name }))).keys()];
  return columns.map(({ field: _, ...column }, index) => ({ ...column, name: names[index] ?? column.name }));
}

/** The layout of tables with these columns. */
export function storedLayout(columns: readonly StoredColumn[]): Layout {
  const stored = namedByField(columns);
  const inFile = new Map(stored.map(({ name }, index) => [name, columns[index]?.name ?? name]));
  return { names: [...inFile.keys()], inFile, fields: [], samples: new Map(), stored };
}

/** The type of a column as a statement sees it: what is derived from whole numbers is exact. */
export function typeOf({ type, unit, from }: Column): string {
  if (from === undefined || (itemTypeOf(type) ?? type) === 'DOUBLE') return type;
  return `DECIMAL(18, ${unit === 'money' ? 2 : 3})${itemTypeOf(type) ? '[]' : ''}`;
}

/** Names as DuckDB distinguishes them. */
export function folded(name: string): string {
  return name.toLowerCase();
}

/** The column that says when a row happened. */
export function timeColumn(columns: readonly Column[]): Column | undefined {
  return columns.find(({ field, name, type }) => /^(session|view)_time$/.test(field ?? name) && type === 'TIMESTAMP');
}

function isList(values: readonly unknown[]): boolean {
  const present = values.filter((value) => value !== null && value !== undefined);
  return present.length > 0 && present.every((value) => asList(value) !== undefined);
}

function columnOf(name: string, layout: Layout): Column {
  const known = layout.stored?.find((column) => column.name === name);
  if (!known) return columnOfFiles(name, layout);
  const { heldAs: _, ...column } = known;
  return column;
}

/** The column by the field of its job, and by the values in the files. */
function columnOfFiles(name: string, { inFile, fields, samples }: Layout): Column {
  const field = fields.find((each) => nameInFile(each) === (inFile?.get(name) ?? name));
  const isVariable = field !== undefined && VARIABLES.has(field.fieldName);
  const { type, unit } = isVariable ? { type: 'VARCHAR' as const } : knownField(field?.fieldName ?? name);
  const values = samples.get(name) ?? [];
  const fitted = type === 'VARCHAR' && isList(values) ? 'VARCHAR[]' : fittingType(type, values);
  return {
    name,
    type: fitted,
    ...(unit && itemTypeOf(fitted) !== 'VARCHAR' && fitted !== 'VARCHAR' && { unit }),
    ...(field && field.fieldName !== name && !isVariable && { field: field.fieldName }),
  };
}

const derivations: Partial<Record<Unit, { unit: Unit; nameOf: (name: string) => string }>> = {
  cents: { unit: 'money', nameOf: (name) => (name.endsWith('_cents') ? name.slice(0, -6) : `${name}_money`) },
  ms: { unit: 's', nameOf: (name) => `${name.replace(/_msec$/, '')}_seconds` },
};

/** The columns of all layouts together, each followed by the one in a derived unit; where types differ, one that holds both. */
export function columnsOf(layouts: readonly Layout[]): Column[] {
  const merged = new Map<string, Column>();
  for (const layout of layouts) {
    for (const name of layout.names) {
      const column = columnOf(name, layout);
      const known = merged.get(folded(name));
      // Of two names that differ in their case alone, the first is kept.
      if (!known || known.name === name) merged.set(folded(name), known ? { ...known, type: commonType(known.type, column.type) } : column);
    }
  }
  return [...merged.values()].flatMap((column) => {
    const derivation = column.unit && derivations[column.unit];
    const name = derivation?.nameOf(column.name);
    if (!derivation || name === undefined || merged.has(folded(name))) return [column];
    return [column, { name, type: column.type, unit: derivation.unit, from: column.name }];
  });
}
