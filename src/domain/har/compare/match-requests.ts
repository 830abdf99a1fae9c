import { withoutFragment } from '../read/find-document.ts';
import type { HarEntry } from '../read/har-model.ts';

/** How addresses of two runs are taken for the same; the words for the notes of an answer. */
export const MATCHING_NOTE =
  'Requests are matched by address, first as it is, then without scheme, with hashes, versions, ids and query values other than ' +
  'plain words left out; equal addresses in order.';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** `1.4.2`, `v3.1`, `@11`. */
const VERSION = /(?<![A-Za-z0-9])v?\d+(?:\.\d+){1,3}(?![A-Za-z0-9])|@\d+/g;
/** Letters and digits mixed as in a hash; hexadecimal ones from six characters on, others from eight. */
const RUN = /[A-Za-z0-9]{6,}/g;
/** What bundlers put before the ending: `index-DkF3x_9a.js`. */
const BUNDLE_HASH = /([-.])([A-Za-z0-9_-]{8})(?=\.[a-z0-9]{2,5}$)/;
const ID = /\d{3,}/g;
const PLAIN_WORD = /^[a-z_-]{1,24}$/i;
/** Characters of an address that are compared. */
const MAX_ADDRESS = 2000;

function isHash(run: string): boolean {
  if (!/\d/.test(run) || !/[A-Za-z]/.test(run)) return false;
  return /^[0-9a-f]+$/i.test(run) || (run.length >= 8 && (run.match(/\d/g) ?? []).length >= 2);
}

function normalisePath(path: string): string {
  return path
    .replace(UUID, '*')
    .replace(BUNDLE_HASH, (whole, mark: string, text: string) => (isBundleHash(text) ? `${mark}*` : whole))
    .replace(VERSION, '*')
    .replace(RUN, (run) => (isHash(run) ? '*' : run))
    .replace(ID, '*');
}

/** Eight characters with a digit, or with capitals and small letters mixed otherwise than in a name. */
function isBundleHash(text: string): boolean {
  return /\d/.test(text) || /[a-z][A-Z]+[a-z]*[A-Z]|[A-Z]{2}[a-z]+[A-Z]/.test(text);
}

/** `a=1&b=page_view` becomes `a=*&b=page_view`, in the order of the names. */
function normaliseQuery(query: string): string {
  const parameters = query.split('&').map((parameter) => {
    const equals = parameter.indexOf('=');
    if (equals === -1) return PLAIN_WORD.test(parameter) ? parameter : '*';
    const value = parameter.slice(equals + 1);
    return `${normalisePath(parameter.slice(0, equals))}=${PLAIN_WORD.test(value) ? value : '*'}`;
  });
  return parameters.toSorted().join('&');
}

/** The address of a request without all that may change from run to run; never to be shown, it is not sanitised. */
export function normalisedAddress({ method, url, host }: Pick<HarEntry, 'method' | 'url' | 'host'>): string {
  const address = withoutFragment(url).slice(0, MAX_ADDRESS);
  if (host === null) return `${method} ${address}`;
  const start = address.indexOf('://') + 3;
  const slash = address.slice(start).search(/[/?\\]/);
  const rest = slash === -1 ? '/' : address.slice(start + slash);
  const query = rest.indexOf('?');
  if (query === -1) return `${method} ${host}${normalisePath(rest)}`;
  return `${method} ${host}${normalisePath(rest.slice(0, query))}?${normaliseQuery(rest.slice(query + 1))}`;
}

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
