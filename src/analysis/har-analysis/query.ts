import { cutPage, type PagePlace } from './cursor.ts';
import { isEmptyFilter, type RequestFilter } from './filter.ts';
import type { HAR_VIEWS } from './shape.ts';

export type HarView = (typeof HAR_VIEWS)[number];

/** What is asked of a HAR file; the id of its step only marks cursors. */
export interface HarQuery extends RequestFilter {
  readonly scenarioStepResultId?: string | undefined;
  readonly view?: HarView | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The view that is meant: the one named, the list of requests where only a filter is given, else the summary. */
export function viewOf(query: HarQuery): HarView {
  const { view, limit, cursor } = query;
  return view ?? (cursor === undefined && limit === undefined && isEmptyFilter(query) ? 'summary' : 'requests');
}

/** All that the list of a query depends on: who repeats the query may take another page of it. */
export function listOf(query: HarQuery): unknown {
  const { scenarioStepResultId, url, type, domain, status, minDurationMs, minBytes } = query;
  return [viewOf(query), scenarioStepResultId, url, type, domain, status, minDurationMs, minBytes];
}

/** The place of an answer's page of which only the first `shown` rows were delivered. */
export function pageAfterCut(page: unknown, shown: number, asked: Record<string, unknown>): PagePlace {
  // The boundary hands back what this tool answered and was asked.
  return cutPage(page as PagePlace, shown, listOf(asked));
}
