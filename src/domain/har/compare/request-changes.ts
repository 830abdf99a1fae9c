import { medianAbsoluteDeviation } from 'simple-statistics';
import { grouped } from '../../../lib/grouped.ts';
import { addTo, countOf } from '../../../lib/tally.ts';
import { median } from '../../../statistics/order.ts';
import { MAD_TO_SD } from '../../../statistics/robust-scale.ts';
import type { Har, HarEntry } from '../read/har-model.ts';
import type { HarStudy } from '../requests/study-har.ts';
import { type Totals, totalsOf, weightOf } from '../requests/totals.ts';
import { sanitiseHost } from '../sanitise-url.ts';
import type { Comparison } from './har-comparison.ts';
import { normalisedAddress, type Pair } from './match-requests.ts';
import { timedPairs } from './run-scatter.ts';
import { middleOf } from './typical-runs.ts';

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

const largestFirst = (a: RequestChange, b: RequestChange) => Math.abs(b.to - b.from) - Math.abs(a.to - a.from);

/** Requests that grew or shrank by at least 1,000 bytes and 5 %, largest change first: of what both sides fetched, else of the content. */
export function sizeChanges(pairs: readonly Pair[]): { grown: RequestChange[]; shrunk: RequestChange[] } {
  const changes = pairs.flatMap((pair): RequestChange[] => {
    const sides = [pair.before, pair.after];
    const isFetched = sides.every(({ fromCache, status, transferBytes }) => !fromCache && status !== 304 && transferBytes !== null);
    const [from = null, to = null] = sides.map(({ transferBytes, contentBytes }) => (isFetched ? transferBytes : contentBytes));
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
  const outliers = timed
    .filter(({ from, to, ratio }) => Math.abs(ratio - usual) > STAND_OUT * spread && Math.abs(to - from) >= MIN_MS)
    .toSorted(largestFirst);
  return {
    slower: outliers.filter(({ from, to, ratio }) => to > from && ratio > usual),
    faster: outliers.filter(({ from, to, ratio }) => to < from && ratio < usual),
  };
}

/** The lower median of what is known; null where nothing is. */
export function middle<Item>(items: readonly Item[], valueOf: (item: Item) => number | null): number | null {
  return middleOf(items.map(valueOf).filter((value) => value !== null)) ?? null;
}

/** In how many of the runs each key occurs. */
function runsWith(runs: readonly Pick<Har, 'entries'>[], keyOf: (entry: HarEntry) => string | null): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { entries } of runs) for (const key of new Set(entries.map(keyOf))) if (key !== null) addTo(counts, key);
  return counts;
}

/**
 * Of requests on one side alone those that came or went for good: no run of the other side has them and most runs of their own do. Where
 * no run of a side is known, nothing speaks against them.
 */
export function steadyAlone(requests: readonly HarEntry[], own: readonly Har[], other: readonly Har[]): HarEntry[] {
  const [here, there] = [runsWith(own, normalisedAddress), runsWith(other, normalisedAddress)];
  return requests.filter((entry) => {
    const address = normalisedAddress(entry);
    return !there.has(address) && (own.length === 0 || countOf(here, address) > own.length / 2);
  });
}

/** Gives a request the median duration and sizes that the runs have of its address; equal addresses of a run are one. */
function typicalOf(runs: readonly HarStudy[]): (entry: HarEntry) => HarEntry {
  const firsts = runs.flatMap(({ har }) => [...new Map(har.entries.toReversed().map((entry) => [normalisedAddress(entry), entry]))]);
  const known = grouped(firsts, ([address]) => address);
  return (entry) => {
    const same = (known.get(normalisedAddress(entry)) ?? []).map(([, each]) => each);
    const typical = (name: 'durationMs' | 'transferBytes' | 'contentBytes') => middle(same, (each) => each[name]) ?? entry[name];
    return { ...entry, durationMs: typical('durationMs'), transferBytes: typical('transferBytes'), contentBytes: typical('contentBytes') };
  };
}

/** Pairs whose durations and sizes are the medians of the runs of their side. */
export function medianPairs(pairs: readonly Pair[], before: readonly HarStudy[], after: readonly HarStudy[]): Pair[] {
  const [was, is] = [typicalOf(before), typicalOf(after)];
  return pairs.map((pair) => ({ before: was(pair.before), after: is(pair.after) }));
}

/** The numbers of a group in a typical run; a size that a run does not know is unknown. */
function typicalTotals(totals: readonly Totals[]): Totals {
  const sizes = (name: 'transferBytes' | 'contentBytes') =>
    totals.some((each) => each.requests > 0 && each[name] === null) ? null : middle(totals, (each) => each[name] ?? 0);
  return {
    requests: middle(totals, ({ requests }) => requests) ?? 0,
    transferBytes: sizes('transferBytes'),
    contentBytes: sizes('contentBytes'),
  };
}

/** A group that every run may have, under a name. */
type NamedTotals = readonly (readonly [name: string, totals: Totals])[];

/** Groups that changed in requests or by 1,000 bytes between typical runs, largest change first; a run without one has none of it. */
export function groupChanges(before: readonly NamedTotals[], after: readonly NamedTotals[]): Comparison['byType'] {
  const sides = [before, after].map((runs) => runs.map((groups) => new Map(groups)));
  const names = new Set([...after, ...before].flat().map(([name]) => name));
  const changes = [...names].map((name) => {
    const [was, is] = sides.map((runs) => typicalTotals(runs.map((groups) => groups.get(name) ?? totalsOf([]))));
    const [from, to] = [was ?? totalsOf([]), is ?? totalsOf([])];
    return { name, from, to, change: Math.abs((weightOf(to) ?? 0) - (weightOf(from) ?? 0)) };
  });
  return changes
    .filter(({ from, to, change }) => from.requests !== to.requests || change >= MIN_BYTES)
    .toSorted((a, b) => b.change - a.change)
    .map(({ name, from, to }) => ({
      name,
      requestsBefore: from.requests,
      requestsAfter: to.requests,
      transferBytesBefore: from.transferBytes,
      transferBytesAfter: to.transferBytes,
      contentBytesBefore: from.contentBytes,
      contentBytesAfter: to.contentBytes,
    }));
}

type HostRuns = NonNullable<Comparison['hosts']>;
type Presence = HostRuns[number]['presence'];
const ORDER: readonly Presence[] = ['new', 'gone', 'comes and goes'];

function presenceOf(before: number, after: number, runs: { before: number; after: number }): Presence | undefined {
  if (before === 0 && after > runs.after / 2) return 'new';
  if (after === 0 && before > runs.before / 2) return 'gone';
  return before === runs.before && after === runs.after ? undefined : 'comes and goes';
}

/** Hosts that not every run asks: new ones first, of those what blocks rendering, then by weight; medians of the side where more ask it. */
export function hostRuns(before: readonly HarStudy[], after: readonly HarStudy[]): HostRuns {
  const [was = new Map(), is = new Map()] = [before, after].map((runs) =>
    runsWith(
      runs.map(({ har }) => har),
      ({ host }) => host,
    ),
  );
  const rows = [...new Set([...is.keys(), ...was.keys()])].flatMap((host): HostRuns => {
    const [runsBefore, runsAfter] = [countOf(was, host), countOf(is, host)];
    const presence = presenceOf(runsBefore, runsAfter, { before: before.length, after: after.length });
    if (!presence) return [];
    const side = runsAfter >= runsBefore ? after : before;
    const asked = side.map(({ har }) => har.entries.filter((entry) => entry.host === host)).filter(({ length }) => length > 0);
    const totals = asked.map(totalsOf);
    return [
      {
        host: sanitiseHost(host),
        presence,
        party: asked[0]?.[0]?.party ?? null,
        runsBefore,
        runsAfter,
        requests: middle(totals, ({ requests }) => requests) ?? 0,
        transferBytes: middle(totals, weightOf) ?? 0,
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
