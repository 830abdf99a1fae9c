import { grouped } from '../../lib/grouped.ts';
import { byLeast } from '../../lib/order.ts';
import { addTo } from '../../lib/tally.ts';
import { withoutFragment } from '../read/find-document.ts';
import type { HarEntry } from '../read/read-entry.ts';
import { hasFailed } from '../requests/totals.ts';
import { UUID } from '../sanitise-url.ts';

/** How addresses of two runs are taken for the same; the words for the notes of an answer. */
export const MATCHING_NOTE =
  'Requests are matched by address: as it is where both sides have it, else with hashes, versions, ids and query values other than ' +
  'plain words left out; of equal addresses by outcome, operation, size and place.';

const UUIDS = new RegExp(UUID, 'gi');
/** `1.4.2`, `v3.1`, `@11`. */
const VERSION = /(?<![A-Za-z0-9])v?\d+(?:\.\d+){1,3}(?![A-Za-z0-9])|@\d+/g;
/** Letters and digits mixed as in a hash; hexadecimal ones from six characters on, others from eight. */
const RUN = /[A-Za-z0-9]{6,}/g;
/** The hash that bundlers put before the ending: `index-DkF3x_9a.js`. */
const BUNDLE_HASH = /([-.])([A-Za-z0-9_-]{8})(?=\.[a-z0-9]{2,5}$)/;
const ID = /\d{3,}/g;
const PLAIN_WORD = /^[a-z_-]{1,24}$/i;
/** Characters of an address that are compared. */
const MAX_ADDRESS = 2000;

function isHash(run: string): boolean {
  if (!/\d/.test(run) || !/[A-Za-z]/.test(run)) return false;
  return /^[0-9a-f]+$/i.test(run) || (run.length >= 8 && (run.match(/\d/g) ?? []).length >= 2);
}

/** Eight characters with a digit, or with capitals and small letters mixed otherwise than in a name. */
const IS_BUNDLE_HASH = /\d|[a-z][A-Z]+[a-z]*[A-Z]|[A-Z]{2}[a-z]+[A-Z]/;

function normalisePath(path: string): string {
  return path
    .replace(UUIDS, '*')
    .replace(BUNDLE_HASH, (whole, mark: string, text: string) => (IS_BUNDLE_HASH.test(text) ? `${mark}*` : whole))
    .replace(VERSION, '*')
    .replace(RUN, (run) => (isHash(run) ? '*' : run))
    .replace(ID, '*');
}

const plainOrStar = (value: string) => (PLAIN_WORD.test(value) ? value : '*');

/** `a=1&b=page_view` becomes `a=*&b=page_view`, in the order of the names. */
function normaliseQuery(query: string): string {
  const parameters = query.split('&').map((parameter) => {
    const equals = parameter.indexOf('=');
    if (equals === -1) return plainOrStar(parameter);
    return `${normalisePath(parameter.slice(0, equals))}=${plainOrStar(parameter.slice(equals + 1))}`;
  });
  return parameters.toSorted().join('&');
}

type Addressed = Pick<HarEntry, 'method' | 'url' | 'host'>;
const asItIs = (text: string) => text;

/** Method, host, path and query of a request; never to be shown, they are not sanitised. */
function addressOf({ method, url, host }: Addressed, pathOf = asItIs, queryOf = asItIs): string {
  const address = withoutFragment(url).slice(0, MAX_ADDRESS);
  if (host === null) return `${method} ${address}`;
  const [, rest = ''] = /:\/\/[^/?\\]*(.*)$/s.exec(address) ?? [];
  const [path = '', query] = rest.split(/\?(.*)/s, 2);
  return `${method} ${host}${pathOf(path || '/')}${query === undefined ? '' : `?${queryOf(query)}`}`;
}

/** The same without all that may change from run to run. */
export const normalisedAddress = (entry: Addressed): string => addressOf(entry, normalisePath, normaliseQuery);

/** Gives the key of a request, the same in all runs. */
export type KeyOf = (entry: HarEntry) => string;

/** The key of each request over all these runs: its address where both sides have it, else the normalised one. */
export function keysOver(before: Runs, after: Runs): KeyOf {
  const [was, is] = [before, after].map((runs) => new Set(runs.flatMap(({ entries }) => entries.map((entry) => addressOf(entry)))));
  return (entry) => {
    const exact = addressOf(entry);
    return was?.has(exact) && is?.has(exact) ? exact : normalisedAddress(entry);
  };
}

/** The requests of a run, each under its key and the how-manieth of that key it is. */
export function keyed(entries: readonly HarEntry[], keyOf: KeyOf): (readonly [key: string, entry: HarEntry])[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const address = keyOf(entry);
    return [`${address} ${addTo(seen, address)}`, entry];
  });
}

/** Runs as far as their requests are compared. */
export type Runs = readonly { readonly entries: readonly HarEntry[] }[];

/** The same request in two runs. */
export interface Pair {
  readonly before: HarEntry;
  readonly after: HarEntry;
}

/**
 * Matches each request at most once, by its key. A failed one is matched with a failed one, an operation with itself; of several left for
 * one key those of about the same size and place belong together.
 */
export function matchRequests(before: readonly HarEntry[], after: readonly HarEntry[], keyOf: KeyOf) {
  const kindOf = (entry: HarEntry) => `${hasFailed(entry)} ${entry.operation ?? ''} ${keyOf(entry)}`;
  const waiting = grouped(before, kindOf);
  const pairs = [...grouped(after, kindOf)].flatMap(([key, entries]) => pairsOf(waiting.get(key) ?? [], entries));
  const left = (entries: readonly HarEntry[], side: keyof Pair) => {
    const matched = new Set(pairs.map((pair) => pair[side]));
    return entries.filter((entry) => !matched.has(entry));
  };
  return { pairs, added: left(after, 'after'), removed: left(before, 'before') };
}

/** Which requests of two runs belong together; all in order of start. */
export type Matching = ReturnType<typeof matchRequests>;

/** Requests of one address beyond which they are matched in order: all pairs of more would take too long. */
const MOST_OF_ONE_ADDRESS = 40;
/** Bytes by which small sizes may differ. */
const ALIKE_BYTES = 1000;

/** How large the content of a request is, as a logarithm. */
const sizeOf = ({ contentBytes, transferBytes }: HarEntry) => Math.log((contentBytes ?? transferBytes ?? 0) + ALIKE_BYTES);

/** As many as there are on both sides in order; where one side has more, those that are most alike, by size first. */
function pairsOf(befores: readonly HarEntry[], afters: readonly HarEntry[]): Pair[] {
  if (befores.length === afters.length || Math.max(befores.length, afters.length) > MOST_OF_ONE_ADDRESS)
    return afters.flatMap((after, at) => (befores[at] ? [{ before: befores[at], after }] : []));
  const distances = befores.flatMap((before, from) =>
    afters.map((after, to) => ({
      before,
      after,
      distance: Math.abs(sizeOf(before) - sizeOf(after)) + Math.abs(from - to) / MOST_OF_ONE_ADDRESS,
    })),
  );
  const taken = new Set<HarEntry>();
  return distances.toSorted(byLeast(({ distance }) => distance)).flatMap(({ before, after }) => {
    if (taken.has(before) || taken.has(after)) return [];
    taken.add(before).add(after);
    return [{ before, after }];
  });
}
