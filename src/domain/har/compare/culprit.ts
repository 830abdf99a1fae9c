import { formatMs, formatNumber } from '../../../lib/number-text.ts';
import type { HarEntry } from '../read/har-model.ts';
import { sanitiseHost, shortUrl } from '../sanitise-url.ts';
import type { Effects } from './paint-effects.ts';
import type { PaintMoves } from './paint-moves.ts';
import type { CourseShift } from './run-course.ts';
import type { HostMoved, Moved, RunShift } from './run-scatter.ts';

/** The cause that made one of two runs slower than the other. */
export interface Culprit {
  readonly kind: 'whole run' | 'document' | 'host' | 'request' | 'page' | 'nothing';
  /** The host, or the address of the request; null for the whole run, the page's own work and nothing. */
  readonly name: string | null;
  /** The slower run; null where neither is. */
  readonly slower: 'before' | 'after' | null;
  /** Times as long as in the other run; null where no request says so. */
  readonly times: number | null;
  /** A clause: `the document took 1.94 s against 431 ms before`. */
  readonly says: string;
}

/** How two runs differ, and what each request may have done to their paints. */
export interface Differing {
  readonly shift: RunShift;
  readonly course: CourseShift | undefined;
  readonly document: HarEntry | null;
  /** The request of the likely largest element, as far as it is known. */
  readonly largest: HarEntry | undefined;
  /** Of the longer run. */
  readonly durationMs: number;
  readonly moves: PaintMoves;
  /** By how much longer the main thread was blocked in the run after, ms; null where that is not known. */
  readonly blockedMs: number | null;
  /** Runs that made requests which the other one did not: these may explain what no request of both does. */
  readonly madeMore: ReadonlySet<'before' | 'after'>;
  readonly effectsOf: (moved: Moved) => Effects;
}

interface Candidate extends Omit<Culprit, 'slower' | 'times'> {
  /** Log of after over before. */
  readonly shift: number;
  /** Milliseconds that it explains, by which candidates are ranked. */
  readonly effectMs: number;
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

function msOf({ before, after }: Moved): number {
  return after.durationMs - before.durationMs;
}

function isClear(shift: number, score: number, limit: number): boolean {
  return Math.abs(score) >= limit && Math.abs(shift) >= LEAST_SHIFT;
}

/** Most of these moved in the direction of the shift by at least half of it. */
function mostMoved(changes: readonly number[], shift: number): boolean {
  return changes.filter((change) => change / shift >= 0.5).length >= MOST_PARTS * changes.length;
}

function timesWords(shift: number): string {
  return `${formatNumber(Math.exp(Math.abs(shift)), { digits: 1 })} times`;
}

/** Whether a paint moved in this direction at all. */
function isFelt(moves: PaintMoves, direction: number): boolean {
  return Object.values(moves).some((ms: number) => Math.sign(ms) === Math.sign(direction));
}

function isLong(ms: number, durationMs: number): boolean {
  return Math.abs(ms) >= Math.max(LONG.ms, LONG.share * durationMs);
}

function wholeRun({ shift: { whole, requests }, moves, durationMs }: Differing): Candidate[] {
  const { shift, score, hosts } = whole;
  if (hosts < 2 || !isClear(shift, score, CLEAR.run) || !isFelt(moves, shift)) return [];
  const changes = requests.map(({ change }) => change);
  if (!mostMoved(changes, shift)) return [];
  const says = `the whole run took about ${timesWords(shift)} as long, on all ${hosts} hosts: machine or network`;
  return [{ kind: 'whole run', name: null, shift, effectMs: durationMs * (1 - Math.exp(-Math.abs(shift))), says }];
}

/** A run that went slower from its first answer to its end although most requests took no longer, the document with it. */
function slowCourse({ course, moves, durationMs }: Differing): Candidate[] {
  if (!course || !isClear(course.shift, course.score, CLEAR.run) || !isFelt(moves, course.shift)) return [];
  const { shift, documentShift } = course;
  if (documentShift / shift < ALSO_MOVED) return [];
  const says =
    `from the document to the load all took about ${timesWords(shift)} as long, though most requests did not: ` +
    "the machine or the page's own work";
  return [{ kind: 'whole run', name: null, shift, effectMs: durationMs * (1 - Math.exp(-Math.abs(shift))), says }];
}

function hostCandidate({ host, requests, shift, score }: HostMoved, { moves }: Differing): Candidate[] {
  const moved = requests.map(({ own }) => own);
  if (!isClear(shift, score, isFelt(moves, shift) ? CLEAR.host : CLEAR.unfelt) || !mostMoved(moved, shift)) return [];
  const effectMs = requests.reduce((most, request) => Math.max(most, Math.abs(msOf(request))), 0);
  if (effectMs < LEAST_MS) return [];
  const name = sanitiseHost(host);
  const says = `${requests.length} requests to ${name} took about ${timesWords(shift)} as long`;
  return [{ kind: 'host', name, shift, effectMs, says }];
}

/** The standard deviations that a request must stand out by: fewer where a moved paint waited for it; undefined where nothing did. */
function limitFor(moved: Moved, { moves, durationMs, effectsOf, document, largest }: Differing): number | undefined {
  const effects = effectsOf(moved);
  const explains = (paint: keyof Effects) => Math.abs(effects[paint] ?? 0) >= EXPLAINS * Math.abs(moves[paint] ?? Number.POSITIVE_INFINITY);
  if (explains('fcpMs') || explains('lcpMs')) return moved.after === document || moved.after === largest ? CLEAR.awaited : CLEAR.blocking;
  return explains('loadMs') || isLong(msOf(moved), durationMs) ? CLEAR.request : undefined;
}

/** A request that moved by itself, beyond what its host did. */
function requestCandidate(moved: Moved, hostShift: number, differing: Differing): Candidate[] {
  const own = moved.own - hostShift;
  const ms = msOf(moved);
  const limit = limitFor(moved, differing);
  // The part that its host shares does not make the request stand out.
  const score = moved.own === 0 ? 0 : (moved.score * own) / moved.own;
  if (limit === undefined || !isClear(own, score, limit) || Math.abs(ms) < LEAST_MS || Math.sign(ms) !== Math.sign(own)) return [];
  const { before, after } = moved;
  const isDocument = after === differing.document;
  const name = shortUrl(after.url, 70);
  const [slow, other] = ms > 0 ? [after, before] : [before, after];
  const what = isDocument ? 'the document' : name;
  const says = `${what} took ${formatMs(slow.durationMs)} against ${formatMs(other.durationMs)} in the other run`;
  const effectMs = Math.abs(ms) * Math.min(1, own / moved.change);
  return [{ kind: isDocument ? 'document' : 'request', name, shift: own, effectMs, says }];
}

/** The way in which all paints and the load moved: 1 slower, -1 faster; 0 where none did, or they went apart. */
function directionOf(moves: PaintMoves): number {
  const ways = new Set(Object.values(moves).map(Math.sign));
  const [way = 0] = ways;
  return ways.size === 1 ? way : 0;
}

/** The cause where no request went the way of the paints: the page's own work, where it blocked the main thread for that long. */
function unexplained({ moves, blockedMs, madeMore }: Differing, direction: number): Culprit {
  const nothing = { kind: 'nothing', name: null, times: null } as const;
  const slower = direction > 0 ? 'after' : 'before';
  if (direction === 0 || madeMore.has(slower)) return { ...nothing, slower: null, says: 'nothing that both runs requested stands out' };
  const movedMs = Math.max(...Object.values(moves).map(Math.abs));
  const ownMs = direction * (blockedMs ?? 0);
  if (ownMs < Math.max(LEAST_MS, EXPLAINS * movedMs)) return { ...nothing, slower, says: 'no request of both runs explains it' };
  return { ...nothing, kind: 'page', slower, says: `no request explains it; TBT is ${formatMs(ownMs)} longer: the page's own work` };
}

/**
 * Names what made one run slower: the whole run, one host, the document, one request, the page's own work, or nothing beyond scatter. A
 * cause goes the way of its effect: where paints and load went one way, nothing is named that went the other.
 */
export function culpritOf(differing: Differing): Culprit {
  const { shift, moves } = differing;
  const direction = directionOf(moves);
  const hosts = new Map(shift.hosts.flatMap((host) => hostCandidate(host, differing).map((candidate) => [host.host, candidate] as const)));
  const shiftOf = (host: string | null) => hosts.get(host ?? '')?.shift ?? 0;
  const [first] = [
    ...wholeRun(differing),
    ...slowCourse(differing),
    ...hosts.values(),
    ...shift.requests.flatMap((moved) => requestCandidate(moved, shiftOf(moved.host), differing)),
  ]
    .filter((candidate) => candidate.shift * direction >= 0)
    .toSorted((a, b) => b.effectMs - a.effectMs);
  if (!first) return unexplained(differing, direction);
  const { kind, name, says } = first;
  return { kind, name, slower: first.shift > 0 ? 'after' : 'before', times: Math.round(Math.exp(Math.abs(first.shift)) * 100) / 100, says };
}
