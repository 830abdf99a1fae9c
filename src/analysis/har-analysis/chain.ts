import { withoutFragment } from '../har/document.ts';
import type { Har, HarEntry } from '../har/index.ts';
import { type Blocking, endOf } from './blocking.ts';

/** One request of the chain, and why the next one is taken to have waited for it. */
export interface ChainLink {
  readonly entry: HarEntry;
  /** How it follows from the one before: named as initiator, as target of its redirect, or only by time. */
  readonly follows: 'start' | 'redirect' | 'initiator' | 'time';
}

/** Longer chains are cut at their beginning; each link costs a pass over the requests. */
const MAX_LINKS = 12;
/** What can cause another request. */
const CAUSES = new Set<HarEntry['type']>(['document', 'script', 'stylesheet']);

/** What the page waited for last: the last request that blocks rendering, else the last one that ended before onLoad. */
function lastAwaited(har: Har, blocking: Blocking): HarEntry | null {
  const page = har.pages[0];
  const loadMs = page?.onLoadMs == null ? Number.POSITIVE_INFINITY : (page.startMs ?? 0) + page.onLoadMs;
  let last: HarEntry | null = null;
  for (const entry of blocking.entries.length > 0 ? blocking.entries : har.entries) {
    if (entry.startMs === null || endOf(entry) > loadMs || entry.status === 0) continue;
    if (!last || endOf(entry) > endOf(last)) last = entry;
  }
  return last;
}

/** True for the address itself, also with a fragment. */
function isAddress(url: string, address: string): boolean {
  return url.startsWith(address) && (url.length === address.length || url.charAt(address.length) === '#');
}

interface Cause {
  readonly entry: HarEntry;
  readonly follows: 'initiator' | 'time';
}

/** The request that made the browser ask for this one: its initiator, else whichever cause of requests ended last before it began. */
function causeOf(entry: HarEntry, { entries, document }: Har, seen: ReadonlySet<HarEntry>): Cause | null {
  const initiator = entry.initiatorUrl === null ? null : withoutFragment(entry.initiatorUrl);
  let latest = document && !seen.has(document) && (document.startMs ?? 0) <= (entry.startMs ?? 0) ? document : null;
  for (const other of entries) {
    if (other.startMs === null || entry.startMs === null || other.startMs >= entry.startMs) break;
    if (seen.has(other) || other.pageId !== entry.pageId) continue;
    if (initiator !== null && isAddress(other.url, initiator)) return { entry: other, follows: 'initiator' };
    if (CAUSES.has(other.type) && endOf(other) <= entry.startMs && (!latest || latest === document || endOf(other) > endOf(latest)))
      latest = other;
  }
  return latest && { entry: latest, follows: 'time' };
}

/**
 * The chain of requests that the first paint waited for (or onLoad, where nothing blocks rendering), from the first redirect on. A heuristic:
 * a HAR says who asked for a request at best, never what it waited for.
 */
export function criticalChain(har: Har, blocking: Blocking): ChainLink[] {
  const { document, redirects } = har;
  let current = lastAwaited(har, blocking);
  const seen = new Set<HarEntry>(redirects);
  const backwards: ChainLink[] = [];
  while (current && current !== document && backwards.length < MAX_LINKS) {
    seen.add(current);
    const cause = causeOf(current, har, seen);
    backwards.push({ entry: current, follows: cause?.follows ?? 'start' });
    current = cause?.entry ?? null;
  }
  const chain = backwards.toReversed();
  if (!document || current !== document) return chain;
  const toDocument = [...redirects, document].map((entry, index): ChainLink => ({ entry, follows: index === 0 ? 'start' : 'redirect' }));
  return [...toDocument, ...chain];
}
