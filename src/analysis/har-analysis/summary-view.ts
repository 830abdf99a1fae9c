import { formatBytes, formatMs } from '../../lib/number-text.ts';
import { type HarSummary, type RequestRow, shortUrl } from '../har/index.ts';
import { PAGE_MEDIANS } from '../page-medians.ts';
import { endOf } from './blocking.ts';
import { type ChainLink, criticalChain } from './chain.ts';
import { ORDER_NOTE, type Problem } from './problem.ts';
import { findProblems } from './problems.ts';
import { BLOCKING_BASIS } from './problems-blocking.ts';
import { tenth } from './rows.ts';
import type { HarAnswer } from './shape.ts';
import type { HarStudy } from './study.ts';
import { counted } from './words.ts';

/** Rows of each list; whole lists are what the other views are for. */
const SHOWN = { findings: 8, parties: 6, requests: 3, chain: 6 };
const MAX_URL = 80;

/** What an engineer says first about a HAR file: a verdict, findings by cost, and the numbers behind them. */
export function summaryView(study: HarStudy): { answer: Omit<HarAnswer, 'view'>; notes: string[] } {
  const { har, summary, blocking, parties } = study;
  const problems = findProblems(study);
  const { document, totals, byType, byParty, byStatus, protocols, largest, slowest } = summary;
  const { requests, transferBytes, contentBytes, durationMs, onContentLoadMs, onLoadMs, hosts, domains, fromCache, connectionsOpened } =
    totals;
  return {
    answer: {
      verdict: verdictOf(summary, problems),
      findings: problems.slice(0, SHOWN.findings).map(findingRow),
      document: document && documentRow(document),
      ...(document && document.redirects.length > 0 && { redirects: document.redirects.slice(0, SHOWN.requests).map(requestRow) }),
      totals: {
        requests,
        transferBytes,
        contentBytes,
        durationMs: tenth(durationMs),
        onContentLoadMs: tenth(onContentLoadMs),
        onLoadMs: tenth(onLoadMs),
        hosts,
        domains,
        fromCache,
        connectionsOpened,
      },
      byStatus: Object.fromEntries(byStatus.map((each) => [each.statusClass, each.requests])),
      byProtocol: Object.fromEntries(protocols.map((each) => [each.protocol ?? 'unknown', each.requests])),
      byType: byType.map((each) => ({ type: each.type, ...amounts(each) })),
      byParty: byParty.map((each) => ({ party: each.party, ...amounts(each) })),
      parties: parties
        .slice(0, SHOWN.parties)
        .map(({ name, party, blocking: blocks, totals: theirs }) => ({ name, party, blocking: blocks, ...amounts(theirs) })),
      largest: largest.slice(0, SHOWN.requests).map(requestRow),
      slowest: slowest.slice(0, SHOWN.requests).map(requestRow),
      criticalChain: criticalChain(har, blocking).slice(-SHOWN.chain).map(chainRow),
    },
    notes: [...summary.notes, ...notesOf(study, problems)],
  };
}

function verdictOf({ document, totals }: HarSummary, problems: readonly Problem[]): string {
  const facts = [
    document ? `${document.url} answered ${document.status} after ${formatMs(document.ttfbMs)}` : 'The file holds no document',
    `${counted(totals.requests, 'request')} moved ${formatBytes(totals.transferBytes)}`,
    ...(totals.onLoadMs === null ? [] : [`loaded after ${formatMs(totals.onLoadMs)}`]),
  ];
  const [worst] = problems;
  return `${facts.join('; ')}. ${worst ? `Costliest: ${worst.says}.` : 'Nothing stands out.'}`;
}

/** A finding with its costs rounded. */
export function findingRow(problem: Problem): Problem {
  return { ...problem, costMs: tenth(problem.costMs) };
}

function documentRow({ url, status, protocol, ...document }: NonNullable<HarSummary['document']>) {
  const { redirectMs, ttfbMs, blockedMs, dnsMs, connectMs, sslMs, sendMs, waitMs, receiveMs } = document;
  const times = { redirectMs, ttfbMs, blockedMs, dnsMs, connectMs, sslMs, sendMs, waitMs, receiveMs };
  return { url, status, protocol, ...rounded(times) };
}

function rounded<Name extends string>(times: Record<Name, number | null>): Record<Name, number | null> {
  const entries = Object.entries<number | null>(times).map(([name, ms]) => [name, tenth(ms)]);
  return Object.fromEntries(entries) as Record<Name, number | null>; // the same names
}

function amounts({
  requests,
  transferBytes,
  contentBytes,
}: {
  requests: number;
  transferBytes: number | null;
  contentBytes: number | null;
}) {
  return { requests, transferBytes, contentBytes };
}

function requestRow({ index, url, status, durationMs, transferBytes, contentBytes }: RequestRow) {
  return {
    index,
    url: url.length > MAX_URL ? `${url.slice(0, MAX_URL - 1)}…` : url,
    status,
    durationMs: tenth(durationMs),
    transferBytes,
    contentBytes,
  };
}

function chainRow({ entry, follows }: ChainLink) {
  const { index, startMs } = entry;
  return {
    index,
    url: shortUrl(entry.url, MAX_URL),
    startMs: tenth(startMs),
    endMs: startMs === null ? null : tenth(endOf(entry)),
    follows,
  };
}

function notesOf({ summary: { totals }, parties, blocking }: HarStudy, problems: readonly Problem[]): string[] {
  const { desktop, mobile } = PAGE_MEDIANS;
  const unlisted = problems.slice(SHOWN.findings).map(({ problem }) => problem);
  const unsized = totals.requestsWithoutTransferSize;
  return [
    ORDER_NOTE,
    ...(blocking.entries.length > 0 ? [BLOCKING_BASIS[blocking.basis]] : []),
    'The critical chain is a heuristic: by initiator, else by time.',
    `2024 medians of a page: desktop ${formatBytes(desktop.transferBytes)} and ${desktop.requests} requests, mobile ${formatBytes(mobile.transferBytes)} and ${mobile.requests}.`,
    ...(unsized > 0 ? [`${counted(unsized, 'request')} without a known transfer size are not in transferBytes.`] : []),
    ...(unlisted.length > 0 ? [`Further findings (view problems): ${unlisted.join(', ')}.`] : []),
    ...(parties.length > SHOWN.parties ? [`${parties.length - SHOWN.parties} more parties: view third_parties.`] : []),
  ];
}
