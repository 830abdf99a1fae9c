/** Items by what they have in common, in the order of their first appearance. */
export function grouped<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/** Items in runs, each as long as the next one goes on with what is open. */
export function runsOf<Item>(items: readonly Item[], goesOn: (run: readonly Item[], item: Item) => boolean): Item[][] {
  const runs: Item[][] = [];
  for (const item of items) {
    const open = runs.at(-1);
    if (open && goesOn(open, item)) open.push(item);
    else runs.push([item]);
  }
  return runs;
}
