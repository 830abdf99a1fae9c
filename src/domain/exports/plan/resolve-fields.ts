import { hint } from '../../../lib/hint.ts';
import { areAlike } from '../../../lib/nearest.ts';
import { firstOf } from '../../../lib/sentences.ts';
import { searchObjects, searchSomeWords } from '../../names/match-name.ts';
import {
  askedWords,
  CUSTOM_VARIABLE,
  columnWords,
  DYNAMIC_VARIABLE,
  described,
  type ExportableField,
  type ExportColumn,
  everydayField,
  type FieldCatalogue,
  type FieldRequest,
  identityOf,
  plain,
  readFieldRequest,
  surplusOf,
} from './field-catalogue.ts';

/** A column without the name that it gets in the file. */
export type FoundField = Omit<ExportColumn, 'asked' | 'aliasName'> & {
  /** Key of a variable, which becomes the name of its column. */
  readonly key?: string;
};

/** The meaning of a text: one column, with its distance from the text (0: its very name), or a sentence that lists the candidates. */
export type FieldMatch = { readonly found: FoundField; readonly distance: number } | { readonly problem: string };

/** Scopes that are tried where none is named; deployments may know others. */
export const USUAL_SCOPES = ['sessions', 'views'];

const MOST_CANDIDATES = 6;
/** A name that goes further beyond the words is a candidate, not what was meant. */
const LARGEST_SURPLUS = 1;

function fieldFound({ name, description }: ExportableField): FoundField {
  return { fieldName: name, meaning: description ?? '' };
}

function customFound({ position, key }: FieldCatalogue['customVariables'][number]): FoundField {
  return { fieldName: CUSTOM_VARIABLE, customVarPosition: position, key, meaning: `Custom variable ${key}` };
}

function dynamicFound(key: string): FoundField {
  return { fieldName: DYNAMIC_VARIABLE, dynamicVarKey: key, key, meaning: `Dynamic variable ${key}` };
}

function wordsFor({ key, ...column }: FoundField): string {
  return columnWords({ ...column, ...(key !== undefined && { aliasName: key }) });
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
  const objects = [
    ...catalogue.fields.map((field) => ({
      found: fieldFound(field),
      id: field.name,
      words: `${(field.aliases ?? []).join(' ')} ${field.description ?? ''}`,
    })),
    ...variables.map((found) => ({ found, id: found.key ?? '', words: '' })),
  ];
  const search = objects.map(({ id, words: text }, index) => ({ kind: String(index), id, path: [id], words: text }));
  const foundOf = (some: readonly { kind: string }[]) => some.flatMap(({ kind }) => objects[Number(kind)]?.found ?? []);
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

/** The field of which this is the name or an alias. */
function namedField(fields: readonly ExportableField[], wanted: string): ExportableField | undefined {
  const byName = fields.find(({ name }) => plain(name) === wanted);
  return byName ?? fields.find(({ aliases }) => aliases?.some((alias) => plain(alias) === wanted));
}

/** The one field that is clearly nearest to the words, then the one that its description makes clear; else all that come near. */
function matchWords(
  fields: readonly ExportableField[],
  asked: ReturnType<typeof askedWords>,
  close: readonly { readonly field: ExportableField; readonly surplus: number }[],
): FieldMatch | undefined {
  const closeFields = close.map(({ field }) => fieldFound(field));
  const [best, second] = close;
  const [first] = closeFields;
  if (best && first && best.surplus <= LARGEST_SURPLUS && best.surplus < (second?.surplus ?? Number.POSITIVE_INFINITY))
    return chosen(first, 1 + best.surplus, closeFields);
  const matching = fields.map((field) => ({ field, how: described(field, asked) })).filter(({ how }) => how !== undefined);
  const others = matching.map(({ field }) => fieldFound(field));
  // The clearest that one field alone is: its description says just the words, or begins with them, or it is the only one with them.
  const ways = [matching.filter(({ how }) => how === 'exact'), matching.filter(({ how }) => how !== 'partly'), matching];
  const only = ways.find(({ length }) => length === 1)?.[0];
  if (only) return chosen(fieldFound(only.field), 3, others);
  const candidates = [...new Map([...closeFields, ...others].map((found) => [found.fieldName, found])).values()];
  return candidates.length > 0 ? several(candidates) : undefined;
}

/** Finds the field or variable that a request means; what is not clear is a problem with its candidates, never a guess. */
async function matchField({ kind, words }: FieldRequest, catalogue: FieldCatalogue): Promise<FieldMatch> {
  const custom = catalogue.customVariables.map(customFound);
  const dynamic = catalogue.dynamicKeys.map(dynamicFound);
  if (kind === 'custom') return matchVariable(words, custom, 'custom');
  if (kind === 'dynamic') return matchVariable(words, dynamic, 'dynamic');
  const wanted = plain(words);
  const isVariableField = ({ name }: ExportableField) => name === CUSTOM_VARIABLE || name === DYNAMIC_VARIABLE;
  const fields = catalogue.fields.filter((field) => !isVariableField(field));
  const variables = [...custom, ...dynamic].filter(({ key }) => plain(key ?? '') === wanted);
  const named = namedField(fields, wanted);
  if (named) return chosen(fieldFound(named), 0, variables);
  const asked = askedWords(words);
  const close = fields
    .map((field) => ({ field, surplus: surplusOf(field, asked) ?? Number.POSITIVE_INFINITY }))
    .filter(({ surplus }) => Number.isFinite(surplus))
    .toSorted((a, b) => a.surplus - b.surplus);
  const closeFields = close.map(({ field }) => fieldFound(field));
  if (variables.length === 1 && variables[0]) return chosen(variables[0], 0, closeFields);
  if (variables.length > 1) return several(variables);
  const everyday = fields.find(({ name }) => name === everydayField(words));
  if (everyday) return chosen(fieldFound(everyday), 2, closeFields);
  return matchWords(fields, asked, close) ?? resembling(words, { ...catalogue, fields }, [...custom, ...dynamic]);
}

/** The columns that a list of words stands for in one scope, or why it stands for none. */
export interface Resolved {
  readonly scope: string;
  readonly columns: readonly ExportColumn[];
  /** One sentence for each text that is not clear or not there. */
  readonly problems: readonly string[];
  /** The texts that the first problems are about. */
  readonly missing: readonly string[];
  /** Sentences for the notes. */
  readonly notes: readonly string[];
  /** How far the words are from the names, all together; compares scopes. */
  readonly distance: number;
}

/** A column name that any format can hold. */
const PLAIN_NAME = /^[\w.-]{1,100}$/;

/** Variables are called by their key, because `custom_var` says nothing and two of them would be called the same. */
function aliasOf({ alias }: FieldRequest, { key }: FoundField, fieldNames: ReadonlySet<string>): { aliasName?: string } {
  if (alias !== undefined) return { aliasName: alias };
  if (key === undefined || !PLAIN_NAME.test(key)) return {};
  return { aliasName: fieldNames.has(key) ? `variable_${key}` : key };
}

function nameInFile({ aliasName, fieldName }: ExportColumn): string {
  return aliasName ?? fieldName;
}

/** Texts one by one: several in one text are apart by commas, unless a variable is called just so. */
function apart(texts: readonly string[], { customVariables, dynamicKeys }: FieldCatalogue): string[] {
  const keys = [...customVariables.map(({ key }) => key), ...dynamicKeys].filter((key) => /[,;]/.test(key));
  const isWhole = (text: string) => keys.some((key) => text.includes(key));
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

/** Resolves words to the columns of an export, each column once. */
export async function resolveFields(texts: readonly string[], catalogue: FieldCatalogue): Promise<Resolved> {
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
    const column = { asked: request.asked, ...found, ...aliasOf(request, match.found, fieldNames) };
    const known = columns.get(identityOf(column));
    if (known) notes.push(`"${column.asked}" is the same column as "${known.asked}".`);
    else columns.set(identityOf(column), column);
    distance += match.distance;
  }
  const all = [...columns.values()];
  return { scope: catalogue.scope, columns: all, problems: [...problems, ...clashes(all)], missing, notes, distance };
}

/** One sentence that names what every text became, where it is not the very name. */
export function resolvedWords(columns: readonly ExportColumn[]): string[] {
  const words = columns
    .filter(({ asked, fieldName }) => asked !== fieldName)
    .map((column) => `"${column.asked.replaceAll('"', "'")}" = ${columnWords(column)}`);
  return words.length > 0 ? [`Fields: ${words.join(', ')}.`] : [];
}

/** The scope in which every text has a column; where several have, the one whose names are closest, the earlier one of equals. */
export function chooseScope(candidates: readonly Resolved[]): Resolved | undefined {
  return candidates.filter(({ problems }) => problems.length === 0).toSorted((a, b) => a.distance - b.distance)[0];
}

/** The problems of a scope; of a text that another one has they say where it is, and how to have both. */
export function problemsOfScope({ scope, problems, missing }: Resolved, others: readonly Resolved[]): string[] {
  return problems.map((problem, index) => {
    const asked = missing[index];
    const found = others.flatMap((other) => other.columns.flatMap((column) => (column.asked === asked ? [{ other, column }] : [])))[0];
    if (asked === undefined || !found) return problem;
    return (
      `"${asked}" is no field of scope ${scope}, but of scope ${found.other.scope}: ${columnWords(found.column)}. ` +
      `Export both scopes with project_id, user_id and session_id${hint('query_export', '; query_export joins them.', '.')}`
    );
  });
}
