import { byMost } from '../../lib/order.ts';
import { addTo, countOf } from '../../lib/tally.ts';
import type { HarEntry } from '../read/read-entry.ts';
import type { HarStudy } from '../requests/study-har.ts';
import { type Totals, totalsOf, weight, weightOf } from '../requests/totals.ts';
import { sanitiseHost } from '../sanitise-url.ts';
import type { Comparison } from './har-comparison.ts';
import type { KeyOf, Matching, Pair, Runs } from './match-requests.ts';
import { middle } from './typical-runs.ts';

/** A matched request with a value on both sides. */
export interface RequestChange extends Pair {
  readonly from: number;
  readonly to: number;
}

/** Smaller changes of size are headers and cookies. */
export const MIN_BYTES = 1000;
/** The size of a change. */
export const changeOf = ({ from, to }: Pick<RequestChange, 'from' | 'to'>) => Math.abs(to - from);

/** In how many of the runs each key occurs. */
function runsWith(runs: Runs, keyOf: (entry: HarEntry) => string | null): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { entries } of runs) for (const key of new Set(entries.map(keyOf))) if (key !== null) addTo(counts, key);
  return counts;
}

/**
 * Of each key in how many runs of both sides it occurs, and whether it came or went for good: no run of the other side has it, most of its
 * own do; where no run is known, nothing speaks against it.
 */
function presences(before: Runs, after: Runs, keyOf: (entry: HarEntry) => string | null) {
  const [was, is] = [runsWith(before, keyOf), runsWith(after, keyOf)];
  const isSteady = (has: number, { length }: Runs, otherHas: number) => otherHas === 0 && (length === 0 || has > length / 2);
  return {
    keys: [...new Set([...is.keys(), ...was.keys()])],
    of: (key: string) => {
      const [runsBefore, runsAfter] = [countOf(was, key), countOf(is, key)];
      return { runsBefore, runsAfter, isNew: isSteady(runsAfter, after, runsBefore), isGone: isSteady(runsBefore, before, runsAfter) };
    },
  };
}

/** Of requests on one side alone those that came or went for good. */
export function steadyAlone({ added, removed }: Matching, near: { readonly before: Runs; readonly after: Runs }, keyOf: KeyOf) {
  const { of } = presences(near.before, near.after, keyOf);
  return { added: added.filter((entry) => of(keyOf(entry)).isNew), removed: removed.filter((entry) => of(keyOf(entry)).isGone) };
}

/** The numbers of a group in a typical run; a size that a run does not know is unknown. */
function typicalTotals(totals: readonly Totals[]): Totals {
  const sizes = (name: 'transferBytes' | 'contentBytes') =>
    totals.some((each) => each.requests > 0 && each[name] === null) ? null : middle(totals.map((each) => each[name] ?? 0));
  return {
    requests: middle(totals.map(({ requests }) => requests)) ?? 0,
    transferBytes: sizes('transferBytes'),
    contentBytes: sizes('contentBytes'),
  };
}

/** A group that every run may have, under a name. */
type NamedTotals = readonly (readonly [name: string, totals: Totals])[];

/** Groups that changed in requests or by 1,000 bytes between typical runs, largest change first; a run without one has none of it. */
export function groupChanges(before: readonly NamedTotals[], after: readonly NamedTotals[]): Comparison['byType'] {
  const totalsIn = (runs: readonly NamedTotals[]) => {
    const byName = runs.map((groups) => new Map(groups));
    return (name: string) => typicalTotals(byName.map((groups) => groups.get(name) ?? totalsOf([])));
  };
  const [was, is] = [totalsIn(before), totalsIn(after)];
  const names = new Set([...after, ...before].flat().map(([name]) => name));
  const changeIn = ({ from, to }: { from: Totals; to: Totals }) => changeOf({ from: weight(from), to: weight(to) });
  return [...names]
    .map((name) => ({ name, from: was(name), to: is(name) }))
    .filter((group) => group.from.requests !== group.to.requests || changeIn(group) >= MIN_BYTES)
    .toSorted(byMost(changeIn))
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
const ORDER: readonly HostRuns[number]['presence'][] = ['new', 'gone', 'comes and goes'];

/** Hosts that not every run asks: new ones first, of those what blocks rendering, then by weight; medians of the side where more ask it. */
export function hostRuns(before: readonly HarStudy[], after: readonly HarStudy[]): HostRuns {
  const { keys, of } = presences(before, after, ({ host }) => host);
  const rows = keys.flatMap((host): HostRuns => {
    const { runsBefore, runsAfter, isNew, isGone } = of(host);
    if (runsBefore === before.length && runsAfter === after.length) return [];
    const change = isNew ? 'new' : 'gone';
    const side = runsAfter >= runsBefore ? after : before;
    const asked = side.map(({ entries }) => entries.filter((entry) => entry.host === host)).filter(({ length }) => length > 0);
    const totals = asked.map(totalsOf);
    return [
      {
        host: sanitiseHost(host),
        presence: isNew || isGone ? change : 'comes and goes',
        party: asked[0]?.[0]?.party ?? null,
        runsBefore,
        runsAfter,
        requests: middle(totals.map(({ requests }) => requests)) ?? 0,
        transferBytes: middle(totals.map(weightOf)) ?? 0,
        blocksRendering: side.some(({ blocking }) => blocking.entries.some((entry) => entry.host === host)),
      },
    ];
  });
  return rows.toSorted(
    byMost(
      (each) => -ORDER.indexOf(each.presence),
      ({ blocksRendering }) => blocksRendering,
      ({ transferBytes }) => transferBytes,
    ),
  );
}
