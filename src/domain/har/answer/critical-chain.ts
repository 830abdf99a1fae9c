import { withoutFragment } from '../read/find-document.ts';
import type { HarEntry } from '../read/har-model.ts';
import type { HarStudy } from '../requests/study-har.ts';
import { endOf, hasFailed, largestBy } from '../requests/totals.ts';

/** One request of the chain, and how it follows from the one before: as initiator, as target of its redirect, or only by time. */
export interface ChainLink {
  readonly entry: HarEntry;
  readonly follows: 'start' | 'redirect' | 'initiator' | 'time';
}

/** Longer chains are cut at their beginning; each link costs a pass over the requests. */
const MAX_LINKS = 12;
/** Types of resources that can request others. */
const CAUSES = new Set<HarEntry['type']>(['document', 'script', 'stylesheet']);

/** The request that the page waited for last: the last one that blocks rendering, else the last one that ended before onLoad. */
function lastAwaited({ har: { entries, pages }, blocking }: HarStudy): HarEntry | undefined {
  const [page] = pages;
  const loadMs = page?.onLoadMs == null ? Number.POSITIVE_INFINITY : (page.startMs ?? 0) + page.onLoadMs;
  const awaited = (entry: HarEntry) => (entry.startMs === null || endOf(entry) > loadMs || hasFailed(entry) ? null : endOf(entry));
  return largestBy(blocking.entries.length > 0 ? blocking.entries : entries, awaited, 1)[0];
}

/** The request that caused this one: its initiator, or else the possible cause that ended last before it began, or else the document. */
function causeOf(entry: HarEntry, { har: { entries, document } }: HarStudy, seen: ReadonlySet<HarEntry>) {
  const startMs = entry.startMs ?? Number.NEGATIVE_INFINITY;
  const earlier = entries.filter(
    (other) => other.startMs !== null && other.startMs < startMs && !seen.has(other) && other.pageId === entry.pageId,
  );
  const initiator = entry.initiatorUrl === null ? null : withoutFragment(entry.initiatorUrl);
  const named = initiator === null ? undefined : earlier.find(({ url }) => withoutFragment(url) === initiator);
  if (named) return { entry: named, follows: 'initiator' } as const;
  const ended = (other: HarEntry) => (other !== document && CAUSES.has(other.type) && endOf(other) <= startMs ? endOf(other) : null);
  const isFirst = document && !seen.has(document) && (document.startMs ?? 0) <= (entry.startMs ?? 0);
  const latest = largestBy(earlier, ended, 1)[0] ?? (isFirst ? document : undefined);
  return latest && ({ entry: latest, follows: 'time' } as const);
}

/**
 * The chain of requests that the first paint waited for (or onLoad, where nothing blocks rendering), from the first redirect on. A
 * heuristic: a HAR says who asked for a request at best, never what it waited for.
 */
export function criticalChain(study: HarStudy): ChainLink[] {
  const { document, redirects } = study.har;
  let current = lastAwaited(study);
  const seen = new Set<HarEntry>(redirects);
  const chain: ChainLink[] = [];
  while (current && current !== document && chain.length < MAX_LINKS) {
    seen.add(current);
    const cause = causeOf(current, study, seen);
    chain.unshift({ entry: current, follows: cause?.follows ?? 'start' });
    current = cause?.entry;
  }
  if (!document || current !== document) return chain;
  const toDocument = [...redirects, document].map((entry, index): ChainLink => ({ entry, follows: index === 0 ? 'start' : 'redirect' }));
  return [...toDocument, ...chain];
}
