import type { IFuseOptions } from 'fuse.js';
import { nearestFirst } from '../lib/nearest.ts';
import { unrendered } from '../lib/strangers-text.ts';
import { visibleText } from '../lib/visible-text.ts';

/** Longer words are no names. */
const LONGEST_WORD = 40;
/** Words that turn a name into its opposite. */
const NEGATIONS: ReadonlySet<string> = new Set([
  'no',
  'non',
  'not',
  'never',
  'without',
  'except',
  'excluding',
  'excl',
  'sans',
  'ohne',
  'kein',
  'nicht',
]);

/** How many letters of a word may be mistyped: none of a short one, and none where digits tell one thing from another. */
function mistakesIn(word: string): number {
  if (word.length < 4 || word.length > LONGEST_WORD || /\d/.test(word)) return 0;
  return word.length < 8 ? 1 : 2;
}

/** Whether at most so many letters were left out, added, replaced, or swapped with their neighbour, between two words. */
function isWithin(most: number, one: string, other: string): boolean {
  if (one === other) return true;
  if (most === 0) return false;
  let at = 0;
  while (one[at] === other[at]) at += 1;
  const restOf = (taken: number, typed: number) => isWithin(most - 1, one.slice(at + taken), other.slice(at + typed));
  const isSwapped = one[at] === other[at + 1] && one[at + 1] === other[at];
  return restOf(1, 0) || restOf(0, 1) || restOf(1, 1) || (isSwapped && restOf(2, 2));
}

/** Whether a word is another one with few mistakes; the first letter is seldom mistyped, and telling. */
function isMistyped(word: string, typed: string): boolean {
  return word === typed || (word[0] === typed[0] && isWithin(Math.min(mistakesIn(word), mistakesIn(typed)), word, typed));
}

const wordsOf = (text: string) => text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');

function areMistyped(words: readonly string[], typed: readonly string[]): boolean {
  return words.length === typed.length && words.every((word, at) => isMistyped(word, typed[at] ?? ''));
}

/** Whether a folded name is the folded text with few typing mistakes. */
export function isNearly(name: string, text: string): boolean {
  const typed = wordsOf(text);
  return typed.length > 0 && areMistyped(wordsOf(name), typed);
}

/** Whether a folded name holds the words of the folded text side by side, few letters mistyped, and no word that turns them round. */
export function holdsNearly(name: string, text: string): boolean {
  const [words, typed] = [wordsOf(name), wordsOf(text)];
  const at = words.findIndex((_, index) => areMistyped(words.slice(index, index + typed.length), typed));
  if (typed.join('').length < 3 || at === -1) return false;
  return words.every((word, index) => (index >= at && index < at + typed.length) || !NEGATIONS.has(word));
}

/** The value that all of these are; undefined where there is none or they differ. */
export function onlyOneOf(values: readonly string[]): string | undefined {
  const [first, ...others] = new Set(values);
  return others.length === 0 ? first : undefined;
}

/** Kinds of objects that an argument may name instead of giving their id. */
export const nameKinds = ['segment', 'goal', 'mapping', 'page group', 'zoning', 'zone', 'scenario', 'export job'] as const;
/** A kind of objects that can be named. */
export type NameKind = (typeof nameKinds)[number];

/** An object that can be named; `path` runs from the outermost container to its own name. */
export interface Named {
  readonly id: number;
  readonly path: readonly string[];
  /** ISO 8601, where the interface says when it was last changed. */
  readonly changedAt?: string;
}

/** The result of a search by name: one object, several that need telling apart, or none with the closest ones. */
export type Match =
  | { readonly found: Named }
  | { readonly several: readonly Named[] }
  /**
   * Up to five candidates, best first; none only where there is no candidate at all. `isNear`: they resemble the text. `close`: the only
   * one that the text may be a mistyped or shortened name of.
   */
  | { readonly closest: readonly Named[]; readonly isNear: boolean; readonly close?: Named };

/**
 * Folds case, accents, dashes, runs of spaces, what is not seen and what is shown in another way, so that "acheteurs fideles" equals
 * "Acheteurs  fidèles".
 */
export function fold(text: string): string {
  return visibleText(unrendered(text))
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

/** Whether a text is the very name of an object, or a path that ends with it. */
export const isNameOf = ({ path }: Named, text: string) => fold(path.at(-1) ?? '') === stepsOf(text).at(-1);

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

/** Each object once, by the first of its paths, as a search shows it. */
function distinct(candidates: readonly Named[]): Named[] {
  const ids = new Set<number>();
  return candidates.filter(({ id }) => !ids.has(id) && ids.add(id));
}

/** Finds what `text` names: an exact match, else a unique prefix; closest names are offered. */
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
  const close = onlyClose(text, folded);
  return { ...(await closestNames(text, distinct(candidates))), ...(close && { close }) };
}

interface Folded {
  readonly candidate: Named;
  readonly path: readonly string[];
}

/** The only candidate whose name is the text with few typing mistakes, else the only one whose name holds it so. */
function onlyClose(text: string, folded: readonly Folded[]): Named | undefined {
  if (text.length > LONGEST_SEARCH) return undefined;
  for (const compare of [isNearly, holdsNearly]) {
    const close = distinct(folded.filter(({ path }) => follows(path, stepsOf(text), compare)).map(({ candidate }) => candidate));
    if (close.length > 0) return close.length === 1 ? close[0] : undefined;
  }
  return undefined;
}

/** A search takes time with every character; no name is longer. */
const LONGEST_SEARCH = 200;

/** Most candidates that are offered. */
const OFFERED = 5;

async function closestNames(text: string, candidates: readonly Named[]): Promise<{ closest: readonly Named[]; isNear: boolean }> {
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

const WORDS: ReadonlySet<string> = new Set(['all', 'allvisitors', 'allvisits', 'everyone', 'allusers']);

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

/** An object that can be searched; `path` runs from the outermost container to its own name. */
export interface SearchObject {
  readonly kind: string;
  readonly id: number | string;
  readonly path: readonly string[];
  /** ISO 8601, where the interface says when it was last changed. */
  readonly changedAt?: string;
  /** Further words that describe it. */
  readonly words?: string;
}

interface DistanceRow {
  readonly object: SearchObject;
  readonly name: string;
  readonly path: string;
  readonly words: string;
}

const options: IFuseOptions<DistanceRow> = {
  keys: [
    { name: 'name', weight: 6 },
    { name: 'path', weight: 3 },
    { name: 'words', weight: 1 },
  ],
  threshold: 0.34,
  ignoreLocation: true,
  includeScore: true,
};

/** Text as it is compared: folded, separators as spaces. */
function plain(text: string): string {
  return fold(text)
    .replaceAll(/[\s_/.,:;()"'–-]+/g, ' ')
    .trim();
}

const rowsOf = (objects: readonly SearchObject[]): DistanceRow[] =>
  objects.map((object) => ({
    object,
    name: plain(object.path.at(-1) ?? ''),
    path: plain(object.path.join(' ')),
    words: plain(object.words ?? ''),
  }));

/** 0 the very name or id, 1 its beginning, 2 a part of it, 3 anything else that resembles. */
function closeness({ name, object }: DistanceRow, wanted: string): number {
  if (name === wanted || String(object.id) === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  return name.includes(wanted) ? 2 : 3;
}

/** Whether a row has a word, or one with few mistakes: what only resembles a part of a text is mostly chance. */
function hasWord({ path, words, object }: DistanceRow, word: string): boolean {
  const own = `${path} ${words} ${plain(String(object.id))}`.split(' ');
  return own.some((each) => each.includes(word) || isNearly(each, word) || isNearly(each.slice(0, word.length), word));
}

/** Letters in a row that short words of a path have by chance where one ends and the next begins. */
const LONGEST_CHANCE = 5;

/** Whether a row has all words, or the text written as one word. */
function hasAll(row: DistanceRow, words: readonly string[]): boolean {
  const joined = words.join('');
  return words.every((word) => hasWord(row, word)) || (joined.length > LONGEST_CHANCE && row.path.replaceAll(' ', '').includes(joined));
}

/**
 * Objects that a text may mean, the best first, each once: every word must resemble a word of name, path or description; where that finds
 * none, the text as a whole.
 */
export async function searchObjects(objects: readonly SearchObject[], text: string): Promise<SearchObject[]> {
  const { default: Fuse } = await import('fuse.js');
  const wanted = plain(text);
  const words = wanted.split(' ').filter((word) => word !== '');
  if (words.length === 0) return [];
  const rows = rowsOf(objects);
  const fuse = new Fuse(rows, options);
  const exact = rows.filter((row) => closeness(row, wanted) === 0).map((item) => ({ item, score: 0 }));
  const every = fuse.search({ $and: words.map((word) => ({ $or: [{ name: word }, { path: word }, { words: word }] })) });
  const meant = every.filter(({ item }) => hasAll(item, words));
  const found = meant.length > 0 ? meant : fuse.search(wanted).filter(({ item }) => hasAll(item, words));
  const ranked = [...exact, ...found].toSorted((a, b) => {
    const closer = closeness(a.item, wanted) - closeness(b.item, wanted);
    return closer === 0 ? (a.score ?? 1) - (b.score ?? 1) : closer;
  });
  return [...new Map(ranked.toReversed().map(({ item: { object } }) => [`${object.kind} ${object.id}`, object])).values()].toReversed();
}

/** Words that name nothing. */
const FILLERS: ReadonlySet<string> = new Set(['the', 'and', 'for', 'with', 'our', 'per', 'how', 'where', 'which', 'what', 'from']);
const SHORTEST_WORD = 3;

/**
 * Objects that hold at least a third of several words, those with the most of them: for a text that no object resembles in all its words.
 * Words are compared by their beginning, because what only resembles a part of a text is mostly chance.
 */
export function searchSomeWords(objects: readonly SearchObject[], text: string): SearchObject[] {
  const words = [...new Set(plain(text).split(' '))].filter((word) => word.length >= SHORTEST_WORD && !FILLERS.has(word));
  if (words.length < 2) return [];
  const stems = words.map((word) => (word.length > SHORTEST_WORD ? word.replace(/s$/, '') : word));
  const countIn = (of: string) => {
    const own = of.split(' ');
    return stems.filter((stem) => own.some((word) => word.startsWith(stem))).length;
  };
  const hits = rowsOf(objects).map(({ object, name, path, words: about }) => ({
    object,
    all: countIn(`${path} ${about}`),
    own: countIn(name),
  }));
  const most = Math.max(0, ...hits.map(({ all }) => all));
  if (most === 0 || 3 * most < words.length) return [];
  return hits
    .filter(({ all }) => all === most)
    .toSorted((a, b) => b.own - a.own)
    .map(({ object }) => object);
}

/** Other values that a note names. */
const MOST_NAMED = 8;

/**
 * The records whose member has this value, case and accents ignored; all where none is asked for. Says which values there are where none
 * fits.
 */
export function onlyOf<Member extends string, Row extends Readonly<Partial<Record<Member, string | null | undefined>>>>(
  member: Member,
  wanted: string | undefined,
  rows: readonly Row[],
  note: (sentence: string) => void,
): Row[] {
  if (wanted === undefined) return [...rows];
  const kept = rows.filter((row) => fold(row[member] ?? '') === fold(wanted));
  const values = [...new Set(rows.map((row) => row[member] ?? 'none'))];
  note(
    kept.length > 0
      ? `${kept.length} of ${rows.length} have the ${member} "${wanted}"; filtered by this server.`
      : `None of ${rows.length} has the ${member} "${wanted}"; there are ${values.slice(0, MOST_NAMED).join(', ')}.`,
  );
  return kept;
}
