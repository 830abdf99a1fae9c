import { searchObjects } from '../../names/search-objects.ts';
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
  plain,
  surplusOf,
} from './field-catalogue.ts';

/** A column without the name that it gets in the file. */
export type Found = Omit<ExportColumn, 'asked' | 'aliasName'> & {
  /** Key of a variable, which becomes the name of its column. */
  readonly key?: string;
};

/** What words stand for: one column, with how far it is from the words (0: its very name), or a sentence that lists what they may mean. */
export type FieldMatch = { readonly found: Found; readonly distance: number } | { readonly problem: string };

const MOST_CANDIDATES = 6;
/** A name that goes further beyond the words is a candidate, not what was meant. */
const LARGEST_SURPLUS = 1;

function fieldFound({ name, description }: ExportableField): Found {
  return { fieldName: name, meaning: description ?? '' };
}

function customFound({ position, key }: FieldCatalogue['customVariables'][number]): Found {
  return { fieldName: CUSTOM_VARIABLE, customVarPosition: position, key, meaning: `Custom variable ${key}` };
}

function dynamicFound(key: string): Found {
  return { fieldName: DYNAMIC_VARIABLE, dynamicVarKey: key, key, meaning: `Dynamic variable ${key}` };
}

function wordsFor({ key, ...column }: Found): string {
  return columnWords({ ...column, ...(key !== undefined && { aliasName: key }) });
}

function listed(candidates: readonly Found[]): string {
  const shown = candidates
    .slice(0, MOST_CANDIDATES)
    .map((each) => (each.key === undefined && each.meaning ? `${each.fieldName} (${each.meaning})` : wordsFor(each)));
  const more = candidates.length > MOST_CANDIDATES ? ` and ${candidates.length - MOST_CANDIDATES} more` : '';
  return `${shown.join(', ')}${more}`;
}

function several(candidates: readonly Found[]): FieldMatch {
  return { problem: `may mean ${listed(candidates)}. Name one of them.` };
}

function chosen(found: Found, distance: number, others: readonly Found[] = []): FieldMatch {
  const also = [...new Set(others.map(wordsFor))].filter((words) => words !== wordsFor(found)).slice(0, 3);
  return { found: also.length > 0 ? { ...found, also } : found, distance };
}

const LISTS = { custom: 'list_custom_variables', dynamic: 'list_dynamic_variable_keys' } as const;

/** Chooses one of the variables of a kind by key, or by position. */
function matchVariable(words: string, all: readonly Found[], kind: keyof typeof LISTS): FieldMatch {
  const named = all.filter(({ key, customVarPosition }) => plain(key ?? '') === plain(words) || String(customVarPosition) === words);
  if (words !== '' && named.length === 1 && named[0]) return chosen(named[0], 0);
  if (all.length === 0) return { problem: `needs a ${kind} variable, and none is known; ${LISTS[kind]} lists them.` };
  return { problem: `${words === '' ? 'does not say which' : 'is not one of them'}; the ${kind} variables are ${listed(all)}.` };
}

/** Letters that are inserted, left out or replaced between two texts. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [at, sign] of Array.from(a).entries()) {
    const next = [at + 1];
    for (let index = 0; index < b.length; index += 1)
      next.push(Math.min((next[index] ?? 0) + 1, (row[index + 1] ?? 0) + 1, (row[index] ?? 0) + (sign === b.charAt(index) ? 0 : 1)));
    row = next;
  }
  return row[b.length] ?? a.length;
}

/** Whether a text is a name with at most one wrong letter in five. */
function isTypo(text: string, name: string): boolean {
  return editDistance(text, name) <= Math.max(1, Math.floor(name.length / 5));
}

/** What resembles the words at all, where nothing is said by them. */
async function resembling(words: string, catalogue: FieldCatalogue, variables: readonly Found[]): Promise<FieldMatch> {
  const objects = [
    ...catalogue.fields.map((field) => ({
      found: fieldFound(field),
      id: field.name,
      words: `${(field.aliases ?? []).join(' ')} ${field.description ?? ''}`,
    })),
    ...variables.map((found) => ({ found, id: found.key ?? '', words: '' })),
  ];
  const search = objects.map(({ id, words: text }, index) => ({ kind: String(index), id, path: [id], words: text }));
  const hits = (await searchObjects(search, words)).flatMap(({ kind }) => objects[Number(kind)]?.found ?? []);
  const typos = hits.filter(({ fieldName, key }) => isTypo(plain(words), plain(key ?? fieldName)));
  if (hits.length === 1 && typos.length === 1 && typos[0]) return chosen(typos[0], 4);
  if (typos.length > 1) return several(typos);
  // A similar name is never used in place of the given one: "device" is not the dynamic variable delivery_days.
  const nearest = hits.length > 0 ? ` The names that look most alike: ${listed(hits.slice(0, 3))}.` : '';
  return { problem: `is not a field of scope ${catalogue.scope}; list_exportable_fields lists them.${nearest}` };
}

/** Finds the field or variable that a request means; what is not clear is a problem with its candidates, never a guess. */
export async function matchField({ kind, words }: FieldRequest, catalogue: FieldCatalogue): Promise<FieldMatch> {
  const custom = catalogue.customVariables.map(customFound);
  const dynamic = catalogue.dynamicKeys.map(dynamicFound);
  if (kind === 'custom') return matchVariable(words, custom, 'custom');
  if (kind === 'dynamic') return matchVariable(words, dynamic, 'dynamic');
  const wanted = plain(words);
  const isVariableField = ({ name }: ExportableField) => name === CUSTOM_VARIABLE || name === DYNAMIC_VARIABLE;
  const fields = catalogue.fields.filter((field) => !isVariableField(field));
  const variables = [...custom, ...dynamic].filter(({ key }) => plain(key ?? '') === wanted);

  const named =
    fields.find(({ name }) => plain(name) === wanted) ?? fields.find(({ aliases }) => aliases?.some((alias) => plain(alias) === wanted));
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

  const [best, second] = close;
  const [first] = closeFields;
  if (best && first && best.surplus <= LARGEST_SURPLUS && best.surplus < (second?.surplus ?? Number.POSITIVE_INFINITY))
    return chosen(first, 1 + best.surplus, closeFields);

  const matching = fields.map((field) => ({ field, how: described(field, asked) })).filter(({ how }) => how !== undefined);
  const exact = matching.filter(({ how }) => how === 'exact');
  const [only] = exact.length === 1 ? exact : matching;
  const others = matching.map(({ field }) => fieldFound(field));
  if (only && (exact.length === 1 || matching.length === 1)) return chosen(fieldFound(only.field), 3, others);
  const candidates = [...new Map([...closeFields, ...others].map((found) => [found.fieldName, found])).values()];
  if (candidates.length > 0) return several(candidates);
  return resembling(words, { ...catalogue, fields }, [...custom, ...dynamic]);
}
