/** A field as exportable-fields tells of it. */
export interface ExportableField {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly aliases?: readonly string[] | null | undefined;
  /** Members that its selector needs besides `fieldName`. */
  readonly parameters?: readonly string[] | null | undefined;
}

/** All that an export of one scope can hold in this project. */
export interface FieldCatalogue {
  readonly scope: string;
  readonly fields: readonly ExportableField[];
  readonly customVariables: readonly { readonly position: number; readonly key: string }[];
  readonly dynamicKeys: readonly string[];
}

/** One column of an export and how it was asked for. */
export interface ExportColumn {
  readonly asked: string;
  readonly fieldName: string;
  readonly aliasName?: string;
  readonly customVarPosition?: number;
  readonly dynamicVarKey?: string;
  readonly meaning: string;
  /** Other columns that the words fit less well. */
  readonly also?: readonly string[];
}

/** Name of the field that stands for any custom variable. */
export const CUSTOM_VARIABLE = 'custom_var';
/** Name of the field that stands for any dynamic variable. */
export const DYNAMIC_VARIABLE = 'dynamic_var';

/** What identifies a column among the others of an export. */
export function identityOf({ fieldName, customVarPosition, dynamicVarKey }: ExportColumn): string {
  return [fieldName, customVarPosition ?? dynamicVarKey ?? ''].join(' ');
}

/** A column in words: `browser_name`, `custom variable plan (position 1)`. */
export function columnWords({ fieldName, aliasName, customVarPosition, dynamicVarKey }: Omit<ExportColumn, 'asked' | 'meaning'>): string {
  if (customVarPosition !== undefined) return `custom variable ${aliasName ?? ''} (position ${customVarPosition})`.replace('  ', ' ');
  return dynamicVarKey === undefined ? fieldName : `dynamic variable ${dynamicVarKey}`;
}
