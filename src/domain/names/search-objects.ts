import type { IFuseOptions } from 'fuse.js';
import { fold } from './match-name.ts';

/** An object that can be searched; `path` runs from the outermost container to its own name. */
export interface SearchObject {
  readonly kind: string;
  readonly id: number | string;
  readonly path: readonly string[];
  /** ISO 8601, where the interface says when it was last changed. */
  readonly changedAt?: string;
  /** What else describes it. */
  readonly words?: string;
}

interface Row {
  readonly object: SearchObject;
  readonly name: string;
  readonly path: string;
  readonly words: string;
}

const options: IFuseOptions<Row> = {
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

const rowsOf = (objects: readonly SearchObject[]): Row[] =>
  objects.map((object) => ({
    object,
    name: plain(object.path.at(-1) ?? ''),
    path: plain(object.path.join(' ')),
    words: plain(object.words ?? ''),
  }));

/** 0 the very name or id, 1 its beginning, 2 a part of it, 3 anything else that resembles. */
function closeness({ name, object }: Row, wanted: string): number {
  if (name === wanted || String(object.id) === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  return name.includes(wanted) ? 2 : 3;
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
  const found = every.length > 0 ? every : fuse.search(wanted);
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
