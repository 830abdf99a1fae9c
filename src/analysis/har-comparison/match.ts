import { withoutFragment } from '../har/document.ts';
import type { HarEntry } from '../har/index.ts';
import { normalisedAddress } from './normalise.ts';

/** The same request in two runs. */
export interface Pair {
  readonly before: HarEntry;
  readonly after: HarEntry;
}

/** Which requests of two runs belong together; all in order of start. */
export interface Matching {
  readonly pairs: readonly Pair[];
  readonly added: readonly HarEntry[];
  readonly removed: readonly HarEntry[];
}

/** Matches each request at most once: by exact address, then by normalised address, equal ones in order. */
export function matchRequests(before: readonly HarEntry[], after: readonly HarEntry[]): Matching {
  const exact = matchBy(before, after, ({ method, url }) => `${method} ${withoutFragment(url)}`);
  const alike = matchBy(exact.removed, exact.added, normalisedAddress);
  return { pairs: [...exact.pairs, ...alike.pairs], added: alike.added, removed: alike.removed };
}

function matchBy(before: readonly HarEntry[], after: readonly HarEntry[], keyOf: (entry: HarEntry) => string): Matching {
  const waiting = new Map<string, { entries: HarEntry[]; next: number }>();
  for (const entry of before) {
    const key = keyOf(entry);
    const known = waiting.get(key);
    if (known) known.entries.push(entry);
    else waiting.set(key, { entries: [entry], next: 0 });
  }
  const pairs: Pair[] = [];
  const added: HarEntry[] = [];
  const matched = new Set<HarEntry>();
  for (const entry of after) {
    const known = waiting.get(keyOf(entry));
    const partner = known?.entries[known.next];
    if (!known || !partner) {
      added.push(entry);
      continue;
    }
    known.next += 1;
    matched.add(partner);
    pairs.push({ before: partner, after: entry });
  }
  return { pairs, added, removed: before.filter((entry) => !matched.has(entry)) };
}
