/** What items are put in order by: a number, or whether something holds of them, where those of which it does not come first. */
type Key<Item> = (item: Item) => number | boolean;

/** Compares items for a sort: the smallest first by a key, and by the next one where that leaves it open. */
export const byLeast =
  <Item>(...keys: readonly Key<Item>[]) =>
  (a: Item, b: Item): number =>
    keys.map((key) => Number(key(a)) - Number(key(b))).find(Boolean) ?? 0;

/** The same, the largest first. */
export const byMost =
  <Item>(...keys: readonly Key<Item>[]) =>
  (a: Item, b: Item): number =>
    byLeast(...keys)(b, a);
