import { customValueOf, type DynamicVariable, dynamicValueOf, type Field, sessionFields, variableFields, viewFields } from './fields.ts';
import type { FileCell, SessionRow } from './session-row.ts';
import { viewsOf } from './view-row.ts';

/** One chosen column; `customVarPosition` and `dynamicVarKey` belong to the two variable fields. */
export interface FieldSelector {
  readonly fieldName: string;
  readonly aliasName?: string;
  readonly customVarPosition?: number;
  readonly dynamicVarKey?: string;
}

/** The layout of an export: names of its columns, and the rows that one session adds. */
interface Table {
  readonly names: readonly string[];
  rowsOf(session: SessionRow): FileCell[][];
}

interface Scope {
  /** The fields of the scope, variables included. */
  readonly fields: readonly Omit<Field<never>, 'read'>[];
  table(selectors: readonly FieldSelector[], variables: readonly DynamicVariable[]): Table;
}

/** Name of the column in the file: the alias, or the field's own name with position or key. */
export function columnName({ fieldName, aliasName, customVarPosition, dynamicVarKey }: FieldSelector): string {
  const variable = customVarPosition ?? dynamicVarKey;
  return aliasName ?? (variable === undefined ? fieldName : `${fieldName}_${variable}`);
}

function scope<Row>(
  fields: readonly Field<Row>[],
  rowsOf: (session: SessionRow) => readonly Row[],
  sessionOf: (row: Row) => SessionRow,
): Scope {
  function reader(
    { fieldName, customVarPosition, dynamicVarKey }: FieldSelector,
    variables: readonly DynamicVariable[],
  ): (row: Row) => FileCell {
    if (customVarPosition !== undefined) return (row) => customValueOf(sessionOf(row), customVarPosition);
    const variable = variables.find(({ key }) => key === dynamicVarKey);
    if (variable) return (row) => dynamicValueOf(sessionOf(row), variable);
    const known = fields.find(({ name }) => name === fieldName);
    if (!known) throw new RangeError(`No field ${fieldName} to read.`);
    return known.read;
  }
  return {
    fields: [...fields, ...variableFields],
    table(selectors, variables) {
      const readers = selectors.map((selector) => reader(selector, variables));
      return {
        names: selectors.map(columnName),
        rowsOf: (session) => rowsOf(session).map((row) => readers.map((read) => read(row))),
      };
    },
  };
}

const scopes: Readonly<Record<string, Scope>> = {
  sessions: scope(
    sessionFields,
    (session) => [session],
    (session) => session,
  ),
  views: scope(viewFields, viewsOf, ({ session }) => session),
};

/** Names of the scopes that can be exported. */
export const scopeNames = Object.keys(scopes);

/** The scope of that name, or undefined. */
export function scopeNamed(name: string): Scope | undefined {
  return Object.hasOwn(scopes, name) ? scopes[name] : undefined;
}
