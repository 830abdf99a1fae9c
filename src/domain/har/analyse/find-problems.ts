import { formatBytes, formatMs } from '../../../lib/number-text.ts';
import { PAGE_MEDIANS, thresholdOf } from '../../speed/speed-metrics.ts';
import { addressText } from '../read/addresses.ts';
import type { HarEntry } from '../read/har-model.ts';
import { sanitiseHost, sanitiseUrl } from '../sanitise/sanitise-url.ts';
import type { Finding, HarSummary } from '../summary/har-summary.ts';
import { type BlockingBasis, endOf } from './blocking.ts';
import { byCost, counted, type Problem, someOf } from './problem.ts';
import { type HarStudy, type HostTransport, longestWait, SLOW_ANSWER_MS } from './study-har.ts';

/** In words, how render-blocking is recognised. */
export const BLOCKING_BASIS: Readonly<Record<BlockingBasis, string>> = {
  stated: 'Render-blocking as the HAR states it (_renderBlocking).',
  priority: 'Render-blocking by the priority that the browser gave: early stylesheets and scripts of priority High and above.',
  heuristic:
    'Render-blocking is a heuristic: every stylesheet and script that was loaded before the first paint or DOMContentLoaded and was ' +
    'not requested by a script; a HAR does not distinguish async from sync.',
};

/** What holds back the first paint: own files since the first byte, third parties by how much longer they take. */
function blockingProblems({ blocking }: HarStudy): Problem[] {
  const { basis, entries, untilMs, ownUntilMs, firstByteMs } = blocking;
  if (untilMs === null) return [];
  const third = entries.filter(({ party }) => party === 'third');
  const own = entries.filter(({ party }) => party !== 'third');
  const problems: Problem[] = [];
  if (own.length > 0 && firstByteMs !== null && ownUntilMs !== null) {
    const bytes = own.reduce((sum, { transferBytes }) => sum + (transferBytes ?? 0), 0);
    const scripts = own.filter(({ type }) => type === 'script').length;
    const kinds = [scripts > 0 && counted(scripts, 'script'), own.length > scripts && counted(own.length - scripts, 'stylesheet')];
    const says =
      `${kinds.filter(Boolean).join(' and ')} of the page's own (${formatBytes(bytes)}) hold back rendering until ` +
      `${formatMs(ownUntilMs)}${waitWords(own)}`;
    problems.push({
      problem: 'render_blocking',
      requests: own.length,
      costMs: Math.max(0, ownUntilMs - firstByteMs),
      costBytes: null,
      basis,
      when: 'this load',
      says,
    });
  }
  if (third.length > 0) {
    const costMs = ownUntilMs === null ? null : Math.max(0, untilMs - ownUntilMs);
    const hosts = hostsByEnd(third);
    const longer = costMs ? `, ${formatMs(costMs)} longer than the page's own files` : ', no longer than the page itself';
    const ends = third.map(endOf).reduce((a, b) => Math.max(a, b), 0);
    const says =
      `${counted(third.length, 'request')} to ${someOf(hosts, 3)} hold back rendering until ` +
      `${formatMs(ends)}${longer}${waitWords(third)}`;
    problems.push({ problem: 'third_party_blocking', requests: third.length, costMs, costBytes: null, basis, when: 'this load', says });
  }
  return problems;
}

/** Names the server that kept rendering waiting. */
function waitWords(entries: readonly HarEntry[]): string {
  const longest = longestWait(entries);
  if (!longest || longest.waitMs < SLOW_ANSWER_MS) return '';
  return `; ${addressText(sanitiseUrl(longest.entry.url))} waited ${formatMs(longest.waitMs)} for its server`;
}

/** Hosts, the one that blocks longest first. */
function hostsByEnd(entries: readonly HarEntry[]): string[] {
  const ends = new Map<string, number>();
  for (const entry of entries) {
    const host = sanitiseHost(entry.host ?? '');
    ends.set(host, Math.max(ends.get(host) ?? 0, endOf(entry)));
  }
  return [...ends].toSorted(([, a], [, b]) => b - a).map(([host]) => host);
}

/** Fewer requests over the old protocol hardly queue for its connections. */
const WORTH_MULTIPLEXING = 3;

/** Old protocols and connections that were opened again; costs are the longest single wait, because the waits overlap. */
function transportProblems({ hosts }: HarStudy): Problem[] {
  const old = hosts.filter(({ http1 }) => http1 > 0);
  const requests = total(old, ({ http1 }) => http1);
  const again = hosts.filter(({ openedMultiplexed }) => openedMultiplexed > 1);
  const problems: Problem[] = [];
  if (requests >= WORTH_MULTIPLEXING) {
    const costMs = longestOf(old, ({ longestQueueMs }) => longestQueueMs);
    const names = namesOf(old, ({ http1 }) => http1);
    const target = someOf(names, 2);
    const says = `${counted(requests, 'request')} to ${target} over HTTP/1.x; the longest queued ${formatMs(costMs)} for a connection`;
    problems.push({ problem: 'http1', requests, costMs, costBytes: null, basis: 'measured', when: 'this load', says });
  }
  if (again.length > 0) {
    const extra = total(again, ({ openedMultiplexed }) => openedMultiplexed - 1);
    const costMs = longestOf(again, ({ longestOpeningMs }) => longestOpeningMs);
    const names = namesOf(again, ({ openedMultiplexed }) => openedMultiplexed);
    const says =
      `${counted(extra, 'connection')} more than one for each host over HTTP/2 or 3: ${someOf(names, 2)}; the longest took ` +
      `${formatMs(costMs)} to open`;
    problems.push({ problem: 'reconnects', requests: extra, costMs, costBytes: null, basis: 'measured', when: 'this load', says });
  }
  return problems;
}

type NumberOf = (host: HostTransport) => number;

function total(hosts: readonly HostTransport[], numberOf: NumberOf): number {
  return hosts.reduce((sum, host) => sum + numberOf(host), 0);
}

function longestOf(hosts: readonly HostTransport[], numberOf: NumberOf): number {
  return hosts.reduce((most, host) => Math.max(most, numberOf(host)), 0);
}

function namesOf(hosts: readonly HostTransport[], numberOf: NumberOf): string[] {
  return hosts.toSorted((a, b) => numberOf(b) - numberOf(a)).map(({ host }) => sanitiseHost(host));
}

/** The share that compression leaves of a text, where the file has no compressed text to measure. */
const USUAL_PACKED_SHARE = 0.3;

/** Bytes that need not have been sent, or not again. */
function wasteProblems({ summary: { findings }, answers: { compressedShare: packedShare } }: HarStudy): Problem[] {
  return [
    ...uncompressed(findings.uncompressedText, packedShare ?? USUAL_PACKED_SHARE, ['uncompressed_text', 'text file']),
    ...uncompressed(findings.uncompressedAnswers, packedShare ?? USUAL_PACKED_SHARE, ['uncompressed_answers', 'API answer']),
    ...duplicates(findings.duplicates),
    ...cache(findings.missingCache, 'no_cache', 'may not be kept or do not say for how long'),
    ...cache(findings.shortCache, 'short_cache', 'may be kept for less than a week'),
  ];
}

function worst({ heaviest }: Finding): string {
  const [first] = heaviest;
  return first ? `; largest ${addressText(first.url)}` : '';
}

type Uncompressed = readonly ['uncompressed_text' | 'uncompressed_answers', string];

function uncompressed(finding: Finding, share: number, [problem, what]: Uncompressed): Problem[] {
  const { requests, transferBytes, contentBytes } = finding;
  if (requests === 0) return [];
  const sent = transferBytes ?? contentBytes;
  const costBytes = sent === null ? null : Math.round(sent * (1 - share));
  const says =
    `${counted(requests, what)} sent uncompressed (${formatBytes(sent)}; compressed about ${Math.round(share * 100)} % of ` +
    `it)${worst(finding)}`;
  return [{ problem, requests, costMs: null, costBytes, basis: 'estimate', when: 'this load', says }];
}

function duplicates({ addresses, repeats, transferBytes, heaviest }: HarSummary['findings']['duplicates']): Problem[] {
  const [first] = heaviest;
  if (!first) return [];
  const address = addressText(first.url);
  const says = `${counted(addresses, 'address', 'addresses')} fetched again ${counted(repeats, 'time')}; heaviest ${address}`;
  return [{ problem: 'duplicates', requests: repeats, costMs: null, costBytes: transferBytes, basis: 'measured', when: 'this load', says }];
}

function cache(finding: Finding, problem: 'no_cache' | 'short_cache', words: string): Problem[] {
  const { requests, transferBytes, contentBytes } = finding;
  if (requests === 0) return [];
  const costBytes = transferBytes ?? contentBytes;
  const says = `${counted(requests, 'static file')} ${words}: ${formatBytes(costBytes)} again${worst(finding)}`;
  return [{ problem, requests, costMs: null, costBytes, basis: 'measured', when: 'next visits', says }];
}

/** All that is wrong with a page load, costliest first. */
export function findProblems(study: HarStudy): Problem[] {
  const found = [
    ...documentProblems(study),
    ...blockingProblems(study),
    ...errorProblems(study),
    ...slowAnswerProblems(study),
    ...weightProblems(study),
    ...wasteProblems(study),
    ...transportProblems(study),
  ];
  return found.toSorted(byCost);
}

function documentProblems({ har, summary: { document } }: HarStudy): Problem[] {
  if (!document || !har.document) return [];
  const problems: Problem[] = [];
  const { status, ttfbMs, redirectMs, redirects } = document;
  if (status === 0 || status >= 400) {
    const says = `The document itself failed with status ${status}: everything else is that of an error page.`;
    problems.push({ problem: 'failed_document', requests: 1, costMs: null, costBytes: null, basis: 'measured', when: 'this load', says });
  }
  if (redirects.length > 0) {
    const hosts = [...har.redirects, har.document].map(({ host }) => sanitiseHost(host ?? ''));
    const path = hosts.slice(0, 5).join(' → ');
    const says = `${counted(redirects.length, 'redirect')} before the document, ${formatMs(redirectMs)} in all: ${path}`;
    problems.push({
      problem: 'redirects',
      requests: redirects.length,
      costMs: redirectMs,
      costBytes: null,
      basis: 'measured',
      when: 'this load',
      says,
    });
  }
  const limit = thresholdOf('firstByte', 'unknown');
  if (limit && ttfbMs !== null && ttfbMs > limit.good) {
    const { dnsMs, connectMs, sslMs, waitMs } = document;
    const parts = [
      ['dns', dnsMs],
      ['connect', connectMs],
      ['of it ssl', sslMs],
      ['wait', waitMs],
    ] as const;
    const counts = parts.flatMap(([name, ms]) => (ms ? [`${name} ${formatMs(ms)}`] : []));
    const says = `The document's first byte took ${formatMs(ttfbMs)} (good: ${formatMs(limit.good)}, ${limit.basis}): ${counts.join(', ')}`;
    problems.push({
      problem: 'slow_document',
      requests: 1,
      costMs: ttfbMs - limit.good,
      costBytes: null,
      basis: 'measured',
      when: 'this load',
      says,
    });
  }
  return problems;
}

function errorProblems({ summary: { errors }, answers: { failures, longestFailureMs } }: HarStudy): Problem[] {
  const [first] = errors.listed;
  if (!first) return [];
  const statuses = [...failures].toSorted(([a], [b]) => a - b).slice(0, 6);
  const counts = statuses.map(([status, requests]) => `${requests} × ${status === 0 ? 'no response' : status}`).join(', ');
  const says =
    `${counted(errors.requests, 'request')} failed: ${counts}; first ${addressText(first.url)}; the longest took ` +
    formatMs(longestFailureMs);
  return [
    { problem: 'errors', requests: errors.requests, costMs: longestFailureMs, costBytes: null, basis: 'measured', when: 'this load', says },
  ];
}

/** What blocks rendering is left out: there its wait is counted already. */
function slowAnswerProblems({ answers, blocking }: HarStudy): Problem[] {
  const blocks = new Set(blocking.entries);
  const slow = answers.slow.filter((entry) => !blocks.has(entry));
  const longest = longestWait(slow);
  if (!longest) return [];
  const { entry, waitMs } = longest;
  const says =
    `${counted(slow.length, 'request')} that block no rendering waited ${SLOW_ANSWER_MS} ms or more for the server; longest ` +
    `${addressText(sanitiseUrl(entry.url))} with ${formatMs(waitMs)}`;
  return [{ problem: 'slow_answers', requests: slow.length, costMs: waitMs, costBytes: null, basis: 'measured', when: 'this load', says }];
}

function weightProblems({ summary: { totals, byType }, parties }: HarStudy): Problem[] {
  const { transferBytes } = PAGE_MEDIANS.desktop;
  const excess = (totals.transferBytes ?? 0) - transferBytes;
  if (excess <= 0) return [];
  const [type] = byType;
  const party = parties.find((each) => each.party === 'third');
  const heaviest = [
    type && `${type.type} ${formatBytes(type.transferBytes)}`,
    party && `${party.name} ${formatBytes(party.totals.transferBytes)}`,
  ];
  const says =
    `${formatBytes(totals.transferBytes)} in ${counted(totals.requests, 'request')}, the median page of 2024 on desktop has ` +
    `${formatBytes(transferBytes)}; heaviest type and third party: ${heaviest.filter(Boolean).join(', ')}`;
  return [
    {
      problem: 'heavy_page',
      requests: totals.requests,
      costMs: null,
      costBytes: excess,
      basis: 'measured',
      when: 'this load',
      says,
    },
  ];
}
