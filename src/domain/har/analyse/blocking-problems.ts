import { formatBytes, formatMs } from '../../../lib/number-text.ts';
import { addressText } from '../read/addresses.ts';
import type { HarEntry } from '../read/har-model.ts';
import { sanitiseHost, sanitiseUrl } from '../sanitise/sanitise-url.ts';
import { type BlockingBasis, endOf } from './blocking.ts';
import { counted, type Problem, someOf } from './problem.ts';
import { longestWait, SLOW_ANSWER_MS } from './response-times.ts';
import type { HarStudy } from './study-har.ts';

/** In words, what render-blocking is told by. */
export const BLOCKING_BASIS: Readonly<Record<BlockingBasis, string>> = {
  stated: 'Render-blocking as the HAR states it (_renderBlocking).',
  priority: 'Render-blocking by the priority that the browser gave: early stylesheets and scripts of priority High and above.',
  heuristic:
    'Render-blocking is a heuristic: every stylesheet and script that was loaded before the first paint or DOMContentLoaded and was not asked for by a script; a HAR does not tell async from sync.',
};

/** What holds back the first paint: own files since the first byte, third parties by how much longer they take. */
export function blockingProblems({ blocking }: HarStudy): Problem[] {
  const { basis, entries, untilMs, ownUntilMs, firstByteMs } = blocking;
  if (untilMs === null) return [];
  const third = entries.filter(({ party }) => party === 'third');
  const own = entries.filter(({ party }) => party !== 'third');
  const problems: Problem[] = [];
  if (own.length > 0 && firstByteMs !== null && ownUntilMs !== null) {
    const bytes = own.reduce((sum, { transferBytes }) => sum + (transferBytes ?? 0), 0);
    const scripts = own.filter(({ type }) => type === 'script').length;
    const kinds = [scripts > 0 && counted(scripts, 'script'), own.length > scripts && counted(own.length - scripts, 'stylesheet')];
    const says = `${kinds.filter(Boolean).join(' and ')} of the page's own (${formatBytes(bytes)}) hold back rendering until ${formatMs(ownUntilMs)}${waitWords(own)}`;
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
    const says = `${counted(third.length, 'request')} to ${someOf(hosts, 3)} hold back rendering until ${formatMs(ends)}${longer}${waitWords(third)}`;
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
