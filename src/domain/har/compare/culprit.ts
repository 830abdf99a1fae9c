import { formatMs, formatNumber } from '../../../lib/number-text.ts';
import type { HarEntry } from '../read/har-model.ts';
import { sanitiseHost, shortUrl } from '../sanitise-url.ts';
import type { HostMoved, Moved, RunShift } from './run-scatter.ts';

/** What made one of two runs slower than the other. */
export interface Culprit {
  readonly kind: 'whole run' | 'document' | 'host' | 'request' | 'nothing';
  /** The host, or the address of the request; null for the whole run and for nothing. */
  readonly name: string | null;
  /** The run that it slowed down; null for nothing. */
  readonly slower: 'before' | 'after' | null;
  /** Times as long as in the other run; null for nothing. */
  readonly times: number | null;
  /** A clause: `the document took 1.94 s against 431 ms before`. */
  readonly says: string;
}

interface Candidate extends Omit<Culprit, 'slower' | 'times'> {
  /** Log of after over before. */
  readonly shift: number;
  /** Milliseconds that it explains, by which candidates are ranked. */
  readonly effectMs: number;
}

/** Standard deviations from which a shift is more than scatter; a single request is one of about a hundred. */
const CLEAR = 3.5;
const CLEAR_REQUEST = 4.5;
/** Smaller ratios are not worth a name, however steady the runs are. */
const LEAST_SHIFT = Math.log(1.3);
const LEAST_MS = 100;
/** A host or a run is slow as a whole where at least this share of its parts moved by half of the shift. */
const MOST_PARTS = 0.6;

function msOf({ before, after }: Moved): number {
  return (after.durationMs ?? 0) - (before.durationMs ?? 0);
}

function isClear(shift: number, score: number, limit = CLEAR): boolean {
  return Math.abs(score) >= limit && Math.abs(shift) >= LEAST_SHIFT;
}

/** Most of these moved in the direction of the shift by at least half of it. */
function mostMoved(changes: readonly number[], shift: number): boolean {
  return changes.filter((change) => change / shift >= 0.5).length >= MOST_PARTS * changes.length;
}

function timesWords(shift: number): string {
  return `${formatNumber(Math.exp(Math.abs(shift)), { digits: 1 })} times`;
}

function wholeRun({ whole, requests }: RunShift, durationMs: number): Candidate[] {
  const { shift, score, hosts } = whole;
  if (hosts < 2 || !isClear(shift, score)) return [];
  if (
    !mostMoved(
      requests.map(({ change }) => change),
      shift,
    )
  )
    return [];
  const says = `the whole run took about ${timesWords(shift)} as long, on all ${hosts} hosts: machine or network`;
  return [{ kind: 'whole run', name: null, shift, effectMs: durationMs * (1 - Math.exp(-Math.abs(shift))), says }];
}

function hostCandidate({ host, requests, shift, score }: HostMoved): Candidate[] {
  const moved = requests.map(({ own }) => own);
  if (!isClear(shift, score) || !mostMoved(moved, shift)) return [];
  const effectMs = requests.reduce((most, request) => Math.max(most, Math.abs(msOf(request))), 0);
  if (effectMs < LEAST_MS) return [];
  const name = sanitiseHost(host);
  const says = `${requests.length} requests to ${name} took about ${timesWords(shift)} as long`;
  return [{ kind: 'host', name, shift, effectMs, says }];
}

/** A request that moved by itself, beyond what its host did. */
function requestCandidate(moved: Moved, hostShift: number, document: HarEntry | null): Candidate[] {
  const own = moved.own - hostShift;
  const score = own / moved.scatter;
  const isDocument = moved.after === document;
  const ms = msOf(moved);
  if (!isClear(own, score, isDocument ? CLEAR : CLEAR_REQUEST) || Math.abs(ms) < LEAST_MS || Math.sign(ms) !== Math.sign(own)) return [];
  const { before, after } = moved;
  const name = shortUrl(after.url, 70);
  const [slow, other] = ms > 0 ? [after, before] : [before, after];
  const what = isDocument ? 'the document' : name;
  const says = `${what} took ${formatMs(slow.durationMs)} against ${formatMs(other.durationMs)} in the other run`;
  return [{ kind: isDocument ? 'document' : 'request', name, shift: own, effectMs: Math.abs(ms), says }];
}

/** Names what made one run slower: the whole run, one host, the document, one request, or nothing beyond scatter. */
export function culpritOf(shift: RunShift, document: HarEntry | null, durationMs: number): Culprit {
  const hosts = new Map(shift.hosts.flatMap((host) => hostCandidate(host).map((candidate) => [host.host, candidate] as const)));
  const shiftOf = (host: string | null) => hosts.get(host ?? '')?.shift ?? 0;
  const [first] = [
    ...wholeRun(shift, durationMs),
    ...hosts.values(),
    ...shift.requests.flatMap((moved) => requestCandidate(moved, shiftOf(moved.host), document)),
  ].toSorted((a, b) => b.effectMs - a.effectMs);
  if (!first) return { kind: 'nothing', name: null, slower: null, times: null, says: 'no request of both runs is slower beyond scatter' };
  const { kind, name, says } = first;
  return { kind, name, slower: first.shift > 0 ? 'after' : 'before', times: Math.round(Math.exp(Math.abs(first.shift)) * 100) / 100, says };
}
