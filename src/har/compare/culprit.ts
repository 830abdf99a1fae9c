import { formatMs, formatNumber } from '../../lib/number-text.ts';
import { byMost } from '../../lib/order.ts';
import { present } from '../../lib/sentences.ts';
import type { Har } from '../read/read-har.ts';
import type { PaintTimes } from '../requests/largest-paint.ts';
import type { HarStudy } from '../requests/study-har.ts';
import { endOf } from '../requests/totals.ts';
import { sanitiseHost, shortUrl } from '../sanitise-url.ts';
import type { Comparison } from './har-comparison.ts';
import type { Matching } from './match-requests.ts';
import type { RequestChange } from './request-changes.ts';
import { courseBetween, logsOf, type Moved, partsBetween, type RunShift } from './run-scatter.ts';

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

/** The paints of a run by its report; its load as the file has it, by the report where that says nothing. */
export const paintsOf = ({ paints, totals }: HarStudy): PaintTimes => ({ ...paints, loadMs: totals.onLoadMs ?? paints.loadMs });

/**
 * Standard deviations from which a paint counts as moved, and the least ratio and ms. Half a percent to a few of unmoved ones pass: what is
 * then named must stand out by itself.
 */
const MOVED = { score: 2, ratio: Math.log(1.1), ms: 100 };

/** By how many ms each paint moved between two runs, where that is more than runs differ by anyway. */
function paintMoves(was: PaintTimes, is: PaintTimes, near: Sides<PaintTimes>): Effects {
  const logs = (run: PaintTimes) => logsOf(PAINTS.map((name) => [name, run[name]]));
  const partOf = partsBetween([logs(was), logs(is)], [near.before.map(logs), near.after.map(logs)]);
  const moved = PAINTS.flatMap((name) => {
    const { own, score } = partOf(name);
    const ms = (is[name] ?? 0) - (was[name] ?? 0);
    const isMoved = Math.abs(own) >= MOVED.ratio && Math.abs(ms) >= MOVED.ms && Math.abs(score) >= MOVED.score;
    return isMoved ? [[name, ms]] : [];
  });
  return Object.fromEntries(moved);
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
  const [earlier, later] = [was, is].map(paintsOf);
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
  readonly near: readonly (readonly Har[])[];
  readonly moves: Effects;
  /** Of the longer run. */
  readonly durationMs: number;
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

/** Whether a paint moved in this direction at all. */
function isFelt(moves: Effects, direction: number): boolean {
  return Object.values(moves).some((ms: number) => Math.sign(ms) === Math.sign(direction));
}

/** All requests took longer, or all came later although most took no longer, the document with them. */
function wholeRun({ was, is, near, shift: { whole, requests }, moves, durationMs }: Differing): Candidate[] {
  const course = courseBetween(was.har, is.har, near);
  const changes = requests.map(({ change }) => change);
  const isWhole = whole.hosts >= 2 && isClear(whole, CLEAR.run) && mostMoved(changes, whole.own);
  const isSlowPace = course && isClear(course, CLEAR.run) && course.documentShift / course.own >= ALSO_MOVED;
  const found = present(
    isWhole && ([whole.own, 'the whole run', `on all ${whole.hosts} hosts: machine or network`] as const),
    isSlowPace && ([course.own, 'the page', 'most requests did not: the machine or its own work'] as const),
  );
  return found
    .filter(([shift]) => isFelt(moves, shift))
    .map(([shift, what, why]) => ({
      kind: 'whole run',
      name: null,
      shift,
      effectMs: durationMs * (1 - Math.exp(-Math.abs(shift))),
      says: `${what} took about ${timesWords(shift)} as long, ${why}`,
    }));
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
function limitFor(moved: Moved, { was, is, moves, durationMs }: Differing): number | undefined {
  const effects = effectsOf(moved, was, is);
  const explains = (paint: Paint) => Math.abs(effects[paint] ?? 0) >= EXPLAINS * Math.abs(moves[paint] ?? Number.POSITIVE_INFINITY);
  const isAwaited = moved.after === is.har.document || moved.after === is.largest?.entry;
  if (explains('fcpMs') || explains('lcpMs')) return isAwaited ? CLEAR.awaited : CLEAR.blocking;
  const isLong = Math.abs(msOf(moved)) >= Math.max(LONG.ms, LONG.share * durationMs);
  return explains('loadMs') || isLong ? CLEAR.request : undefined;
}

/** A request that moved by itself, beyond what its host did. */
function requestCandidate(moved: Moved, hostShift: number, differing: Differing): Candidate[] {
  const shift = moved.own - hostShift;
  const ms = msOf(moved);
  const limit = limitFor(moved, differing);
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
function directionOf(moves: Effects): number {
  const ways = new Set(Object.values(moves).map(Math.sign));
  const [way = 0] = ways;
  return ways.size === 1 ? way : 0;
}

/** The cause where no request went the way of the paints: the page's own work, where it blocked the main thread for that long. */
function unexplained({ was, is, moves }: Differing, direction: number, { added, removed }: Matching): Culprit {
  const nothing = { kind: 'nothing', name: null, times: null } as const;
  const slower = direction > 0 ? 'after' : 'before';
  // Requests that the other run did not make may explain what no request of both does.
  const madeMore = slower === 'after' ? added : removed;
  if (direction === 0 || madeMore.length > 0) return { ...nothing, slower: null, says: 'nothing that both runs requested stands out' };
  const movedMs = Math.max(...Object.values(moves).map(Math.abs));
  const [wasMs, isMs] = [was.paints.tbtMs, is.paints.tbtMs];
  const ownMs = wasMs === null || isMs === null ? 0 : direction * (isMs - wasMs);
  if (ownMs < Math.max(LEAST_MS, EXPLAINS * movedMs)) return { ...nothing, slower, says: 'no request of both runs explains it' };
  return { ...nothing, kind: 'page', slower, says: `no request explains it; TBT is ${formatMs(ownMs)} longer: the page's own work` };
}

/**
 * Names what made one run slower: the whole run, one host, the document, one request, the page's own work, or nothing beyond scatter. A
 * cause goes the way of its effect: where paints and load went one way, nothing is named that went the other.
 */
export function culpritOf(compared: Omit<Differing, 'moves' | 'durationMs'>, paints: Sides<PaintTimes>, matching: Matching): Culprit {
  const { was, is, shift } = compared;
  const loadOf = (study: HarStudy) => paintsOf(study).loadMs ?? study.totals.durationMs ?? 0;
  // The runs near them are known by their reports.
  const reported = (study: HarStudy) => (study.paints.loadMs === null ? paintsOf(study) : study.paints);
  const moves = paintMoves(reported(was), reported(is), paints);
  const differing = { ...compared, moves, durationMs: Math.max(loadOf(was), loadOf(is)) };
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
 * Standard deviations, ratio and milliseconds from which a duration is listed as changed: a page has dozens of requests, and of 72
 * simulated comparisons without a change 9 listed one at 3.5, one at 4.5.
 */
const LISTED = { score: 4.5, ratio: Math.log(1.3), ms: 100 };

/** Whether the duration of a request changed beyond its scatter: the whole of it, also the part that it shares with its run. */
export function isListed(moved: Moved): boolean {
  const change = Math.abs(moved.change);
  return change >= LISTED.score * moved.scatter && change >= LISTED.ratio && Math.abs(msOf(moved)) >= LISTED.ms;
}
