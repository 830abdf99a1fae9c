import type { Cell } from './session-row.ts';

/** A column that an export can have, as `exportable-fields` tells of it, and how its cell is read. */
export interface Field<Row> {
  readonly name: string;
  readonly description: string;
  readonly example: string;
  /** Other names under which the platform's documents know it; only `name` selects it. */
  readonly aliases: string[];
  /** Members that the selector of this field needs besides `fieldName`. */
  readonly parameters: string[];
  readonly read: (row: Row) => Cell;
}

/** A field without parameters. */
export function field<Row>(name: string, description: string, example: string, read: (row: Row) => Cell, ...aliases: string[]): Field<Row> {
  return { name, description, example, aliases, parameters: [], read };
}

/** An instant as files show it. */
export function isoTime(instantMs: number): string {
  return new Date(instantMs).toISOString();
}

/** The two fields that exist in every scope and may be chosen several times; what they read depends on the selector. */
export const variableFields: readonly Omit<Field<never>, 'read'>[] = [
  {
    name: 'custom_var',
    description: 'Value of the custom variable at a position; wa-empty where the site set none. May be chosen several times.',
    example: 'plus',
    aliases: [],
    parameters: ['customVarPosition'],
  },
  {
    name: 'dynamic_var',
    description: 'Value of the dynamic variable with a key; text or integer. May be chosen several times.',
    example: 'rain jacket',
    aliases: [],
    parameters: ['dynamicVarKey'],
  },
];
