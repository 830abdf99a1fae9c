import { formatMs } from '../../../lib/number-text.ts';
import { addressOf } from '../read/addresses.ts';
import type { HarEntry } from '../read/har-model.ts';
import { hasFailed } from '../summary/entry-counts.ts';
import { cacheFault, isUncompressedText, repeatFinder } from '../summary/waste.ts';
import { endOf } from './blocking.ts';
import type { Problem, ProblemKind } from './problem.ts';
import { type Table, tenth } from './request-rows.ts';
import { answersSlowly } from './response-times.ts';
import { type HarStudy, isHttp1, opensConnection } from './study-har.ts';

/** A request with what is wrong with it. */
export interface ProblemRequest {
  readonly problem: ProblemKind;
  readonly entry: HarEntry;
  readonly detail: string;
}

/** Every request that a problem concerns, in the order of the problems and in each the costliest first; page-wide problems have none. */
export function problemRequests(study: HarStudy, problems: readonly Problem[], entries: readonly HarEntry[]): ProblemRequest[] {
  const { har, main, blocking } = study;
  const found = new Map<ProblemKind, { entry: HarEntry; detail: string; cost: number }[]>();
  const add = (problem: ProblemKind, entry: HarEntry, detail: string, cost: number | null): void => {
    const list = found.get(problem);
    if (list) list.push({ entry, detail, cost: cost ?? 0 });
    else found.set(problem, [{ entry, detail, cost: cost ?? 0 }]);
  };
  const chosen = new Set(entries);
  const blocks = new Set(blocking.entries);
  const repeatedUrl = repeatFinder();
  const openedHosts = new Set<string>();
  // Over all requests: which one is a repeat depends on those before it.
  for (const entry of har.entries) {
    const isRepeat = repeatedUrl(entry) !== null;
    const reconnects = entry.host !== null && opensConnection(entry) && !isHttp1(entry) && openedHosts.has(entry.host);
    if (entry.host !== null && opensConnection(entry)) openedHosts.add(entry.host);
    if (!chosen.has(entry)) continue;
    const { transferBytes, contentBytes, timings } = entry;
    const bytes = transferBytes ?? contentBytes;
    if (main.has(entry) && entry !== har.document) add('redirects', entry, `status ${entry.status}`, entry.durationMs);
    if (entry === har.document) add('slow_document', entry, 'the document', entry.durationMs);
    if (entry === har.document) add('failed_document', entry, `status ${entry.status}`, entry.durationMs);
    if (blocks.has(entry)) {
      const kind = entry.party === 'third' ? 'third_party_blocking' : 'render_blocking';
      add(kind, entry, `${blocking.basis}; until ${formatMs(endOf(entry))}`, endOf(entry));
    }
    if (hasFailed(entry)) add('errors', entry, entry.status === 0 ? 'no response' : `status ${entry.status}`, entry.durationMs);
    if (answersSlowly(entry, main) && !blocks.has(entry)) add('slow_answers', entry, `waited ${formatMs(timings.waitMs)}`, timings.waitMs);
    if (isUncompressedText(entry)) add('uncompressed_text', entry, 'sent unpacked', bytes);
    if (isRepeat) add('duplicates', entry, 'fetched again', bytes);
    if (isHttp1(entry)) add('http1', entry, `queued ${formatMs(timings.blockedMs)}`, timings.blockedMs);
    if (reconnects) add('reconnects', entry, `connecting took ${formatMs(timings.connectMs)}`, timings.connectMs);
    const fault = cacheFault(entry);
    if (fault !== null) add(fault === 'missing' ? 'no_cache' : 'short_cache', entry, lifetimeWords(entry), bytes);
  }
  return problems.flatMap(({ problem }) => {
    const requests = found.get(problem) ?? [];
    return requests.toSorted((a, b) => b.cost - a.cost).map(({ entry, detail }) => ({ problem, entry, detail }));
  });
}

function lifetimeWords({ cacheLifetimeSeconds: seconds }: HarEntry): string {
  if (seconds === null) return 'says no lifetime';
  return seconds === 0 ? 'may not be reused' : `may be kept ${formatMs(seconds * 1000)}`;
}

const COLUMNS = ['problem', 'detail', 'index', 'host', 'path', 'status', 'type', 'durationMs', 'transferBytes', 'contentBytes'];

/** Requests with their problems, one row for each pair. */
export function problemTable(requests: readonly ProblemRequest[]): Table {
  return {
    columns: COLUMNS,
    rows: requests.map(({ problem, entry, detail }) => {
      const { host, path } = addressOf(entry.url);
      const { index, status, type, durationMs, transferBytes, contentBytes } = entry;
      return [problem, detail, index, host, path, status, type, tenth(durationMs), transferBytes, contentBytes];
    }),
  };
}
