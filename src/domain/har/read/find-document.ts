import { nth } from '../../../lib/nth.ts';
import type { HarEntry } from './har-model.ts';

/** The main document of a page with the redirects that led to it. */
export interface DocumentChain {
  document: HarEntry;
  redirects: HarEntry[];
}

/**
 * Finds the first document among entries in order of start, or the first redirect whose chain ends in a document. A chain is followed by
 * address, forwards in time, each entry once (sites redirect away and back to the same address). Null when no document was recorded.
 */
export function findDocument(entries: HarEntry[]): DocumentChain | null {
  let targets: Map<string, number[]> | undefined;
  const seen = new Set<HarEntry>();
  for (const [position, entry] of entries.entries()) {
    if (seen.has(entry) || entry.host === null) continue;
    const chain = [entry];
    seen.add(entry);
    for (let last = entry, at = position; last.redirectUrl !== null; ) {
      targets ??= positionsByUrl(entries);
      const next = nextAt(targets.get(resolve(last.redirectUrl, last.url)) ?? [], at);
      const target = next === undefined ? undefined : entries[next];
      if (next === undefined || target === undefined || seen.has(target)) break;
      seen.add(target);
      chain.push(target);
      last = target;
      at = next;
    }
    const document = chain.at(-1);
    if (document?.type === 'document') return { document, redirects: chain.slice(0, -1) };
  }
  return null;
}

function positionsByUrl(entries: HarEntry[]): Map<string, number[]> {
  const positions = new Map<string, number[]>();
  for (const [position, entry] of entries.entries()) {
    const url = withoutFragment(entry.url);
    const known = positions.get(url);
    if (known) known.push(position);
    else positions.set(url, [position]);
  }
  return positions;
}

/** The first of ascending `positions` after `position`, by halving. */
function nextAt(positions: readonly number[], position: number): number | undefined {
  let low = 0;
  let high = positions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (nth(positions, middle) > position) high = middle;
    else low = middle + 1;
  }
  return positions[low];
}

function resolve(redirectUrl: string, base: string): string {
  return withoutFragment(URL.canParse(redirectUrl, base) ? new URL(redirectUrl, base).href : redirectUrl);
}

/** The address as sent to the server. */
export function withoutFragment(url: string): string {
  const hash = url.indexOf('#');
  return hash === -1 ? url : url.slice(0, hash);
}
