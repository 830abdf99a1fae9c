import * as z from 'zod';
import { inGroups } from '../lib/number-text.ts';
import { addTo } from '../lib/tally.ts';
import type { VisitsDrawn } from './covered-days.ts';
import { mostSeen } from './page-groups.ts';
import { percentOf } from './proportions.ts';

/** The answer of `analyze_paths`. */
export const pathsShape = z.object({
  answer: z.string(),
  /** Sessions with such a page. */
  sessions: z.number(),
  /** The pages at this depth; a page is a path or a pattern. */
  pages: z.array(z.object({ depth: z.number(), page: z.string(), sessions: z.number(), percent: z.number() })),
  /** The most frequent paths, from the start on, joined by ` > `; with the end or beginning of the visit where the depth holds it. */
  paths: z.array(z.object({ pages: z.string(), sessions: z.number(), percent: z.number() })),
  covered: z.array(z.string()),
});
/** The answer of `analyze_paths`. */
export type PathsAnswer = z.input<typeof pathsShape>;

/** Pages of one path from its start on, and how many sessions took it; it ends early where the visit does. */
export interface Path {
  readonly pages: readonly string[];
  readonly sessions: number;
}

interface Way {
  readonly depth: number;
  readonly direction: 'after' | 'before';
  readonly sessions: number;
}

/** The name for the end of a visit, or for its beginning. */
export function edgeName(direction: Way['direction']): string {
  return direction === 'after' ? '(visit ends)' : '(visit begins)';
}

type PathsPage = PathsAnswer['pages'][number];

/** Where sessions were one, two … pages on, the most frequent first; a visit that ended counts where it did. */
export function pagesOfPaths(paths: readonly Path[], { depth, direction, sessions }: Way): PathsPage[][] {
  return Array.from({ length: depth }, (_, index): PathsPage[] => {
    const counts = new Map<string, number>();
    for (const { pages, sessions: count } of paths) {
      if (pages.length < index + 1) continue;
      const page = pages[index + 1] ?? edgeName(direction);
      addTo(counts, page, count);
    }
    return mostSeen(counts).map((each) => ({ depth: index + 1, ...each, percent: percentOf(each.sessions, sessions) ?? 0 }));
  });
}

/** A path from its start on; where the visit ended, or began, within the depth, that too. */
export function pathText(pages: readonly string[], { depth, direction }: Pick<Way, 'depth' | 'direction'>): string {
  return [...pages, ...(pages.length <= depth ? [edgeName(direction)] : [])].join(' > ');
}

/** The words for the last page, or the first, of a visit. */
function edgeWords({ percent }: PathsPage, from: string, direction: Way['direction']): string {
  if (from === 'entry') return ` ${percent}% see only that page.`;
  return ` ${percent}% ${direction === 'after' ? 'end' : 'begin'} their visit on ${from}.`;
}

/** The first sentence: what is most frequently done next, and how many do nothing more. */
export function pathWords(
  pages: readonly (readonly PathsPage[])[],
  { from, direction, sessions }: Omit<Way, 'depth'> & { readonly from: string },
): string {
  const most = pages[0]?.find(({ page }) => page !== edgeName(direction));
  const ended = pages[0]?.find(({ page }) => page === edgeName(direction));
  const [start, there] = from === 'entry' ? ['the entry page', 'it'] : [from, from];
  const all = inGroups(sessions);
  const count = (page: PathsPage) => `${inGroups(page.sessions)} of ${all} sessions (${page.percent}%)`;
  if (!most)
    return `No session went on ${direction} ${start}; all ${all} ${direction === 'after' ? 'end' : 'begin'} their visit on ${there}.`;
  const next = `The commonest page right ${direction} ${start} is ${most.page}`;
  return `${next}: ${count(most)}.${ended ? edgeWords(ended, from, direction) : ''}`;
}

/** The parts of paths that are drawn. */
export interface PathsDrawn extends VisitsDrawn {
  readonly paths: readonly { readonly pages: readonly string[]; readonly sessions: number }[];
  readonly direction: 'after' | 'before';
  readonly depth: number;
  readonly sessions: number;
}
