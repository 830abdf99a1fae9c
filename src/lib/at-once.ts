import { createTurns } from './turns.ts';

/** Runs `task` for each item, at most `limit` at a time; resolves when all have ended, each result in the place of its item. */
export function atMostAtOnce<Item, Result>(
  items: readonly Item[],
  limit: number,
  task: (item: Item) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const inTurn = createTurns(limit);
  return Promise.allSettled(items.map((item) => inTurn(() => task(item))));
}
