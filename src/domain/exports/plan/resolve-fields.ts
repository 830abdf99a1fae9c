import { columnWords, type ExportColumn, type FieldCatalogue, type FieldRequest, identityOf, readFieldRequest } from './field-catalogue.ts';
import { type Found, matchField } from './match-field.ts';

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
function aliasOf({ alias }: FieldRequest, { key }: Found, fieldNames: ReadonlySet<string>): { aliasName?: string } {
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
      ? [`"${column.asked}" and "${earlier.asked}" would both be called ${nameInFile(column)}; write "${column.asked} as <name>".`]
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

/** The problems of a scope that was named; of what another scope has they say where it is, and how to have both. */
export function problemsOfScope({ scope, problems, missing }: Resolved, elsewhere: readonly Resolved[]): string[] {
  return problems.map((problem, index) => {
    const asked = missing[index];
    const found = elsewhere.flatMap((other) => other.columns.flatMap((column) => (column.asked === asked ? [{ other, column }] : [])))[0];
    if (asked === undefined || !found) return problem;
    return (
      `"${asked}" is no field of scope ${scope}, but of scope ${found.other.scope}: ${columnWords(found.column)}. ` +
      'Export both scopes with project_id, user_id and session_id; query_export joins them.'
    );
  });
}

/** Why no scope has all: the problems of the one that comes closest, and of each text that another scope has which one that is. */
export function lackWords(candidates: readonly Resolved[]): { scope: string; problems: string[] } | undefined {
  const [closest, ...others] = candidates.toSorted((a, b) => a.problems.length - b.problems.length);
  if (!closest) return undefined;
  const problems = closest.problems.map((problem, index) => {
    const asked = closest.missing[index];
    const other = others.find(({ missing }) => asked !== undefined && missing.length > 0 && !missing.includes(asked));
    if (!other) return problem;
    const lacking = other.missing.map((text) => `"${text}"`).join(', ');
    return (
      `"${asked}" is a field of scope ${other.scope}, which lacks ${lacking}: plan an export for each scope; query_export joins them ` +
      'by project_id, user_id and session_id.'
    );
  });
  return { scope: closest.scope, problems };
}
