import { grouped } from '../../lib/grouped.ts';
import { sumOfKnown } from '../../lib/tally.ts';

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

interface Node<T extends PathViews> {
  readonly children: Map<string, Node<T>>;
  readonly own: T[];
  views: number;
}

const emptyNode = <T extends PathViews>(): Node<T> => ({ children: new Map(), own: [], views: 0 });

function insert<T extends PathViews>(root: Node<T>, entry: T): void {
  let node = root;
  node.views += entry.views;
  for (const segment of entry.path.split('/').slice(1)) {
    const child = node.children.get(segment) ?? emptyNode<T>();
    node.children.set(segment, child);
    child.views += entry.views;
    node = child;
  }
  node.own.push(entry);
}

function merged<T extends PathViews>(nodes: readonly Node<T>[]): Node<T> {
  const all = emptyNode<T>();
  for (const node of nodes) {
    all.views += node.views;
    all.own.push(...node.own);
    for (const [segment, child] of node.children) {
      const known = all.children.get(segment);
      all.children.set(segment, known ? merged([known, child]) : child);
    }
  }
  return all;
}

function isOwn(segment: string, share: number): boolean {
  return share >= OWN_SHARE || (share >= WORD_SHARE && !/\d/.test(segment));
}

/** Groups of a node, those in it as one each. */
function groupsBelow<T extends PathViews>(node: Node<T>, prefix: string): Unnamed<T>[] {
  const groups: Unnamed<T>[] = [];
  const pattern = prefix === '' ? '/' : prefix;
  if (node.own.length > 0) groups.push({ pattern, views: sumOfKnown(node.own, ({ views }) => views), paths: node.own });
  const children = [...node.children];
  const alike = children.filter(([segment, { views }]) => !isOwn(segment, views / node.views));
  const isList = alike.length >= MANY_SIBLINGS;
  const apart = isList ? children.filter(([segment, { views }]) => isOwn(segment, views / node.views)) : children;
  for (const [segment, child] of apart) groups.push(...groupsBelow(child, `${prefix}/${segment}`));
  if (isList) groups.push(...groupsBelow(merged(alike.map(([, child]) => child)), `${prefix}/*`));
  return groups;
}

/** A group with less of the views of all takes no other one's place: it is left out before any are put together. */
const TINY_SHARE = 0.001;

const parentOf = (pattern: string) => pattern.slice(0, Math.max(0, pattern.lastIndexOf('/')));

/** Puts the most numerous siblings together until there are no more groups than asked for. */
function folded<T extends PathViews>(groups: readonly Unnamed<T>[], most: number): Unnamed<T>[] {
  let left = [...groups];
  const least = TINY_SHARE * sumOfKnown(groups, ({ views }) => views);
  while (left.filter(({ views }) => views >= least).length > most) {
    const families = grouped(left, ({ pattern }) => parentOf(pattern));
    const [parent, members] = [...families].filter(([name]) => name !== '').toSorted((a, b) => b[1].length - a[1].length)[0] ?? [];
    if (parent === undefined || members === undefined || members.length < 3) break;
    const all = { pattern: `${parent}/*`, views: 0, paths: members.flatMap(({ paths }) => paths) };
    left = [...left.filter((group) => !members.includes(group)), { ...all, views: sumOfKnown(members, ({ views }) => views) }];
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
  const root = emptyNode<T>();
  // The screens of an app have names without a slash.
  const isScreen = ({ path }: T) => path !== '' && !path.includes('/');
  for (const entry of paths) if (!isScreen(entry)) insert(root, entry);
  const screens = paths.flatMap((entry) => (isScreen(entry) ? [{ pattern: entry.path, views: entry.views, paths: [entry] }] : []));
  const groups = folded([...groupsBelow(root, ''), ...screens], most).toSorted((a, b) => b.views - a.views);
  return groups.slice(0, most).map((group) => ({ ...group, name: nameOf(group, groups) }));
}

/** Tells of paths whether they are like a pattern in which `*` stands for any characters. */
function likeness(pattern: string): (path: string) => boolean {
  const parts = pattern.split(/\*+/).map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  const whole = new RegExp(`^${parts.join('.*')}$`, 's');
  return (path) => whole.test(path);
}

/** Whether a path is like a pattern in which `*` stands for any characters. */
export function isLike(path: string, pattern: string): boolean {
  return likeness(pattern)(path);
}

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
