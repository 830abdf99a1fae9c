import { counted, formatBytes, formatMs } from '../../lib/number-text.ts';
import { present } from '../../lib/sentences.ts';
import { markdownTable } from '../../lib/text-table.ts';
import type { HarEntry } from '../read/read-entry.ts';
import type { HarStudy } from '../requests/study-har.ts';
import { type ByteSizes, endOf, hasFailed, largestBy, timesText } from '../requests/totals.ts';
import { findProblems } from '../rules/find-problems.ts';
import { ORDER_NOTE } from '../rules/problem.ts';
import { shortUrl } from '../sanitise-url.ts';
import { partyVerdict } from './analyse-har.ts';
import { loadFacts, MEDIANS } from './summary-view.ts';

/** Rows of each list; whole lists are what analyze_har is for. */
const ROWS = { problems: 10, types: 5, parties: 4, requests: 3 };
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

/** A line for each of the first requests; other words where there is none. */
function linesOf(entries: readonly HarEntry[], otherwise = 'None.'): string[] {
  if (entries.length === 0) return [otherwise];
  return entries.slice(0, ROWS.requests).map((entry) => {
    const { url, type, status, durationMs } = entry;
    const known = status === 0 ? ', no response' : `, status ${status ?? 'unknown'}`;
    return `- ${code(shortUrl(url, URL_CHARS))} ${type}${status === 200 ? '' : known}, ${sizeOf(entry)}, ${formatMs(durationMs)}`;
  });
}

function overview({ totals }: HarStudy): string {
  const parts = present(
    counted(totals.requests, 'request'),
    `${formatBytes(totals.transferBytes)} transferred`,
    totals.contentBytes !== null && `${formatBytes(totals.contentBytes)} uncompressed`,
    `${counted(totals.hosts, 'host')} of ${counted(totals.domains, 'domain')}`,
    timesText({ DOMContentLoaded: totals.onContentLoadMs, load: totals.onLoadMs, 'last response after': totals.durationMs }, ' · '),
  );
  return `${parts.join(' · ')}.\n${MEDIANS}`;
}

function documentWords({ har: { document }, document: times }: HarStudy): string {
  if (!document || !times) return 'The file holds no document: redirects and TTFB are unknown.';
  const { ttfbMs, blockedMs, dnsMs, connectMs, sslMs, waitMs } = times;
  const spent = timesText({ TTFB: ttfbMs, queued: blockedMs, dns: dnsMs, connect: connectMs, 'of it TLS': sslMs, wait: waitMs });
  return `Status ${document.status ?? 'unknown'}, ${document.protocol ?? 'protocol unknown'}, ${sizeOf(document)}. ${spent}.`;
}

/** The report on a HAR file in Markdown: the costliest findings first, then what an engineer looks at, in the order of reading. */
export function harReport(study: HarStudy): string {
  const { har, entries, totals, blocking, parties } = study;
  const { document, redirects } = har;
  const { byType, byProtocol, largest, slowest } = loadFacts(study);
  const problems = findProblems(study)
    .slice(0, ROWS.problems)
    .map(({ says }, index) => `${index + 1}. ${marked(says)}`);
  const third = parties.filter(({ party }) => party === 'third').slice(0, ROWS.parties);
  const protocols = Object.entries(byProtocol).map(([protocol, requests]) => `${protocol} ${requests}`);
  const sections: Record<string, readonly string[]> = {
    'Look at first': problems.length > 0 ? [...problems, `\n${ORDER_NOTE}`] : ['Nothing stands out.'],
    Document: [documentWords(study), ...(document ? linesOf(redirects, 'No redirect.') : [])],
    [blocking.basis === 'stated' ? 'Render blocking' : 'Render blocking (heuristic)']: [
      ...linesOf(largestBy(blocking.entries, endOf, ROWS.requests), 'Nothing found.'),
      blocking.says,
    ],
    'Weight by type': [
      markdownTable(
        ['type', 'requests', 'transferred'],
        byType.slice(0, ROWS.types).map((row) => [row.type, String(row.requests), sizeOf(row)]),
      ),
    ],
    'Third parties (entity where known, else registrable domain)': [
      partyVerdict(parties, totals).answer,
      ...third.map((group) => `- ${code(group.name)} ${group.category ?? ''}, ${counted(group.requests, 'request')}, ${sizeOf(group)}`),
    ],
    'Protocols and connections': [
      `Requests by protocol: ${protocols.join(', ')}. ${counted(totals.connectionsOpened, 'connection')} opened for ` +
        `${counted(totals.requests, 'request')} to ${counted(totals.hosts, 'host')}; ${totals.fromCache} from the cache.`,
    ],
    'Failed requests': linesOf(entries.filter(hasFailed)),
    Largest: linesOf(largest(ROWS.requests)),
    Slowest: linesOf(slowest(ROWS.requests)),
    'Limits of this file': [
      ...study.notes.map((note) => `- ${note}`),
      '- No main-thread data: long tasks and blocking time are in the step report.',
    ],
  };
  const title = document ? `# HAR of ${code(shortUrl(document.url, URL_CHARS))}` : '# HAR without a document';
  const written = Object.entries(sections).map(([heading, lines]) => `## ${heading}\n\n${lines.join('\n')}`);
  return `${[title, overview(study), ...written].join('\n\n')}\n`;
}
