import { counted, formatBytes, formatMs } from '../../../lib/number-text.ts';
import { addressText } from '../read/addresses.ts';
import type { HarEntry } from '../read/har-model.ts';
import { sanitiseHost, sanitiseUrl } from '../sanitise-url.ts';
import { sumOf, weightOf } from '../summary/har-summary.ts';
import { type BlockingBasis, endOf } from './blocking.ts';
import { type ConcernedRequest, SLOW_ANSWER_MS } from './concerned-requests.ts';
import { type Problem, someOf } from './problem.ts';
import { type HarStudy, longestWait } from './study-har.ts';
import { blockingWins } from './wins.ts';

/** In words, how render-blocking is recognised. */
export const BLOCKING_BASIS: Readonly<Record<BlockingBasis, string>> = {
  stated: 'Render-blocking as the HAR states it (_renderBlocking).',
  priority: 'Render-blocking by the priority that the browser gave: early stylesheets and scripts of priority High and above.',
  heuristic:
    'Render-blocking is a heuristic: every stylesheet and script that was loaded before the first paint or DOMContentLoaded and was ' +
    'not requested by a script; a HAR does not distinguish async from sync.',
};

function concernedBy(entries: readonly HarEntry[], basis: BlockingBasis): ConcernedRequest[] {
  return entries.map((entry) => ({ entry, detail: `${basis}; until ${formatMs(endOf(entry))}`, cost: endOf(entry) }));
}

function ownBlocking(study: HarStudy, own: readonly HarEntry[]): Problem[] {
  const { basis, ownUntilMs, firstByteMs } = study.blocking;
  if (own.length === 0 || firstByteMs === null || ownUntilMs === null) return [];
  const scripts = own.filter(({ type }) => type === 'script').length;
  const kinds = [scripts > 0 && counted(scripts, 'script'), own.length > scripts && counted(own.length - scripts, 'stylesheet')];
  const holds = own.length === 1 ? 'holds' : 'hold';
  const says =
    `${kinds.filter(Boolean).join(' and ')} of the page's own (${formatBytes(weightOf(sumOf(own)))}) ${holds} back rendering until ` +
    `${formatMs(ownUntilMs)}${waitWords(own)}`;
  const costMs = Math.max(0, ownUntilMs - firstByteMs);
  const wins = blockingWins(study, costMs, ownUntilMs);
  return [
    { problem: 'render_blocking', concerned: concernedBy(own, basis), costMs, costBytes: null, basis, when: 'this load', says, wins },
  ];
}

function thirdPartyBlocking(study: HarStudy, third: readonly HarEntry[]): Problem[] {
  const { basis, untilMs, ownUntilMs } = study.blocking;
  if (third.length === 0 || untilMs === null) return [];
  const costMs = ownUntilMs === null ? null : Math.max(0, untilMs - ownUntilMs);
  const longer = costMs ? `, ${formatMs(costMs)} longer than the page's own files` : ', no longer than the page itself';
  const ends = third.map(endOf).reduce((a, b) => Math.max(a, b), 0);
  const holds = third.length === 1 ? 'holds' : 'hold';
  const says =
    `${counted(third.length, 'request')} to ${someOf(hostsByEnd(third), 3)} ${holds} back rendering until ` +
    `${formatMs(ends)}${longer}${waitWords(third)}`;
  const found = { problem: 'third_party_blocking', concerned: concernedBy(third, basis), costMs, costBytes: null } as const;
  return [{ ...found, basis, when: 'this load', says, wins: blockingWins(study, costMs ?? ends, ends) }];
}

/** Findings about a late first paint: own files from the first byte on, third parties by how much longer they take. */
export function blockingProblems(study: HarStudy): Problem[] {
  const { blocking } = study;
  const third = blocking.entries.filter(({ party }) => party === 'third');
  const own = blocking.entries.filter(({ party }) => party !== 'third');
  return [...ownBlocking(study, own), ...thirdPartyBlocking(study, third)];
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
