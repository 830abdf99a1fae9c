import { median, medianAbsoluteDeviation } from 'simple-statistics';
import { addTo } from '../../../lib/tally.ts';
import { MAD_TO_SD } from '../../../statistics/robust-scale.ts';
import type { HarEntry } from '../read/har-model.ts';
import { isTimed, normalisedAddress, type Pair, type TimedPair, timedPairs } from './request-changes.ts';

/** Standard deviation of log durations of a request where no neighbours are known; two loads of a page differ by 25 to 40 %. */
const USUAL_SCATTER = 0.3;
/** No request and no host is taken to be steadier than this. */
const LEAST_SCATTER = 0.1;
/** The prior counts as this many neighbours when the scatter of a request is estimated from a few. */
const PRIOR_RUNS = 4;
/** A neighbour is taken to differ by this many prior standard deviations at most. */
const OUTLYING = 2.5;

/** Log durations of a run by address; equal addresses in their order. */
type Durations = ReadonlyMap<string, number>;

/** One matched request with how its duration moved, as logarithms. */
export interface Moved extends TimedPair {
  readonly host: string | null;
  /** Log of after over before. */
  readonly change: number;
  /** The change that is its own, without what the host and the whole run share. */
  readonly own: number;
  /** Standard deviation of the difference of two runs, as a logarithm. */
  readonly scatter: number;
  /** Standard deviations that its own change stands out by. */
  readonly score: number;
}

/** A host with what all its requests share. */
export interface HostMoved {
  readonly host: string;
  readonly requests: readonly Moved[];
  readonly shift: number;
  readonly score: number;
}

/** How the durations of two runs differ: what the whole run shares, its hosts, its requests; scores are standard deviations. */
export interface RunShift {
  readonly whole: { readonly shift: number; readonly score: number; readonly hosts: number };
  readonly hosts: readonly HostMoved[];
  readonly requests: readonly Moved[];
  /** Runs that the scatter was learned from. */
  readonly neighbours: number;
}

/** A key for each request of a run: its address and the how-manieth of that address it is. */
export function keysOf(entries: readonly HarEntry[]): Map<HarEntry, string> {
  const seen = new Map<string, number>();
  return new Map(
    entries.map((entry) => {
      const address = normalisedAddress(entry);
      return [entry, `${address} ${addTo(seen, address)}`];
    }),
  );
}

function durationsOf(entries: readonly HarEntry[]): Map<string, number> {
  const keys = keysOf(entries);
  return new Map(entries.filter(isTimed).map((entry) => [keys.get(entry) ?? '', Math.log(entry.durationMs)]));
}

function lowMedian(values: readonly number[]): number {
  // Of two hosts the one that moved less: a single slow host must not count as the whole run.
  const sorted = values.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  // No request in common, no shift.
  return sorted[(values.length - 1) >> 1] ?? 0;
}

/** The spread of values around 0, drawn towards `prior` where they are few; an outlier among them counts as a large value only. */
export function scatterOf(values: readonly number[], prior: number): number {
  const largest = OUTLYING * prior;
  const squares = values.reduce((sum, value) => sum + Math.min(value * value, largest * largest), 0);
  return Math.max(LEAST_SCATTER, Math.sqrt((PRIOR_RUNS * prior * prior + squares) / (PRIOR_RUNS + Math.max(0, values.length - 1))));
}

/** The middle of the hosts' middles: what a slow machine or network does to all of them. */
function sharedShift(
  changes: ReadonlyMap<string, number>,
  hostOf: (key: string) => string,
): { shift: number; byHost: Map<string, number[]> } {
  const byHost = new Map<string, number[]>();
  for (const [key, change] of changes) push(byHost, hostOf(key), change);
  const middles = [...byHost.values()].map((values) => median(values));
  return { shift: middles.length < 3 ? lowMedian(middles) : median(middles), byHost };
}

interface Scatter {
  readonly whole: number;
  readonly host: (host: string, requests: number) => number;
  readonly request: (key: string) => number;
}

interface Residuals {
  readonly wholes: number[];
  readonly hosts: Map<string, number[]>;
  readonly requests: Map<string, number[]>;
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const known = map.get(key);
  if (known) known.push(value);
  else map.set(key, [value]);
}

/** Residuals of the neighbours' log durations, without the usual levels of request, run and host. */
/** How much each value differs from that of its key before; keys without one are left out. */
function between(was: Durations, is: Durations): Map<string, number> {
  const changes = new Map<string, number>();
  for (const [key, value] of is) {
    const before = was.get(key);
    if (before !== undefined) changes.set(key, value - before);
  }
  return changes;
}

function residualsOf(groups: readonly (readonly Durations[])[], hostOf: (key: string) => string): Residuals {
  const found: Residuals = { wholes: [], hosts: new Map(), requests: new Map() };
  for (const group of groups) {
    const known = new Map<string, number[]>();
    for (const run of group) for (const [key, value] of run) push(known, key, value);
    const levels = new Map([...known].filter(([, values]) => values.length > 1).map(([key, values]) => [key, median(values)]));
    for (const run of group) {
      const changes = between(levels, run);
      if (changes.size === 0) continue;
      const { shift, byHost } = sharedShift(changes, hostOf);
      found.wholes.push(shift);
      for (const [host, values] of byHost) if (values.length > 1) push(found.hosts, host, median(values) - shift);
      for (const [key, change] of changes) push(found.requests, key, change - shift);
    }
  }
  return found;
}

function robustSpread(values: readonly number[], otherwise: number): number {
  const known = values.filter((value) => value !== 0);
  return known.length < 5
    ? otherwise
    : Math.max(LEAST_SCATTER, MAD_TO_SD * medianAbsoluteDeviation([...known, ...known.map((value) => -value)]));
}

/** Learns how much runs, hosts and requests differ by themselves from neighbouring runs, each group at a level of its own. */
function learnScatter(groups: readonly (readonly Durations[])[], hostOf: (key: string) => string): Scatter {
  const { wholes, hosts, requests } = residualsOf(groups, hostOf);
  const request = robustSpread([...requests.values()].flat(), USUAL_SCATTER);
  const host = robustSpread([...hosts.values()].flat(), request * 0.6);
  const whole = scatterOf(wholes, 0.12);
  return {
    whole,
    host: (name, count) => scatterOf(hosts.get(name) ?? [], Math.max(host, request / Math.sqrt(count))),
    request: (key) => scatterOf(requests.get(key) ?? [], request),
  };
}

/** Changes of one kind by address, and how many standard deviations of a single run their scatter is. */
interface DurationChanges {
  readonly changes: ReadonlyMap<string, number>;
  readonly scatter: number;
}

/** A view taken apart: what the run shares, its hosts, each request. */
interface ChangesApart {
  readonly scatter: number;
  readonly shift: number;
  readonly byHost: ReadonlyMap<string, readonly number[]>;
  readonly host: (name: string) => number;
  readonly own: (key: string) => number;
}

function takeApart({ changes, scatter }: DurationChanges, hostOf: (key: string) => string): ChangesApart {
  const { shift, byHost } = sharedShift(changes, hostOf);
  const hosts = new Map([...byHost].map(([host, values]) => [host, values.length > 1 ? median(values) - shift : 0]));
  return { scatter, shift, byHost, host: (name) => hosts.get(name) ?? 0, own: (key) => (changes.get(key) ?? shift) - shift };
}

/** Runs of both sides, each with its neighbours, that are less far apart than this many of its standard deviations are at one level. */
const SAME_LEVEL = 2;
/** Variance of a median over that of a mean, of normal values. */
const MEDIAN_VARIANCE = Math.PI / 2;
/** Fewer neighbours give no level. */
const LEAST_NEIGHBOURS = 3;

/** The usual duration of each request, and how much of the variance of a run this level is known by. */
function levelOf(runs: readonly Durations[]): { level: Durations; variance: number } {
  const known = new Map<string, number[]>();
  for (const run of runs) for (const [key, value] of run) push(known, key, value);
  const level = new Map([...known].filter(([, values]) => values.length >= LEAST_NEIGHBOURS).map(([key, values]) => [key, median(values)]));
  return { level, variance: MEDIAN_VARIANCE / Math.max(1, runs.length) };
}

/**
 * The two runs against each other, and each against its level: where one run of two is unlike its neighbours, the other one only adds
 * noise. Where the neighbours of both are at one level, it is known twice as well.
 */
function viewsOf(
  was: Durations,
  is: Durations,
  [before = [], after = []]: readonly (readonly Durations[])[],
  scatter: Scatter,
): DurationChanges[] {
  const pair: DurationChanges = { changes: between(was, is), scatter: Math.SQRT2 };
  const [own, other] = [levelOf(before), levelOf(after)];
  const moved = median([0, ...between(own.level, other.level).values()]);
  const isOne = Math.abs(moved) < SAME_LEVEL * scatter.whole * Math.sqrt(own.variance + other.variance);
  const all = levelOf([...before, ...after]);
  const [usualBefore, usualAfter] = isOne ? [all, all] : [own, other];
  return [
    pair,
    { changes: between(was, usualBefore.level), scatter: Math.sqrt(1 + usualBefore.variance) },
    { changes: between(usualAfter.level, is), scatter: Math.sqrt(1 + usualAfter.variance) },
  ];
}

/** A view tells of a change where it holds at least this part of it. */
const TELLS = 0.5;

/** The most standard deviations by which a view that tells of a change makes it stand out. */
function bestScore(change: number, views: readonly ChangesApart[], valueOf: (view: ChangesApart) => number, scatter: number): number {
  const scores = views.flatMap((view) => {
    const value = valueOf(view);
    return value / change >= TELLS ? [value / (view.scatter * scatter)] : [];
  });
  return scores.reduce((most, score) => (Math.abs(score) > Math.abs(most) ? score : most), 0);
}

/** How two runs differ, compared with the scatter of their neighbours (groups of runs at one level each; may be empty). */
export function shiftBetween(
  pairs: readonly Pair[],
  before: readonly HarEntry[],
  neighbours: readonly (readonly (readonly HarEntry[])[])[],
): RunShift {
  const groups = neighbours.map((group) => group.map(durationsOf));
  const keys = keysOf(before);
  const timed = timedPairs(pairs);
  const keyOf = ({ before: entry }: Pair) => keys.get(entry) ?? '';
  const hosts = new Map(timed.map((pair) => [keyOf(pair), pair.before.host ?? '']));
  // An address begins with its method and host.
  const hostOf = (key: string) => hosts.get(key) ?? key.slice(key.indexOf(' ') + 1, key.indexOf('/'));
  const scatter = learnScatter(groups, hostOf);
  const logsOf = (side: keyof Pair) => new Map(timed.map((pair) => [keyOf(pair), Math.log(pair[side].durationMs)]));
  const views = viewsOf(logsOf('before'), logsOf('after'), groups, scatter).map((view) => takeApart(view, hostOf));
  const [difference] = views;
  if (!difference) throw new RangeError('two runs have a difference');
  const { shift, byHost } = difference;
  const requests = timed.map((pair): Moved => {
    const key = keyOf(pair);
    const [own, single] = [difference.own(key), scatter.request(key)];
    const score = bestScore(own, views, (view) => view.own(key), single);
    return { ...pair, host: pair.before.host, change: own + shift, own, scatter: Math.SQRT2 * single, score };
  });
  const members = new Map<string, Moved[]>();
  for (const moved of requests) push(members, moved.host ?? '', moved);
  return {
    whole: { shift, score: bestScore(shift, views, (view) => view.shift, scatter.whole), hosts: byHost.size },
    hosts: [...byHost].flatMap(([host, values]) => {
      const own = difference.host(host);
      const score = bestScore(own, views, (view) => view.host(host), scatter.host(host, values.length));
      return values.length > 1 ? [{ host, requests: members.get(host) ?? [], shift: own, score }] : [];
    }),
    requests,
    neighbours: groups.reduce((sum, group) => sum + group.length, 0),
  };
}
