import { counted, formatBytes, formatMs } from '../../../lib/number-text.ts';
import { addressText } from '../read/addresses.ts';
import { withoutFragment } from '../read/find-document.ts';
import type { HarEntry } from '../read/har-model.ts';
import { sanitiseHost, sanitiseUrl } from '../sanitise-url.ts';
import { weightOf } from '../summary/har-summary.ts';
import { type ConcernedRequest, heaviestOf, largestCost, totalsOf } from './concerned-requests.ts';
import { type Problem, someOf } from './problem.ts';
import type { HarStudy } from './study-har.ts';
import { blockingWins, largestWins, type Wins } from './wins.ts';

/** Fewer requests over the old protocol hardly queue for its connections. */
const WORTH_MULTIPLEXING = 3;

/** Old protocols and connections that were opened again; costs are the longest single wait, because the waits overlap. */
export function transportProblems(study: HarStudy): Problem[] {
  const { http1, reconnects } = study.concerned;
  const measured = { costBytes: null, basis: 'measured', when: 'this load' } as const;
  const problems: Problem[] = [];
  if (http1.length >= WORTH_MULTIPLEXING) {
    const costMs = largestCost(http1);
    const target = someOf(hostsOf(http1), 2);
    const isKnown = http1.some(({ entry }) => entry.timings.blockedMs !== null);
    const queued = isKnown ? `; the longest queued ${formatMs(costMs)} for a connection` : '';
    const says = `${counted(http1.length, 'request')} to ${target} over HTTP/1.x${queued}`;
    problems.push({
      ...measured,
      problem: 'http1',
      concerned: http1,
      costMs: isKnown ? costMs : null,
      says,
      wins: queueWins(study, http1),
    });
  }
  if (reconnects.length > 0) {
    const costMs = largestCost(reconnects);
    const says =
      `${counted(reconnects.length, 'connection')} more than one for each host over HTTP/2 or 3: ${someOf(hostsOf(reconnects), 2)}; ` +
      `the longest took ${formatMs(costMs)} to open`;
    problems.push({ ...measured, problem: 'reconnects', concerned: reconnects, costMs, says });
  }
  return problems;
}

/** What the queue of the old protocol took from the paints: that of what blocks rendering, and of the likely LCP image. */
function queueWins(study: HarStudy, http1: readonly ConcernedRequest[]): Wins {
  const queued = (holds: (entry: HarEntry) => boolean) => largestCost(http1.filter(({ entry }) => holds(entry)));
  const blocking = new Set(study.blocking.entries);
  const first = blockingWins(
    study,
    queued((entry) => blocking.has(entry)),
    study.blocking.untilMs ?? 0,
  );
  const image = largestWins(
    study,
    queued((entry) => entry === study.largest?.entry),
  );
  return { ...first, ...(image.lcpMs !== undefined && { lcpMs: Math.max(image.lcpMs, first.lcpMs ?? 0) }) };
}

/** Hosts of these requests, the one with most of them first. */
function hostsOf(requests: readonly ConcernedRequest[]): string[] {
  const counts = new Map<string, number>();
  for (const { entry } of requests) counts.set(entry.host ?? '', (counts.get(entry.host ?? '') ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a).map(([host]) => sanitiseHost(host));
}

/** The share that compression leaves of a text, where the file has no compressed text to measure. */
const USUAL_PACKED_SHARE = 0.3;

/** Bytes that need not have been sent, or not again. */
export function wasteProblems({ concerned, compressedShare }: HarStudy): Problem[] {
  const share = compressedShare ?? USUAL_PACKED_SHARE;
  return [
    ...uncompressed(concerned.uncompressed_text, share, ['uncompressed_text', 'text file']),
    ...uncompressed(concerned.uncompressed_answers, share, ['uncompressed_answers', 'API answer']),
    ...duplicates(concerned.duplicates),
    ...duplicatedScripts(concerned.duplicated_scripts),
    ...cache(concerned.no_cache, 'no_cache', 'may not be kept or do not say for how long'),
    ...cache(concerned.short_cache, 'short_cache', 'may be kept for less than a week'),
  ];
}

function worst(requests: readonly ConcernedRequest[]): string {
  const heaviest = heaviestOf(requests);
  return heaviest ? `; largest ${addressText(sanitiseUrl(heaviest.url))}` : '';
}

type Uncompressed = readonly ['uncompressed_text' | 'uncompressed_answers', string];

function uncompressed(concerned: readonly ConcernedRequest[], share: number, [problem, what]: Uncompressed): Problem[] {
  if (concerned.length === 0) return [];
  const sent = weightOf(totalsOf(concerned));
  const costBytes = sent === null ? null : Math.round(sent * (1 - share));
  const says =
    `${counted(concerned.length, what)} sent uncompressed (${formatBytes(sent)}; compressed about ${Math.round(share * 100)} % of ` +
    `it)${worst(concerned)}`;
  return [{ problem, concerned, costMs: null, costBytes, basis: 'estimate', when: 'this load', says }];
}

function duplicates(concerned: readonly ConcernedRequest[]): Problem[] {
  if (concerned.length === 0) return [];
  const repeats = new Map<string, number>();
  for (const { entry } of concerned) {
    const key = `${entry.pageId} ${withoutFragment(entry.url)}`;
    repeats.set(key, (repeats.get(key) ?? 0) + (weightOf(entry) ?? 0));
  }
  const [heaviest = ''] = [...repeats].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const address = addressText(sanitiseUrl(heaviest.slice(heaviest.indexOf(' ') + 1)));
  const times = concerned.length === 1 ? 'once' : counted(concerned.length, 'time');
  const says = `${counted(repeats.size, 'address', 'addresses')} fetched again ${times}; heaviest ${address}`;
  const { transferBytes } = totalsOf(concerned);
  return [{ problem: 'duplicates', concerned, costMs: null, costBytes: transferBytes, basis: 'measured', when: 'this load', says }];
}

function duplicatedScripts(concerned: readonly ConcernedRequest[]): Problem[] {
  const [first] = concerned.toSorted((a, b) => b.cost - a.cost);
  if (!first) return [];
  const says =
    `${counted(concerned.length, 'script is', 'scripts are')} probably loaded twice under different addresses: ` +
    `${addressText(sanitiseUrl(first.entry.url))} has the ${first.detail}`;
  const { transferBytes } = totalsOf(concerned);
  const found = { problem: 'duplicated_scripts', concerned, costMs: null, costBytes: transferBytes } as const;
  return [{ ...found, basis: 'heuristic', when: 'this load', says }];
}

function cache(concerned: readonly ConcernedRequest[], problem: 'no_cache' | 'short_cache', words: string): Problem[] {
  if (concerned.length === 0) return [];
  const costBytes = weightOf(totalsOf(concerned));
  const says = `${counted(concerned.length, 'static file')} ${words}: ${formatBytes(costBytes)} again${worst(concerned)}`;
  return [{ problem, concerned, costMs: null, costBytes, basis: 'measured', when: 'next visits', says }];
}
