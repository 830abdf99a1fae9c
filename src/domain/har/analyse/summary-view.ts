import { counted, formatBytes, formatMs } from '../../../lib/number-text.ts';
import { PAGE_MEDIANS } from '../../speed/speed-metrics.ts';
import { withoutFragment } from '../read/find-document.ts';
import type { Har, HarEntry } from '../read/har-model.ts';
import { shortUrl } from '../sanitise-url.ts';
import { hasFailed } from '../summary/entry-counts.ts';
import type { HarSummary, RequestRow } from '../summary/har-summary.ts';
import { type Blocking, endOf } from './blocking.ts';
import { BLOCKING_BASIS } from './blocking-problems.ts';
import { findProblems, saysWithWins } from './find-problems.ts';
import type { HarAnswer } from './har-answer.ts';
import { imageHint } from './image-hint.ts';
import { ORDER_NOTE, type Problem } from './problem.ts';
import { tenth } from './request-rows.ts';
import type { HarStudy } from './study-har.ts';

/** One request of the chain, and why the next one is taken to have waited for it. */
export interface ChainLink {
  readonly entry: HarEntry;
  /** How it follows from the one before: named as initiator, as target of its redirect, or only by time. */
  readonly follows: 'start' | 'redirect' | 'initiator' | 'time';
}

/** Longer chains are cut at their beginning; each link costs a pass over the requests. */
const MAX_LINKS = 12;
/** Types of resources that can request others. */
const CAUSES = new Set<HarEntry['type']>(['document', 'script', 'stylesheet']);

/** The request that the page waited for last: the last one that blocks rendering, else the last one that ended before onLoad. */
function lastAwaited(har: Har, blocking: Blocking): HarEntry | null {
  const page = har.pages[0];
  const loadMs = page?.onLoadMs == null ? Number.POSITIVE_INFINITY : (page.startMs ?? 0) + page.onLoadMs;
  let last: HarEntry | null = null;
  for (const entry of blocking.entries.length > 0 ? blocking.entries : har.entries) {
    if (entry.startMs === null || endOf(entry) > loadMs || hasFailed(entry)) continue;
    if (!last || endOf(entry) > endOf(last)) last = entry;
  }
  return last;
}

/** True for the address itself, also with a fragment. */
function isAddress(url: string, address: string): boolean {
  return url.startsWith(address) && (url.length === address.length || url.charAt(address.length) === '#');
}

interface Cause {
  readonly entry: HarEntry;
  readonly follows: 'initiator' | 'time';
}

/** The request that caused this one: its initiator, or else the possible cause that ended last before it began, or else the document. */
function causeOf(entry: HarEntry, { entries, document }: Har, seen: ReadonlySet<HarEntry>): Cause | null {
  const startMs = entry.startMs ?? Number.NEGATIVE_INFINITY;
  const earlier = entries.filter(
    (other) => other.startMs !== null && other.startMs < startMs && !seen.has(other) && other.pageId === entry.pageId,
  );
  const initiator = entry.initiatorUrl === null ? null : withoutFragment(entry.initiatorUrl);
  const named = initiator === null ? undefined : earlier.find(({ url }) => isAddress(url, initiator));
  if (named) return { entry: named, follows: 'initiator' };
  const ended = earlier.filter((other) => other !== document && CAUSES.has(other.type) && endOf(other) <= startMs);
  const [latest] = ended.toSorted((a, b) => endOf(b) - endOf(a));
  if (latest) return { entry: latest, follows: 'time' };
  const isFirst = document && !seen.has(document) && (document.startMs ?? 0) <= (entry.startMs ?? 0);
  return isFirst ? { entry: document, follows: 'time' } : null;
}

/**
 * The chain of requests that the first paint waited for (or onLoad, where nothing blocks rendering), from the first redirect on. A
 * heuristic: a HAR says who asked for a request at best, never what it waited for.
 */
function criticalChain(har: Har, blocking: Blocking): ChainLink[] {
  const { document, redirects } = har;
  let current = lastAwaited(har, blocking);
  const seen = new Set<HarEntry>(redirects);
  const backwards: ChainLink[] = [];
  while (current && current !== document && backwards.length < MAX_LINKS) {
    seen.add(current);
    const cause = causeOf(current, har, seen);
    backwards.push({ entry: current, follows: cause?.follows ?? 'start' });
    current = cause?.entry ?? null;
  }
  const chain = backwards.toReversed();
  if (!document || current !== document) return chain;
  const toDocument = [...redirects, document].map((entry, index): ChainLink => ({ entry, follows: index === 0 ? 'start' : 'redirect' }));
  return [...toDocument, ...chain];
}

/** Rows of each list; whole lists are what the other views are for. */
const SHOWN = { findings: 5, parties: 3, requests: 3, slowest: 2, chain: 4 };
const MAX_URL = 80;

/** The overview of a HAR file: a verdict, findings by cost, and the numbers behind them. */
export function summaryView(study: HarStudy): { answer: Omit<HarAnswer, 'view'>; notes: string[] } {
  const { har, summary, blocking, parties } = study;
  const problems = findProblems(study);
  const { document, totals, byType, byParty, byStatus, protocols, largest, slowest } = summary;
  const { requests, transferBytes, contentBytes, durationMs, onContentLoadMs, onLoadMs, hosts, domains, fromCache, connectionsOpened } =
    totals;
  const chain = criticalChain(har, blocking).slice(-SHOWN.chain);
  // The chain begins with the redirects where it is short enough.
  const hasMore = document !== null && document.redirects.some(({ index }) => chain.every(({ entry }) => entry.index !== index));
  return {
    answer: {
      verdict: verdictOf(study, problems),
      findings: problems.slice(0, SHOWN.findings).map(findingRow),
      ...paintFacts(study),
      document: document && documentRow(document),
      ...(hasMore && { redirects: document.redirects.slice(0, SHOWN.requests).map(requestRow) }),
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
      slowest: slowest.slice(0, SHOWN.slowest).map(requestRow),
      criticalChain: chain.map(chainRow),
    },
    notes: [...study.notes, ...summary.notes, ...notesOf(study, problems)],
  };
}

function verdictOf(study: HarStudy, problems: readonly Problem[]): string {
  const { document, totals } = study.summary;
  const facts = [
    document
      ? `The document answered ${document.status ?? 'with an unknown status'} after ${formatMs(document.ttfbMs)}`
      : 'The file holds no document',
    `${counted(totals.requests, 'request')} moved ${formatBytes(totals.transferBytes)}`,
    ...(totals.onLoadMs === null ? [] : [`loaded after ${formatMs(totals.onLoadMs)}`]),
  ];
  const [first] = problems;
  const fix = first ? `To fix first: ${saysWithWins(first)}.` : 'Nothing stands out.';
  return [fix, paintWords(study), `${facts.join('; ')}.`].filter((words) => words !== '').join(' ');
}

/** `FCP 1.2 s, LCP 2.7 s, TBT 60 ms.` */
function paintWords({ paints }: HarStudy): string {
  const known = (['FCP', 'LCP', 'TBT'] as const).flatMap((name, index) => {
    const ms = [paints.fcpMs, paints.lcpMs, paints.tbtMs][index];
    return ms == null ? [] : [`${name} ${formatMs(ms)}`];
  });
  return known.length === 0 ? '' : `${known.join(', ')}.`;
}

/** Paints and the likely LCP element, where the report of the step gives them. */
function paintFacts({ paints: { fcpMs, lcpMs, tbtMs }, largest }: HarStudy): Pick<HarAnswer, 'paints' | 'likelyLcp'> {
  if (fcpMs === null && lcpMs === null && tbtMs === null) return {};
  const paints = { fcpMs: tenth(fcpMs), lcpMs: tenth(lcpMs), tbtMs: tenth(tbtMs) };
  if (!largest) return { paints };
  const { kind, certainty, entry, phases } = largest;
  return { paints, likelyLcp: { kind, certainty, ...(entry && elementFacts(entry)), ...(phases && { phases: rounded({ ...phases }) }) } };
}

function elementFacts(entry: HarEntry): Partial<NonNullable<HarAnswer['likelyLcp']>> {
  const { startMs, transferBytes, protocol, priority } = entry;
  const { format, width, height } = imageHint(entry);
  const times = { startMs: tenth(startMs), endMs: startMs === null ? null : tenth(endOf(entry)) };
  return { url: shortUrl(entry.url, MAX_URL), format, width, height, transferBytes, protocol, priority, ...times };
}

/** A finding with its requests counted and its costs rounded. */
export function findingRow({ concerned, ...problem }: Problem) {
  return { ...problem, requests: concerned.length, costMs: tenth(problem.costMs) };
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
  const medians =
    `Median page of 2024: desktop ${formatBytes(desktop.transferBytes)}, ${desktop.requests} requests; mobile ` +
    `${formatBytes(mobile.transferBytes)}, ${mobile.requests}.`;
  // Below both there is nothing to compare, above both a finding says it.
  const isBetween = (totals.transferBytes ?? 0) > mobile.transferBytes && (totals.transferBytes ?? 0) <= desktop.transferBytes;
  return [
    ORDER_NOTE,
    ...(blocking.entries.length > 0 ? [BLOCKING_BASIS[blocking.basis]] : []),
    'The critical chain is a heuristic: by initiator, else by time.',
    ...(isBetween ? [medians] : []),
    ...(unsized > 0 ? [`${counted(unsized, 'request')} without a known transfer size are not in transferBytes.`] : []),
    ...(unlisted.length > 0 ? [`Further findings (view problems): ${unlisted.join(', ')}.`] : []),
    ...(parties.length > SHOWN.parties ? [`${parties.length - SHOWN.parties} more parties: view third_parties.`] : []),
  ];
}
