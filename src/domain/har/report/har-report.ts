import { counted, formatBytes, formatMs } from '../../../lib/number-text.ts';
import { markdownTable } from '../../../lib/text-table.ts';
import { PAGE_MEDIANS, rate, thresholdOf } from '../../speed/speed-metrics.ts';
import { endOf } from '../analyse/blocking.ts';
import { BLOCKING_BASIS } from '../analyse/blocking-problems.ts';
import { findProblems, saysWithWins } from '../analyse/find-problems.ts';
import { ORDER_NOTE, type Problem } from '../analyse/problem.ts';
import type { HarStudy } from '../analyse/study-har.ts';
import { shortUrl } from '../sanitise-url.ts';
import type { HarSummary, RequestRow, WasteFinding } from '../summary/har-summary.ts';

/** Rows of each list; whole lists are what analyze_har is for. */
const ROWS = { problems: 4, types: 5, parties: 4, requests: 3, errors: 3, redirects: 3 };

type Document = NonNullable<HarSummary['document']>;
type Section = readonly [title: string, ...lines: (string | undefined)[]];

/** Longest address in a line; its end is the most informative. */
const URL_CHARS = 74;

/** An address as code, so that nothing in it is read as Markdown. */
function code(url: string): string {
  const short = url.length > URL_CHARS ? `${url.slice(0, URL_CHARS / 2)}…${url.slice(1 - URL_CHARS / 2)}` : url;
  return `\`${short.replaceAll('`', '%60').replaceAll('|', '%7C')}\``;
}

/** Bytes with what they are: transferred, or uncompressed where the file does not have those. */
function sizeOf({ transferBytes, contentBytes }: { transferBytes: number | null; contentBytes: number | null }): string {
  if (transferBytes !== null) return formatBytes(transferBytes);
  return contentBytes === null ? 'size unknown' : `${formatBytes(contentBytes)} uncompressed`;
}

function share(part: number | null, whole: number | null): string {
  return part === null || !whole ? '–' : `${Math.round((part / whole) * 100)} %`;
}

function requestLine({ url, type, status, durationMs, ...sizes }: RequestRow): string {
  return `- ${code(url)} ${type}${status === 200 ? '' : `, status ${status}`}, ${sizeOf(sizes)}, ${formatMs(durationMs)}`;
}

function overview({ totals, pages }: HarSummary): string {
  const { desktop, mobile } = PAGE_MEDIANS;
  const parts = [
    counted(totals.requests, 'request'),
    `${formatBytes(totals.transferBytes)} transferred`,
    ...(totals.contentBytes === null ? [] : [`${formatBytes(totals.contentBytes)} uncompressed`]),
    `${counted(totals.hosts, 'host')} of ${counted(totals.domains, 'domain')}`,
    ...(totals.onContentLoadMs === null ? [] : [`DOMContentLoaded ${formatMs(totals.onContentLoadMs)}`]),
    ...(totals.onLoadMs === null ? [] : [`load ${formatMs(totals.onLoadMs)}`]),
    ...(totals.durationMs === null ? [] : [`last response after ${formatMs(totals.durationMs)}`]),
  ];
  const medians =
    `Median page of the web (2024): desktop ${formatBytes(desktop.transferBytes)} and ${desktop.requests} requests, mobile ` +
    `${formatBytes(mobile.transferBytes)} and ${mobile.requests}.`;
  return `${parts.join(' · ')}.${pages.length > 1 ? ` ${pages.length} pages in the file.` : ''}\n${medians}`;
}

function redirects({ redirects: chain, redirectMs }: Document): Section {
  const steps = chain.slice(0, ROWS.redirects).map(({ url, status, durationMs }) => `- ${status} ${code(url)}, ${formatMs(durationMs)}`);
  if (steps.length === 0) return ['Before the document', 'No redirect.'];
  return [
    'Before the document',
    `${counted(chain.length, 'redirect')} cost ${formatMs(redirectMs)} before the document was asked for:`,
    ...steps,
  ];
}

function documentSection(document: Document): Section {
  const { ttfbMs, blockedMs, dnsMs, connectMs, sslMs, waitMs, status, protocol } = document;
  const threshold = thresholdOf('firstByte', 'unknown');
  const rated = ttfbMs === null || !threshold ? '' : ` (${rate(ttfbMs, threshold)} by the field limit of ${formatMs(threshold.good)})`;
  const parts = [
    ['queued', blockedMs],
    ['dns', dnsMs],
    ['connect', connectMs],
    ['wait', waitMs],
  ] as const;
  const spent = parts.map(
    ([name, ms]) =>
      `${name} ${ms === null ? 'unknown' : formatMs(ms)}${name === 'connect' && sslMs !== null ? ` (of it TLS ${formatMs(sslMs)})` : ''}`,
  );
  return [
    'Document',
    `Status ${status}, ${protocol ?? 'protocol unknown'}, ${sizeOf(document)}. TTFB ${formatMs(ttfbMs)}${rated}: ${spent.join(', ')}.`,
  ];
}

function byType({ byType: types, totals }: HarSummary): Section {
  const rows = types
    .slice(0, ROWS.types)
    .map((row) => [row.type, String(row.requests), sizeOf(row), share(row.transferBytes, totals.transferBytes)]);
  return ['Weight by type', markdownTable(['type', 'requests', 'transferred', 'share'], rows)];
}

function thirdParties({ summary: { byParty, totals }, parties }: HarStudy): Section {
  const third = byParty.find(({ party }) => party === 'third');
  if (!third) return ['Third parties', 'None.'];
  const groups = parties.filter(({ party }) => party === 'third');
  const rows = groups
    .slice(0, ROWS.parties)
    .map(({ name, category, totals: own }) => [code(name), category ?? '', String(own.requests), sizeOf(own)]);
  const more = groups.length > rows.length ? `\nand ${groups.length - rows.length} more with fewer bytes` : undefined;
  return [
    'Third parties (entity where known, else registrable domain)',
    `${counted(third.requests, 'request')} of ${totals.requests}, ${sizeOf(third)} ` +
      `(${share(third.transferBytes, totals.transferBytes)} of the bytes).`,
    `\n${markdownTable(['party', 'category', 'requests', 'transferred'], rows)}`,
    more,
  ];
}

function blocking({ blocking: { entries, basis, untilMs } }: HarStudy): Section {
  const heading = basis === 'stated' ? 'Render blocking' : 'Render blocking (heuristic)';
  if (entries.length === 0) return [heading, `Nothing found. ${BLOCKING_BASIS[basis]}`];
  const latest = entries.toSorted((a, b) => endOf(b) - endOf(a)).slice(0, ROWS.requests);
  const lines = latest.map((entry) => `- ${code(shortUrl(entry.url))} ${entry.type}, ${sizeOf(entry)}, until ${formatMs(endOf(entry))}`);
  return [heading, `${counted(entries.length, 'request')}, the last ends at ${formatMs(untilMs)}. ${BLOCKING_BASIS[basis]}`, ...lines];
}

function answersLine(found: WasteFinding): string {
  return `- API answers too: ${found.requests}, ${sizeOf(found)}.`;
}

function wasteLine(found: WasteFinding, what: string): string {
  if (found.requests === 0) return `- ${what}: none.`;
  const worst = found.heaviest.slice(0, 2).map((row) => `${code(row.url)} ${sizeOf(row)}`);
  return `- ${what}: ${counted(found.requests, 'file')}, ${sizeOf(found)}; heaviest ${worst.join(', ')}.`;
}

function transport({ protocols, totals }: HarSummary): Section {
  const parts = protocols.map(({ protocol, requests }) => `${protocol ?? 'unknown'} ${requests}`);
  const { connectionsOpened, hosts, fromCache } = totals;
  return [
    'Protocols and connections',
    `Requests by protocol: ${parts.join(', ')}. ${counted(connectionsOpened, 'connection')} opened for ` +
      `${counted(totals.requests, 'request')} to ${counted(hosts, 'host')}; ${fromCache} from the cache.`,
  ];
}

function errors({ errors: { requests, listed } }: HarSummary): Section {
  if (requests === 0) return ['Failed requests', 'None with status 4xx, 5xx or without a response.'];
  const lines = listed
    .slice(0, ROWS.errors)
    .map(({ url, status, type }) => `- ${status === 0 ? 'no response' : status} ${code(url)} ${type}`);
  return ['Failed requests', `${counted(requests, 'request')}:`, ...lines];
}

function repeats({ findings: { duplicates } }: HarSummary): Section {
  if (duplicates.addresses === 0) return ['Duplicates', 'None.'];
  const lines = duplicates.heaviest
    .slice(0, ROWS.requests)
    .map((row) => `- ${code(row.url)} again ${counted(row.repeats, 'time')}, ${sizeOf(row)}`);
  return [
    'Duplicates',
    `${counted(duplicates.addresses, 'address', 'addresses')} fetched again, ${counted(duplicates.repeats, 'time')} in all, ` +
      `${formatBytes(duplicates.transferBytes)}:`,
    ...lines,
  ];
}

function costOf({ costMs, costBytes, basis, when }: Problem): string {
  const costs = [costMs === null ? [] : [formatMs(costMs)], costBytes === null ? [] : [formatBytes(costBytes)]].flat();
  const parts = [...costs, ...(basis === 'measured' || basis === 'stated' ? [] : [basis]), ...(when === 'this load' ? [] : [when])];
  return parts.length > 0 ? ` (${parts.join(', ')})` : '';
}

function problems(study: HarStudy): Section {
  const found = findProblems(study);
  if (found.length === 0) return ['Look at first', 'Nothing stands out.'];
  const lines = found
    .slice(0, ROWS.problems)
    .map((problem, index) => `${index + 1}. ${saysWithWins(problem).replaceAll('|', '%7C')}${costOf(problem)}`);
  return ['Look at first', ...lines, `\n${ORDER_NOTE}`];
}

function missing(title: string): Section {
  return [title, 'The file holds no document: redirects and TTFB are unknown.'];
}

/** The report on a HAR file in Markdown: the costliest findings, then everything in the order of reading. */
export function harReport(study: HarStudy): string {
  const { summary } = study;
  const { document, findings, largest, slowest, notes } = summary;
  const sections: Section[] = [
    problems(study),
    ...(document ? [redirects(document), documentSection(document)] : [missing('Document')]),
    blocking(study),
    byType(summary),
    thirdParties(study),
    [
      'Caching',
      wasteLine(findings.missingCache, 'May not be reused, or does not say for how long'),
      wasteLine(findings.shortCache, 'May be reused for less than a week'),
    ],
    [
      'Compression',
      wasteLine(findings.uncompressedText, 'Text of 1,400 bytes or more sent uncompressed'),
      ...(findings.uncompressedAnswers.requests > 0 ? [answersLine(findings.uncompressedAnswers)] : []),
    ],
    transport(summary),
    errors(summary),
    ['Largest', ...largest.slice(0, ROWS.requests).map(requestLine)],
    ['Slowest', ...slowest.slice(0, ROWS.requests).map(requestLine)],
    repeats(summary),
    [
      'Limits of this file',
      ...notes.map((note) => `- ${note}`),
      '- No main-thread data: long tasks and blocking time are in the step report.',
    ],
  ];
  const title = document ? `# HAR of ${code(document.url)}` : '# HAR without a document';
  const written = sections.map(([heading, ...lines]) => `## ${heading}\n\n${lines.filter((line) => line !== undefined).join('\n')}`);
  return `${[title, overview(summary), ...written].join('\n\n')}\n`;
}
