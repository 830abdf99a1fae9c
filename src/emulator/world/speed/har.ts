import { STATUS_CODES } from 'node:http';
import type { Content, Cookie, Entry, Har, Header, PostData, Request, Response, Timings } from 'har-format';
import { DAY_MS, isoTime } from '../../../lib/clock.ts';
import { nth } from '../../../lib/nth.ts';
import { addTo, countOf } from '../../../lib/tally.ts';
import { hash, hashText } from '../random.ts';
import { draw, drawBetween } from './noise.ts';
import { fillUrl, SECRET_EMAIL, secretBearer, secretToken, visitorCookies } from './planted-secrets.ts';
import { type RequestSpec, type ResourceType, sites, transferBytes } from './request-spec.ts';
import type { StepRun } from './step-run.ts';

/** Parts of an entry's time: -1 where a part does not apply, `ssl` inside `connect`. */
type EntryTimings = Record<Exclude<keyof Timings, 'comment'>, number>;

/** The timings that requests are placed by, with the end of the last one. */
type Times = StepRun['timings'] & Pick<StepRun, 'loadTime'>;

type Span = readonly [fromMs: number, toMs: number];

function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** Sum of the parts that apply; `ssl` is part of `connect` and not added again. */
function entryTime({ blocked, dns, connect, send, wait, receive }: EntryTimings): number {
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

/** Splits a time over the parts of an entry; a new connection pays for name, handshake and encryption. */
function splitTime(total: number, request: RequestSpec, isNew: boolean, h: number): EntryTimings {
  if (request.fromCache)
    return { blocked: round(total * 0.2), dns: -1, connect: -1, ssl: -1, send: 0, wait: round(total * 0.6), receive: round(total * 0.2) };
  if (request.status === 0) return { blocked: round(total), dns: -1, connect: -1, ssl: -1, send: 0, wait: 0, receive: 0 };
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
    ssl: isNew && request.url.startsWith('https:') ? round(connect * 0.62) : -1,
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
function placesOf(requests: readonly RequestSpec[]): number[] {
  const ofPhase = new Map<string, number>();
  const places = requests.map(({ phase }) => addTo(ofPhase, phase) - 1);
  return requests.map(({ phase }, index) => nth(places, index) / countOf(ofPhase, phase));
}

/** Gives each request of a step its place in time, so that document, first paint, largest paint and load agree with the step's times. */
function placeRequests({ run, step, timings, loadTime, requests: list }: StepRun) {
  const seed = hash(run.model.origin.seed, step.id, run.hour);
  const t: Times = { ...timings, loadTime };
  const requests = list();
  const navigations = navigation(requests, t);
  const bytesPerMs = run.scenario.device === 'mobile' ? 900 : 2400;
  const places = placesOf(requests);
  // The last one ends when the page is fully loaded.
  places[requests.findLastIndex((request) => request.phase === 'late' && request.status !== 0)] = 1;
  const spans = requests.map((request, index) => {
    const h = hash(seed, hashText(request.url), index);
    const [start, end] = navigations[index] ?? spanOf(request, t, nth(places, index), h, bytesPerMs);
    const startMs = Math.round(start);
    return { request, h, startMs, endMs: Math.max(startMs + 1, end) };
  });
  // Several for HTTP/1.1, one for each host otherwise.
  const connections = new Map<string, number>();
  const placed = spans
    .toSorted((a, b) => a.startMs - b.startMs)
    .map(({ request, h, startMs, endMs }, index) => {
      const key = new URL(request.url).origin + (request.protocol === 'http/1.1' ? `#${h % 3}` : '');
      const known = connections.get(key);
      const connection = known ?? 400 + connections.size * 3;
      connections.set(key, connection);
      const split = splitTime(endMs - startMs, request, known === undefined, h);
      if (request.phase === 'document') split.receive = t.lastByte - t.firstByte;
      const time = entryTime(split);
      // Agents write entries as they complete, roughly: neither in the order of their starts nor quite in that of their ends.
      return { request, startMs, timings: split, time, connection, order: startMs + time + 260 * draw(seed, index) };
    });
  return placed.toSorted((a, b) => a.order - b.order);
}

/** Data that the entries of one HAR share. */
function contextOf({ run, step, timings }: StepRun) {
  const { scenario, hour } = run;
  const site = sites[scenario.site];
  const hosts = new Set([site.origin, site.static, site.images, site.calls, ...site.redirects].map((origin) => new URL(origin).host));
  return {
    hour,
    navigationStartMs: timings.navigationStart,
    documentUrl: site.origin + step.path,
    device: scenario.device,
    isFirstParty: (url: URL) => hosts.has(url.host),
  };
}

type HarContext = ReturnType<typeof contextOf>;

const AGENTS = {
  desktop: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36',
  mobile: 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36',
};
const ACCEPTS: Partial<Record<ResourceType, string>> = {
  document: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  stylesheet: 'text/css,*/*;q=0.1',
  image: 'image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8',
};

/** Headers in order, without those that have no value. */
function headersOf(pairs: readonly (readonly [name: string, value: string | undefined])[]): Header[] {
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
}

function postDataOf({ post }: RequestSpec, { hour, documentUrl }: HarContext): PostData | undefined {
  if (post === undefined) return undefined;
  const fields = { email: SECRET_EMAIL, token: secretToken('post', hour), page: documentUrl };
  // HAR 1.2: `params` and `text` exclude each other.
  if (post === 'form')
    return { mimeType: 'application/x-www-form-urlencoded', params: Object.entries(fields).map(([name, value]) => ({ name, value })) };
  return { mimeType: post === 'json' ? 'application/json' : 'text/plain;charset=UTF-8', text: JSON.stringify(fields) };
}

/** `request` of an entry. */
function harRequest(spec: RequestSpec, url: URL, context: HarContext, httpVersion: string): Request {
  const cookies: Cookie[] = context.isFirstParty(url) && spec.type !== 'font' ? visitorCookies(context.hour) : [];
  const postData = postDataOf(spec, context);
  const headers = headersOf([
    [httpVersion === 'http/1.1' ? 'Host' : ':authority', url.host],
    ['accept', ACCEPTS[spec.type] ?? '*/*'],
    ['accept-encoding', 'gzip, deflate, br, zstd'],
    ['accept-language', 'en-GB,en;q=0.9'],
    ['authorization', spec.authorized ? `Bearer ${secretBearer(context.hour)}` : undefined],
    ['content-type', postData?.mimeType],
    ['cookie', cookies.length > 0 ? cookies.map(({ name, value }) => `${name}=${value}`).join('; ') : undefined],
    ['referer', spec.phase === 'document' || spec.phase === 'redirect' ? undefined : context.documentUrl],
    ['user-agent', AGENTS[context.device]],
  ]);
  return {
    method: spec.post === undefined ? 'GET' : 'POST',
    url: url.href,
    httpVersion,
    headers,
    queryString: [...url.searchParams].map(([name, value]) => ({ name, value })),
    cookies,
    headersSize: headers.reduce((sum, { name, value }) => sum + name.length + value.length + 4, 2),
    bodySize: postData === undefined ? 0 : Buffer.byteLength(postData.text ?? JSON.stringify(postData.params)),
    ...(postData && { postData }),
  };
}

const MIME_TYPES: Record<ResourceType, string> = {
  document: 'text/html; charset=utf-8',
  stylesheet: 'text/css',
  script: 'text/javascript; charset=utf-8',
  font: 'font/woff2',
  image: 'image/jpeg',
  fetch: 'application/json',
  beacon: 'image/gif',
};
const IMAGE_TYPES: Record<string, string> = {
  webp: 'image/webp',
  avif: 'image/avif',
  png: 'image/png',
  svg: 'image/svg+xml',
  jpg: 'image/jpeg',
};
const TEXTS = new Set<ResourceType>(['document', 'stylesheet', 'script', 'fetch']);

function mimeTypeOf({ type, status = 200 }: RequestSpec, url: URL): string {
  if (status === 204 || status === 304 || status === 0) return 'x-unknown';
  const extension = /\.(\w+)$/.exec(url.pathname)?.[1] ?? '';
  if (type === 'font' && extension === 'woff') return 'font/woff';
  return (type === 'image' ? IMAGE_TYPES[extension] : undefined) ?? MIME_TYPES[type];
}

/** True for text that was worth compressing. */
function isCompressed({ type, plain, bodyBytes, status = 200 }: RequestSpec): boolean {
  return TEXTS.has(type) && !plain && bodyBytes > 600 && status === 200;
}

function contentOf(spec: RequestSpec, mimeType: string, h: number, hour: number): Content {
  const { bodyBytes } = spec;
  const size = isCompressed(spec) ? Math.round(bodyBytes * (2.6 + 2.1 * draw(h, 21))) : bodyBytes;
  const transferred = TEXTS.has(spec.type) && bodyBytes > 0 && !spec.fromCache;
  const sized: Content = { size, mimeType, ...(transferred && { compression: size - bodyBytes }) };
  if (!spec.authorized || bodyBytes === 0) return sized;
  const text = JSON.stringify({ customer: SECRET_EMAIL, session: secretToken('sid', hour) }).padEnd(Math.min(400, sized.size), ' ');
  return { ...sized, text, comment: 'Cut to the first 400 bytes.' };
}

function setCookiesOf({ phase, type }: RequestSpec, { hour, navigationStartMs }: HarContext, h: number): Cookie[] {
  const isSession = phase === 'document';
  if (!isSession && (type !== 'beacon' || draw(h, 22) > 0.5)) return [];
  const name = isSession ? 'sid' : 'uid';
  const expires = isoTime(navigationStartMs + 30 * DAY_MS);
  return [{ name, value: secretToken(name, hour), path: '/', expires, httpOnly: isSession, secure: true }];
}

/** How long a client may keep an answer; nothing is said of what is neither kept nor a document. */
function cacheControlOf({ phase }: RequestSpec, cacheable: boolean, h: number): string | undefined {
  if (cacheable) return `public, max-age=${[600, 86_400, 2_592_000, 31_536_000][drawBetween(h, 24, 0, 3)] ?? 600}`;
  return phase === 'document' ? 'no-store' : undefined;
}

/** Sizes as different agents write them: one that knows the total need not know its parts. */
function sizesOf(spec: RequestSpec, h: number) {
  const { status = 200, bodyBytes, headerBytes, fromCache } = spec;
  const total = { _transferSize: transferBytes(spec) };
  if (fromCache === true || status === 0) return { headersSize: -1, bodySize: 0, ...total };
  if (draw(h, 28) < 0.08) return { headersSize: -1, bodySize: -1, ...total };
  return { headersSize: headerBytes, bodySize: bodyBytes, ...(draw(h, 25) < 0.6 ? total : {}) };
}

/** `response` of an entry; sizes are those of the request's specification, written as different agents do. */
function harResponse(spec: RequestSpec, url: URL, context: HarContext, httpVersion: string, h: number): Response {
  const { status = 200, bodyBytes } = spec;
  const mimeType = mimeTypeOf(spec, url);
  const compressed = isCompressed(spec);
  const cookies = setCookiesOf(spec, context, h);
  const cacheable = !spec.uncached && (status === 200 || status === 304);
  const encoding = draw(h, 23) < 0.6 ? 'br' : 'gzip';
  const headers = headersOf([
    ['content-type', mimeType === 'x-unknown' ? undefined : mimeType],
    ['content-length', bodyBytes > 0 ? String(bodyBytes) : undefined],
    ['content-encoding', compressed ? encoding : undefined],
    ['cache-control', cacheControlOf(spec, cacheable, h)],
    ['etag', cacheable ? `"${h.toString(16)}"` : undefined],
    ['date', new Date(context.navigationStartMs).toUTCString()],
    ['location', spec.location],
    ['vary', compressed ? 'Accept-Encoding' : undefined],
    ...cookies.map(({ name, value, path }): [string, string] => ['set-cookie', `${name}=${value}; Path=${path}; Secure; SameSite=None`]),
  ]);
  return {
    status,
    statusText: httpVersion === 'http/1.1' ? (STATUS_CODES[status] ?? '') : '',
    httpVersion,
    headers: status === 0 ? [] : headers,
    cookies,
    content: contentOf(spec, mimeType, h, context.hour),
    redirectURL: spec.location ?? '',
    ...sizesOf(spec, h),
    ...(status === 0 && { _error: 'net::ERR_BLOCKED_BY_CLIENT' }),
  };
}

const PRIORITIES: Record<ResourceType, string> = {
  document: 'VeryHigh',
  stylesheet: 'VeryHigh',
  script: 'Low',
  font: 'High',
  image: 'Low',
  fetch: 'High',
  beacon: 'Low',
};

/** One entry of HAR 1.2; members that begin with an underscore are there on some entries only. */
function harEntry(placed: ReturnType<typeof placeRequests>[number], context: HarContext): Entry {
  const { request: spec, startMs, timings, time, connection } = placed;
  const url = new URL(fillUrl(spec.url, context.hour));
  // A property of the address, so that the same file looks the same in each run.
  const h = hashText(spec.url);
  const httpVersion = spec.protocol ?? 'h2';
  const blocking = spec.phase === 'blocking' || spec.phase === 'tag';
  const lastAccess = isoTime(context.navigationStartMs - 45_000);
  const urgent = (blocking && spec.type === 'script') || spec.phase === 'hero';
  return {
    pageref: 'page_1',
    startedDateTime: isoTime(context.navigationStartMs + startMs),
    time,
    request: harRequest(spec, url, context, httpVersion),
    response: harResponse(spec, url, context, httpVersion, h),
    cache: spec.fromCache ? { beforeRequest: { lastAccess, eTag: `"${h.toString(16)}"`, hitCount: 1 } } : {},
    timings,
    ...(spec.status === 0 ? {} : { serverIPAddress: `203.0.113.${hashText(url.host) % 254}`, connection: String(connection) }),
    ...(draw(h, 26) < 0.9 && { _priority: urgent ? 'High' : PRIORITIES[spec.type] }),
    ...((spec.type === 'script' || spec.type === 'stylesheet') && { _renderBlocking: blocking ? 'blocking' : 'non_blocking' }),
    ...(spec.fromCache && { _fromCache: 'memory' }),
    ...(draw(h, 27) < 0.8 && { _resourceType: spec.type === 'beacon' ? 'ping' : spec.type }),
  };
}

/** HAR 1.2 of a step: its entries transfer the step's `weight`, its document answers at `firstByte`, the last entry ends at `loadTime`. */
export function stepHar(stepRun: StepRun): Har {
  const { timings } = stepRun;
  const context = contextOf(stepRun);
  return {
    log: {
      version: '1.2',
      creator: { name: 'Speed Analysis', version: '4.18.0' },
      browser: { name: 'Chrome', version: '131.0.6778.85' },
      pages: [
        {
          id: 'page_1',
          startedDateTime: isoTime(timings.navigationStart),
          title: context.documentUrl,
          pageTimings: { onContentLoad: timings.domContentLoadedEventStart, onLoad: timings.loadEvent, _startRender: timings.startRender },
        },
      ],
      entries: placeRequests(stepRun).map((entry) => harEntry(entry, context)),
    },
  };
}
