/** How alike two names must be, from 0 to 1 (equal), so that one is offered as what was meant by the other. */
const ALIKE = 0.4;
/** No name is longer. */
const LONGEST_NAME = 200;

/** Pairs of letters and digits next to each other and next but one, so that two in the wrong order cost little; numbered among equals. */
function pairsOf(text: string): ReadonlySet<string> {
  const plain = text
    .slice(0, LONGEST_NAME)
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
  const pairs = new Set<string>();
  for (const step of [1, 2])
    for (let at = 0; at + step < plain.length; at += 1) {
      let pair = `${plain[at]}${plain[at + step]}`;
      while (pairs.has(pair)) pair += '+';
      pairs.add(pair);
    }
  return pairs;
}

/** Dice's coefficient over pairs of letters: 1 for the same pairs, 0 for none in common; it forgives swapped words and typing errors. */
function likeness(wanted: ReadonlySet<string>, name: string): number {
  const pairs = pairsOf(name);
  const shared = [...pairs].filter((pair) => wanted.has(pair)).length;
  return (2 * shared) / Math.max(1, wanted.size + pairs.size);
}

/** Whether two texts say nearly the same: at least three quarters of their pairs of letters are shared. */
export function areAlike(one: string, other: string): boolean {
  return likeness(pairsOf(one), other) >= 0.75;
}

/** All of `items`, those whose name resembles `text` first; equals keep their order. */
export function nearestFirst<T>(text: string, items: readonly T[], nameOf: (item: T) => string): T[] {
  const wanted = pairsOf(text);
  return items
    .map((item) => ({ item, likeness: likeness(wanted, nameOf(item)) }))
    .toSorted((a, b) => b.likeness - a.likeness)
    .map(({ item }) => item);
}

/** The name that was probably meant by `text`; undefined where none resembles it. */
export function nearest(text: string, names: readonly string[]): string | undefined {
  const [first] = nearestFirst(text, names, (name) => name);
  return first !== undefined && likeness(pairsOf(text), first) >= ALIKE ? first : undefined;
}

/** The end of a sentence about an unknown name: the one that was probably meant, else `otherwise` (by default all that there are). */
export function suggestion(text: string, names: readonly string[], otherwise = `there are ${names.join(', ')}`): string {
  const meant = nearest(text, names);
  return meant === undefined ? otherwise : `did you mean ${meant}?`;
}
