import { cutPage, type PagePlace } from '../../page-of.ts';
import { isEmptyFilter, type RequestFilter } from '../requests/filter-requests.ts';
import type { ProblemKind } from '../rules/problem-kinds.ts';
import type { HAR_VIEWS } from './har-answer.ts';

/** A view of a HAR file's answer. */
export type HarView = (typeof HAR_VIEWS)[number];

/** Orders of requests, the default first. */
export const HAR_ORDERS = ['start', 'bytes', 'duration'] as const;

/** A question about a HAR file; the id of its step only marks cursors. */
export interface HarQuery extends RequestFilter {
  readonly scenarioStepResultId?: string | undefined;
  readonly scenarioId?: number | undefined;
  readonly step?: string | undefined;
  readonly view?: HarView | undefined;
  /** Only requests with this problem; with no view named, the list of problems. */
  readonly problem?: ProblemKind | undefined;
  /** Of requests and the waterfall: the largest first, or by start. */
  readonly orderBy?: (typeof HAR_ORDERS)[number] | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The view that is meant: the one named, the list of requests where only a filter is given, else the summary. */
export function viewOf(query: HarQuery): HarView {
  const { view, problem, limit, cursor, orderBy } = query;
  if (problem !== undefined) return view === undefined || view === 'summary' ? 'problems' : view;
  const isPlain = cursor === undefined && limit === undefined && orderBy === undefined;
  return view ?? (isPlain && isEmptyFilter(query) ? 'summary' : 'requests');
}

/** All that the list of a query depends on: who repeats the query may take another page of it. */
export function listOf(query: HarQuery): unknown {
  const { scenarioStepResultId, scenarioId, step, problem, url, type, domain, status, minDurationMs, minBytes, orderBy } = query;
  const run = scenarioStepResultId ?? [scenarioId, step];
  return [viewOf(query), run, problem ?? '', url, type, domain, status, minDurationMs, minBytes, orderBy ?? 'start'];
}

/** The position after the first `shown` rows of a page, where not all were delivered. */
export function pageAfterCut(page: unknown, shown: number, asked: Record<string, unknown>): PagePlace {
  // The boundary hands back what this tool answered and was asked.
  return cutPage(page as PagePlace, shown, listOf(asked));
}
