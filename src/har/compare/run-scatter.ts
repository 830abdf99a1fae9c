import { grouped } from '../../lib/grouped.ts';
import { byLeast } from '../../lib/order.ts';
import { addTo, sumOfKnown } from '../../lib/tally.ts';
import { median } from '../../statistics/order.ts';
import { MAD_TO_SD } from '../../statistics/robust-scale.ts';
import type { HarEntry } from '../read/read-entry.ts';
import type { Har } from '../read/read-har.ts';
import { endOf } from '../requests/totals.ts';
import { normalisedAddress } from './match-requests.ts';
import type { ComparedPair, RequestChange } from './request-changes.ts';

/** Standard deviation of log durations of a request where no neighbours are known; two loads of a page differ by 25 to 40 %. */
const USUAL_SCATTER = 0.3;
/** The same of a whole run, and of the pace of one. */
const RUN_SCATTER = 0.12;
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

/** How the durations of two runs differ: what the whole run shares, its hosts of several requests, its requests. */
export type RunShift = ReturnType<typeof shiftBetween>;

/** One matched request that is timed in both runs, ms, with how its duration moved, as logarithms. */
export type Moved = RunShift['requests'][number];

/** The duration of a request that says how fast the network and the servers were; null of any other. */
function timeOf({ fromCache, isStream, durationMs, status }: HarEntry): number | null {
  return fromCache || isStream || status === 0 ? null : durationMs || null;
}

/** The pairs that are timed in both runs. */
function timedPairs(pairs: readonly ComparedPair[]): RequestChange[] {
  return pairs.flatMap(({ before, after, was, is }) =>
    timeOf(before) && timeOf(after) && was.durationMs && is.durationMs ? [{ before, after, from: was.durationMs, to: is.durationMs }] : [],
  );
}

/** Logarithms of what a run is measured by, each under its key. */
type Logs = ReadonlyMap<string, number>;

/** The logarithms of what is known and above 0. */
export const logsOf = (values: Iterable<readonly [key: string, value: number | null]>): Logs =>
  new Map([...values].flatMap(([key, value]) => (value !== null && value > 0 ? [[key, Math.log(value)] as const] : [])));

/** Values of the requests of a run, each under its address and the how-manieth of that address it is. */
function keyed<Value>(entries: readonly HarEntry[], valueOf: (entry: HarEntry) => Value): (readonly [key: string, value: Value])[] {
  const seen = new Map<string, number>();
  return entries.map((entry) => {
    const address = normalisedAddress(entry);
    return [`${address} ${addTo(seen, address)}`, valueOf(entry)];
  });
}

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
    middle: median(same.map(([, change]) => change)),
  }));
  const middles = byHost.map(({ middle }) => middle).toSorted(byLeast((each) => Math.abs(each)));
  // Of two hosts the one that moved less: a single slow host must not count as the whole run. No request in common, no shift.
  const shift = middles.length < 3 ? (middles[0] ?? 0) : median(middles);
  const hosts = byHost.flatMap(({ host, size, middle }) => (size > 1 ? [[host, middle - shift] as const] : []));
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

/** In place of the name of a host. */
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

/**
 * How two sides of so many runs differ, a run each or typical ones, against the scatter of their neighbours: groups of runs at one level
 * each, which may be empty.
 */
export function shiftBetween(
  pairs: readonly ComparedPair[],
  { entries: before }: Pick<Har, 'entries'>,
  neighbours: readonly (readonly Har[])[],
  runs = [1, 1],
) {
  const keys = new Map(keyed(before, (entry) => entry).map(([key, entry]) => [entry, key]));
  const timed = timedPairs(pairs).map((pair) => ({ ...pair, key: keys.get(pair.before) ?? '' }));
  const nameOf = ({ before: { host } }: RequestChange) => host ?? NO_HOST;
  const members = grouped(timed, nameOf);
  const hostByKey = new Map(timed.map((pair) => [pair.key, nameOf(pair)]));
  // An address begins with its method and host.
  const hostOf = (key: string) => hostByKey.get(key) ?? key.slice(key.indexOf(' ') + 1, key.indexOf('/'));
  const partOf = partsBetween(
    [logsOf(timed.map(({ key, from }) => [key, from])), logsOf(timed.map(({ key, to }) => [key, to]))],
    neighbours.map((group) => group.map(({ entries }) => logsOf(keyed(entries, timeOf)))),
    (apart) => usualScatter(apart, (host) => members.get(host)?.length ?? 1),
    (changes) => takeApart(changes, hostOf),
  );
  const whole = partOf('');
  // Variance of the level of so many runs over that of one.
  const ofBoth = Math.sqrt(sumOfKnown(runs, (many) => (many === 1 ? 1 : MEDIAN_VARIANCE / many)));
  const requests = timed.map((pair) => {
    const part = partOf(pair.key);
    return { ...pair, ...part, scatter: ofBoth * part.scatter, change: part.own + whole.own };
  });
  const byHost = grouped(requests, nameOf);
  return {
    whole: { ...whole, hosts: byHost.size },
    hosts: [...byHost].flatMap(([host, own]) => (own.length > 1 ? [{ ...partOf(host), host, requests: own }] : [])),
    requests,
  };
}

/** Starts so early say more of rounding than of pace. */
const LEAST_START_MS = 50;
/** Fewer starts do not say how a run went on. */
const LEAST_STARTS = 8;
/** Each quarter of the run moved in the direction of the shift by at least this part of it. */
const EVERYWHERE = 0.5;

const documentEnd = ({ document }: Har) => (document ? endOf(document) : 0);

/** Starts of a run, counted from the end of its document. */
function startsOf(run: Har): Logs {
  const fromMs = documentEnd(run);
  const startOf = ({ startMs }: HarEntry) => ((startMs ?? 0) - fromMs < LEAST_START_MS ? null : (startMs ?? 0) - fromMs);
  return logsOf(keyed(run.entries, startOf));
}

/**
 * How much more slowly a run went on after its document than another one, as a slow machine does whose requests take no longer: the log of
 * the pace and of the end of the document. Undefined where a part of the run kept its own pace.
 */
export function courseBetween(before: Har, after: Har, neighbours: readonly (readonly Har[])[]) {
  const [was, is] = [startsOf(before), startsOf(after)];
  const inOrder = [...was].toSorted(byLeast(([, value]) => value));
  const changes = inOrder.flatMap(([key, start]) => (is.has(key) ? [(is.get(key) ?? 0) - start] : []));
  if (changes.length < LEAST_STARTS) return undefined;
  const size = Math.floor(changes.length / 4);
  const quarters = [0, 1, 2, 3].map((place) => changes.slice(place * size, place === 3 ? undefined : (place + 1) * size));
  const paceOf = (starts: Logs) => new Map(starts.size < LEAST_STARTS ? [] : [['', median([...starts.values()])]]);
  const pace = partsBetween(
    [was, is],
    neighbours.map((runs) => runs.map(startsOf)),
    undefined,
    paceOf,
  )('');
  if (pace.own === 0 || quarters.some((quarter) => median(quarter) / pace.own < EVERYWHERE)) return undefined;
  const [wasMs, isMs] = [documentEnd(before), documentEnd(after)];
  return { ...pace, documentShift: wasMs && isMs ? Math.log(isMs / wasMs) : 0 };
}
