import { grouped } from '../lib/grouped.ts';
import { addTo, sumOfKnown } from '../lib/tally.ts';

/** A path and how often it was viewed; more figures of it are added up with it. */
export interface PathViews {
  readonly path: string;
  readonly views: number;
}

/** Pages that are looked at as one: a path, or a pattern in which `*` stands for any characters. */
export interface PageGroup<T extends PathViews = PathViews> {
  readonly pattern: string;
  /** The pattern; `/p/* (others)` where pages that are like it are in another group. */
  readonly name: string;
  readonly views: number;
  readonly paths: readonly T[];
}

/** Siblings from this number on are members of a list, such as products, rather than pages of their own. */
export const MANY_SIBLINGS = 8;
/** A sibling with this share of the views of all is a page of its own even so … */
const OWN_SHARE = 0.1;
/** … and a word without a digit, which no id is, with this one. */
const WORD_SHARE = 0.02;

type Unnamed<T extends PathViews> = Omit<PageGroup<T>, 'name'>;

/** How often paths were viewed together. */
export const viewsOf = (paths: readonly PathViews[]) => sumOfKnown(paths, ({ views }) => views);

const groupOf = <T extends PathViews>(pattern: string, paths: readonly T[]): Unnamed<T> => ({ pattern, views: viewsOf(paths), paths });

function isOwn(segment: string, share: number): boolean {
  return share >= OWN_SHARE || (share >= WORD_SHARE && !/\d/.test(segment));
}

/** Groups of paths that all begin with the prefix, those that are no longer than it as one. */
function groupsBelow<T extends PathViews>(paths: readonly T[], prefix: string): Unnamed<T>[] {
  const depth = prefix.split('/').length;
  const views = viewsOf(paths);
  const children = [...grouped(paths, ({ path }) => path.split('/')[depth])].map(([segment, own]) => {
    return { segment, own, isAlike: segment !== undefined && !isOwn(segment, viewsOf(own) / views) };
  });
  const alike = children.filter(({ isAlike }) => isAlike);
  const isList = alike.length >= MANY_SIBLINGS;
  const ending = children.find(({ segment }) => segment === undefined);
  const apart = children.filter((child) => child !== ending && !(isList && child.isAlike));
  return [
    ...(ending ? [groupOf(prefix || '/', ending.own)] : []),
    ...apart.flatMap(({ segment, own }) => groupsBelow(own, `${prefix}/${segment}`)),
    ...(isList
      ? groupsBelow(
          alike.flatMap(({ own }) => own),
          `${prefix}/*`,
        )
      : []),
  ];
}

/** A group with less of the views of all takes no other one's place: it is left out before any are put together. */
const TINY_SHARE = 0.001;

/** Puts the most numerous siblings together until there are no more groups than asked for. */
function folded<T extends PathViews>(groups: readonly Unnamed<T>[], most: number): Unnamed<T>[] {
  let left = [...groups];
  const least = TINY_SHARE * sumOfKnown(groups, ({ views }) => views);
  while (left.filter(({ views }) => views >= least).length > most) {
    const families = grouped(left, ({ pattern }) => pattern.slice(0, Math.max(0, pattern.lastIndexOf('/'))));
    const [parent, members] = [...families].filter(([name]) => name !== '').toSorted((a, b) => b[1].length - a[1].length)[0] ?? [];
    if (parent === undefined || members === undefined || members.length < 3) break;
    const all = groupOf(
      `${parent}/*`,
      members.flatMap(({ paths }) => paths),
    );
    left = [...left.filter((group) => !members.includes(group)), all];
  }
  return left;
}

function nameOf<T extends PathViews>({ pattern }: Unnamed<T>, groups: readonly Unnamed<T>[]): string {
  if (!pattern.includes('*')) return pattern;
  const isMeant = likeness(pattern);
  const hasOthers = groups.some((other) => other.pattern !== pattern && other.paths.some(({ path }) => isMeant(path)));
  return hasOthers ? `${pattern} (others)` : pattern;
}

/** The pages of a site, ids and other lists of siblings as one group each: the most viewed `most` of them. */
export function groupPages<T extends PathViews>(paths: readonly T[], most: number): PageGroup<T>[] {
  // The screens of an app have names without a slash.
  const isScreen = ({ path }: T) => path !== '' && !path.includes('/');
  const pages = paths.filter((entry) => !isScreen(entry));
  const screens = paths.filter(isScreen).map((entry) => groupOf(entry.path, [entry]));
  const groups = folded([...groupsBelow(pages, ''), ...screens], most).toSorted((a, b) => b.views - a.views);
  return groups.slice(0, most).map((group) => ({ ...group, name: nameOf(group, groups) }));
}

/** Tells of paths whether they are like a pattern in which `*` stands for any characters. */
export function likeness(pattern: string): (path: string) => boolean {
  const parts = pattern.split(/\*+/).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  const whole = new RegExp(`^${parts.join('.*')}$`, 's');
  return (path) => whole.test(path);
}

/** Pages by how many sessions were there, the most first. */
export function mostSeen(counts: ReadonlyMap<string, number>): { page: string; sessions: number }[] {
  const pages = [...counts].map(([page, sessions]) => ({ page, sessions }));
  return pages.toSorted((a, b) => b.sessions - a.sessions || (a.page < b.page ? -1 : 1));
}

/** Pages that keep a name of their own, patterns included. */
const MOST_NAMES = 200;
/** The name of all pages that are in no group of their own. */
export const OTHER = 'other pages';

/** The names of pages: ids and other lists of siblings by their pattern (`/p/*`), the others by their path. */
export function pageNames(paths: readonly PathViews[]): (path: string) => string {
  const sums = new Map<string, number>();
  for (const { path, views } of paths) addTo(sums, path, views);
  const groups = groupPages(
    [...sums].map(([path, views]) => ({ path, views })),
    MOST_NAMES,
  );
  const names = new Map(groups.flatMap(({ name, paths: own }) => own.map(({ path }) => [path, name] as const)));
  return (path) => names.get(path) ?? OTHER;
}
