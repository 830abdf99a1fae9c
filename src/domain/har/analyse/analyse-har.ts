import type { Har, HarEntry } from '../read/har-model.ts';
import { count, noRequests } from '../summary/totals.ts';
import { BLOCKING_BASIS, findProblems } from './find-problems.ts';
import type { HAR_VIEWS, HarAnswer } from './har-answer.ts';
import { ORDER_NOTE } from './problem.ts';
import { partyTable, problemRequests, problemTable, requestDetail, requestTable, type Table, waterfallTable } from './request-rows.ts';
import { cutPage, filterRequests, isEmptyFilter, type PagePlace, type PageRequest, pageOf, type RequestFilter } from './select-requests.ts';
import { type HarStudy, studyHar } from './study-har.ts';
import { findingRow, summaryView } from './summary-view.ts';
import { collectParties, type EntityOf } from './third-parties.ts';

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
function listOf(query: HarQuery): unknown {
  const { scenarioStepResultId, url, type, domain, status, minDurationMs, minBytes } = query;
  return [viewOf(query), scenarioStepResultId, url, type, domain, status, minDurationMs, minBytes];
}

/** The position after the first `shown` rows of a page, where not all were delivered. */
export function pageAfterCut(page: unknown, shown: number, asked: Record<string, unknown>): PagePlace {
  // The boundary hands back what this tool answered and was asked.
  return cutPage(page as PagePlace, shown, listOf(asked));
}

/** An answer with its notes apart. */
export interface HarAnalysis {
  readonly answer: HarAnswer;
  readonly notes: readonly string[];
}

type Listed = Omit<HarAnswer, 'view'>;

/** Rows of a page unless the caller says how many. */
const USUAL_ROWS = 25;

/** Answers one question about a HAR file. Throws an `ApiError` of kind `invalid` for a cursor of another question. */
export function analyseHar(har: Har, query: HarQuery, entityOf: EntityOf): HarAnalysis {
  const view = viewOf(query);
  const study = studyHar(har, entityOf);
  if (view === 'summary') {
    const { answer, notes } = summaryView(study);
    return { answer: { view, ...answer }, notes: [...notes, ...ignoredFilter(query)] };
  }
  const chosen = filterRequests(har.entries, query);
  const request = { list: listOf(query), cursor: query.cursor, limit: query.limit ?? USUAL_ROWS };
  const { answer, notes } = listViews[view]({ study, chosen, request, entityOf });
  return { answer: { view, ...answer }, notes: [...har.notes, ...notes] };
}

interface Listing {
  readonly study: HarStudy;
  readonly chosen: readonly HarEntry[];
  readonly request: PageRequest;
  readonly entityOf: EntityOf;
}

const listViews: Record<Exclude<HarView, 'summary'>, (listing: Listing) => { answer: Listed; notes: readonly string[] }> = {
  requests({ study: { har }, chosen, request, entityOf }) {
    const { items, page } = pageOf(chosen, request);
    const [only] = items;
    const isAlone = page.matched === 1 || request.limit === 1;
    const detail = only && isAlone && { request: requestDetail(only, har, entityOf) };
    return { answer: { totals: totalsOf(chosen), page, ...detail, ...requestTable(items) }, notes: [] };
  },
  waterfall({ study: { blocking }, chosen, request }) {
    const { items, page } = pageOf(chosen, request);
    const table = waterfallTable(items, new Set(blocking.entries));
    return { answer: { totals: totalsOf(chosen), page, ...table }, notes: [BLOCKING_BASIS[blocking.basis], TIME_NOTE] };
  },
  third_parties({ study, chosen, request, entityOf }) {
    const parties = chosen === study.har.entries ? study.parties : partiesOf(chosen, study, entityOf);
    const { items, page } = pageOf(parties, request);
    return { answer: { totals: totalsOf(chosen), page, ...partyTable(items) }, notes: [PARTY_NOTE, BLOCKING_BASIS[study.blocking.basis]] };
  },
  problems({ study, chosen, request }) {
    const problems = findProblems(study);
    const { items, page } = pageOf(problemRequests(study, problems, chosen), request);
    const table: Table = problemTable(items);
    return { answer: { findings: problems.map(findingRow), page, ...table }, notes: [ORDER_NOTE, BLOCKING_BASIS[study.blocking.basis]] };
  },
};

function partiesOf(entries: readonly HarEntry[], { blocking }: HarStudy, entityOf: EntityOf) {
  const parties = collectParties(entityOf);
  for (const entry of entries) parties.add(entry);
  const chosen = new Set(entries);
  return parties.groups(blocking.entries.filter((entry) => chosen.has(entry)));
}

const TIME_NOTE = 'Times are ms after the first request; connectMs includes sslMs.';
const PARTY_NOTE =
  'Parties are entities named by third-party-web, else registrable domains; first party is the domain of the document. busyMs: time ' +
  'with a request under way.';

function totalsOf(entries: readonly HarEntry[]) {
  const totals = noRequests();
  for (const entry of entries) count(totals, entry);
  const { requests, transferBytes, contentBytes } = totals;
  return { requests, transferBytes, contentBytes };
}

function ignoredFilter(query: HarQuery): string[] {
  return isEmptyFilter(query) ? [] : ['The summary covers all requests: filters hold in the other views.'];
}
