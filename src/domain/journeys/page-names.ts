import { groupPages, type PathViews } from './page-groups.ts';

/** Pages that keep a name of their own, patterns included. */
const MOST_NAMES = 200;
/** The name of all pages that are in no group of their own. */
export const OTHER = 'other pages';

/** The names of pages: ids and other lists of siblings by their pattern (`/p/*`), the others by their path. */
export function pageNames(paths: readonly PathViews[]): (path: string) => string {
  const sums = new Map<string, number>();
  for (const { path, views } of paths) sums.set(path, (sums.get(path) ?? 0) + views);
  const groups = groupPages(
    [...sums].map(([path, views]) => ({ path, views })),
    MOST_NAMES,
  );
  const names = new Map(groups.flatMap(({ name, paths: own }) => own.map(({ path }) => [path, name] as const)));
  return (path) => names.get(path) ?? OTHER;
}
