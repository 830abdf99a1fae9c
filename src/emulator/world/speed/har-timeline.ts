import { hash, hashText } from '../random.ts';
import { draw } from './noise.ts';
import type { RequestSpec } from './request-spec.ts';
import type { StepRun } from './step-run.ts';

/** Parts of an entry's time, as HAR 1.2 names them: -1 where a part does not apply, `ssl` inside `connect`. */
interface EntryTimings {
  blocked: number;
  dns: number;
  connect: number;
  ssl: number;
  send: number;
  wait: number;
  receive: number;
}

/** The timings that requests are placed by, with the end of the last one. */
type Times = StepRun['timings'] & Pick<StepRun, 'loadTime'>;

/** A request with its place in time. */
export interface PlacedRequest {
  readonly request: RequestSpec;
  /** Whole ms since the step's navigation. */
  readonly startMs: number;
  readonly timings: EntryTimings;
  /** The connection it went over: several for HTTP/1.1, one for each host otherwise. */
  readonly connection: number;
}

type Span = readonly [fromMs: number, toMs: number];

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** Sum of the parts that apply; `ssl` is part of `connect` and not added again. */
export function entryTime({ blocked, dns, connect, send, wait, receive }: EntryTimings): number {
  return round([blocked, dns, connect, send, wait, receive].reduce((sum, part) => sum + Math.max(0, part), 0));
}

/** The time in which requests of a phase run, given how long the document was on its way. */
function windowOf(phase: RequestSpec['phase'], t: Times): Span {
  const { firstByte, firstPaint } = t;
  const head = firstPaint - firstByte;
  if (phase === 'blocking') return [firstByte + 2, firstPaint - 6];
  if (phase === 'hero') return [firstByte + head * 0.3, t.largestContentfulPaint - 12];
  if (phase === 'body') return [firstByte + head * 0.25, Math.max(firstPaint, t.domComplete) - 8];
  return [Math.min(t.domInteractive, t.loadTime - 40), t.loadTime - 1];
}

/** Usual duration by size, before it is fitted into the window. */
function usualMs({ bodyBytes, fromCache }: RequestSpec, h: number, bytesPerMs: number): number {
  return fromCache ? 2 + 6 * draw(h, 1) : 18 + 95 * draw(h, 2) ** 2 + bodyBytes / bytesPerMs;
}

/** When a request runs; `place` from [0, 1) says how late the page asks for it among those of its phase. */
function spanOf(request: RequestSpec, t: Times, place: number, h: number, bytesPerMs: number): Span {
  const [from, to] = windowOf(request.phase, t);
  // The tag holds rendering back: it is asked for at once and done just before the first paint.
  if (request.phase === 'tag') return [t.firstByte + 4 + 8 * draw(h, 3), t.firstPaint - 5 - 12 * draw(h, 4)];
  const duration = Math.min(usualMs(request, h, bytesPerMs), to - from);
  if (request.phase === 'hero' || place >= 1) return [to - duration, to];
  // Requests that block rendering stand in the document's head and are sent early.
  const share = (0.8 * place + 0.2 * draw(h, 5)) * (request.phase === 'blocking' ? 0.4 : 1);
  const start = from + (to - from - duration) * share;
  return [start, start + duration];
}

/** The part of the time left that an entry waits: all of it where nothing arrives, less the more does. */
function waitShare({ phase, bodyBytes }: RequestSpec, h: number): number {
  if (phase === 'document' || bodyBytes === 0) return 1;
  return (bodyBytes < 30_000 || phase === 'tag' ? 0.85 : 0.35) * (0.75 + 0.25 * draw(h, 11));
}

/** Splits a span over the parts of an entry; a new connection pays for name, handshake and encryption. */
function split([from, to]: Span, request: RequestSpec, isNew: boolean, h: number): EntryTimings {
  const total = to - from;
  if (request.fromCache)
    return { blocked: round(total * 0.2), dns: -1, connect: -1, ssl: -1, send: 0, wait: round(total * 0.6), receive: round(total * 0.2) };
  if (request.status === 0) return { blocked: round(total), dns: -1, connect: -1, ssl: -1, send: 0, wait: 0, receive: 0 };
  const secure = request.url.startsWith('https:');
  const dns = isNew ? round(Math.min(46, total * (0.05 + 0.09 * draw(h, 6)))) : -1;
  const connect = isNew ? round(Math.min(140, total * (0.14 + 0.2 * draw(h, 7)))) : -1;
  // Agents differ in how they write a part that did not take place: -1, or 0.
  const none = draw(h, 8) < 0.25 ? 0 : -1;
  const blocked = round(Math.min(total * 0.3, (request.protocol === 'http/1.1' ? 60 : 9) * draw(h, 9)));
  const send = round(Math.min(total * 0.02, 0.9 * draw(h, 10)));
  const left = total - blocked - Math.max(0, dns) - Math.max(0, connect) - send;
  const wait = round(left * waitShare(request, h));
  const receive = Math.max(0, round(left - wait));
  return {
    blocked: blocked < 0.4 ? -1 : blocked,
    dns: isNew ? dns : none,
    connect: isNew ? connect : none,
    ssl: isNew && secure ? round(connect * 0.62) : -1,
    send,
    wait,
    receive,
  };
}

/** Redirects, one after the other from 0, and the document that follows them: it ends waiting at firstByte, receiving at lastByte. */
function navigation(requests: readonly RequestSpec[], t: Times): Span[] {
  const redirects = requests.filter((request) => request.phase === 'redirect').length;
  const each = Math.floor(t.firstByte * 0.19);
  return [...Array.from({ length: redirects }, (_, index): Span => [index * each, (index + 1) * each]), [redirects * each, t.firstByte]];
}

/** Shares the time of a phase out over its requests, in the order in which the page lists them. */
function placesOf(requests: readonly RequestSpec[]): (request: RequestSpec) => number {
  const phases = new Map<RequestSpec['phase'], RequestSpec[]>();
  for (const request of requests) phases.set(request.phase, [...(phases.get(request.phase) ?? []), request]);
  return (request) => {
    const inPhase = phases.get(request.phase) ?? [];
    return inPhase.indexOf(request) / inPhase.length;
  };
}

function connectionsOf(): (request: RequestSpec, h: number) => { connection: number; isNew: boolean } {
  const known = new Map<string, number>();
  return ({ url, protocol }, h) => {
    const key = new URL(url).origin + (protocol === 'http/1.1' ? `#${h % 3}` : '');
    const connection = known.get(key) ?? 400 + known.size * 3;
    const isNew = !known.has(key);
    known.set(key, connection);
    return { connection, isNew };
  };
}

/** Gives each request of a step its place in time, so that document, first paint, largest paint and load agree with the step's times. */
export function placeRequests(requests: readonly RequestSpec[], stepRun: StepRun, seed: number, mobile: boolean): PlacedRequest[] {
  const t: Times = { ...stepRun.timings, loadTime: stepRun.loadTime };
  const navigations = navigation(requests, t);
  const bytesPerMs = mobile ? 900 : 2400;
  const last = requests.findLastIndex((request) => request.phase === 'late' && request.status !== 0);
  const placeOf = placesOf(requests);
  const spans = requests.map((request, index) => {
    const h = hash(seed, hashText(request.url), index);
    // The last one ends when the page is fully loaded.
    const place = index === last ? 1 : placeOf(request);
    const [start, end] = navigations[index] ?? spanOf(request, t, place, h, bytesPerMs);
    return { request, index, h, span: [Math.round(start), Math.max(Math.round(start) + 1, end)] as const };
  });
  const connectionOf = connectionsOf();
  const placed = spans
    .toSorted((a, b) => a.span[0] - b.span[0] || a.index - b.index)
    .map(({ request, span, h }) => {
      const { connection, isNew } = connectionOf(request, h);
      const timings = split(span, request, isNew && !request.fromCache, h);
      if (request.phase === 'document') timings.receive = t.lastByte - t.firstByte;
      return { request, startMs: span[0], timings, connection };
    });
  // Agents write entries as they complete, roughly: neither in the order of their starts nor quite in that of their ends.
  const order = (entry: PlacedRequest, index: number): number => entry.startMs + entryTime(entry.timings) + 260 * draw(seed, index);
  return placed
    .map((entry, index) => ({ entry, key: order(entry, index) }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ entry }) => entry);
}
