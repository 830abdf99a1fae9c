/** Adds to the count of a key, which begins at 0; gives the new count. */
export function addTo<Key>(counts: Map<Key, number>, key: Key, amount = 1): number {
  const count = countOf(counts, key) + amount;
  counts.set(key, count);
  return count;
}

/** How often a key was counted: 0 where it never was. */
export function countOf<Key>(counts: ReadonlyMap<Key, number>, key: Key): number {
  return counts.get(key) ?? 0;
}

/** The sum of what is known: an item whose value is not known adds nothing. */
export function sumOfKnown<Item>(items: Iterable<Item>, valueOf: (item: Item) => number | null | undefined): number {
  let sum = 0;
  for (const item of items) sum += valueOf(item) ?? 0;
  return sum;
}
