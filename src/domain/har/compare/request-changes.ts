import { median, medianAbsoluteDeviation } from 'simple-statistics';
import { counted } from '../../../lib/number-text.ts';
import { MAD_TO_SD } from '../../../statistics/robust-scale.ts';
import type { PartyGroup } from '../analyse/third-parties.ts';
import { withoutFragment } from '../read/find-document.ts';
import type { HarEntry } from '../read/har-model.ts';
import { hasFailed } from '../summary/entry-counts.ts';
import { type HarSummary, type RequestTotals, weightOf } from '../summary/har-summary.ts';

/** How addresses of two runs are taken for the same; the words for the notes of an answer. */
export const MATCHING_NOTE =
  'Requests are matched by address, first as it is, then without scheme, with hashes, versions, ids and query values other than ' +
  'plain words left out; of equal addresses by outcome, operation, size and place.';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
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

/** A request that says how fast the network and the servers were: it came from the network and has a duration. */
export type TimedEntry = HarEntry & { readonly durationMs: number };

/** The same request in two runs, timed in both. */
export interface TimedPair extends Pair {
  readonly before: TimedEntry;
  readonly after: TimedEntry;
}

/** Whether a request is timed. */
export function isTimed(entry: HarEntry): entry is TimedEntry {
  const { fromCache, isStream, durationMs, status } = entry;
  return !fromCache && !isStream && status !== 0 && durationMs !== null && durationMs > 0;
}

/** The pairs that are timed in both runs. */
export function timedPairs(pairs: readonly Pair[]): TimedPair[] {
  return pairs.flatMap(({ before, after }) => (isTimed(before) && isTimed(after) ? [{ before, after }] : []));
}

/** Which requests of two runs belong together; all in order of start. */
export interface Matching {
  readonly pairs: readonly Pair[];
  readonly added: readonly HarEntry[];
  readonly removed: readonly HarEntry[];
}

/**
 * Matches each request at most once: by exact address, then by normalised address. A failed one is matched with a failed one, an operation
 * with itself; of several left for one address those of about the same size and place belong together.
 */
export function matchRequests(before: readonly HarEntry[], after: readonly HarEntry[]): Matching {
  const kind = (entry: HarEntry) => `${hasFailed(entry)} ${entry.operation ?? ''}`;
  const exact = matchBy(before, after, (entry) => `${kind(entry)} ${entry.method} ${withoutFragment(entry.url)}`);
  const alike = matchBy(exact.removed, exact.added, (entry) => `${kind(entry)} ${normalisedAddress(entry)}`);
  return { pairs: [...exact.pairs, ...alike.pairs], added: alike.added, removed: alike.removed };
}

/** Requests of one address beyond which they are matched in order: all pairs of more would take too long. */
const MOST_OF_ONE_ADDRESS = 40;

function groupsOf(entries: readonly HarEntry[], keyOf: (entry: HarEntry) => string): Map<string, HarEntry[]> {
  const groups = new Map<string, HarEntry[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const known = groups.get(key);
    if (known) known.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}

function matchBy(before: readonly HarEntry[], after: readonly HarEntry[], keyOf: (entry: HarEntry) => string): Matching {
  const waiting = groupsOf(before, keyOf);
  const pairs = [...groupsOf(after, keyOf)].flatMap(([key, entries]) => pairsOf(waiting.get(key) ?? [], entries));
  const left = (entries: readonly HarEntry[], side: keyof Pair) => {
    const matched = new Set(pairs.map((pair) => pair[side]));
    return entries.filter((entry) => !matched.has(entry));
  };
  return { pairs, added: left(after, 'after'), removed: left(before, 'before') };
}

/** As many as there are on both sides in order; where one side has more, those that are most alike, by size first. */
function pairsOf(before: readonly HarEntry[], after: readonly HarEntry[]): Pair[] {
  const fewer = Math.min(before.length, after.length);
  if (before.length === after.length || Math.max(before.length, after.length) > MOST_OF_ONE_ADDRESS)
    return after.slice(0, fewer).flatMap((entry, at) => (before[at] ? [{ before: before[at], after: entry }] : []));
  const distances = before.flatMap((was, from) =>
    after.map((is, to) => ({
      pair: { before: was, after: is },
      distance: sizeDistance(was, is) + Math.abs(from - to) / MOST_OF_ONE_ADDRESS,
    })),
  );
  const [was, is] = [new Set<HarEntry>(), new Set<HarEntry>()];
  return distances
    .toSorted((a, b) => a.distance - b.distance)
    .flatMap(({ pair }) => {
      if (was.has(pair.before) || is.has(pair.after)) return [];
      was.add(pair.before);
      is.add(pair.after);
      return [pair];
    });
}

/** How many times as large the content of one is, as a logarithm. */
function sizeDistance(a: HarEntry, b: HarEntry): number {
  const sizeOf = (entry: HarEntry) => Math.log((entry.contentBytes ?? entry.transferBytes ?? 0) + MIN_BYTES);
  return Math.abs(sizeOf(a) - sizeOf(b));
}

/** A matched request whose size or duration changed. */
export interface RequestChange extends Pair {
  readonly from: number;
  readonly to: number;
}

/** Smaller changes of size are headers and cookies. */
const MIN_BYTES = 1000;
const MIN_BYTES_SHARE = 0.05;
/** Smaller changes of duration mean nothing, however steady all others are. */
const MIN_MS = 100;
/** Robust standard deviations by which a duration must stand out from those of the other requests. */
const STAND_OUT = 3.5;
/** The spread of durations between two runs is never taken to be smaller, as a logarithm of their ratio: 20 %. */
const MIN_SPREAD = 0.18;

/** The rule by which a request counts as slower, in words for the notes of an answer. */
export function noiseNote(neighbours: number): string {
  const against =
    neighbours > 0
      ? `${counted(neighbours, 'run')} near them, which ${neighbours === 1 ? 'says' : 'say'} how much each request differs by itself`
      : 'what requests usually differ by: no run near them could be read, so less is certain (scenarioId beside before and after names ' +
        'where they are)';
  return (
    `One run on each side, held against ${against}. Of a slower or faster request fcpMs, lcpMs and loadMs say how much of each it ` +
    'explains at most.'
  );
}

/** The same for samples of runs. */
export function sampleNote(sides: readonly { readonly runs?: number | undefined }[]): string {
  const paints = sides.some(({ runs }) => runs !== undefined) ? ', paints and load those of all runs near the instant' : '';
  return (
    `Durations and sizes are medians of the typical runs read on each side${paints}; new is what no run read before has and most ` +
    'runs read after have, gone the reverse.'
  );
}

const largestFirst = (a: RequestChange, b: RequestChange): number => Math.abs(b.to - b.from) - Math.abs(a.to - a.from);

/** The size to compare: transferred where both sides fetched and know it, else that of the content. */
function sizesOf({ before, after }: Pair): [from: number | null, to: number | null] {
  const fetchedBoth = !before.fromCache && !after.fromCache && before.status !== 304 && after.status !== 304;
  if (fetchedBoth && before.transferBytes !== null && after.transferBytes !== null) return [before.transferBytes, after.transferBytes];
  return [before.contentBytes, after.contentBytes];
}

/** Requests that grew or shrank by at least 1,000 bytes and 5 %, largest change first. */
export function sizeChanges(pairs: readonly Pair[]): { grown: RequestChange[]; shrunk: RequestChange[] } {
  const changes = pairs.flatMap((pair): RequestChange[] => {
    const [from, to] = sizesOf(pair);
    if (from === null || to === null) return [];
    const change = Math.abs(to - from);
    return change >= MIN_BYTES && change >= from * MIN_BYTES_SHARE ? [{ ...pair, from, to }] : [];
  });
  const sorted = changes.toSorted(largestFirst);
  return { grown: sorted.filter(({ from, to }) => to > from), shrunk: sorted.filter(({ from, to }) => to < from) };
}

/** Requests whose duration changed by more than the scatter of all matched requests, largest change first. */
export function durationChanges(pairs: readonly Pair[]): { slower: RequestChange[]; faster: RequestChange[] } {
  const timed = timedPairs(pairs).map((pair) => {
    const [from, to] = [pair.before.durationMs, pair.after.durationMs];
    return { ...pair, from, to, ratio: Math.log(to / from) };
  });
  if (timed.length === 0) return { slower: [], faster: [] };
  const ratios = timed.map(({ ratio }) => ratio);
  const usual = median(ratios);
  const spread = Math.max(MIN_SPREAD, MAD_TO_SD * medianAbsoluteDeviation(ratios));
  const outliers = timed.filter(({ from, to, ratio }) => Math.abs(ratio - usual) > STAND_OUT * spread && Math.abs(to - from) >= MIN_MS);
  const sorted = outliers.toSorted(largestFirst);
  return {
    slower: sorted.filter(({ from, to, ratio }) => to > from && ratio > usual),
    faster: sorted.filter(({ from, to, ratio }) => to < from && ratio < usual),
  };
}

/** A group of requests before and after; null where no size is known. */
export interface GroupChange {
  readonly name: string;
  readonly requestsBefore: number;
  readonly requestsAfter: number;
  readonly transferBytesBefore: number | null;
  readonly transferBytesAfter: number | null;
  readonly contentBytesBefore: number | null;
  readonly contentBytesAfter: number | null;
}

interface NamedChange {
  readonly name: string;
  readonly totals: RequestTotals;
}

const NOTHING = { requests: 0, transferBytes: 0, contentBytes: 0 };

function changesOf(before: readonly NamedChange[], after: readonly NamedChange[]): GroupChange[] {
  const earlier = new Map(before.map(({ name, totals }) => [name, totals]));
  const later = new Map(after.map(({ name, totals }) => [name, totals]));
  const names = [...new Set([...later.keys(), ...earlier.keys()])];
  const rows = names.map((name): GroupChange => {
    const was = earlier.get(name) ?? NOTHING;
    const is = later.get(name) ?? NOTHING;
    return {
      name,
      requestsBefore: was.requests,
      requestsAfter: is.requests,
      transferBytesBefore: was.transferBytes,
      transferBytesAfter: is.transferBytes,
      contentBytesBefore: was.contentBytes,
      contentBytesAfter: is.contentBytes,
    };
  });
  return rows.filter(hasChanged).toSorted((a, b) => changeOf(b) - changeOf(a));
}

function hasChanged(row: GroupChange): boolean {
  return row.requestsBefore !== row.requestsAfter || changeOf(row) >= 1000;
}

/** Bytes by which a group changed, either way. */
function changeOf(row: GroupChange): number {
  const was = weightOf({ transferBytes: row.transferBytesBefore, contentBytes: row.contentBytesBefore });
  const is = weightOf({ transferBytes: row.transferBytesAfter, contentBytes: row.contentBytesAfter });
  return Math.abs((is ?? 0) - (was ?? 0));
}

/** Parties that changed in requests or by at least 1,000 bytes, largest change first. */
export function partyChanges(before: readonly PartyGroup[], after: readonly PartyGroup[]): GroupChange[] {
  return changesOf(before, after);
}

/** Types that changed likewise. */
export function typeChanges(before: Pick<HarSummary, 'byType'>, after: Pick<HarSummary, 'byType'>): GroupChange[] {
  const named = ({ byType }: Pick<HarSummary, 'byType'>) => byType.map(({ type, ...totals }) => ({ name: type, totals }));
  return changesOf(named(before), named(after));
}
