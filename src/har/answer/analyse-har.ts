import { pageOf } from '../../findings/page-of.ts';
import { counted, formatBytes, formatMs } from '../../lib/number-text.ts';
import { byMost } from '../../lib/order.ts';
import { present } from '../../lib/sentences.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import type { HarEntry } from '../read/read-entry.ts';
import type { Har } from '../read/read-har.ts';
import { filterRequests } from '../requests/filter-requests.ts';
import type { PaintTimes } from '../requests/largest-paint.ts';
import { requestDetail, requestTable, tableOf } from '../requests/request-columns.ts';
import { type HarStudy, studyHar } from '../requests/study-har.ts';
import { type EntityOf, type PartyGroup, partiesOf } from '../requests/third-parties.ts';
import { largestBy, rounded, type Totals, totalsOf, weightOf } from '../requests/totals.ts';
import { imagesOf, LEAST_SAVED_BYTES } from '../rules/byte-rules.ts';
import { findProblems } from '../rules/find-problems.ts';
import { entriesOf, ORDER_NOTE, type Problem } from '../rules/problem.ts';
import type { HarAnswer } from './har-answer.ts';
import { type HarQuery, listOf, viewOf } from './har-query.ts';
import { findingRow, movedWords, summaryView } from './summary-view.ts';

/** Third parties that a sentence names. */
const NAMED_PARTIES = 3;
/** Rows of a page unless the caller says how many. */
const USUAL_ROWS = 25;

/** Answers one question about a HAR file. Throws an `ApiError` of kind `invalid` for a cursor of another question. */
export function analyseHar(har: Har, query: HarQuery, entityOf: EntityOf, paints?: PaintTimes) {
  const view = viewOf(query);
  const study = studyHar(har, entityOf, paints);
  const { answer, notes } = (view === 'summary' ? summaryView : LISTS[view])(study, query);
  const judged = har.loads > 1 && `Of ${har.loads} page loads in the file the heaviest is judged.`;
  const said = present(answer.answer, judged).join(' ');
  return { answer: rounded<HarAnswer>({ view, ...answer, answer: said }), notes: [...study.notes, ...notes] };
}

/** A page of a list, as the query asks for it. */
const paged = <Row>(rows: readonly Row[], query: HarQuery) =>
  pageOf(rows, { list: listOf(query), cursor: query.cursor, limit: query.limit ?? USUAL_ROWS });

function problemsOf(study: HarStudy, kind: HarQuery['problem']): Problem[] {
  return findProblems(study).filter(({ problem }) => kind === undefined || problem === kind);
}

/** The problem that the answer to a query begins with; undefined where it begins with none. */
export function problemTold(study: HarStudy, query: HarQuery): Problem | undefined {
  const view = viewOf(query);
  if (view === 'summary' || view === 'problems') return problemsOf(study, query.problem)[0];
  const isOfImages = query.type === 'image' && query.problem === undefined && view !== 'third_parties';
  return isOfImages ? problemsOf(study, 'image_formats')[0] : undefined;
}

/**
 * The requests that a query is about, in its order, what is unknown last: those that its filters let through, and of these the ones that
 * its problem concerns.
 */
export function chosenRequests(study: HarStudy, { orderBy = 'start', problem, ...query }: HarQuery): readonly HarEntry[] {
  const filtered = filterRequests(study.entries, query);
  const concerned = problem && new Set(problemsOf(study, problem).flatMap((each) => entriesOf(each.concerned)));
  const chosen = concerned ? filtered.filter((entry) => concerned.has(entry)) : filtered;
  const valueOf = (entry: HarEntry) => (orderBy === 'bytes' ? weightOf(entry) : entry.durationMs) ?? -1;
  return orderBy === 'start' ? chosen : chosen.toSorted(byMost(valueOf));
}

type ListView = (study: HarStudy, query: HarQuery) => { answer: Omit<HarAnswer, 'view'>; notes: readonly string[] };

const OF_PROBLEM = ['index', 'host', 'path', 'status', 'type', 'durationMs', 'transferBytes', 'contentBytes'] as const;
const IN_SHORT = ['index', 'host', 'path', 'status', 'type', 'party', 'startMs', 'durationMs', 'transferBytes', 'contentBytes'] as const;
const OF_IMAGES = [...IN_SHORT, 'format', 'width', 'height'] as const;
const PHASES = ['blockedMs', 'dnsMs', 'connectMs', 'sslMs', 'waitMs', 'receiveMs'] as const;
const SIZES = ['transferBytes', 'contentBytes', 'blocksRendering'] as const;
const IN_TIME = ['index', 'host', 'path', 'type', 'startMs', 'endMs', ...PHASES, ...SIZES] as const;
const PARTY = [
  ...(['name', 'party', 'category', 'domains', 'hosts', 'requests', 'transferBytes', 'contentBytes'] as const),
  ...(['blocking', 'blockingUntilMs', 'firstMs', 'busyMs'] as const),
] as const;
const TIME_NOTE = 'Times are ms after the first request; connectMs includes sslMs.';
const PARTY_NOTE =
  'Parties are entities named by third-party-web, else registrable domains; first party is the domain of the document and ' +
  'own domains. busyMs: time with a request under way.';

/** The chosen requests; one alone is told in full. */
function requestList(columns: (query: HarQuery) => Parameters<typeof requestTable>[1], notes: (study: HarStudy) => string[]): ListView {
  return (study, query) => {
    const { type, problem } = query;
    const chosen = chosenRequests(study, query);
    const { items, page } = paged(chosen, query);
    const [only] = items;
    const isAlone = page.matched === 1 || query.limit === 1;
    const detail = only && isAlone && { request: requestDetail(only, study) };
    const answer = type === 'image' && problem === undefined ? imageVerdict(study) : movedWords(chosen, study);
    return {
      answer: { answer, totals: totalsOf(chosen), page, ...detail, ...requestTable(items, columns(query), study) },
      notes: notes(study),
    };
  };
}

const LISTS: Record<Exclude<HarAnswer['view'], 'summary'>, ListView> = {
  requests: requestList(
    ({ type }) => (type === 'image' ? OF_IMAGES : IN_SHORT),
    () => [],
  ),
  waterfall: requestList(
    () => IN_TIME,
    ({ blocking }) => [blocking.says, TIME_NOTE],
  ),
  third_parties(study, query) {
    const chosen = chosenRequests(study, query);
    const parties = partiesOf(chosen, study.entityOf, study.blocks);
    const { items, page } = paged(parties, query);
    const totals = totalsOf(chosen);
    return {
      answer: { ...partyVerdict(parties, totals), totals, page, ...tableOf(PARTY, items) },
      notes: [PARTY_NOTE, study.blocking.says],
    };
  },
  problems(study, query) {
    const problems = problemsOf(study, query.problem);
    const among = new Set(filterRequests(study.entries, query));
    const pairs = problems.flatMap(({ problem, concerned }) =>
      concerned
        .filter(({ entry }) => among.has(entry))
        .toSorted(byMost(({ cost }) => cost))
        .map((each) => ({ ...each, problem })),
    );
    const { items, page } = paged(pairs, query);
    const { columns, rows } = requestTable(entriesOf(items), OF_PROBLEM, study);
    const table = {
      columns: ['problem', 'detail', ...columns],
      rows: items.map(({ problem, detail }, at) => [problem, detail, ...(rows[at] ?? [])]),
    };
    const said = problems[0]?.says ?? 'No problem was found among these requests.';
    return { answer: { answer: said, findings: problems.map(findingRow), page, ...table }, notes: [ORDER_NOTE, study.blocking.says] };
  },
};

/** A sentence on the images of a page: how many are in old formats, or that none matters. */
function imageVerdict(study: HarStudy): string {
  const [found] = problemsOf(study, 'image_formats');
  if (found) return found.says;
  const least = formatBytes(LEAST_SAVED_BYTES);
  return `${counted(imagesOf(study).length, 'image')}: WebP or AVIF would save less than ${least} on those that are neither.`;
}

/**
 * All third parties together, in numbers and in a sentence: `11 third parties: 26 of 79 requests, 119 kB (32 % of the bytes); 3 of these
 * requests block rendering, longest Optimizely until 413 ms (own files 384 ms). Heaviest: Optanon 119 kB.`
 */
export function partyVerdict(parties: readonly PartyGroup[], all: Totals) {
  const [third = [], own = []] = ['third', 'first'].map((wanted) => parties.filter(({ party }) => party === wanted));
  const [requests, blocking] = [sumOfKnown(third, (party) => party.requests), sumOfKnown(third, (party) => party.blocking)];
  const thirdParties = { parties: third.length, ...totalsOf(third), requests, blocking };
  const { transferBytes } = thirdParties;
  if (third.length === 0) return { answer: 'No third party was asked.', thirdParties };
  const share =
    transferBytes !== null && all.transferBytes ? ` (${Math.round((100 * transferBytes) / all.transferBytes)} % of the bytes)` : '';
  const asked = `${requests} of ${counted(all.requests, 'request')}, ${formatBytes(transferBytes)}${share}`;
  const [longest, ownLongest] = [third, own].map((group) => largestBy(group, ({ blockingUntilMs }) => blockingUntilMs, 1)[0]);
  const beside = ownLongest ? ` (own files ${formatMs(ownLongest.blockingUntilMs)})` : '';
  const until = longest && `longest ${longest.name} until ${formatMs(longest.blockingUntilMs)}${beside}`;
  const blocks = until
    ? `${blocking} of these requests ${blocking === 1 ? 'blocks' : 'block'} rendering, ${until}`
    : 'none blocks rendering';
  const heaviest = third.filter(({ transferBytes: bytes }) => (bytes ?? 0) > 0).slice(0, NAMED_PARTIES);
  const named = heaviest.map(({ name, transferBytes: bytes }) => `${name} ${formatBytes(bytes)}`).join(', ');
  return {
    answer: `${counted(third.length, 'third party', 'third parties')}: ${asked}; ${blocks}.${named === '' ? '' : ` Heaviest: ${named}.`}`,
    thirdParties,
  };
}
