import { type Field, ofSession, sessionFields, variableFields, viewFields } from './fields.ts';
import type { FieldSelector } from './schedule.ts';
import type { FileCell, SessionRow } from './session-row.ts';
import { viewsOf } from './view-row.ts';

interface Scope {
  /** The fields of the scope, variables included. */
  readonly fields: readonly Field<never>[];
  /** Reads the rows that one session adds, a cell for each of the selectors; `startMs` is the clock at start. */
  reader(selectors: readonly FieldSelector[], startMs: number): (session: SessionRow) => FileCell[][];
}

/** Name of the column in the file: the alias, or the field's own name with position or key. */
export function columnName({ fieldName, aliasName, customVarPosition, dynamicVarKey }: FieldSelector): string {
  const variable = customVarPosition ?? dynamicVarKey;
  return aliasName ?? (variable === undefined ? fieldName : `${fieldName}_${variable}`);
}

function scope<Row>(fields: readonly Field<Row>[], rowsOf: (session: SessionRow) => readonly Row[]): Scope {
  return {
    fields,
    reader(selectors, startMs) {
      const readers = selectors.map((selector) => {
        const field = fields.find(({ name }) => name === selector.fieldName);
        if (!field) throw new RangeError(`No field ${selector.fieldName} to read.`);
        return (row: Row) => field.read(row, selector, startMs);
      });
      return (session) => rowsOf(session).map((row) => readers.map((read) => read(row)));
    },
  };
}

const scopes: Readonly<Record<string, Scope>> = {
  sessions: scope([...sessionFields, ...variableFields], (session) => [session]),
  views: scope([...viewFields, ...variableFields.map(ofSession)], viewsOf),
};

/** Names of the scopes that can be exported. */
export const scopeNames = Object.keys(scopes);

/** The scope of that name, or undefined. */
export function scopeNamed(name: string): Scope | undefined {
  return Object.hasOwn(scopes, name) ? scopes[name] : undefined;
}
