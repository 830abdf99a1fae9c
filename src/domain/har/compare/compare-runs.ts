import { addTo, countOf, sumOfKnown } from '../../../lib/tally.ts';
import type { HarStudy } from '../analyse/study-har.ts';
import type { PartyGroup } from '../analyse/third-parties.ts';
import type { HarEntry, Party } from '../read/har-model.ts';
import { sanitiseHost } from '../sanitise-url.ts';
import { type HarSummary, type RequestTotals, weightOf } from '../summary/har-summary.ts';
import { normalisedAddress, type Pair } from './request-changes.ts';

/** How the presence of a host differs between two samples of runs. */
export type Presence = 'new' | 'gone' | 'comes and goes';

/** In how many runs of each side a host was asked, and what it costs in a run that asks it. */
export interface HostRuns {
  readonly host: string;
  readonly presence: Presence;
  readonly party: Party | null;
  readonly runsBefore: number;
  readonly runsAfter: number;
  /** Medians over the runs that ask it, of the side where more do. */
  readonly requests: number;
  readonly transferBytes: number;
  readonly blocksRendering: boolean;
}

/** The lower median, a value that occurred; undefined without any. */
export function middleOf(values: readonly number[]): number | undefined {
  return values.toSorted((a, b) => a - b)[(values.length - 1) >> 1];
}

/** A run as far as its requests. */
type Loaded = Pick<HarStudy, 'har'>;

/** Runs near each of two given runs, at the level of their side. */
export interface Neighbours<Run> {
  readonly before: readonly Run[];
  readonly after: readonly Run[];
}

/** In how many of the runs each key occurs. */
function runsWith(runs: readonly Loaded[], keyOf: (entry: HarEntry) => string | null): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { har } of runs) {
    const keys = new Set(har.entries.map(keyOf).filter((key) => key !== null));
    for (const key of keys) addTo(counts, key);
  }
  return counts;
}

function presenceOf(before: number, after: number, runs: { before: number; after: number }): Presence | undefined {
  if (before === 0 && after > runs.after / 2) return 'new';
  if (after === 0 && before > runs.before / 2) return 'gone';
  return before === runs.before && after === runs.after ? undefined : 'comes and goes';
}

const ORDER: readonly Presence[] = ['new', 'gone', 'comes and goes'];

/** Hosts that not every run asks: new ones first, of those what blocks rendering, then by weight. */
export function hostRuns(before: readonly HarStudy[], after: readonly HarStudy[]): HostRuns[] {
  const [was, is] = [runsWith(before, ({ host }) => host), runsWith(after, ({ host }) => host)];
  const rows = [...new Set([...is.keys(), ...was.keys()])].flatMap((host): HostRuns[] => {
    const [runsBefore, runsAfter] = [countOf(was, host), countOf(is, host)];
    const presence = presenceOf(runsBefore, runsAfter, { before: before.length, after: after.length });
    if (!presence) return [];
    const side = runsAfter >= runsBefore ? after : before;
    const asked = side.map(({ har }) => har.entries.filter((entry) => entry.host === host)).filter(({ length }) => length > 0);
    return [
      {
        host: sanitiseHost(host),
        presence,
        party: asked[0]?.[0]?.party ?? null,
        runsBefore,
        runsAfter,
        requests: middleOf(asked.map(({ length }) => length)) ?? 0,
        transferBytes: middleOf(asked.map((entries) => sumOfKnown(entries, weightOf))) ?? 0,
        blocksRendering: side.some(({ blocking }) => blocking.entries.some((entry) => entry.host === host)),
      },
    ];
  });
  return rows.toSorted(
    (a, b) =>
      ORDER.indexOf(a.presence) - ORDER.indexOf(b.presence) ||
      Number(b.blocksRendering) - Number(a.blocksRendering) ||
      b.transferBytes - a.transferBytes,
  );
}

/**
 * Of requests on one side alone those that came or went for good: no run of the other side has them and most runs of their own do. Where
 * no run of a side is known, nothing speaks against them.
 */
export function steadyAlone(requests: readonly HarEntry[], own: readonly Loaded[], other: readonly Loaded[]): HarEntry[] {
  const [here, there] = [runsWith(own, normalisedAddress), runsWith(other, normalisedAddress)];
  return requests.filter((entry) => {
    const address = normalisedAddress(entry);
    return !there.has(address) && (own.length === 0 || countOf(here, address) > own.length / 2);
  });
}

/** Median duration and size of each address over the runs that have it. */
function mediansOf(runs: readonly HarStudy[]): (entry: HarEntry) => HarEntry {
  const known = new Map<string, HarEntry[]>();
  for (const { har } of runs) {
    // One of each run: equal addresses of a run are matched in their order, and the first stands for them.
    const seen = new Set<string>();
    for (const entry of har.entries) {
      const address = normalisedAddress(entry);
      if (seen.has(address)) continue;
      seen.add(address);
      known.set(address, [...(known.get(address) ?? []), entry]);
    }
  }
  return (entry) => {
    const same = known.get(normalisedAddress(entry)) ?? [];
    const middle = (valueOf: (each: HarEntry) => number | null) =>
      middleOf(same.map(valueOf).filter((value) => value !== null)) ?? valueOf(entry);
    return {
      ...entry,
      durationMs: middle(({ durationMs }) => durationMs),
      transferBytes: middle(({ transferBytes }) => transferBytes),
      contentBytes: middle(({ contentBytes }) => contentBytes),
    };
  };
}

/** Pairs whose durations and sizes are the medians of the runs of their side. */
export function medianPairs(pairs: readonly Pair[], before: readonly HarStudy[], after: readonly HarStudy[]): Pair[] {
  const [was, is] = [mediansOf(before), mediansOf(after)];
  return pairs.map((pair) => ({ before: was(pair.before), after: is(pair.after) }));
}

function medianTotals(totals: readonly RequestTotals[], runs: number): RequestTotals {
  const middle = (valueOf: (each: RequestTotals) => number | null) => {
    const values = totals.map(valueOf).filter((value) => value !== null);
    if (values.length < totals.length) return null;
    // A run without the group counts as nothing of it.
    return middleOf([...values, ...Array.from({ length: runs - totals.length }, () => 0)]) ?? 0;
  };
  return {
    requests: middle(({ requests }) => requests) ?? 0,
    requestsWithoutTransferSize: middle(({ requestsWithoutTransferSize }) => requestsWithoutTransferSize) ?? 0,
    transferBytes: middle(({ transferBytes }) => transferBytes),
    requestsWithoutContentSize: middle(({ requestsWithoutContentSize }) => requestsWithoutContentSize) ?? 0,
    contentBytes: middle(({ contentBytes }) => contentBytes),
  };
}

/** The same names of several lists as one, each with the medians of its totals. */
function medianLists<Item extends { readonly totals: RequestTotals }>(
  lists: readonly (readonly Item[])[],
  nameOf: (item: Item) => string,
): Item[] {
  const items = new Map<string, Item[]>();
  for (const item of lists.flat()) items.set(nameOf(item), [...(items.get(nameOf(item)) ?? []), item]);
  return [...items.values()].flatMap((same) => {
    const [first] = same;
    const totals = medianTotals(
      same.map((item) => item.totals),
      lists.length,
    );
    return first ? [{ ...first, totals }] : [];
  });
}

/** Parties of a typical run: medians over all of them. */
export function medianParties(runs: readonly HarStudy[]): PartyGroup[] {
  return medianLists(
    runs.map(({ parties }) => parties),
    ({ name, party }) => `${party} ${name}`,
  );
}

/** Totals by type of a typical run. */
export function medianTypes(runs: readonly HarStudy[]): Pick<HarSummary, 'byType'> {
  const lists = runs.map(({ summary }) => summary.byType.map(({ type, ...totals }) => ({ type, totals })));
  return { byType: medianLists(lists, ({ type }) => type).map(({ type, totals }) => ({ type, ...totals })) };
}
