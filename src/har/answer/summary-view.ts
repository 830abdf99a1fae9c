import { counted, formatBytes } from '../../lib/number-text.ts';
import { capital, present } from '../../lib/sentences.ts';
import { PAGE_MEDIANS } from '../page-limits.ts';
import type { HarEntry } from '../read/read-entry.ts';
import { isEmptyFilter } from '../requests/filter-requests.ts';
import { requestRow } from '../requests/request-columns.ts';
import type { HarStudy } from '../requests/study-har.ts';
import { countsBy, groupsOf, hasFailed, largestBy, rounded, statusClass, timesText, totalsOf, weightOf } from '../requests/totals.ts';
import { addressesIn } from '../rules/byte-rules.ts';
import { findProblems } from '../rules/find-problems.ts';
import { entriesOf, ORDER_NOTE, type Problem } from '../rules/problem.ts';
import type { ProblemKind } from '../rules/problem-kinds.ts';
import { sanitiseHost } from '../sanitise-url.ts';
import type { HarAnswer, HarDigest } from './har-answer.ts';
import type { HarQuery } from './har-query.ts';

const REQUEST = ['index', 'url', 'status', 'durationMs', 'transferBytes', 'contentBytes'] as const;

/** The parts of a load that its summary and its digest share; lists of the heaviest and the slowest of at most as many rows. */
export function loadFacts(study: HarStudy) {
  const { har, entries, totals, document } = study;
  return {
    document: har.document && document ? { ...requestRow(har.document, ['url', 'status', 'protocol'], study), ...document } : null,
    totals,
    byStatus: countsBy(entries, statusClass),
    byProtocol: countsBy(entries, ({ protocol }) => protocol ?? 'unknown'),
    byType: groupsOf(entries, ({ type }) => type).map(({ key: type, totals: amounts }) => ({ type, ...amounts })),
    largest: (most: number) => largestBy(entries, weightOf, most),
    slowest: (most: number) => largestBy(entries, ({ durationMs }) => durationMs, most),
  };
}

/** A finding without the requests themselves. */
export const findingRow = ({ concerned: _, rank: _rank, ...finding }: Problem) => finding;

/** Rows of each list; whole lists are what the other views are for. */
const SHOWN = { findings: 5, parties: 3, requests: 3, slowest: 2 };

/** The overview of a HAR file: what stands out, findings by cost, and the numbers behind them. */
export function summaryView(study: HarStudy, query: HarQuery) {
  const { har, entries, parties } = study;
  const problems = findProblems(study);
  const row = (entry: HarEntry) => requestRow(entry, REQUEST, study);
  const { largest, slowest, ...facts } = loadFacts(study);
  return {
    answer: {
      answer: [problems[0]?.says ?? 'Nothing stands out.', ...loadWords(study)].join(' '),
      findings: problems.slice(0, SHOWN.findings).map(findingRow),
      ...paintFacts(study),
      ...facts,
      ...(har.redirects.length > 0 && { redirects: har.redirects.slice(0, SHOWN.requests).map(row) }),
      byParty: groupsOf(entries, ({ party }) => party)
        .flatMap(({ key: party, totals: amounts }) => (party === null ? [] : [{ party, ...amounts }]))
        .toSorted((a, b) => (a.party < b.party ? -1 : 1)),
      parties: parties.slice(0, SHOWN.parties),
      largest: largest(SHOWN.requests).map(row),
      slowest: slowest(SHOWN.slowest).map(row),
    },
    notes: present(
      ...notesOf(study, problems),
      !isEmptyFilter(query) && 'The summary covers all requests: filters hold in the other views.',
    ),
  };
}

/** How many requests were chosen and what they moved. */
export function movedWords(chosen: readonly HarEntry[], { entries }: HarStudy): string {
  const of = chosen.length < entries.length ? `${chosen.length} of ` : '';
  const { transferBytes: bytes } = totalsOf(chosen);
  return `${of}${counted(entries.length, 'request')} moved ${bytes === null ? 'an unknown number of bytes' : formatBytes(bytes)}.`;
}

/** `FCP 1.2 s, LCP 2.7 s, TBT 60 ms, loaded after 3.1 s.`, and what the load moved. */
function loadWords(study: HarStudy): string[] {
  const { har, entries, paints, totals } = study;
  const known = timesText({ FCP: paints.fcpMs, LCP: paints.lcpMs, TBT: paints.tbtMs, 'loaded after': totals.onLoadMs });
  return present(known && `${capital(known)}.`, movedWords(entries, study), !har.document && 'The file holds no document.');
}

/** Paints and the likely LCP element, where the report of the step gives them. */
function paintFacts(study: HarStudy): Pick<HarAnswer, 'paints' | 'likelyLcp'> {
  const { loadMs: _, ...paints } = study.paints;
  if (Object.values(paints).every((ms) => ms === null)) return {};
  if (!study.largest) return { paints };
  const { kind, certainty, entry, phases } = study.largest;
  const names = ['url', 'format', 'width', 'height', 'transferBytes', 'protocol', 'priority', 'startMs', 'endMs'] as const;
  const element = entry && requestRow(entry, names, study);
  return { paints, likelyLcp: { kind, certainty, ...element, ...(phases && { phases }) } };
}

const { desktop, mobile } = PAGE_MEDIANS;

/** The weight of pages in general. */
export const MEDIANS =
  `Median page of 2024: desktop ${formatBytes(desktop.transferBytes)}, ${desktop.requests} requests; mobile ` +
  `${formatBytes(mobile.transferBytes)}, ${mobile.requests}.`;

function notesOf({ entries, parties, blocking }: HarStudy, problems: readonly Problem[]): string[] {
  const unlisted = problems.slice(SHOWN.findings).map(({ problem }) => problem);
  const unsized = entries.filter(({ transferBytes }) => transferBytes === null).length;
  return present(
    problems.length > 1 && ORDER_NOTE,
    blocking.entries.length > 0 && blocking.says,
    unsized > 0 && `Not in transferBytes: ${counted(unsized, 'request')} without a known transfer size.`,
    unlisted.length > 0 && `Further findings (view problems): ${unlisted.join(', ')}.`,
    parties.length > SHOWN.parties && `${parties.length - SHOWN.parties} more parties: view third_parties.`,
  );
}

/** Rows of each list of a digest, and its domains. */
const DIGEST = { rows: 5, errors: 20, domains: 10 };

/** The first things that an engineer reads of a HAR file, in the size of an answer. */
export function digestHar(study: HarStudy): { digest: HarDigest; notes: string[] } {
  const { har, entries, notes } = study;
  const { document, totals, largest, slowest, ...facts } = loadFacts(study);
  const row = (entry: HarEntry) => requestRow(entry, [...REQUEST, 'type'], study);
  const problems = findProblems(study);
  const concernedBy = (kind: ProblemKind) => entriesOf(problems.find(({ problem }) => problem === kind)?.concerned ?? []);
  const found = (kind: ProblemKind) => totalsOf(concernedBy(kind));
  const domains = groupsOf(entries, ({ domain }) => domain).filter(({ key }) => key !== null);
  const { requests: repeats, transferBytes } = found('duplicates');
  const unlisted = domains.length - DIGEST.domains;
  return {
    digest: rounded({
      document: document && { ...document, redirects: har.redirects.length },
      totals,
      ...facts,
      byDomain: domains.slice(0, DIGEST.domains).map(({ key, entries: own, totals: amounts }) => ({
        domain: sanitiseHost(key ?? ''),
        party: own[0]?.party ?? null,
        ...amounts,
      })),
      errors: entries.filter(hasFailed).slice(0, DIGEST.errors).map(row),
      largest: largest(DIGEST.rows).map(row),
      slowest: slowest(DIGEST.rows).map(row),
      findings: {
        uncompressedText: found('uncompressed_text'),
        uncompressedAnswers: found('uncompressed_answers'),
        missingCache: found('no_cache'),
        shortCache: found('short_cache'),
        duplicates: { addresses: addressesIn(concernedBy('duplicates')), repeats, transferBytes },
      },
    }),
    notes: [...notes, ...(unlisted > 0 ? [`${unlisted} more domains with fewer bytes are not listed.`] : [])],
  };
}
