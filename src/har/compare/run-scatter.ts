import { grouped } from '../../lib/grouped.ts';
import { byLeast } from '../../lib/order.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import { median } from '../../statistics/order.ts';
import { MAD_TO_SD } from '../../statistics/robust-scale.ts';
import type { HarEntry } from '../read/read-entry.ts';
import type { Har } from '../read/read-har.ts';
import { endOf, weightOf } from '../requests/totals.ts';
import { type KeyOf, keyed, type Pair } from './match-requests.ts';
import { middle } from './typical-runs.ts';

/** Standard deviation of log durations of a request where no neighbours are known; two loads of a page differ by 25 to 40 %. */
const USUAL_SCATTER = 0.3;
/** The same of a whole run, and of the pace of one. */
export const RUN_SCATTER = 0.12;
/** The scatter of a host as a part of that of its requests. */
const HOST_SHARE = 0.6;
/** No request and no host is taken to be steadier than this. */
const LEAST_SCATTER = 0.1;
/** The prior counts as this many neighbours when a scatter is estimated from a few. */
const PRIOR_RUNS = 4;
/** A neighbour is taken to differ by this many prior standard deviations at most. */
const OUTLYING = 2.5;
/** Fewer neighbours give no level. */
const LEAST_NEIGHBOURS = 3;
/** Variance of a median over that of a mean, of normal values. */
const MEDIAN_VARIANCE = Math.PI / 2;
/** Of the differences of two runs, each scatters by itself. */
const OF_TWO = Math.SQRT2;
/** A view tells of a change where it holds at least this part of it. */
const TELLS = 0.5;

/** Something of each of two sides. */
export type Both<Item> = readonly [before: Item, after: Item];

type ValueOf = (entry: HarEntry) => number | null;

/** How the durations of two runs differ: what the whole run shares, its hosts of several requests, its requests. */
export type RunShift = ReturnType<typeof shiftBetween>;

/** One matched request that is measured in both runs, with how it moved, as logarithms. */
export type Moved = RunShift['requests'][number];

/** The duration of a request that says how fast the network and the servers were; null of any other. */
function timeOf({ fromCache, isStream, durationMs, status }: HarEntry): number | null {
  return fromCache || isStream || status === 0 ? null : durationMs || null;
}

/** Logarithms of what a run is measured by, each under its key. */
type Logs = ReadonlyMap<string, number>;

/** The logarithms of what is known and above 0. */
export const logsOf = (values: Iterable<readonly [key: string, value: number | null]>): Logs =>
  new Map([...values].flatMap(([key, value]) => (value !== null && value > 0 ? [[key, Math.log(value)] as const] : [])));

/** How much each value differs from that of its key before; keys without one are left out. */
function between(was: Logs, is: Logs): Map<string, number> {
  return new Map([...is].flatMap(([key, value]) => (was.has(key) ? [[key, value - (was.get(key) ?? 0)] as const] : [])));
}

/** The median of each key that at least so many runs have. */
function levelOf(runs: readonly Logs[], least: number): Logs {
  const known = grouped(
    runs.flatMap((run) => [...run]),
    ([key]) => key,
  );
  return new Map(
    [...known].flatMap(([key, same]) => (same.length < least ? [] : [[key, median(same.map(([, value]) => value))] as const])),
  );
}

/** Of each run of a group how it differs from the others; runs that nothing is in common with are left out. */
function deviations(group: readonly Logs[]): Map<string, number>[] {
  const level = levelOf(group, 2);
  return group.map((run) => between(level, run)).filter(({ size }) => size > 0);
}

/** The spread of values around 0, drawn towards `prior` where they are few; an outlier among them counts as a large value only. */
function scatterOf(values: readonly number[], prior: number): number {
  const squares = values.reduce((sum, value) => sum + Math.min(value * value, (OUTLYING * prior) ** 2), 0);
  return Math.sqrt((PRIOR_RUNS * prior * prior + squares) / (PRIOR_RUNS + Math.max(0, values.length - 1)));
}

/** The robust spread of values around 0; the usual one where they are few. */
function spreadOf(values: readonly number[], usual: number): number {
  const known = values.filter((value) => value !== 0);
  return known.length < 5 ? usual : Math.max(LEAST_SCATTER, MAD_TO_SD * median(known.map(Math.abs)));
}

/**
 * Changes taken apart: what the run shares, under no name; what each host of several requests has beside it, by its name; what each request
 * has beside it, by its key. A run shares the middle of its hosts' middles: what a slow machine or network does to all of them.
 */
function takeApart(changes: Logs, hostOf: (key: string) => string) {
  const byHost = [...grouped([...changes], ([key]) => hostOf(key))].map(([host, same]) => ({
    host,
    size: same.length,
    shared: median(same.map(([, change]) => change)),
  }));
  const middles = byHost.map(({ shared }) => shared).toSorted(byLeast((each) => Math.abs(each)));
  // Of two hosts the one that moved less: a single slow host must not count as the whole run. No request in common, no shift.
  const shift = middles.length < 3 ? (middles[0] ?? 0) : median(middles);
  const hosts = byHost.flatMap(({ host, size, shared }) => (size > 1 ? [[host, shared - shift] as const] : []));
  return new Map([['', shift], ...hosts, ...[...changes].map(([key, change]) => [key, change - shift] as const)]);
}

/**
 * The two runs against each other, and each against its level, with how much each view scatters: where one run of two is unlike its
 * neighbours, the other one only adds noise.
 */
function viewsOf(was: Logs, is: Logs, [before = [], after = []]: readonly (readonly Logs[])[]) {
  const scatterBeside = ({ length }: readonly Logs[]) => Math.sqrt(1 + MEDIAN_VARIANCE / Math.max(1, length));
  return [
    { changes: between(was, is), scatter: OF_TWO },
    { changes: between(was, levelOf(before, LEAST_NEIGHBOURS)), scatter: scatterBeside(before) },
    { changes: between(levelOf(after, LEAST_NEIGHBOURS), is), scatter: scatterBeside(after) },
  ];
}

/**
 * How two runs differ in each part: by the log of after over before, against how much that part differs by itself, learnt from groups of
 * neighbouring runs, each at a level of its own. The score is the most standard deviations by which a view that tells of it stands out.
 */
export function partsBetween(
  [was, is]: readonly [Logs, Logs],
  groups: readonly (readonly Logs[])[],
  scatterFrom: (apart: readonly Logs[]) => (key: string) => number = () => () => RUN_SCATTER,
  partsOf: (changes: Logs) => Logs = (changes) => changes,
) {
  const apart = groups.flatMap(deviations).map(partsOf);
  const priorOf = scatterFrom(apart);
  const views = viewsOf(was, is, groups).map((view) => ({ ...view, parts: partsOf(view.changes) }));
  return (key: string) => {
    const own = views[0]?.parts.get(key) ?? 0;
    const prior = priorOf(key);
    const scatter = Math.max(
      Math.min(LEAST_SCATTER, prior),
      scatterOf(
        apart.flatMap((run) => run.get(key) ?? []),
        prior,
      ),
    );
    const scores = views.map(({ parts, scatter: times }) => {
      const value = parts.get(key) ?? 0;
      return value / own >= TELLS ? value / (times * scatter) : 0;
    });
    return { own, scatter, score: scores.reduce((most, score) => (Math.abs(score) > Math.abs(most) ? score : most), 0) };
  };
}

/** No number and no size is taken to be steadier than this. */
const LEAST_OWN = 0.0075;
/** The scatter of what hardly differs from run to run, such as numbers and sizes: that which each has by itself. */
export const ownScatter = (apart: readonly Logs[]) => (key: string) =>
  Math.max(LEAST_OWN, MAD_TO_SD * (median(apart.flatMap((run) => run.get(key) ?? []).map(Math.abs)) || 0));

/** In place of the name of a host, as addresses have it. */
const NO_HOST = '?';
/** Keys of requests hold blanks, names of hosts none; the whole run has no name. */
const isRequest = (key: string) => key.includes(' ');

/** How much parts of a run usually differ: the whole, a host of so many requests, a request. */
function usualScatter(apart: readonly Logs[], requestsOf: (host: string) => number) {
  const all = apart.flatMap((run) => [...run]);
  const valuesIn = (holds: (key: string) => boolean) => all.flatMap(([key, value]) => (holds(key) ? [value] : []));
  const request = spreadOf(valuesIn(isRequest), USUAL_SCATTER);
  const host = spreadOf(
    valuesIn((key) => key !== '' && !isRequest(key)),
    request * HOST_SHARE,
  );
  return (key: string) => {
    if (key === '') return RUN_SCATTER;
    return isRequest(key) ? request : Math.max(host, request / Math.sqrt(requestsOf(key)));
  };
}

/** Runs of both sides, of which the first are compared, the runs near each, which may be none, and the keys of their requests. */
export interface Grounds {
  readonly own: Both<readonly Har[]>;
  readonly near: Both<readonly Har[]>;
  readonly keyOf: KeyOf;
}

/** How much the difference of two levels of so many runs scatters, in standard deviations of one run. */
export const scatterOfTwo = (sides: readonly (readonly unknown[])[]) =>
  Math.sqrt(sumOfKnown(sides, ({ length }) => (length > 1 ? MEDIAN_VARIANCE / length : 1)));

/** Values of the requests of a run. */
const logsIn = ({ entries }: Har, keyOf: KeyOf, valueOf: ValueOf) =>
  logsOf(keyed(entries, keyOf).map(([key, entry]) => [key, valueOf(entry)]));

/** The key of each request of the first run, with the median value of that key in all of them. */
function levelsIn(runs: readonly Har[], keyOf: KeyOf, valueOf: ValueOf) {
  const known = runs.map(({ entries }) => keyed(entries, keyOf));
  const byKey = grouped(known.flat(), ([key]) => key);
  return new Map(known[0]?.map(([key, entry]) => [entry, { key, level: middle((byKey.get(key) ?? []).map(([, each]) => valueOf(each))) }]));
}

/** How the values of matched requests moved between two sides, medians where these have several runs, against the scatter of neighbours. */
function movedBetween(
  pairs: readonly Pair[],
  { own, near, keyOf }: Grounds,
  valueOf: ValueOf,
  ...scatter: [(apart: readonly Logs[]) => (key: string) => number, ((changes: Logs) => Logs)?]
) {
  const [was, is] = own.map((runs) => levelsIn(runs, keyOf, valueOf));
  const known = pairs.flatMap((pair) => {
    const { key = '', level: from } = was?.get(pair.before) ?? {};
    const { level: to } = is?.get(pair.after) ?? {};
    return valueOf(pair.before) && valueOf(pair.after) && from && to ? [{ ...pair, key, from, to }] : [];
  });
  const logs = (side: 'from' | 'to') => logsOf(known.map((each) => [each.key, each[side]]));
  const groups = near.map((runs) => runs.map((run) => logsIn(run, keyOf, valueOf)));
  const partOf = partsBetween([logs('from'), logs('to')], groups, ...scatter);
  const whole = partOf('');
  const ofBoth = scatterOfTwo(own);
  const requests = known.map((each) => {
    const part = partOf(each.key);
    return { ...each, ...part, scatter: ofBoth * part.scatter, change: part.own + whole.own };
  });
  return { partOf, whole, requests };
}

/** How the durations of two sides differ. */
export function shiftBetween(pairs: readonly Pair[], grounds: Grounds) {
  const nameOf = ({ before: { host } }: Pair) => host ?? NO_HOST;
  const members = grouped(pairs, nameOf);
  const { partOf, whole, requests } = movedBetween(
    pairs,
    grounds,
    timeOf,
    (apart) => usualScatter(apart, (host) => members.get(host)?.length ?? 1),
    // An address begins with its method and host.
    (changes) => takeApart(changes, (key) => key.slice(key.indexOf(' ') + 1, key.indexOf('/'))),
  );
  const byHost = grouped(requests, nameOf);
  return {
    whole: { ...whole, hosts: byHost.size },
    hosts: [...byHost].flatMap(([host, own]) => (own.length > 1 ? [{ ...partOf(host), host, requests: own }] : [])),
    requests,
  };
}

/** How the sizes differ of what both sides fetched. */
export const sizesBetween = (pairs: readonly Pair[], grounds: Grounds): Moved[] =>
  movedBetween(pairs, grounds, (entry) => (entry.fromCache || entry.status === 304 ? null : weightOf(entry)), ownScatter).requests;

/** Starts so early say more of rounding than of pace. */
const LEAST_START_MS = 50;
/** Fewer starts do not say how a run went on. */
const LEAST_STARTS = 8;
const documentEnd = ({ document }: Har) => (document ? endOf(document) : 0);

/**
 * How much more slowly a run went on after its document than another one, as a slow machine does whose requests take no longer: the log of
 * the pace and of the end of the document.
 */
export function courseBetween(before: Har, after: Har, { near, keyOf }: Grounds) {
  const startsOf = (run: Har) =>
    logsIn(run, keyOf, ({ startMs }) => {
      const sinceMs = (startMs ?? 0) - documentEnd(run);
      return sinceMs < LEAST_START_MS ? null : sinceMs;
    });
  const paceOf = (starts: Logs) => new Map(starts.size < LEAST_STARTS ? [] : [['', median([...starts.values()])]]);
  const groups = near.map((runs) => runs.map(startsOf));
  const pace = partsBetween([startsOf(before), startsOf(after)], groups, undefined, paceOf)('');
  return { ...pace, documentShift: Math.log(documentEnd(after) / documentEnd(before)) || 0 };
}
