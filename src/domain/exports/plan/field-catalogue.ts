import { fold } from '../../names/match-name.ts';

/** A field as exportable-fields describes it. */
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
  readonly customVariables: readonly { readonly position: number; readonly key: string; readonly values?: readonly string[] }[];
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

/** The key of a column among the others of an export. */
export function identityOf({ fieldName, customVarPosition, dynamicVarKey }: ExportColumn): string {
  return [fieldName, customVarPosition ?? dynamicVarKey ?? ''].join(' ');
}

/** A column in words: `browser_name`, `custom variable plan (position 1)`. */
export function columnWords({ fieldName, aliasName, customVarPosition, dynamicVarKey }: Omit<ExportColumn, 'asked' | 'meaning'>): string {
  if (customVarPosition !== undefined) return `custom variable ${aliasName ?? ''} (position ${customVarPosition})`.replace('  ', ' ');
  return dynamicVarKey === undefined ? fieldName : `dynamic variable ${dynamicVarKey}`;
}

/** One text of a list of fields, parsed but not looked up. */
export interface FieldRequest {
  /** The text as it came. */
  readonly asked: string;
  /** `any` may be a field or a variable. */
  readonly kind: 'any' | 'custom' | 'dynamic';
  /** The words that name it, without quotes; empty where only the kind was said. */
  readonly words: string;
  /** Name of the column, from `… as name`. */
  readonly alias?: string;
}

const ALIAS = /^(.*\S)\s+as\s+(\S+)$/i;
const FIRST = /^(?:(?:our|the|my)\s+)?(custom|dynamic)[\s_-]*(?:variables?|vars?)\b[\s:=#]*(.*)$/i;
const LAST = /^(?:(?:our|the|my)\s+)?(.+?)\s*\(?(custom|dynamic)[\s_-]*(?:variable|var)\)?$/i;
const QUOTES = /["'`«»“”„‘’]/g;

function bare(text: string): string {
  return text
    .replaceAll(QUOTES, '')
    .replace(/^(?:called|named|position|key|no\.?)\s+/i, '')
    .trim();
}

/** Reads `browser`, `revenue as money`, `custom variable "plan"`, `dynamic_var:basket`. */
export function readFieldRequest(text: string): FieldRequest {
  const asked = text.trim();
  const [, withoutAlias = asked, aliasText] = ALIAS.exec(asked) ?? [];
  const alias = aliasText === undefined ? {} : { alias: bare(aliasText) };
  const [, kindFirst, wordsAfter] = FIRST.exec(withoutAlias) ?? [];
  const [, wordsBefore, kindLast] = LAST.exec(withoutAlias) ?? [];
  const kind = kindFirst ?? kindLast;
  const words = kindFirst === undefined ? (wordsBefore ?? withoutAlias) : wordsAfter;
  return { asked, kind: kindOf(kind), words: bare(words ?? ''), ...alias };
}

function kindOf(text: string | undefined): FieldRequest['kind'] {
  const word = text?.toLowerCase();
  return word === 'custom' || word === 'dynamic' ? word : 'any';
}

/** Words of a request that say nothing about which field is meant. */
const FILLERS = new Set('a all an and column field for in of our per the total value with'.split(' '));
/** Words of field names that say what every such name says: which record it belongs to, its unit, its kind of value. */
const USUAL = new Set('session number id name code msec cent ind any all target'.split(' '));

/** Text as names are compared: folded, with single spaces for all that is neither letter nor digit. */
export function plain(text: string): string {
  return fold(text)
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** A word without the ending of a plural or a past tense, as far as that only takes letters: `view` for "views" and "viewed". */
function stemOf(word: string): string {
  if (word.length > 5 && word.endsWith('ed') && !word.endsWith('eed')) return word.slice(0, -2);
  return word.length > 3 && !word.endsWith('ss') ? word.replace(/s$/, '') : word;
}

function wordsOf(text: string): string[] {
  return plain(text)
    .split(' ')
    .filter((word) => word !== '')
    .map(stemOf);
}

/** The words of a request that count. */
export function askedWords(text: string): string[] {
  const words = wordsOf(text);
  const telling = words.filter((word) => !FILLERS.has(word));
  return telling.length > 0 ? telling : words;
}

/** Everyday words, as `plain` gives them, for fields whose names and descriptions share no word with them. */
const EVERYDAY: ReadonlyMap<string, string> = new Map(
  Object.entries({
    session_number: [
      'new or returning',
      'new vs returning',
      'new returning',
      'new visitor',
      'new visitors',
      'returning visitors',
      'visitor type',
    ],
    is_excludable: ['bot', 'bots', 'robot', 'robots', 'bot traffic', 'crawler'],
    referer_url: ['traffic source', 'source of traffic'],
    // The parameters of campaigns stand in the query of the address.
    query: ['utm', 'utms', 'utm parameters', 'utm source', 'utm medium', 'utm campaign', 'campaign parameters', 'url parameters'],
    fully_loaded: ['load time', 'page load time', 'page load', 'loading time', 'page speed'],
    scroll_rate: ['scroll depth', 'depth of scrolling', 'scrolling depth', 'max scroll'],
  }).flatMap(([field, words]) => words.map((word) => [word, field])),
);

/** The name of the field that everyday words mean. */
export function everydayField(words: string): string | undefined {
  return EVERYDAY.get(plain(words));
}

/** The everyday words that mean a field. */
export function everydayWords(fieldName: string): string[] {
  return [...EVERYDAY].flatMap(([words, field]) => (field === fieldName ? [words] : []));
}

/** How far a name goes beyond the words that were asked for, 0 where it says the same; undefined where it lacks one of them. */
export function surplusOf({ name }: ExportableField, asked: readonly string[]): number | undefined {
  const words = wordsOf(name.replace('number_of_', ''));
  if (asked.length === 0 || !asked.every((word) => words.includes(word))) return undefined;
  const surplus = words.filter((word) => !asked.includes(word) && !USUAL.has(word)).length;
  // `session_number` is a number, not a record of a session; a part of a list comes after what stands alone.
  const isCount = name.endsWith('_number') && !asked.includes('number') ? 1 : 0;
  return surplus + isCount + (name.includes('.') ? 1 : 0);
}

/**
 * Whether name, aliases and description together hold all the words; `exact`: the description says just them; `first`: it begins with
 * them, and they are several, as a single word begins many.
 */
export function described(
  { name, aliases, description }: ExportableField,
  asked: readonly string[],
): 'exact' | 'first' | 'partly' | undefined {
  const all = new Set(wordsOf([name, ...(aliases ?? []), description ?? ''].join(' ')));
  if (asked.length === 0 || !asked.every((word) => all.has(word))) return undefined;
  const telling = askedWords(description ?? '');
  const beginning = new Set(telling.slice(0, asked.length));
  if (!asked.every((word) => beginning.has(word))) return 'partly';
  if (telling.length === asked.length) return 'exact';
  return asked.length > 1 ? 'first' : 'partly';
}
