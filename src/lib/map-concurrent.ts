import pLimit from 'p-limit';

/** Runs `task` for each item, at most `limit` at a time; resolves when all have ended, each result in the place of its item. */
export function mapConcurrent<Item, Result>(
  items: readonly Item[],
  limit: number,
  task: (item: Item) => Promise<Result>,
): Promise<PromiseSettledResult<Result>[]> {
  const semaphore = pLimit(limit);
  return Promise.allSettled(items.map((item) => semaphore(task, item)));
}
