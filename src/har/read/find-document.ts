import { grouped } from '../../lib/grouped.ts';
import { byLeast, byMost } from '../../lib/order.ts';
import type { HarEntry, HarPage } from './read-entry.ts';

/** The requests of one navigation: pages with that of the document first, requests in order of start, the redirects to the document. */
export type PageLoad = ReturnType<typeof loadOf>;

/** Entries and pages without a start come last. */
export function startOrLast({ startMs }: Pick<HarEntry, 'startMs'>): number {
  return startMs ?? Number.MAX_VALUE;
}

/**
 * Divides the entries of a file, in order of start, by the pages that have a document of their own: visits, iterations, a page that a
 * script left for another. A request of no such page belongs to the load under way; with fewer than two such pages all is one load.
 */
export function loadsOf(entries: readonly HarEntry[], pages: readonly HarPage[]): PageLoad[] {
  const byPage = grouped(entries, ({ pageId }) => pageId);
  const loads = pages
    .map((page) => loadOf(byPage.get(page.id) ?? [], [page]))
    .filter(({ document }) => document !== null)
    .toSorted(byLeast(firstStart));
  const [first] = loads;
  if (!first || loads.length < 2) return [loadOf(entries, pages)];
  const ofPage = new Set(loads.map(({ pages: [page] }) => page?.id ?? null));
  for (const entry of entries) {
    if (ofPage.has(entry.pageId)) continue;
    (loads.findLast((load) => firstStart(load) <= startOrLast(entry)) ?? first).entries.push(entry);
  }
  for (const load of loads) load.entries.sort((a, b) => startOrLast(a) - startOrLast(b));
  return loads;
}

const firstStart = ({ document, redirects: [redirect] }: PageLoad) => startOrLast(redirect ?? document ?? { startMs: null });

function loadOf(entries: readonly HarEntry[], pages: readonly HarPage[]) {
  const { document, redirects } = findDocument(entries);
  const ofDocument = ({ id }: HarPage) => Number(id === document?.pageId);
  return { pages: pages.toSorted(byMost(ofDocument)), entries: [...entries], document, redirects };
}

/**
 * Finds the first document among entries in order of start, or the first redirect whose chain ends in a document. A chain is followed by
 * address, forwards in time, each entry once (sites redirect away and back to the same address). Of several attempts at one address before
 * the files of the page, as behind a sign-in, the last is the document. Null when no document was recorded.
 */
function findDocument(entries: readonly HarEntry[]) {
  const followers = followersOf(entries);
  const seen = new Set<HarEntry>();
  for (const entry of entries) {
    if (seen.has(entry) || entry.host === null) continue;
    const chain = [entry];
    seen.add(entry);
    for (let next = followers.get(entry); next && !seen.has(next); next = followers.get(next)) {
      seen.add(next);
      chain.push(next);
    }
    const document = chain.at(-1);
    if (document?.type === 'document') return { document: lastAttempt(document, entries), redirects: chain.slice(0, -1) };
  }
  return { document: null, redirects: [] };
}

/** The last request of the same address that no request of anything else came before. */
function lastAttempt(document: HarEntry, entries: readonly HarEntry[]): HarEntry {
  const url = withoutFragment(document.url);
  let last = document;
  for (const entry of entries.slice(entries.indexOf(document) + 1)) {
    if (entry.type !== 'document' || withoutFragment(entry.url) !== url) break;
    last = entry;
  }
  return last;
}

/** The request that followed each redirect: the first of its target behind it. */
export function followersOf(entries: readonly HarEntry[]): ReadonlyMap<HarEntry, HarEntry> {
  const followers = new Map<HarEntry, HarEntry>();
  const nextOf = new Map<string, HarEntry>();
  for (const entry of entries.toReversed()) {
    const { redirectUrl, url } = entry;
    const address = redirectUrl !== null && URL.canParse(redirectUrl, url) ? new URL(redirectUrl, url).href : redirectUrl;
    const target = address === null ? undefined : nextOf.get(withoutFragment(address));
    if (target) followers.set(entry, target);
    nextOf.set(withoutFragment(url), entry);
  }
  return followers;
}

/** The address as sent to the server. */
export function withoutFragment(url: string): string {
  const hash = url.indexOf('#');
  return hash === -1 ? url : url.slice(0, hash);
}
