import type * as z from 'zod';
import type { exportableField } from '../../api/operations/records.ts';
import { hint } from '../../lib/hint.ts';
import { areAlike } from '../../lib/nearest.ts';
import { capital, firstOf } from '../../lib/sentences.ts';
import { fold, searchObjects, searchSomeWords } from '../../names/match-name.ts';

/** A field as exportable-fields describes it. */
type ExportableField = Pick<z.output<typeof exportableField>, 'name' | 'description' | 'aliases'>;

/** A custom or dynamic variable of the project. */
export interface Variable {
  readonly kind: 'custom' | 'dynamic';
  readonly key: string;
  /** Of a custom one. */
  readonly position?: number;
  /** The values that the platform lists; none where it lists none. */
  readonly values?: readonly string[];
}

/** All that an export of one scope can hold in this project. */
export interface FieldCatalogue {
  readonly scope: string;
  readonly fields: readonly ExportableField[];
  readonly variables: readonly Variable[];
}

/** One column of an export and how it was asked for. */
export interface ExportColumn {
  readonly asked: string;
  readonly fieldName: string;
  readonly aliasName?: string | undefined;
  readonly customVarPosition?: number | undefined;
  readonly dynamicVarKey?: string | undefined;
  readonly meaning: string;
  /** Other columns that the words fit less well. */
  readonly also?: readonly string[];
}

/** Name of the field that stands for any custom variable. */
export const CUSTOM_VARIABLE = 'custom_var';
/** Name of the field that stands for any dynamic variable. */
const DYNAMIC_VARIABLE = 'dynamic_var';

/** Whether a field stands for variables. */
export function isVariableField(fieldName: string | null | undefined): boolean {
  return fieldName === CUSTOM_VARIABLE || fieldName === DYNAMIC_VARIABLE;
}

/** The parts of a column that name it, positions as numbers or as they travel. */
type ColumnNames = Pick<ExportColumn, 'fieldName' | 'aliasName' | 'dynamicVarKey'> & {
  readonly customVarPosition?: number | string | undefined;
};

/** A column in words: `browser_name`, `custom variable plan (position 1)`. */
export function columnWords({ fieldName, aliasName, customVarPosition, dynamicVarKey }: ColumnNames): string {
  if (customVarPosition !== undefined) return `custom variable ${aliasName ?? ''} (position ${customVarPosition})`.replace('  ', ' ');
  return dynamicVarKey === undefined ? fieldName : `dynamic variable ${dynamicVarKey}`;
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

/**
 * Reads `browser`, `revenue as money`, `custom variable "plan"`, `dynamic_var:basket`: the text as it came, what it may be (`any`: a field
 * or a variable), the words that name it without quotes, empty where only the kind was said, and the name of the column, from `… as name`.
 */
export function readFieldRequest(text: string) {
  const asked = text.trim();
  const [, withoutAlias = asked, aliasText] = ALIAS.exec(asked) ?? [];
  const alias = aliasText === undefined ? {} : { alias: bare(aliasText) };
  const [, kindFirst, wordsAfter] = FIRST.exec(withoutAlias) ?? [];
  const [, wordsBefore, kindLast] = LAST.exec(withoutAlias) ?? [];
  const kindText = (kindFirst ?? kindLast)?.toLowerCase();
  const kind: Variable['kind'] | 'any' = kindText === 'custom' || kindText === 'dynamic' ? kindText : 'any';
  const words = kindFirst === undefined ? (wordsBefore ?? withoutAlias) : wordsAfter;
  return { asked, kind, words: bare(words ?? ''), ...alias };
}

/** One text of a list of fields, parsed but not looked up. */
type FieldRequest = ReturnType<typeof readFieldRequest>;

/** Words of a request that say nothing about which field is meant. */
const FILLERS = new Set('a all an and column field for in of our per the total value with'.split(' '));
/** Words of field names that say what every such name says: which record it belongs to, its unit, its kind of value. */
const USUAL = new Set('session number id name code msec cent ind any all target'.split(' '));

/** Text as names are compared: folded, with single spaces for all that is neither letter nor digit. */
function plain(text: string): string {
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
function askedWords(text: string): string[] {
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

/** The everyday words that mean a field. */
export function everydayWords(fieldName: string): string[] {
  return [...EVERYDAY].flatMap(([words, field]) => (field === fieldName ? words : []));
}

/** How far a name goes beyond the words that were asked for, 0 where it says the same; undefined where it lacks one of them. */
function surplusOf({ name }: ExportableField, asked: readonly string[]): number | undefined {
  const words = wordsOf(name.replace('number_of_', ''));
  if (asked.length === 0 || !asked.every((word) => words.includes(word))) return undefined;
  const surplus = words.filter((word) => !asked.includes(word) && !USUAL.has(word)).length;
  // `session_number` is a number, not a record of a session; a part of a list comes after what stands alone.
  const isCount = name.endsWith('_number') && !asked.includes('number') ? 1 : 0;
  return surplus + isCount + (name.includes('.') ? 1 : 0);
}

/**
 * How vaguely name, aliases and description together hold all the words: 0 where the description says just them, 1 where it begins with
 * them, and they are several, as a single word begins many, else 2; undefined where one is lacking.
 */
function described({ name, aliases, description }: ExportableField, asked: readonly string[]): number | undefined {
  const all = new Set(wordsOf([name, ...(aliases ?? []), description ?? ''].join(' ')));
  if (asked.length === 0 || !asked.every((word) => all.has(word))) return undefined;
  const telling = askedWords(description ?? '');
  const beginning = new Set(telling.slice(0, asked.length));
  if (!asked.every((word) => beginning.has(word))) return 2;
  if (telling.length === asked.length) return 0;
  return asked.length > 1 ? 1 : 2;
}

/** A column without the name that it gets in the file. */
type FoundField = Omit<ExportColumn, 'asked' | 'aliasName'> & {
  /** Key of a variable, which becomes the name of its column. */
  readonly key?: string;
};

/** The meaning of a text: one column, with its distance from the text (0: its very name), or a sentence that lists the candidates. */
type FieldMatch = { readonly found: FoundField; readonly distance: number } | { readonly problem: string };

/** Scopes that are tried where none is named; deployments may know others. */
export const USUAL_SCOPES = ['sessions', 'views'];

const MOST_CANDIDATES = 6;
/** A name that goes further beyond the words is a candidate, not what was meant. */
const LARGEST_SURPLUS = 1;

function fieldFound({ name, description }: ExportableField): FoundField {
  return { fieldName: name, meaning: description ?? '' };
}

function variableFound({ kind, key, position }: Variable): FoundField {
  const own =
    kind === 'custom' ? { fieldName: CUSTOM_VARIABLE, customVarPosition: position } : { fieldName: DYNAMIC_VARIABLE, dynamicVarKey: key };
  return { ...own, key, meaning: `${capital(kind)} variable ${key}` };
}

function wordsFor({ key, ...column }: FoundField): string {
  return columnWords({ ...column, aliasName: key });
}

function listed(candidates: readonly FoundField[]): string {
  const shown = candidates.map((each) => (each.key === undefined && each.meaning ? `${each.fieldName} (${each.meaning})` : wordsFor(each)));
  return firstOf(shown, MOST_CANDIDATES);
}

function several(candidates: readonly FoundField[]): FieldMatch {
  return { problem: `may mean ${listed(candidates)}. Name one of them.` };
}

function chosen(found: FoundField, distance: number, others: readonly FoundField[] = []): FieldMatch {
  const also = [...new Set(others.map(wordsFor))].filter((words) => words !== wordsFor(found)).slice(0, 3);
  return { found: also.length > 0 ? { ...found, also } : found, distance };
}

const LISTS = { custom: 'list_custom_variables', dynamic: 'list_dynamic_variable_keys' } as const;

/** Chooses one of the variables of a kind by key, or by position. */
function matchVariable(words: string, all: readonly FoundField[], kind: keyof typeof LISTS): FieldMatch {
  const named = all.filter(({ key, customVarPosition }) => plain(key ?? '') === plain(words) || String(customVarPosition) === words);
  if (words !== '' && named.length === 1 && named[0]) return chosen(named[0], 0);
  if (all.length === 0)
    return { problem: `needs a ${kind} variable, and none is known${hint(LISTS[kind], `; ${LISTS[kind]} lists them`)}.` };
  return { problem: `${words === '' ? 'does not say which' : 'is not one of them'}; the ${kind} variables are ${listed(all)}.` };
}

/** Fields that resemble the words at all, for texts that match nothing. */
async function resembling(words: string, catalogue: FieldCatalogue, variables: readonly FoundField[]): Promise<FieldMatch> {
  const objects = [...catalogue.fields.map(fieldFound), ...variables];
  const search = objects.map(({ fieldName, key: id = fieldName }, index) => {
    const { aliases, description } = catalogue.fields[index] ?? {};
    return { kind: String(index), id, path: [id], words: `${(aliases ?? []).join(' ')} ${description ?? ''}` };
  });
  const foundOf = (some: readonly { kind: string }[]) => some.flatMap(({ kind }) => objects[Number(kind)] ?? []);
  const hits = foundOf(await searchObjects(search, words));
  const typos = hits.filter(({ fieldName, key }) => areAlike(words, key ?? fieldName));
  if (hits.length === 1 && typos.length === 1 && typos[0]) return chosen(typos[0], 4);
  if (typos.length > 1) return several(typos);
  // A similar name is never used in place of the given one: "device" is not the dynamic variable delivery_days.
  const alike = (hits.length > 0 ? hits : foundOf(searchSomeWords(search, words))).slice(0, 3);
  const nearest = alike.length > 0 ? ` The names that look most alike: ${listed(alike)}.` : '';
  return {
    problem:
      `is not a field of scope ${catalogue.scope}` + hint('list_exportable_fields', '; list_exportable_fields lists them') + `.${nearest}`,
  };
}

/** Fields that hold all the words in their names, with how far these go beyond them, the closest first. */
function closeFields(fields: readonly ExportableField[], asked: readonly string[]) {
  const close = fields.flatMap((field) => {
    const surplus = surplusOf(field, asked);
    return surplus === undefined ? [] : { found: fieldFound(field), surplus };
  });
  return close.toSorted((a, b) => a.surplus - b.surplus);
}

/**
 * Finds the field or variable that a request means, by the first way by which it means one alone; what is not clear is a problem with its
 * candidates, never a guess.
 */
async function matchField({ kind, words }: FieldRequest, catalogue: FieldCatalogue): Promise<FieldMatch> {
  const own = catalogue.variables.filter((each) => kind === 'any' || each.kind === kind).map(variableFound);
  if (kind !== 'any') return matchVariable(words, own, kind);
  const [wanted, asked] = [plain(words), askedWords(words)];
  const fields = catalogue.fields.filter(({ name }) => !isVariableField(name));
  const variables = own.filter(({ key }) => plain(key ?? '') === wanted);
  const isCalled = (alias: string) => plain(alias) === wanted;
  const named = [fields.find(({ name }) => isCalled(name)) ?? fields.find(({ aliases }) => aliases?.some(isCalled)) ?? []]
    .flat()
    .map(fieldFound);
  if (named.length === 0 && variables.length > 1) return several(variables);
  const ranked = closeFields(fields, asked);
  const close = ranked.map(({ found }) => found);
  const least = ranked[0]?.surplus ?? LARGEST_SURPLUS;
  const nearest = ranked.flatMap(({ found, surplus }) => (surplus === Math.min(least, LARGEST_SURPLUS) ? found : []));
  const describing = fields.map((field) => ({ found: fieldFound(field), vagueness: described(field, asked) }));
  const asVague = (most: number) => describing.flatMap(({ found, vagueness = 3 }) => (vagueness <= most ? found : []));
  const others = asVague(2);
  const ways: readonly (readonly [FoundField[], number, FoundField[]])[] = [
    [named, 0, variables],
    [variables, 0, close],
    [fields.filter(({ name }) => name === EVERYDAY.get(wanted)).map(fieldFound), 2, close],
    [nearest, 1 + least, close],
    ...[0, 1, 2].map((most) => [asVague(most), 3, others] as const),
  ];
  for (const [[only, ...more], distance, also] of ways) if (only && more.length === 0) return chosen(only, distance, also);
  const candidates = [...new Map([...close, ...others].map((found) => [found.fieldName, found])).values()];
  return candidates.length > 0 ? several(candidates) : resembling(words, { ...catalogue, fields }, own);
}

/** A column name that any format can hold. */
const PLAIN_NAME = /^[\w.-]{1,100}$/;

/** Variables are called by their key, because `custom_var` says nothing and two of them would be called the same. */
function aliasOf({ alias }: FieldRequest, { key }: FoundField, fieldNames: ReadonlySet<string>): string | undefined {
  if (alias !== undefined || key === undefined || !PLAIN_NAME.test(key)) return alias;
  return fieldNames.has(key) ? `variable_${key}` : key;
}

function nameInFile({ aliasName, fieldName }: ExportColumn): string {
  return aliasName ?? fieldName;
}

/** Texts one by one: several in one text are apart by commas, unless a variable is called just so. */
function apart(texts: readonly string[], { variables }: FieldCatalogue): string[] {
  const isWhole = (text: string) => variables.some(({ key }) => /[,;]/.test(key) && text.includes(key));
  return texts.flatMap((text) => (isWhole(text) ? [text] : text.split(/[,;]/).filter((part) => part.trim() !== '')));
}

/** Sentences about columns that would be called the same. */
function clashes(columns: readonly ExportColumn[]): string[] {
  return columns.flatMap((column, index) => {
    const earlier = columns.slice(0, index).find((each) => nameInFile(each) === nameInFile(column));
    return earlier
      ? [`"${column.asked}" and "${earlier.asked}" would both be called ${nameInFile(column)}; write "${column.asked} as NAME".`]
      : [];
  });
}

/**
 * Resolves words to the columns of an export, each column once; with a sentence for each text that is not clear or not there (`missing`:
 * the texts that the first of them are about), sentences for the notes, and how far the words are from the names, which compares scopes.
 */
export async function resolveFields(texts: readonly string[], catalogue: FieldCatalogue) {
  const fieldNames = new Set(catalogue.fields.map(({ name }) => name));
  const columns = new Map<string, ExportColumn>();
  const [problems, missing]: [string[], string[]] = [[], []];
  const notes: string[] = [];
  let distance = 0;
  for (const request of apart(texts, catalogue).map(readFieldRequest)) {
    const match = await matchField(request, catalogue);
    if ('problem' in match) {
      problems.push(`"${request.asked}" ${match.problem}`);
      missing.push(request.asked);
      continue;
    }
    const { key: _, ...found } = match.found;
    const column = { asked: request.asked, ...found, aliasName: aliasOf(request, match.found, fieldNames) };
    // Whatever it is called in the file.
    const identity = columnWords({ ...column, aliasName: undefined });
    const known = columns.get(identity);
    if (known) notes.push(`"${column.asked}" is the same column as "${known.asked}".`);
    else columns.set(identity, column);
    distance += match.distance;
  }
  const all = [...columns.values()];
  return { scope: catalogue.scope, columns: all, problems: [...problems, ...clashes(all)], missing, notes, distance };
}

/** The columns that a list of words stands for in one scope, or why it stands for none. */
export type Resolved = Awaited<ReturnType<typeof resolveFields>>;

/** The scope in which every text has a column; where several have, the one whose names are closest, the earlier one of equals. */
export function chooseScope(candidates: readonly Resolved[]): Resolved | undefined {
  return candidates.filter(({ problems }) => problems.length === 0).toSorted((a, b) => a.distance - b.distance)[0];
}

/** The problems of a scope; of a text that another one has they say where it is, and how to have both. */
export function problemsOfScope({ scope, problems, missing }: Resolved, others: readonly Resolved[]): string[] {
  return problems.map((problem, index) => {
    const asked = missing[index];
    const found = others.flatMap((other) => other.columns.flatMap((column) => (column.asked === asked ? { other, column } : [])))[0];
    if (asked === undefined || !found) return problem;
    return (
      `"${asked}" is no field of scope ${scope}, but of scope ${found.other.scope}: ${columnWords(found.column)}. ` +
      `Export both scopes with project_id, user_id and session_id${hint('query_export', '; query_export joins them.', '.')}`
    );
  });
}
