import { counted, formatBytes, formatMs } from '../../../lib/number-text.ts';
import { markdownTable } from '../../../lib/text-table.ts';
import { PAGE_MEDIANS } from '../../speed/speed-metrics.ts';
import type { HarEntry } from '../read/har-model.ts';
import { BLOCKING_BASIS } from '../requests/blocking.ts';
import type { HarStudy } from '../requests/study-har.ts';
import { type ByteSizes, endOf, groupsOf, hasFailed, largestBy, totalsOf } from '../requests/totals.ts';
import { findProblems } from '../rules/find-problems.ts';
import { ORDER_NOTE, type Problem } from '../rules/problem.ts';
import type { ProblemKind } from '../rules/problem-kinds.ts';
import { shortUrl } from '../sanitise-url.ts';
import { loadFacts } from './summary-view.ts';

/** Rows of each list; whole lists are what analyze_har is for. */
const ROWS = { problems: 3, types: 5, parties: 4, requests: 3 };
/** Longest address in a line; its end is the most informative. */
const URL_CHARS = 74;

/** A text in which nothing is read as Markdown. */
const marked = (text: string) => text.replaceAll('|', '%7C').replaceAll('`', '%60');
const code = (text: string) => `\`${marked(text)}\``;

/** Bytes with what they are: transferred, or uncompressed where the file does not have those. */
function sizeOf({ transferBytes, contentBytes }: ByteSizes): string {
  if (transferBytes !== null) return formatBytes(transferBytes);
  return contentBytes === null ? 'size unknown' : `${formatBytes(contentBytes)} uncompressed`;
}

const share = (part: number | null, whole: number | null) => (part === null || !whole ? '–' : `${Math.round((part / whole) * 100)} %`);

/** A line for each of the first requests. */
function linesOf(entries: readonly HarEntry[]): string[] {
  return entries.slice(0, ROWS.requests).map((entry) => {
    const { url, type, status, durationMs } = entry;
    const known = status === 0 ? ', no response' : `, status ${status ?? 'unknown'}`;
    return `- ${code(shortUrl(url, URL_CHARS))} ${type}${status === 200 ? '' : known}, ${sizeOf(entry)}, ${formatMs(durationMs)}`;
  });
}

/** The problems of these kinds, a line each; other words where nothing was. */
function found(problems: readonly Problem[], kinds: readonly ProblemKind[], otherwise: string): string[] {
  const lines = problems.filter(({ problem }) => kinds.includes(problem)).map(({ says }) => `- ${marked(says)}`);
  return lines.length > 0 ? lines : [otherwise];
}

function overview({ totals }: HarStudy): string {
  const { desktop, mobile } = PAGE_MEDIANS;
  const times = { DOMContentLoaded: totals.onContentLoadMs, load: totals.onLoadMs, 'last response after': totals.durationMs };
  const parts = [
    counted(totals.requests, 'request'),
    `${formatBytes(totals.transferBytes)} transferred`,
    ...(totals.contentBytes === null ? [] : [`${formatBytes(totals.contentBytes)} uncompressed`]),
    `${counted(totals.hosts, 'host')} of ${counted(totals.domains, 'domain')}`,
    ...Object.entries(times).flatMap(([name, ms]) => (ms === null ? [] : [`${name} ${formatMs(ms)}`])),
  ];
  const medians =
    `Median page of the web (2024): desktop ${formatBytes(desktop.transferBytes)} and ${desktop.requests} requests, mobile ` +
    `${formatBytes(mobile.transferBytes)} and ${mobile.requests}.`;
  return `${parts.join(' · ')}.\n${medians}`;
}

function documentWords({ har: { document }, document: times }: HarStudy): string {
  if (!document || !times) return 'The file holds no document: redirects and TTFB are unknown.';
  const phases = { queued: times.blockedMs, dns: times.dnsMs, connect: times.connectMs, 'of it TLS': times.sslMs, wait: times.waitMs };
  const spent = Object.entries(phases).map(([name, ms]) => `${name} ${ms === null ? 'unknown' : formatMs(ms)}`);
  const { status, protocol } = document;
  const facts = [`Status ${status ?? 'unknown'}`, protocol ?? 'protocol unknown', sizeOf(document)].join(', ');
  return `${facts}. TTFB ${formatMs(times.ttfbMs)}: ${spent.join(', ')}.`;
}

function thirdParties({ har, parties, totals }: HarStudy): string[] {
  const third = parties.filter(({ party }) => party === 'third');
  const all = totalsOf(har.entries.filter(({ party }) => party === 'third'));
  if (third.length === 0) return ['None.'];
  const rows = third.slice(0, ROWS.parties).map((group) => [code(group.name), group.category ?? '', String(group.requests), sizeOf(group)]);
  return [
    `${counted(all.requests, 'request')} of ${totals.requests}, ${sizeOf(all)} ` +
      `(${share(all.transferBytes, totals.transferBytes)} of the bytes).`,
    `\n${markdownTable(['party', 'category', 'requests', 'transferred'], rows)}`,
    ...(third.length > rows.length ? [`\nand ${third.length - rows.length} more with fewer bytes`] : []),
  ];
}

/** The report on a HAR file in Markdown: the costliest findings, then everything in the order of reading. */
export function harReport(study: HarStudy): string {
  const { har, totals, blocking } = study;
  const { entries, document, redirects } = har;
  const { byType, largest, slowest } = loadFacts(study);
  const problems = findProblems(study);
  const of = (kinds: readonly ProblemKind[], otherwise = 'None.') => found(problems, kinds, otherwise);
  const protocols = groupsOf(entries, ({ protocol }) => protocol).map(({ key, totals: { requests } }) => `${key ?? 'unknown'} ${requests}`);
  const types = byType
    .slice(0, ROWS.types)
    .map((row) => [row.type, String(row.requests), sizeOf(row), share(row.transferBytes, totals.transferBytes)]);
  const first = problems.slice(0, ROWS.problems).map(({ says }, index) => `${index + 1}. ${marked(says)}`);
  const latest = largestBy(blocking.entries, endOf, ROWS.requests);
  const sections: Record<string, readonly string[]> = {
    'Look at first': first.length > 0 ? [...first, `\n${ORDER_NOTE}`] : ['Nothing stands out.'],
    ...(document && { 'Before the document': [...of(['redirects'], 'No redirect.'), ...linesOf(redirects)] }),
    Document: [documentWords(study)],
    [blocking.basis === 'stated' ? 'Render blocking' : 'Render blocking (heuristic)']: [
      latest.length > 0
        ? `${counted(blocking.entries.length, 'request')}, the last ends at ${formatMs(blocking.untilMs)}.`
        : 'Nothing found.',
      BLOCKING_BASIS[blocking.basis],
      ...linesOf(latest),
    ],
    'Weight by type': [markdownTable(['type', 'requests', 'transferred', 'share'], types)],
    'Third parties (entity where known, else registrable domain)': thirdParties(study),
    Caching: of(['no_cache', 'short_cache']),
    Compression: of(['uncompressed_text', 'uncompressed_answers']),
    'Protocols and connections': [
      `Requests by protocol: ${protocols.join(', ')}. ${counted(totals.connectionsOpened, 'connection')} opened for ` +
        `${counted(totals.requests, 'request')} to ${counted(totals.hosts, 'host')}; ${totals.fromCache} from the cache.`,
    ],
    'Failed requests': [...of(['errors'], 'None with status 4xx, 5xx or without a response.'), ...linesOf(entries.filter(hasFailed))],
    Largest: linesOf(largest(ROWS.requests)),
    Slowest: linesOf(slowest(ROWS.requests)),
    Duplicates: of(['duplicates', 'duplicated_scripts']),
    'Limits of this file': [
      ...study.notes.map((note) => `- ${note}`),
      '- No main-thread data: long tasks and blocking time are in the step report.',
    ],
  };
  const title = document ? `# HAR of ${code(shortUrl(document.url, URL_CHARS))}` : '# HAR without a document';
  const written = Object.entries(sections).map(([heading, lines]) => `## ${heading}\n\n${lines.join('\n')}`);
  return `${[title, overview(study), ...written].join('\n\n')}\n`;
}
