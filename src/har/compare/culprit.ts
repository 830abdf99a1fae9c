import { formatMs, formatNumber } from '../../lib/number-text.ts';
import { byMost } from '../../lib/order.ts';
import type { PaintTimes } from '../requests/largest-paint.ts';
import type { HarStudy } from '../requests/study-har.ts';
import { endOf } from '../requests/totals.ts';
import { sanitiseHost, shortUrl } from '../sanitise-url.ts';
import type { Comparison } from './har-comparison.ts';
import type { Matching } from './match-requests.ts';
import { changeOf, MIN_BYTES, type RequestChange } from './request-changes.ts';
import {
  type Both,
  courseBetween,
  type Grounds,
  logsOf,
  type Moved,
  ownScatter,
  partsBetween,
  RUN_SCATTER,
  type RunShift,
  scatterOfTwo,
} from './run-scatter.ts';

/** Something of each of two sides. */
export interface Sides<Run> {
  readonly before: readonly Run[];
  readonly after: readonly Run[];
}

/**
 * The cause that made one of two runs slower than the other: its host or the address of its request, how many times as long that took where
 * a request says so, and a clause such as `the document took 1.94 s against 431 ms before`.
 */
export type Culprit = NonNullable<Comparison['culprit']>;

const PAINTS = ['fcpMs', 'lcpMs', 'loadMs'] as const;
type Paint = (typeof PAINTS)[number];

/** Milliseconds of each paint and the load; left out where they are unknown, or did not move. */
export type Effects = { readonly [Name in Paint]?: number };

/** The figures of a run by its report; its load, requests and bytes as the file has them, by the report where that says nothing. */
export const figuresOf = ({ paints, totals: { onLoadMs, requests, transferBytes } }: HarStudy): PaintTimes => ({
  ...paints,
  loadMs: onLoadMs ?? paints.loadMs,
  requests,
  transferBytes,
});

/** By how much figures of a page moved; left out where they did not. */
export type Moves = { readonly [Name in keyof PaintTimes]?: number };

/** The figures of a load by their names. */
export const FIGURES = ['fcpMs', 'lcpMs', 'tbtMs', 'loadMs', 'requests', 'transferBytes'] as const;

/**
 * Standard deviations from which a figure counts as moved, and the least ratio and ms of a time. Half a percent to a few of unmoved ones
 * pass: what is then named must stand out by itself.
 */
const MOVED = { score: 2, ratio: Math.log(1.1), ms: 100 };

/**
 * By how much each figure moved between two runs, or two levels of all the runs, where that is more than these differ by anyway; the median
 * of a few requests more or less is one more or less by chance.
 */
export function movesBetween([was, is]: Both<PaintTimes>, near: Sides<PaintTimes>, isOfLevels: boolean): Moves {
  const least = isOfLevels ? (LISTED_SCORE * scatterOfTwo([near.before, near.after])) / Math.SQRT2 : MOVED.score;
  const logs = (run: PaintTimes) => logsOf(FIGURES.map((name) => [name, run[name] ?? null]));
  const isTime = (name: string) => name.endsWith('Ms');
  const partOf = partsBetween([logs(was), logs(is)], [near.before.map(logs), near.after.map(logs)], (apart) => {
    const scatter = ownScatter(apart);
    return (name) => (isTime(name) ? RUN_SCATTER : scatter(name));
  });
  const moves = FIGURES.flatMap((name) => {
    const { own, score } = partOf(name);
    const change = (is[name] ?? 0) - (was[name] ?? 0);
    const isLarge = isTime(name) ? Math.abs(own) >= MOVED.ratio && Math.abs(change) >= MOVED.ms : Math.abs(change) > Number(isOfLevels);
    return isLarge && Math.abs(score) >= least ? [[name, change] as const] : [];
  });
  return Object.fromEntries(moves);
}

/** A request that ended so shortly after the load may have held it up on another clock. */
const CLOCK_MS = 50;

/**
 * The most that a changed request did to the paints and the load: of their direction, never more than they moved, 0 where they did not
 * wait for it.
 */
export function effectsOf({ after, from, to }: RequestChange, was: HarStudy, is: HarStudy): Effects {
  const holdsFirst = is.main.has(after) || is.blocks.has(after);
  const { onLoadMs } = is.totals;
  const holds = {
    fcpMs: holdsFirst,
    lcpMs: holdsFirst || is.largest?.entry === after,
    loadMs: onLoadMs !== null && (after.startMs ?? 0) < onLoadMs && endOf(after) <= onLoadMs + CLOCK_MS,
  };
  const [earlier, later] = [was, is].map(figuresOf);
  const effects = PAINTS.flatMap((name) => {
    const [before, now] = [earlier?.[name] ?? null, later?.[name] ?? null];
    if (before === null || now === null) return [];
    const way = Math.sign(now - before);
    const ms = holds[name] && way === Math.sign(to - from) ? way * Math.min(Math.abs(now - before), Math.abs(to - from)) : 0;
    return [[name, Math.round(ms)]];
  });
  return Object.fromEntries(effects);
}

interface Candidate extends Omit<Culprit, 'slower' | 'times'> {
  /** Log of after over before. */
  readonly shift: number;
  /** Milliseconds that it explains, by which candidates are ranked. */
  readonly effectMs: number;
}

/** Two runs with how they differ, and the runs near each. */
interface Differing {
  readonly was: HarStudy;
  readonly is: HarStudy;
  readonly shift: RunShift;
  readonly grounds: Grounds;
  readonly moves: Moves;
  /** Figures by the reports of the two. */
  readonly reported: Both<PaintTimes>;
  /** How long each took. */
  readonly tookMs: Both<number>;
}

/**
 * Standard deviations from which a shift is more than scatter. `run`: of a whole run; `host`: of one of a few hosts; `unfelt`: of a host
 * where no paint moved. `request`: of one of about a hundred; `blocking`: of one of the few that the first paint waited for; `awaited`: of
 * the document and the largest element, where a paint moved that waited for it.
 */
const CLEAR = { run: 3.5, host: 4.2, unfelt: 4.5, request: 5, blocking: 4.1, awaited: 3.1 };
/** Smaller ratios are not worth a name, however steady the runs are. */
const LEAST_SHIFT = Math.log(1.3);
const LEAST_MS = 100;
/** A request that no paint waited for is worth a name from this long on, in ms and as a share of the run. */
const LONG = { ms: 500, share: 0.15 };
/** A paint is explained by what moved by at least this part of its move. */
const EXPLAINS = 0.5;
/** The document of a run that is slow from its beginning arrived later by at least this part of what all else did. */
const ALSO_MOVED = 0.6;
/** A host or a run is slow as a whole where at least this share of its parts moved by half of the shift. */
const MOST_PARTS = 0.6;

const msOf = ({ from, to }: RequestChange) => to - from;

const isClear = ({ own, score }: { own: number; score: number }, limit: number) => Math.abs(score) >= limit && Math.abs(own) >= LEAST_SHIFT;

/** Most of these moved in the direction of the shift by at least half of it. */
function mostMoved(changes: readonly number[], shift: number): boolean {
  return changes.filter((change) => change / shift >= 0.5).length >= MOST_PARTS * changes.length;
}

const timesWords = (shift: number) => `${formatNumber(Math.exp(Math.abs(shift)), { digits: 1 })} times`;

/** By how much the paints and the load moved. */
export const movesOf = (moves: Moves) => PAINTS.flatMap((name) => moves[name] ?? []);

/** Whether a paint moved in this direction at all. */
const isFelt = (moves: Moves, direction: number) => movesOf(moves).some((ms) => Math.sign(ms) === Math.sign(direction));

/** All requests took longer, or all came later although most took no longer, the document with them: told by how long the page took. */
function wholeRun({ was, is, grounds, shift: { whole, requests }, moves, tookMs: [wasMs, isMs] }: Differing): Candidate[] {
  const course = courseBetween(was.har, is.har, grounds);
  const isWhole =
    whole.hosts >= 2 &&
    isClear(whole, CLEAR.run) &&
    mostMoved(
      requests.map(({ change }) => change),
      whole.own,
    );
  const isSlowPace = isClear(course, CLEAR.run) && course.documentShift / course.own >= ALSO_MOVED;
  const pace = isWhole ? whole.own : course.own;
  const shift = Math.log(isMs / wasMs);
  if (!(isWhole || isSlowPace) || !isFelt(moves, pace) || !(pace * shift > 0)) return [];
  const why = isWhole ? `on all ${whole.hosts} hosts: machine or network` : 'most requests did not: the machine or its own work';
  const says = `${isWhole ? 'the whole run' : 'the page'} took ${timesWords(shift)} as long, ${why}`;
  return [{ kind: 'whole run', name: null, shift, effectMs: Math.abs(isMs - wasMs), says }];
}

function hostCandidate({ host, requests, own: shift, score }: RunShift['hosts'][number], { moves }: Differing): Candidate[] {
  const effectMs = Math.max(...requests.map((request) => Math.abs(msOf(request))));
  const limit = isFelt(moves, shift) ? CLEAR.host : CLEAR.unfelt;
  const changes = requests.map(({ own }) => own);
  if (!isClear({ own: shift, score }, limit) || !mostMoved(changes, shift) || effectMs < LEAST_MS) return [];
  const name = sanitiseHost(host);
  return [{ kind: 'host', name, shift, effectMs, says: `${requests.length} requests to ${name} took about ${timesWords(shift)} as long` }];
}

/** The standard deviations that a request must stand out by: fewer where a moved paint waited for it; undefined where nothing did. */
function limitFor(moved: Moved, { was, is, moves, tookMs }: Differing): number | undefined {
  const effects = effectsOf(moved, was, is);
  const explains = (paint: Paint) => Math.abs(effects[paint] ?? 0) >= EXPLAINS * Math.abs(moves[paint] ?? Number.POSITIVE_INFINITY);
  const isAwaited = moved.after === is.har.document || moved.after === is.largest?.entry;
  if (explains('fcpMs') || explains('lcpMs')) return isAwaited ? CLEAR.awaited : CLEAR.blocking;
  const isLong = Math.abs(msOf(moved)) >= Math.max(LONG.ms, LONG.share * Math.max(...tookMs));
  return explains('loadMs') || isLong ? CLEAR.request : undefined;
}

/** A request that moved by itself, beyond what its host did. */
function requestCandidate(moved: Moved, hostShift: number, differing: Differing): Candidate[] {
  const shift = moved.own - hostShift;
  const limit = limitFor(moved, differing);
  const ms = msOf(moved);
  // The part that its host shares does not make the request stand out.
  const score = moved.own === 0 ? 0 : (moved.score * shift) / moved.own;
  if (limit === undefined || !isClear({ own: shift, score }, limit) || Math.abs(ms) < LEAST_MS || Math.sign(ms) !== Math.sign(shift))
    return [];
  const { after, from, to } = moved;
  const isDocument = after === differing.is.har.document;
  const name = shortUrl(after.url, 70);
  const what = isDocument ? 'the document' : name;
  const says = `${what} took ${formatMs(Math.max(from, to))} against ${formatMs(Math.min(from, to))} in the other run`;
  return [{ kind: isDocument ? 'document' : 'request', name, shift, effectMs: Math.abs(ms) * Math.min(1, shift / moved.change), says }];
}

/** The way in which all paints and the load moved: 1 slower, -1 faster; 0 where none did, or they went apart. */
function directionOf(moves: Moves): number {
  const [way = 0, ...others] = movesOf(moves).map(Math.sign);
  return others.every((other) => other === way) ? way : 0;
}

/** The cause where no request went the way of the paints: the page's own work, where it blocked the main thread for that long. */
function unexplained({ was, is, moves }: Differing, direction: number, { added, removed }: Matching): Culprit {
  const nothing = { kind: 'nothing', name: null, times: null } as const;
  const slower = direction > 0 ? 'after' : 'before';
  // Requests that the other run did not make may explain what no request of both does.
  const madeMore = slower === 'after' ? added : removed;
  if (direction === 0 || madeMore.length > 0) return { ...nothing, slower: null, says: 'nothing that both runs requested stands out' };
  const movedMs = Math.max(...movesOf(moves).map(Math.abs));
  const [wasMs, isMs] = [was.paints.tbtMs, is.paints.tbtMs];
  const ownMs = wasMs === null || isMs === null ? 0 : direction * (isMs - wasMs);
  if (ownMs < Math.max(LEAST_MS, EXPLAINS * movedMs)) return { ...nothing, slower, says: 'no request of both runs explains it' };
  return { ...nothing, kind: 'page', slower, says: `no request explains it; TBT is ${formatMs(ownMs)} longer: the page's own work` };
}

/**
 * Names what made one run slower: the whole run, one host, the document, one request, the page's own work, or nothing beyond scatter. A
 * cause goes the way of its effect: where paints and load went one way, nothing is named that went the other.
 */
export function culpritOf(compared: Omit<Differing, 'tookMs'>, matching: Matching): Culprit {
  const { was, is, shift, moves, reported } = compared;
  const took = (at: 0 | 1, { totals }: HarStudy) => reported[at].loadMs ?? totals.durationMs ?? 0;
  const differing = { ...compared, tookMs: [took(0, was), took(1, is)] as const };
  const direction = directionOf(moves);
  const hosts = new Map(shift.hosts.flatMap((host) => hostCandidate(host, differing).map((candidate) => [host.host, candidate] as const)));
  const [first] = [
    ...wholeRun(differing),
    ...hosts.values(),
    ...shift.requests.flatMap((moved) => requestCandidate(moved, hosts.get(moved.before.host ?? '')?.shift ?? 0, differing)),
  ]
    .filter((candidate) => candidate.shift * direction >= 0)
    .toSorted(byMost(({ effectMs }) => effectMs));
  if (!first) return unexplained(differing, direction, matching);
  const { kind, name, says } = first;
  return { kind, name, slower: first.shift > 0 ? 'after' : 'before', times: Math.exp(Math.abs(first.shift)), says };
}

/**
 * Standard deviations from which a duration or a size is listed as changed: a page has dozens of requests, and of 72 simulated comparisons
 * without a change 9 listed one at 3.5, one at 4.5.
 */
const LISTED_SCORE = 4.5;
/** Smaller changes are not worth a row. */
const LISTED = { ms: { ratio: 1.3, change: 100 }, bytes: { ratio: 1.05, change: MIN_BYTES } };

/** Whether a request changed beyond its scatter: the whole of it, also the part that it shares with its run. */
export const isListed = (unit: keyof typeof LISTED) => (moved: Moved) => {
  const change = Math.abs(moved.change);
  return change >= Math.max(LISTED_SCORE * moved.scatter, Math.log(LISTED[unit].ratio)) && changeOf(moved) >= LISTED[unit].change;
};
