import * as z from 'zod';
import { text } from '../../api/params.ts';
import { cutPage, type PagePlace } from '../../findings/page-of.ts';
import { isEmptyFilter, requestFilter } from '../requests/filter-requests.ts';
import { PROBLEM_KINDS } from '../rules/problem-kinds.ts';
import { HAR_VIEWS } from './har-answer.ts';

/** Arguments of a question about a HAR file, the run aside. */
export const harQuery = {
  view: z.enum(HAR_VIEWS).optional(),
  /** Only requests with this problem; with no view named, the list of problems. */
  problem: z.enum(PROBLEM_KINDS).optional(),
  ...requestFilter,
  /** Of requests and the waterfall: the largest first, or by start, the default. */
  orderBy: z.enum(['start', 'bytes', 'duration']).optional(),
  limit: z.int().min(1).max(500).describe('Rows, default 25').optional(),
  cursor: text.describe('Continues; repeat filters').optional(),
};

/** A question about a HAR file; which run it is of only marks cursors. */
export type HarQuery = z.infer<z.ZodObject<typeof harQuery>>;

/** The view that is meant: the one named, the list of requests where only a filter is given, else the summary. */
export function viewOf(query: HarQuery) {
  const { view, problem, limit, cursor, orderBy } = query;
  if (problem !== undefined) return view === undefined || view === 'summary' ? 'problems' : view;
  const isPlain = cursor === undefined && limit === undefined && orderBy === undefined;
  return view ?? (isPlain && isEmptyFilter(query) ? 'summary' : 'requests');
}

/** All that the list of a query depends on: who repeats the query may take another page of it. */
export function listOf(query: HarQuery): unknown {
  const { view: _view, orderBy = 'start', cursor: _cursor, limit: _limit, ...filter } = query;
  return [viewOf({ ...query, orderBy }), orderBy, filter];
}

/** The position after the first `shown` rows of a page, where not all were delivered. */
export function pageAfterCut(page: unknown, shown: number, asked: Record<string, unknown>): PagePlace {
  // The boundary hands back what this tool answered and was asked.
  return cutPage(page as PagePlace, shown, listOf(asked));
}
