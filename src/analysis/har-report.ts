import { markdownTable } from '../lib/markdown-table.ts';
import { formatBytes, formatMs } from '../lib/number-text.ts';
import type { Finding, HarSummary, RequestRow } from './har/index.ts';
import { PAGE_MEDIANS } from './page-medians.ts';
import { rate, thresholdOf } from './thresholds.ts';

/** Rows of each list; whole lists are what analyze_har is for. */
const ROWS = { types: 8, domains: 8, requests: 3, errors: 5, redirects: 4 };

type Document = NonNullable<HarSummary['document']>;
type Section = readonly [title: string, ...lines: (string | undefined)[]];

/** An address as code, so that nothing in it is read as Markdown. */
function code(url: string): string {
  return `\`${url.replaceAll('`', '%60').replaceAll('|', '%7C')}\``;
}

function plural(count: number, word: string, ending = 's'): string {
  return `${count} ${word}${count === 1 ? '' : ending}`;
}

/** Bytes with what they are: transferred, or unpacked where the file does not know those. */
function sizeOf({ transferBytes, contentBytes }: { transferBytes: number | null; contentBytes: number | null }): string {
  if (transferBytes !== null) return formatBytes(transferBytes);
  return contentBytes === null ? 'size unknown' : `${formatBytes(contentBytes)} unpacked`;
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
    plural(totals.requests, 'request'),
    `${formatBytes(totals.transferBytes)} transferred`,
    `${formatBytes(totals.contentBytes)} unpacked`,
    `${plural(totals.hosts, 'host')} of ${plural(totals.domains, 'domain')}`,
    ...(totals.onContentLoadMs === null ? [] : [`DOMContentLoaded ${formatMs(totals.onContentLoadMs)}`]),
    ...(totals.onLoadMs === null ? [] : [`load ${formatMs(totals.onLoadMs)}`]),
    ...(totals.durationMs === null ? [] : [`last response after ${formatMs(totals.durationMs)}`]),
  ];
  const medians = `Median page of the web (2024): desktop ${formatBytes(desktop.transferBytes)} and ${desktop.requests} requests, mobile ${formatBytes(mobile.transferBytes)} and ${mobile.requests}.`;
  return `${parts.join(' · ')}.${pages.length > 1 ? ` ${pages.length} pages in the file.` : ''}\n${medians}`;
}

function redirects({ redirects: chain, redirectMs }: Document): Section {
  const steps = chain.slice(0, ROWS.redirects).map(({ url, status, durationMs }) => `- ${status} ${code(url)}, ${formatMs(durationMs)}`);
  if (steps.length === 0) return ['Before the document', 'No redirect.'];
  return [
    'Before the document',
    `${plural(chain.length, 'redirect')} cost ${formatMs(redirectMs)} before the document was asked for:`,
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
  const spent = parts.map(([name, ms]) => `${name} ${ms === null ? 'unknown' : formatMs(ms)}${name === 'connect' && sslMs !== null ? ` (of it TLS ${formatMs(sslMs)})` : ''}`); // biome-ignore format: one thought
  return [
    'Document',
    `Status ${status}, ${protocol ?? 'protocol unknown'}, ${sizeOf(document)}. TTFB ${formatMs(ttfbMs)}${rated}: ${spent.join(', ')}.`,
  ];
}

function byType({ byType: types, totals }: HarSummary): Section {
  const rows = types.slice(0, ROWS.types).map((row) => [row.type, String(row.requests), sizeOf(row), share(row.transferBytes, totals.transferBytes)]); // biome-ignore format: one thought
  return ['Weight by type', markdownTable(['type', 'requests', 'transferred', 'share'], rows)];
}

function parties({ byParty, byDomain, totals }: HarSummary): Section {
  const third = byParty.find(({ party }) => party === 'third');
  if (!third) return ['Third parties', 'None.'];
  const domains = byDomain.filter(({ party }) => party === 'third');
  const rows = domains.slice(0, ROWS.domains).map((row) => [code(row.domain), String(row.requests), sizeOf(row)]);
  const more = domains.length > rows.length ? `\nand ${domains.length - rows.length} more with fewer bytes` : undefined;
  return [
    'Third parties (by registrable domain)',
    `${plural(third.requests, 'request')} of ${totals.requests}, ${sizeOf(third)} (${share(third.transferBytes, totals.transferBytes)} of the bytes), ${plural(domains.length, 'domain')}.`,
    `\n${markdownTable(['domain', 'requests', 'transferred'], rows)}`,
    more,
  ];
}

function wasteLine(found: Finding, what: string): string {
  if (found.requests === 0) return `- ${what}: none.`;
  const worst = found.heaviest.slice(0, 2).map((row) => `${code(row.url)} ${sizeOf(row)}`);
  return `- ${what}: ${plural(found.requests, 'file')}, ${sizeOf(found)}; heaviest ${worst.join(', ')}.`;
}

function transport({ protocols, totals }: HarSummary): Section {
  const told = protocols.map(({ protocol, requests }) => `${protocol ?? 'unknown'} ${requests}`);
  const { connectionsOpened, hosts, fromCache } = totals;
  return [
    'Protocols and connections',
    `Requests by protocol: ${told.join(', ')}. ${plural(connectionsOpened, 'connection')} opened for ${plural(totals.requests, 'request')} to ${plural(hosts, 'host')}; ${fromCache} from the cache.`,
  ];
}

function errors({ errors: { requests, listed } }: HarSummary): Section {
  if (requests === 0) return ['Failed requests', 'None with status 4xx, 5xx or without a response.'];
  const lines = listed
    .slice(0, ROWS.errors)
    .map(({ url, status, type }) => `- ${status === 0 ? 'no response' : status} ${code(url)} ${type}`);
  return ['Failed requests', `${plural(requests, 'request')}:`, ...lines];
}

function repeats({ findings: { duplicates } }: HarSummary): Section {
  if (duplicates.addresses === 0) return ['Duplicates', 'None.'];
  const lines = duplicates.heaviest
    .slice(0, ROWS.requests)
    .map((row) => `- ${code(row.url)} again ${plural(row.repeats, 'time')}, ${sizeOf(row)}`);
  return [
    'Duplicates',
    `${plural(duplicates.addresses, 'address', 'es')} fetched again, ${plural(duplicates.repeats, 'time')} in all, ${formatBytes(duplicates.transferBytes)}:`,
    ...lines,
  ];
}

/** What deserves a look, by rules of thumb: each says what it found and how much it is. */
function first({ document, byParty, totals, findings, errors: failed }: HarSummary): string[] {
  const third = byParty.find(({ party }) => party === 'third')?.transferBytes ?? 0;
  const ttfb = thresholdOf('firstByte', 'unknown');
  const isLarge = (bytes: number | null, least: number) => bytes !== null && bytes >= least;
  const rules: readonly (readonly [boolean, () => string])[] = [
    [(document?.redirectMs ?? 0) >= 100, () => `redirects before the document: ${formatMs(document?.redirectMs)}`],
    [ttfb !== undefined && (document?.ttfbMs ?? 0) > ttfb.good, () => `TTFB of the document: ${formatMs(document?.ttfbMs)}`],
    [failed.requests > 0, () => plural(failed.requests, 'failed request')],
    [third > (totals.transferBytes ?? 0) / 2, () => `third parties: ${share(third, totals.transferBytes)} of the bytes`],
    [isLarge(findings.uncompressedText.transferBytes, 20_000), () => `text sent uncompressed: ${sizeOf(findings.uncompressedText)}`],
    [isLarge(findings.missingCache.transferBytes, 100_000), () => `static files that may not be reused: ${sizeOf(findings.missingCache)}`],
    [isLarge(findings.duplicates.transferBytes, 20_000), () => `files fetched twice: ${formatBytes(findings.duplicates.transferBytes)}`],
  ];
  return rules.filter(([holds]) => holds).map(([, words]) => `- ${words()}`);
}

function missing(title: string): Section {
  return [title, 'The file holds no document: redirects and TTFB are unknown.'];
}

/** What an engineer writes about a HAR file, Markdown in the order in which it is read: from what comes before the document to duplicates. */
export function harReport(summary: HarSummary): string {
  const { document, findings, largest, slowest, notes } = summary;
  const striking = first(summary);
  const sections: Section[] = [
    ...(striking.length > 0 ? [['Look at first (rules of thumb)', ...striking] as const] : []),
    ...(document ? [redirects(document), documentSection(document)] : [missing('Document')]),
    byType(summary),
    parties(summary),
    ['Caching', wasteLine(findings.missingCache, 'May not be reused, or does not say for how long'), wasteLine(findings.shortCache, 'May be reused for less than a week')], // biome-ignore format: one thought
    ['Compression', wasteLine(findings.uncompressedText, 'Text of 1,400 bytes or more sent uncompressed')],
    transport(summary),
    errors(summary),
    ['Largest', ...largest.slice(0, ROWS.requests).map(requestLine)],
    ['Slowest', ...slowest.slice(0, ROWS.requests).map(requestLine)],
    repeats(summary),
    [
      'Limits of this file',
      ...notes.map((note) => `- ${note}`),
      '- A HAR has no main-thread data: long tasks and blocking time are in the step report.',
    ],
  ];
  const title = document ? `# HAR of ${code(document.url)}` : '# HAR without a document';
  const written = sections.map(([heading, ...lines]) => `## ${heading}\n\n${lines.filter((line) => line !== undefined).join('\n')}`);
  return `${[title, overview(summary), ...written].join('\n\n')}\n`;
}
