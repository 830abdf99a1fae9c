import { counted, formatBytes } from '../../lib/number-text.ts';
import { present } from '../../lib/sentences.ts';
import { type Cell, textTable } from '../../lib/text-table.ts';
import type { HarEntry } from '../read/read-entry.ts';
import { requestRow } from '../requests/request-columns.ts';
import type { HarStudy } from '../requests/study-har.ts';
import { endOf, hasFailed, largestBy, timesText } from '../requests/totals.ts';
import { findProblems } from '../rules/find-problems.ts';
import { ORDER_NOTE } from '../rules/problem.ts';
import { shortUrl } from '../sanitise-url.ts';
import { partyVerdict } from './analyse-har.ts';
import { loadFacts, MEDIANS } from './summary-view.ts';

/** Rows of each list; whole lists are what analyze_har is for. */
const ROWS = { problems: 10, types: 5, parties: 4, requests: 3 };

/** A text in which nothing is read as Markdown. */
const marked = (text: string) => text.replaceAll('|', '%7C').replaceAll('`', '%60');
const FENCE = '```';

/** Records as a block of plain text; other words where there is none. */
function table(records: readonly Readonly<Record<string, Cell>>[], columns: readonly string[], otherwise = 'None.'): string {
  return records.length === 0 ? otherwise : `${FENCE}\n${marked(textTable(records, columns))}\n${FENCE}`;
}

const REQUEST = ['url', 'type', 'status', 'transferBytes', 'durationMs'] as const;

/** The report on a HAR file in Markdown: the costliest findings first, then what an engineer looks at, in the order of reading. */
export function harReport(study: HarStudy): string {
  const { har, entries, totals, blocking, parties, document: times } = study;
  const { document, redirects } = har;
  const { byType, byProtocol, largest, slowest } = loadFacts(study);
  const requests = (list: readonly HarEntry[], otherwise?: string) =>
    table(
      list.slice(0, ROWS.requests).map((entry) => requestRow(entry, REQUEST, study)),
      REQUEST,
      otherwise,
    );
  const problems = findProblems(study)
    .slice(0, ROWS.problems)
    .map(({ says }, index) => `${index + 1}. ${marked(says)}`);
  const third = parties.filter(({ party }) => party === 'third').slice(0, ROWS.parties);
  const protocols = Object.entries(byProtocol).map((each) => each.join(' '));
  const { ttfbMs, blockedMs, dnsMs, connectMs, sslMs, waitMs } = times ?? {};
  const spent = timesText({ TTFB: ttfbMs, queued: blockedMs, dns: dnsMs, connect: connectMs, 'of it TLS': sslMs, wait: waitMs });
  const sections: Record<string, readonly string[]> = {
    'Look at first': problems.length > 0 ? [...problems, `\n${ORDER_NOTE}`] : ['Nothing stands out.'],
    Document: document
      ? [
          `Status ${document.status ?? 'unknown'}, ${document.protocol ?? 'protocol unknown'}. ${spent}`,
          requests(redirects, 'No redirect.'),
        ]
      : ['The file holds no document: redirects and TTFB are unknown.'],
    [blocking.basis === 'stated' ? 'Render blocking' : 'Render blocking (heuristic)']: [
      requests(largestBy(blocking.entries, endOf, ROWS.requests), 'Nothing found.'),
      blocking.says,
    ],
    'Weight by type': [table(byType.slice(0, ROWS.types), ['type', 'requests', 'transferBytes'])],
    'Third parties (entity where known, else registrable domain)': [
      partyVerdict(parties, totals).answer,
      table(third, ['name', 'category', 'requests', 'transferBytes']),
    ],
    'Protocols and connections': [
      `Requests by protocol: ${protocols.join(', ')}. ${counted(totals.connectionsOpened, 'connection')} opened for ` +
        `${counted(totals.requests, 'request')} to ${counted(totals.hosts, 'host')}; ${totals.fromCache} from the cache.`,
    ],
    'Failed requests': [requests(entries.filter(hasFailed))],
    Largest: [requests(largest(ROWS.requests))],
    Slowest: [requests(slowest(ROWS.requests))],
    'Limits of this file': [
      ...study.notes.map((note) => `- ${note}`),
      '- No main-thread data: long tasks and blocking time are in the step report.',
    ],
  };
  const overview = present(
    counted(totals.requests, 'request'),
    `${formatBytes(totals.transferBytes)} transferred`,
    timesText({ DOMContentLoaded: totals.onContentLoadMs, load: totals.onLoadMs, 'last response after': totals.durationMs }, ' · '),
  );
  const title = document ? `# HAR of \`${marked(shortUrl(document.url))}\`` : '# HAR without a document';
  const written = Object.entries(sections).map(([heading, lines]) => `## ${heading}\n\n${lines.join('\n')}`);
  return `${[title, `${overview.join(' · ')}.\n${MEDIANS}`, ...written].join('\n\n')}\n`;
}
