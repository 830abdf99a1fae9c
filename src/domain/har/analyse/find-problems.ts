import { counted, formatBytes, formatMs } from '../../../lib/number-text.ts';
import { addTo } from '../../../lib/tally.ts';
import { PAGE_MEDIANS, thresholdOf } from '../../speed/speed-metrics.ts';
import { addressText } from '../read/addresses.ts';
import type { HarEntry } from '../read/har-model.ts';
import { sanitiseHost, sanitiseUrl } from '../sanitise-url.ts';
import { hasFailed } from '../summary/entry-counts.ts';
import { blockingProblems } from './blocking-problems.ts';
import { heaviestTogether, largestCost, SLOW_ANSWER_MS } from './concerned-requests.ts';
import { imageProblems } from './image-problems.ts';
import { paintProblems } from './paint-problems.ts';
import { byCost, type Problem } from './problem.ts';
import { type HarStudy, longestWait } from './study-har.ts';
import { transportProblems, wasteProblems } from './waste-problems.ts';
import { loadWins, winWords } from './wins.ts';

/** Members that all findings about one load share. */
const MEASURED = { costBytes: null, basis: 'measured', when: 'this load' } as const;

/** All that is wrong with a page load, costliest first. */
export function findProblems(study: HarStudy): Problem[] {
  const found = [
    ...documentProblems(study),
    ...blockingProblems(study),
    ...paintProblems(study),
    ...errorProblems(study),
    ...slowAnswerProblems(study),
    ...weightProblems(study),
    ...wasteProblems(study),
    ...imageProblems(study),
    ...transportProblems(study),
  ];
  return found.map(withoutUnknown).toSorted(byCost);
}

/** Where no paint is known nothing is said of what could be won. */
function withoutUnknown({ wins, ...problem }: Problem): Problem {
  return wins && Object.keys(wins).length > 0 ? { ...problem, wins } : problem;
}

/** The sentence of a finding with what it can win, for where its figures do not stand beside it. */
export function saysWithWins({ says, wins }: Problem): string {
  const won = wins ? winWords(wins) : '';
  return won === '' ? says : `${says}; ${won}`;
}

function failedDocument(document: HarEntry): Problem[] {
  const { status } = document;
  if (!hasFailed(document)) return [];
  const says = `The document itself failed with status ${status}: everything else is that of an error page.`;
  return [
    { ...MEASURED, problem: 'failed_document', concerned: [{ entry: document, detail: `status ${status}`, cost: 0 }], costMs: null, says },
  ];
}

function redirectProblem(study: HarStudy): Problem[] {
  const { har, summary } = study;
  const { document } = summary;
  if (!document || !har.document || har.redirects.length === 0) return [];
  const { redirectMs } = document;
  const hosts = [...har.redirects, har.document].map(({ host }) => sanitiseHost(host ?? ''));
  const path = hosts.slice(0, 5).join(' → ');
  const concerned = har.redirects.map((entry) => ({ entry, detail: `status ${entry.status}`, cost: entry.durationMs ?? 0 }));
  const says = `${counted(concerned.length, 'redirect')} before the document, ${formatMs(redirectMs)} in all: ${path}`;
  return [{ ...MEASURED, problem: 'redirects', concerned, costMs: redirectMs, says, wins: loadWins(study, redirectMs ?? 0) }];
}

function slowDocument(study: HarStudy): Problem[] {
  const { har, summary } = study;
  const { document } = summary;
  const limit = thresholdOf('firstByte', 'unknown');
  const ttfbMs = document?.ttfbMs ?? null;
  if (!document || !har.document || !limit || ttfbMs === null || ttfbMs <= limit.good) return [];
  const { dnsMs, connectMs, sslMs, waitMs } = document;
  const parts = [
    ['dns', dnsMs],
    ['connect', connectMs],
    ['of it ssl', sslMs],
    ['wait', waitMs],
  ] as const;
  const counts = parts.flatMap(([name, ms]) => (ms ? [`${name} ${formatMs(ms)}`] : []));
  const says = `The document's first byte took ${formatMs(ttfbMs)} (good: ${formatMs(limit.good)}, ${limit.basis}): ${counts.join(', ')}`;
  const concerned = [{ entry: har.document, detail: 'the document', cost: ttfbMs }];
  return [{ ...MEASURED, problem: 'slow_document', concerned, costMs: ttfbMs - limit.good, says, wins: loadWins(study, waitMs ?? ttfbMs) }];
}

function documentProblems(study: HarStudy): Problem[] {
  const { document } = study.har;
  return document ? [...failedDocument(document), ...redirectProblem(study), ...slowDocument(study)] : [];
}

function errorProblems({ concerned: { errors } }: HarStudy): Problem[] {
  const [first] = errors;
  if (!first) return [];
  const failures = new Map<number, number>();
  for (const { entry } of errors) addTo(failures, entry.status ?? 0);
  const statuses = [...failures].toSorted(([a], [b]) => a - b).slice(0, 6);
  const counts = statuses.map(([status, requests]) => `${requests} × ${status === 0 ? 'no response' : status}`).join(', ');
  const costMs = largestCost(errors);
  const address = addressText(sanitiseUrl(first.entry.url));
  const says = `${counted(errors.length, 'request')} failed: ${counts}; first ${address}; the longest took ${formatMs(costMs)}`;
  return [{ ...MEASURED, problem: 'errors', concerned: errors, costMs, says }];
}

/** Leaves out the requests that block rendering or are the likely LCP element: their wait is counted there. */
function slowAnswerProblems({ concerned: { slow_answers: answers }, blocking, largest }: HarStudy): Problem[] {
  const blocks = new Set([...blocking.entries, ...(largest?.entry ? [largest.entry] : [])]);
  const concerned = answers.filter(({ entry }) => !blocks.has(entry));
  const longest = longestWait(concerned.map(({ entry }) => entry));
  if (!longest) return [];
  const { entry, waitMs } = longest;
  const says =
    `${counted(concerned.length, 'request')} that ${concerned.length === 1 ? 'blocks' : 'block'} no rendering waited ` +
    `${SLOW_ANSWER_MS} ms or more for the server; longest ${addressText(sanitiseUrl(entry.url))} with ${formatMs(waitMs)}`;
  return [{ ...MEASURED, problem: 'slow_answers', concerned, costMs: waitMs, says }];
}

function weightProblems({ har, summary: { totals, byType }, parties }: HarStudy): Problem[] {
  const { transferBytes } = PAGE_MEDIANS.desktop;
  const excess = (totals.transferBytes ?? 0) - transferBytes;
  if (excess <= 0) return [];
  const [type] = byType;
  const party = parties.find((each) => each.party === 'third');
  const heaviest = [
    type && `${type.type} ${formatBytes(type.transferBytes)}`,
    party && `${party.name} ${formatBytes(party.totals.transferBytes)}`,
  ];
  const concerned = heaviestTogether(har, excess);
  const says =
    `${formatBytes(totals.transferBytes)} in ${counted(totals.requests, 'request')}, the median page of 2024 on desktop has ` +
    `${formatBytes(transferBytes)}; heaviest type and third party: ${heaviest.filter(Boolean).join(', ')}; the heaviest ` +
    `${concerned.length === 1 ? 'request weighs' : `${concerned.length} requests weigh`} as much as the excess`;
  return [{ ...MEASURED, problem: 'heavy_page', concerned, costMs: null, costBytes: excess, says }];
}
