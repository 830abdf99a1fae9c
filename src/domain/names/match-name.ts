import { nearestFirst } from '../../lib/nearest.ts';
import { visibleText } from '../../lib/visible-text.ts';

/** Kinds of objects that an argument may name instead of giving their id. */
export type NameKind = 'segment' | 'goal' | 'mapping' | 'page group' | 'zoning' | 'zone' | 'scenario' | 'export job';

/** An object that can be named; `path` runs from the outermost container to its own name. */
export interface Named {
  readonly id: number;
  readonly path: readonly string[];
  /** ISO 8601, where the interface says when it was last changed. */
  readonly changedAt?: string;
}

/** What a name stands for: one object, several that need telling apart, or none with the closest ones. */
export type Match =
  | { readonly found: Named }
  | { readonly several: readonly Named[] }
  /** Up to five candidates, best first; none only where there is no candidate at all. `isNear`: they resemble the text. */
  | { readonly closest: readonly Named[]; readonly isNear: boolean };

/** Folds case, accents, dashes, runs of spaces and what is not seen, so that "acheteurs fideles" equals "Acheteurs  fidèles". */
export function fold(text: string): string {
  return visibleText(text)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/\p{Pd}/gu, '-')
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .trim();
}

/** The whole path as a person reads it: `Home / Header / Search bar`. */
export function pathOf(named: Named): string {
  return named.path.join(' / ');
}

/** The steps of a path as a person writes it; a single step for a plain name. */
export function stepsOf(text: string): string[] {
  const steps = text
    .split('/')
    .map(fold)
    .filter((step) => step !== '');
  return steps.length > 0 ? steps : [fold(text)];
}

type Compare = (name: string, step: string) => boolean;
const equals: Compare = (name, step) => name === step;
const begins: Compare = (name, step) => name.startsWith(step);

/** True when the last step names the object itself and the others name containers, outermost first, gaps allowed. */
function follows(path: readonly string[], steps: readonly string[], compare: Compare): boolean {
  const own = path.at(-1);
  const last = steps.at(-1);
  if (own === undefined || last === undefined || !compare(own, last)) return false;
  let next = 0;
  for (const container of path.slice(0, -1)) {
    const step = steps[next];
    if (step !== undefined && next < steps.length - 1 && compare(container, step)) next += 1;
  }
  return next === steps.length - 1;
}

function distinct(candidates: readonly Named[]): Named[] {
  return [...new Map(candidates.map((candidate) => [candidate.id, candidate])).values()];
}

/** Finds what `text` names: an exact match, else a unique prefix; closest names are offered, never used. */
export async function matchName(text: string, candidates: readonly Named[]): Promise<Match> {
  const folded = candidates.map((candidate) => ({ candidate, path: candidate.path.map(fold) }));
  const whole = fold(text);
  const attempts: ((path: readonly string[]) => boolean)[] = [
    (path) => path.at(-1) === whole,
    (path) => follows(path, stepsOf(text), equals),
    (path) => path.at(-1)?.startsWith(whole) ?? false,
    (path) => follows(path, stepsOf(text), begins),
  ];
  for (const attempt of attempts) {
    const matches = distinct(folded.filter(({ path }) => attempt(path)).map(({ candidate }) => candidate));
    const [only] = matches;
    if (only && matches.length === 1) return { found: only };
    if (matches.length > 1) return { several: matches };
  }
  return closestNames(text, distinct(candidates));
}

/** A search takes time with every character; no name is longer. */
const LONGEST_SEARCH = 200;

/** Most candidates that are offered. */
const OFFERED = 5;

async function closestNames(text: string, candidates: readonly Named[]): Promise<Match> {
  const { default: Fuse } = await import('fuse.js');
  const rows = candidates.map((candidate) => ({ candidate, name: candidate.path.at(-1) ?? '', path: pathOf(candidate) }));
  const fuse = new Fuse(rows, { keys: ['name', 'path'], threshold: 0.5, ignoreLocation: true, ignoreDiacritics: true });
  const near = fuse.search(text.slice(0, LONGEST_SEARCH), { limit: OFFERED });
  if (near.length > 0) return { closest: near.map(({ item }) => item.candidate), isNear: true };
  return { closest: nearestFirst(text, candidates, pathOf).slice(0, OFFERED), isNear: false };
}

/** Stands among segments side by side for the selection without any of them. */
export const ALL_VISITORS = 'all visitors';

/** The id of a segment, or all visitors beside it. */
export type SegmentChoice = number | typeof ALL_VISITORS;

const WORDS: ReadonlySet<string> = new Set(['allvisitors', 'allvisits', 'everyone', 'allusers']);

/** Whether a name stands for all visitors, case and spaces ignored; a segment that is called so comes first. */
export function meansAllVisitors(text: string): boolean {
  return WORDS.has(fold(text).replaceAll(/[\s_-]/g, ''));
}

/** Stands in a list of objects for all there are. */
export const EACH = 'all';

/** Whether a name in a list stands for all objects of a kind: `all`, `all scenarios`, `*`; an object that is called so comes first. */
export function meansEach(kind: NameKind, text: string): boolean {
  return [EACH, '*', `${EACH} ${kind}s`, `${EACH} the ${kind}s`, `every ${kind}`].includes(fold(text));
}

/** The segments that visitors of each choice are in, all of them also in `within`. */
export function segmentSetsOf(within: readonly number[], choices: readonly SegmentChoice[]): (readonly number[])[] {
  return choices.map((choice) => (choice === ALL_VISITORS ? [...within] : [...within.filter((id) => id !== choice), choice]));
}
