import { counted, formatBytes } from '../../../lib/number-text.ts';
import { type PageRequest, pageOf } from '../../page-of.ts';
import type { Har, HarEntry } from '../read/har-model.ts';
import { addTotals, noRequests, sumOf, weightOf } from '../summary/har-summary.ts';
import { BLOCKING_BASIS } from './blocking-problems.ts';
import { findProblems } from './find-problems.ts';
import type { HarAnswer } from './har-answer.ts';
import { type HarQuery, type HarView, listOf, viewOf } from './har-query.ts';
import { imageVerdict } from './image-problems.ts';
import type { PaintTimes } from './largest-paint.ts';
import { ORDER_NOTE, type ProblemKind } from './problem.ts';
import {
  imageTable,
  partyTable,
  problemRequests,
  problemTable,
  requestDetail,
  requestTable,
  type Table,
  waterfallTable,
} from './request-rows.ts';
import { filterRequests, isEmptyFilter } from './select-requests.ts';
import { type HarStudy, studyHar } from './study-har.ts';
import { findingRow, summaryView } from './summary-view.ts';
import { collectParties, type EntityOf, type PartyGroup } from './third-parties.ts';

/** An answer with its notes apart. */
export interface HarAnalysis {
  readonly answer: HarAnswer;
  readonly notes: readonly string[];
}

type Listed = Omit<HarAnswer, 'view'>;

/** Third parties that a sentence names. */
const NAMED_PARTIES = 3;
/** Rows of a page unless the caller says how many. */
const USUAL_ROWS = 25;

/** Answers one question about a HAR file. Throws an `ApiError` of kind `invalid` for a cursor of another question. */
export function analyseHar(har: Har, query: HarQuery, entityOf: EntityOf, paints?: PaintTimes): HarAnalysis {
  const view = viewOf(query);
  const { problem } = query;
  const study = studyHar(har, entityOf, paints);
  if (view === 'summary') {
    const { answer, notes } = summaryView(study);
    return { answer: { view, ...answer }, notes: [...notes, ...ignoredFilter(query)] };
  }
  const concerned = chosenRequests(study, query);
  const chosen = view === 'requests' || view === 'waterfall' ? inOrder(concerned, query.orderBy) : concerned;
  const request = { list: listOf(query), cursor: query.cursor, limit: query.limit ?? USUAL_ROWS };
  const { answer, notes } = listViews[view]({ study, chosen, request, entityOf, problem, query });
  return { answer: { view, ...answer }, notes: [...study.notes, ...har.notes, ...notes] };
}

/** The requests by start as they come, or what is largest first; what is unknown comes last. */
function inOrder(entries: readonly HarEntry[], orderBy: HarQuery['orderBy']): readonly HarEntry[] {
  if (orderBy === undefined || orderBy === 'start') return entries;
  const valueOf = (entry: HarEntry) => (orderBy === 'bytes' ? weightOf(entry) : entry.durationMs) ?? -1;
  return entries.toSorted((a, b) => valueOf(b) - valueOf(a));
}

interface Listing {
  readonly study: HarStudy;
  readonly chosen: readonly HarEntry[];
  readonly request: PageRequest;
  readonly entityOf: EntityOf;
  readonly problem: ProblemKind | undefined;
  readonly query: HarQuery;
}

/** The requests that a query is about: those that its filters let through, and of these the ones that its problem concerns. */
export function chosenRequests(study: HarStudy, query: HarQuery): readonly HarEntry[] {
  const filtered = filterRequests(study.har.entries, query);
  return query.problem === undefined ? filtered : concernedBy(study, query.problem, filtered);
}

/** Those of the requests, in order of start, that a problem concerns. */
function concernedBy(study: HarStudy, problem: ProblemKind, entries: readonly HarEntry[]): HarEntry[] {
  const found = findProblems(study).filter((each) => each.problem === problem);
  const concerned = new Set(problemRequests(found, entries).map(({ entry }) => entry));
  return entries.filter((entry) => concerned.has(entry));
}

const listViews: Record<Exclude<HarView, 'summary'>, (listing: Listing) => { answer: Listed; notes: readonly string[] }> = {
  requests({ study, chosen, request, entityOf, query }) {
    const { har } = study;
    const { items, page } = pageOf(chosen, request);
    const [only] = items;
    const isAlone = page.matched === 1 || request.limit === 1;
    const detail = only && isAlone && { request: requestDetail(only, har, entityOf) };
    const isOfImages = query.type === 'image' && query.problem === undefined;
    const table = query.type === 'image' ? imageTable(items) : requestTable(items);
    const verdict = isOfImages && { verdict: imageVerdict(study) };
    return { answer: { ...verdict, totals: totalsOf(chosen), page, ...detail, ...table }, notes: [] };
  },
  waterfall({ study: { blocking }, chosen, request }) {
    const { items, page } = pageOf(chosen, request);
    const table = waterfallTable(items, new Set(blocking.entries));
    return { answer: { totals: totalsOf(chosen), page, ...table }, notes: [BLOCKING_BASIS[blocking.basis], TIME_NOTE] };
  },
  third_parties({ study, chosen, request, entityOf }) {
    const parties = chosen === study.har.entries ? study.parties : partiesOf(chosen, study, entityOf);
    const { items, page } = pageOf(parties, request);
    const totals = totalsOf(chosen);
    const third = thirdPartyTotals(parties);
    const answer = { verdict: thirdPartyVerdict(third, totals, parties), totals, thirdParties: third, page, ...partyTable(items) };
    return { answer, notes: [PARTY_NOTE, BLOCKING_BASIS[study.blocking.basis]] };
  },
  problems({ study, chosen, request, problem }) {
    const problems = findProblems(study).filter((each) => problem === undefined || each.problem === problem);
    const { items, page } = pageOf(problemRequests(problems, chosen), request);
    const table: Table = problemTable(items);
    return { answer: { findings: problems.map(findingRow), page, ...table }, notes: [ORDER_NOTE, BLOCKING_BASIS[study.blocking.basis]] };
  },
};

function thirdPartyTotals(parties: readonly PartyGroup[]) {
  const third = parties.filter(({ party }) => party === 'third');
  const totals = noRequests();
  for (const party of third) addTotals(totals, party.totals);
  const { requests, transferBytes, contentBytes } = totals;
  return { parties: third.length, requests, transferBytes, contentBytes, blocking: third.reduce((sum, { blocking }) => sum + blocking, 0) };
}

const verbOf = (requests: number): string => (requests === 1 ? 'blocks' : 'block');

function thirdPartyVerdict(
  third: ReturnType<typeof thirdPartyTotals>,
  all: ReturnType<typeof totalsOf>,
  parties: readonly PartyGroup[],
): string {
  if (third.parties === 0) return 'No third party was asked.';
  const share = third.transferBytes !== null && all.transferBytes ? Math.round((100 * third.transferBytes) / all.transferBytes) : undefined;
  const ofBytes = share === undefined ? '' : ` (${share} % of the bytes)`;
  const asked = `${third.requests} of ${counted(all.requests, 'request')}, ${formatBytes(third.transferBytes)}${ofBytes}`;
  const found = counted(third.parties, 'third party', 'third parties');
  const blocking = third.blocking === 0 ? 'none blocks' : `${third.blocking} of these requests ${verbOf(third.blocking)}`;
  return `${found}: ${asked}; ${blocking} rendering.${heaviestWords(parties)}`;
}

/** ` Heaviest: Google Tag Manager 215 kB, Optanon 119 kB, Facebook 110 kB.` */
function heaviestWords(parties: readonly PartyGroup[]): string {
  const third = parties.filter(({ party, totals: { transferBytes } }) => party === 'third' && (transferBytes ?? 0) > 0);
  const heaviest = third.toSorted((a, b) => (b.totals.transferBytes ?? 0) - (a.totals.transferBytes ?? 0)).slice(0, NAMED_PARTIES);
  if (heaviest.length === 0) return '';
  return ` Heaviest: ${heaviest.map(({ name, totals }) => `${name} ${formatBytes(totals.transferBytes)}`).join(', ')}.`;
}

function partiesOf(entries: readonly HarEntry[], { blocking }: HarStudy, entityOf: EntityOf) {
  const parties = collectParties(entityOf);
  for (const entry of entries) parties.add(entry);
  const chosen = new Set(entries);
  return parties.groups(blocking.entries.filter((entry) => chosen.has(entry)));
}

const TIME_NOTE = 'Times are ms after the first request; connectMs includes sslMs.';
const PARTY_NOTE =
  'Parties are entities named by third-party-web, else registrable domains; first party is the domain of the document and ' +
  'own domains. busyMs: time ' +
  'with a request under way.';

function totalsOf(entries: readonly HarEntry[]) {
  const { requests, transferBytes, contentBytes } = sumOf(entries);
  return { requests, transferBytes, contentBytes };
}

function ignoredFilter(query: HarQuery): string[] {
  return isEmptyFilter(query) ? [] : ['The summary covers all requests: filters hold in the other views.'];
}
