import { type TableColumn, tableOf } from '../../../lib/columns.ts';
import { counted, formatBytes } from '../../../lib/number-text.ts';
import { sumOfKnown } from '../../../lib/tally.ts';
import { type PageRequest, pageOf } from '../../page-of.ts';
import type { Har, HarEntry } from '../read/har-model.ts';
import { filterRequests, isEmptyFilter } from '../requests/filter-requests.ts';
import type { PaintTimes } from '../requests/largest-paint.ts';
import { type HarCell, requestDetail, requestTable } from '../requests/request-columns.ts';
import { type HarStudy, studyHar } from '../requests/study-har.ts';
import { type EntityOf, type PartyGroup, partiesOf } from '../requests/third-parties.ts';
import { type Totals, tenth, totalsOf, weightOf } from '../requests/totals.ts';
import { imagesOf, LEAST_SAVED_BYTES } from '../rules/byte-rules.ts';
import { findProblems } from '../rules/find-problems.ts';
import { entriesOf, ORDER_NOTE, type Problem } from '../rules/problem.ts';
import type { ProblemKind } from '../rules/problem-kinds.ts';
import type { HarAnswer } from './har-answer.ts';
import { type HarQuery, type HarView, listOf, viewOf } from './har-query.ts';
import { findingRow, summaryView } from './summary-view.ts';

type Listed = Omit<HarAnswer, 'view'>;

/** Third parties that a sentence names. */
const NAMED_PARTIES = 3;
/** Rows of a page unless the caller says how many. */
const USUAL_ROWS = 25;

/** Answers one question about a HAR file. Throws an `ApiError` of kind `invalid` for a cursor of another question. */
export function analyseHar(
  har: Har,
  query: HarQuery,
  entityOf: EntityOf,
  paints?: PaintTimes,
): { answer: HarAnswer; notes: readonly string[] } {
  const view = viewOf(query);
  const study = studyHar(har, entityOf, paints);
  if (view === 'summary') {
    const { answer, notes } = summaryView(study);
    const ignored = isEmptyFilter(query) ? [] : ['The summary covers all requests: filters hold in the other views.'];
    return { answer: { view, ...answer }, notes: [...notes, ...ignored] };
  }
  const chosen = inOrder(chosenRequests(study, query), view === 'requests' || view === 'waterfall' ? query.orderBy : undefined);
  const request = { list: listOf(query), cursor: query.cursor, limit: query.limit ?? USUAL_ROWS };
  const { answer, notes } = listViews[view]({ study, chosen, request, query });
  return { answer: { view, ...answer }, notes: [...study.notes, ...notes] };
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
  readonly query: HarQuery;
}

function problemsOf(study: HarStudy, kind: ProblemKind | undefined): Problem[] {
  return findProblems(study).filter(({ problem }) => kind === undefined || problem === kind);
}

/** The requests that a query is about: those that its filters let through, and of these the ones that its problem concerns. */
export function chosenRequests(study: HarStudy, query: HarQuery): readonly HarEntry[] {
  const filtered = filterRequests(study.entries, query);
  if (query.problem === undefined) return filtered;
  const concerned = new Set(problemsOf(study, query.problem).flatMap((problem) => entriesOf(problem.concerned)));
  return filtered.filter((entry) => concerned.has(entry));
}

const IN_SHORT = ['index', 'host', 'path', 'status', 'type', 'party', 'startMs', 'durationMs', 'transferBytes', 'contentBytes'] as const;
const PHASES = ['blockedMs', 'dnsMs', 'connectMs', 'sslMs', 'waitMs', 'receiveMs'] as const;
const IN_TIME = [
  'index',
  'host',
  'path',
  'type',
  'startMs',
  'endMs',
  ...PHASES,
  'transferBytes',
  'contentBytes',
  'blocksRendering',
] as const;
const OF_PROBLEM = ['index', 'host', 'path', 'status', 'type', 'durationMs', 'transferBytes', 'contentBytes'] as const;
const TIME_NOTE = 'Times are ms after the first request; connectMs includes sslMs.';
const PARTY_NOTE =
  'Parties are entities named by third-party-web, else registrable domains; first party is the domain of the document and ' +
  'own domains. busyMs: time with a request under way.';

const listViews: Record<Exclude<HarView, 'summary'>, (listing: Listing) => { answer: Listed; notes: readonly string[] }> = {
  requests({ study, chosen, request, query: { type, problem } }) {
    const { items, page } = pageOf(chosen, request);
    const [only] = items;
    const isAlone = page.matched === 1 || request.limit === 1;
    const detail = only && isAlone && { request: requestDetail(only, study) };
    const columns = type === 'image' ? ([...IN_SHORT, 'format', 'width', 'height'] as const) : IN_SHORT;
    const answer = type === 'image' && problem === undefined ? imageVerdict(study) : chosenWords(chosen, study);
    return { answer: { answer, totals: totalsOf(chosen), page, ...detail, ...requestTable(items, columns, study) }, notes: [] };
  },
  waterfall({ study, chosen, request }) {
    const { items, page } = pageOf(chosen, request);
    const answer = { answer: chosenWords(chosen, study), totals: totalsOf(chosen), page, ...requestTable(items, IN_TIME, study) };
    return { answer, notes: [study.blocking.says, TIME_NOTE] };
  },
  third_parties({ study, chosen, request }) {
    const parties = chosen === study.entries ? study.parties : partiesOf(chosen, study.entityOf, study.blocks);
    const { items, page } = pageOf(parties, request);
    const totals = totalsOf(chosen);
    const answer = { ...partyVerdict(parties, totals), totals, page, ...tableOf(PARTY_COLUMNS, items) };
    return { answer, notes: [PARTY_NOTE, study.blocking.says] };
  },
  problems({ study, chosen, request, query }) {
    const problems = problemsOf(study, query.problem);
    const among = new Set(chosen);
    const pairs = problems.flatMap(({ problem, concerned }) =>
      concerned
        .filter(({ entry }) => among.has(entry))
        .toSorted((a, b) => b.cost - a.cost)
        .map((each) => ({ ...each, problem })),
    );
    const { items, page } = pageOf(pairs, request);
    const { columns, rows } = requestTable(entriesOf(items), OF_PROBLEM, study);
    const table = {
      columns: ['problem', 'detail', ...columns],
      rows: items.map(({ problem, detail }, at) => [problem, detail, ...(rows[at] ?? [])]),
    };
    const said = problems[0]?.says ?? 'No problem was found among these requests.';
    const answer = { answer: said, findings: problems.map(findingRow), page, ...table };
    return { answer, notes: [ORDER_NOTE, study.blocking.says] };
  },
};

/** How many requests were chosen and what they moved. */
function chosenWords(chosen: readonly HarEntry[], { entries }: HarStudy): string {
  const bytes = totalsOf(chosen).transferBytes;
  const requests =
    chosen.length < entries.length ? `${chosen.length} of ${counted(entries.length, 'request')}` : counted(entries.length, 'request');
  return `${requests} moved ${formatBytes(bytes)}.`;
}

/** A sentence on the images of a page: how many are in old formats, or that none matters. */
function imageVerdict(study: HarStudy): string {
  const [found] = problemsOf(study, 'image_formats');
  if (found) return found.says;
  const images = counted(imagesOf(study).length, 'image');
  return `${images}: WebP or AVIF would save less than ${formatBytes(LEAST_SAVED_BYTES)} on those that are neither.`;
}

/**
 * All third parties together, in numbers and in a sentence: `11 third parties: 26 of 79 requests, 119 kB (32 % of the bytes); 3 of these
 * requests block rendering. Heaviest: Optanon 119 kB.`
 */
export function partyVerdict(parties: readonly PartyGroup[], all: Totals) {
  const third = parties.filter(({ party }) => party === 'third');
  const { transferBytes, contentBytes } = totalsOf(third);
  const [requests, blocking] = [sumOfKnown(third, (party) => party.requests), sumOfKnown(third, (party) => party.blocking)];
  const thirdParties = { parties: third.length, requests, transferBytes, contentBytes, blocking };
  if (third.length === 0) return { answer: 'No third party was asked.', thirdParties };
  const share =
    transferBytes !== null && all.transferBytes ? ` (${Math.round((100 * transferBytes) / all.transferBytes)} % of the bytes)` : '';
  const asked = `${requests} of ${counted(all.requests, 'request')}, ${formatBytes(transferBytes)}${share}`;
  const blocks = blocking === 0 ? 'none blocks' : `${blocking} of these requests ${blocking === 1 ? 'blocks' : 'block'}`;
  const heaviest = third.filter(({ transferBytes: bytes }) => (bytes ?? 0) > 0).slice(0, NAMED_PARTIES);
  const named = heaviest.map(({ name, transferBytes: bytes }) => `${name} ${formatBytes(bytes)}`).join(', ');
  const found = counted(third.length, 'third party', 'third parties');
  return { answer: `${found}: ${asked}; ${blocks} rendering.${named === '' ? '' : ` Heaviest: ${named}.`}`, thirdParties };
}

/** Domains of one party that are named; the rest is counted. */
const DOMAINS = 4;

/** A column of a table of parties is a name and a fact. */
const fact = <Name extends keyof PartyGroup>(name: Name) => [name, (group: Readonly<Record<Name, HarCell>>) => group[name]] as const;
const time = (name: 'blockingUntilMs' | 'firstMs' | 'busyMs') => [name, (group: PartyGroup) => tenth(group[name])] as const;
const PARTY_COLUMNS: readonly TableColumn<PartyGroup, HarCell>[] = [
  fact('name'),
  fact('party'),
  fact('category'),
  ['domains', ({ domains }) => domains.slice(0, DOMAINS).join(' ') + (domains.length > DOMAINS ? ` +${domains.length - DOMAINS}` : '')],
  fact('hosts'),
  fact('requests'),
  fact('transferBytes'),
  fact('contentBytes'),
  fact('blocking'),
  time('blockingUntilMs'),
  time('firstMs'),
  time('busyMs'),
];
