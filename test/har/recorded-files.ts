import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Json, JsonObject } from './sample.ts';

/** One request of the visit that every recorder writes down in its own way. */
interface Visit {
  readonly url: string;
  readonly mime: string;
  /** Bytes of the body as sent, and unpacked where it was compressed. */
  readonly bytes: number;
  readonly unpackedBytes?: number;
  readonly status?: number;
  readonly location?: string;
  readonly method?: string;
  readonly request?: Readonly<Record<string, string>>;
  readonly response?: Readonly<Record<string, string>>;
  readonly sentCookies?: Readonly<Record<string, string>>;
  readonly setCookies?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** A visit with its place in time. */
interface TimedVisit extends Visit {
  readonly atMs: number;
  readonly tookMs: number;
  readonly page: number;
}

type Header = readonly [name: string, value: string];

const START_MS = Date.parse('2026-11-01T10:00:00.000Z');
const HEADER_BYTES = 412;
const instant = (atMs: number) => new Date(START_MS + atMs).toISOString();
const named = (pairs: Iterable<Header>): Json[] => [...pairs].map(([name, value]) => ({ name, value }));
const cookiesOf = (cookies: Readonly<Record<string, string>> = {}) => named(Object.entries(cookies));
const queryOf = (url: string) => named(new URL(url).searchParams);

function requestHeaders({ request = {}, sentCookies }: Visit): Header[] {
  const cookie = Object.entries(sentCookies ?? {}).map(([name, value]) => `${name}=${value}`);
  return [
    ['User-Agent', 'Mozilla/5.0 (X11; Linux x86_64) Recorder/1.0'],
    ['Accept', '*/*'],
    ...Object.entries(request),
    ...(cookie.length > 0 ? [['Cookie', cookie.join('; ')] as const] : []),
  ];
}

function responseHeaders({ response = {}, setCookies, mime, bytes, location, unpackedBytes }: Visit): Header[] {
  return [
    ...(mime === '' ? [] : [['Content-Type', mime] as const]),
    ['Content-Length', String(bytes)],
    ...(unpackedBytes === undefined ? [] : [['Content-Encoding', 'gzip'] as const]),
    ...(location === undefined ? [] : [['Location', location] as const]),
    ...Object.entries(response),
    ...Object.entries(setCookies ?? {}).map(([name, value]) => ['Set-Cookie', `${name}=${value}; Path=/; HttpOnly`] as const),
  ];
}

const lowered = (headers: Header[]): Header[] => headers.map(([name, value]) => [name.toLowerCase(), value]);
const isSecure = (url: string) => url.startsWith('https:');

/** What all recorders agree about. */
function common(
  visit: TimedVisit,
  parts: { request: JsonObject; response: JsonObject; content: JsonObject; timings: JsonObject },
): JsonObject {
  const { url, method = 'GET', status = 200, location = '', sentCookies, setCookies, atMs, tookMs } = visit;
  return {
    startedDateTime: instant(atMs),
    time: tookMs,
    cache: {},
    request: { method, url, queryString: queryOf(url), cookies: cookiesOf(sentCookies), ...parts.request },
    response: {
      status,
      statusText: '',
      redirectURL: location,
      cookies: cookiesOf(setCookies),
      ...parts.response,
      content: { mimeType: visit.mime, ...parts.content },
    },
    timings: parts.timings,
  };
}

/** As chrome-har writes: the bytes on the wire in `_transferSize`, no size of HTTP/2 headers, pseudo headers, priorities. */
function chrome(visit: TimedVisit): JsonObject {
  const h2 = isSecure(visit.url);
  const { host, pathname } = new URL(visit.url);
  const pseudo: Header[] = h2
    ? [
        [':authority', host],
        [':path', pathname],
        [':method', 'GET'],
        [':scheme', 'https'],
      ]
    : [];
  const headersSize = h2 ? -1 : HEADER_BYTES;
  const written = (headers: Header[]) => named(h2 ? lowered(headers) : headers);
  return {
    pageref: 'page_1',
    ...common(visit, {
      request: {
        httpVersion: h2 ? 'h2' : 'http/1.1',
        headers: [...named(pseudo), ...written(requestHeaders(visit))],
        headersSize,
        bodySize: 0,
      },
      response: {
        httpVersion: h2 ? 'h2' : 'http/1.1',
        headers: written(responseHeaders(visit)),
        headersSize,
        bodySize: visit.bytes,
        _transferSize: visit.bytes + HEADER_BYTES,
      },
      content: { size: visit.unpackedBytes ?? visit.bytes },
      timings: { blocked: 0.4, dns: -1, connect: -1, ssl: -1, send: 0.1, wait: visit.tookMs - 2.5, receive: 2 },
    }),
    _initialPriority: 'Medium',
    _requestTime: 99_780.435 + visit.atMs / 1_000,
    serverIPAddress: '192.0.2.7',
  };
}

/** As Firefox writes: whole numbers, header sizes, and -1 for a body that came from its cache or never came. */
function firefox(visit: TimedVisit): JsonObject {
  const { tookMs, status = 200 } = visit;
  const isBodiless = status === 204 || status >= 300;
  return {
    pageref: 'page_1',
    ...common(visit, {
      request: { httpVersion: 'HTTP/1.1', headers: named(requestHeaders(visit)), headersSize: 380, bodySize: -1 },
      response: {
        httpVersion: isSecure(visit.url) ? 'HTTP/2.0' : 'HTTP/1.1',
        headers: named(responseHeaders(visit)),
        headersSize: HEADER_BYTES,
        bodySize: isBodiless ? -1 : visit.bytes,
      },
      content: { size: isBodiless ? 0 : (visit.unpackedBytes ?? visit.bytes), comment: 'Response bodies are not included.' },
      timings: { blocked: 0, dns: 0, connect: 12, ssl: 0, send: 0, wait: Math.max(0, Math.round(tookMs) - 14), receive: 2 },
    }),
    time: Math.round(tookMs),
  };
}

/**
 * As WebPagetest writes: 0 for a body that it did not see, its own count in `_bytesIn`, texts for numbers, headers of proxies that mangle
 * names.
 */
function webPageTest(visit: TimedVisit): JsonObject {
  const isUnseen = visit.unpackedBytes === undefined;
  const mangled = responseHeaders(visit).map(
    ([name, value]): Header => (visit.mime === '' && name === 'Content-Length' ? ['Cteonnt-Length', value] : [name, value]),
  );
  return {
    pageref: `page_1_${visit.page}`,
    ...common(visit, {
      request: { httpVersion: '1.1', headers: named(requestHeaders(visit)), headersSize: 380, bodySize: 0 },
      response: { httpVersion: '1.1', headers: named(mangled), headersSize: HEADER_BYTES, bodySize: isUnseen ? 0 : visit.bytes },
      content: { size: isUnseen ? 0 : (visit.unpackedBytes ?? 0) },
      timings: { blocked: -1, dns: -1, connect: 14, ssl: -1, send: 0, wait: Math.round(visit.tookMs) - 16, receive: 2 },
    }),
    _bytesIn: String(visit.bytes + HEADER_BYTES),
    _full_url: visit.url,
    _host: new URL(visit.url).host,
  };
}

/** As the developer tools of a browser export: no protocol, no header sizes, bodies with all that they hold. */
function devTools(visit: TimedVisit): JsonObject {
  return {
    pageref: 'page_1',
    ...common(visit, {
      request: { httpVersion: 'unknown', headers: named(lowered(requestHeaders(visit))), headersSize: -1, bodySize: -1 },
      response: {
        httpVersion: 'unknown',
        headers: named(lowered(responseHeaders(visit))),
        headersSize: -1,
        bodySize: -1,
        _transferSize: visit.bytes + HEADER_BYTES,
      },
      content: { size: visit.unpackedBytes ?? visit.bytes, text: visit.text ?? '' },
      timings: { blocked: 0.4, dns: -1, connect: -1, ssl: -1, send: 0.2, wait: visit.tookMs - 2.6, receive: 2 },
    }),
    connection: '443',
  };
}

interface Recorder {
  readonly creator: { readonly name: string; readonly version: string };
  readonly write: (visit: TimedVisit) => JsonObject;
  /** Ids of pages; the visit is repeated for each. */
  readonly pages: readonly string[];
}

/** The four programs whose files assistants are given most, each with its own idea of HAR 1.2. */
const recorders: Readonly<Record<string, Recorder>> = {
  'chrome.har': { creator: { name: 'chrome-har', version: '0.2.3' }, write: chrome, pages: ['page_1'] },
  'firefox.har': { creator: { name: 'Firefox', version: '132.0' }, write: firefox, pages: ['page_1'] },
  'webpagetest.har': { creator: { name: 'WebPagetest', version: '2.17' }, write: webPageTest, pages: ['page_1_0', 'page_1_1'] },
  'devtools.har': { creator: { name: 'WebInspector', version: '537.36' }, write: devTools, pages: ['page_1'] },
};

/** The file that a recorder writes of these visits. */
function recordedBy({ creator, write, pages }: Recorder, visits: readonly TimedVisit[]): JsonObject {
  const entries = pages.flatMap((_, page) => visits.map((visit) => write({ ...visit, page, atMs: visit.atMs + page * 60_000 })));
  const shown = pages.map((id, page) => ({
    id,
    startedDateTime: instant(page * 60_000),
    title: 'https://www.shop.example/basket?session=5f3a9c1e',
    pageTimings: { onContentLoad: 900, onLoad: 1_800 },
  }));
  return { log: { version: '1.2', creator: { ...creator }, pages: shown, entries } };
}

/** Recordings of real sites, which are not part of the project; where they lie beside it, the tests read them too. */
const FOLDER = new URL('../../../shared/har/', import.meta.url);
const REAL_FILES = existsSync(FOLDER) ? readdirSync(FOLDER).filter((name) => name.endsWith('.har')) : [];

/** A value like those of session cookies and tokens: long, the same in every run, found nowhere else. */
function secret(purpose: string, form: 'hex' | 'base64url' = 'base64url'): string {
  return createHash('sha256').update(purpose).digest(form).slice(0, 40);
}

const jwt = (purpose: string) => `eyJhbGciOiJIUzI1NiJ9.${secret(`${purpose} claims`)}.${secret(`${purpose} signature`)}`;
const SHOP = 'https://www.shop.example';
const session = { sid: secret('session', 'hex'), csrf: secret('csrf'), _ga: `GA1.2.${secret('ga', 'hex').slice(0, 10)}.1761990000` };
const lasting = { 'Cache-Control': 'public, max-age=31536000', ETag: `"${secret('etag', 'hex')}"`, Vary: 'Accept-Encoding' };
const signedIn = { Authorization: `Bearer ${jwt('api')}`, Referer: `${SHOP}/basket?session=${secret('referer', 'hex')}` };

function own(path: string, mime: string, bytes: number, more: Partial<Visit> = {}): Visit {
  return { url: `${SHOP}${path}`, mime, bytes, sentCookies: session, response: lasting, ...more };
}

/** Requests to other parties, which know the visitor by cookies and by what stands in their addresses. */
function tracked(host: string, index: number): Visit[] {
  const visitor = { uid: secret(`${host} uid`), IDE: secret(`${host} ide`), test_cookie: `CheckForPermission-${secret(host, 'hex')}` };
  const page = encodeURIComponent(`${SHOP}/basket?session=${session.sid}`);
  const query = `cid=${secret(`${host} cid`, 'hex')}&dl=${page}&z=${index}1&v=1&email=${secret(host)}%40mail.example`;
  const synced = `https://sync.${host}/match?partner=7&puid=${secret(`${host} puid`)}`;
  return [
    {
      url: `https://${host}/tag.js?id=GTM-${index}`,
      mime: index % 2 ? 'application/x-javascript' : 'text/javascript',
      bytes: 21_400 + index * 3_100,
      unpackedBytes: 64_000,
      setCookies: visitor,
    },
    { url: `https://${host}/sync?${query}`, mime: 'text/html', bytes: 0, status: 302, location: synced, sentCookies: visitor },
    { url: synced, mime: 'image/gif', bytes: 43, sentCookies: visitor, setCookies: { puid: secret(`${host} set`) } },
    { url: `https://${host}/collect?${query}`, mime: '', bytes: 0, status: 204, method: 'POST', sentCookies: visitor },
  ];
}

const visits: readonly Visit[] = [
  {
    url: 'http://shop.example/basket?utm_source=mail&token=reset',
    mime: 'text/html',
    bytes: 0,
    status: 301,
    location: `${SHOP}/login?next=%2Fbasket`,
  },
  { url: `${SHOP}/login?next=%2Fbasket`, mime: 'text/html', bytes: 0, status: 302, location: `${SHOP}/basket`, setCookies: session },
  own('/basket', 'text/html; charset=utf-8', 14_200, {
    unpackedBytes: 61_000,
    response: { 'Cache-Control': 'no-store' },
    text: `<script>var token = "${jwt('page')}"</script>`,
  }),
  own('/css/site.css', 'text/css', 18_900, { unpackedBytes: 92_000 }),
  own('/css/theme.css?v=41', 'text/css', 8_300, { unpackedBytes: 31_000 }),
  own('/js/vendor.js?v=41', 'application/javascript', 121_000, { unpackedBytes: 402_000 }),
  own('/js/basket.js', 'application/javascript', 88_000, { response: {} }),
  own('/fonts/sans.woff2', 'font/woff2', 41_000),
  own('/favicon.ico', 'image/x-icon', 1_150),
  ...Array.from({ length: 8 }, (_, index) =>
    own(`/img/p${index}.jpg?w=640&sig=${secret(`image ${index}`, 'hex')}`, 'image/jpeg', 34_000 + index * 2_700),
  ),
  own('/img/p0.jpg?w=640&sig=again', 'image/jpeg', 34_000),
  own('/img/missing.png', 'text/html', 512, { status: 404, unpackedBytes: 900 }),
  own('/api/basket?user=7710042&hash=a1b2', 'application/json', 2_300, {
    request: signedIn,
    response: { 'Cache-Control': 'private' },
    text: `{"access_token":"${jwt('answer')}"}`,
  }),
  own('/api/offers?locale=en&page=1&size=20', 'application/json', 9_800, { request: { ...signedIn, 'X-CSRF-Token': session.csrf } }),
  ...['metrics.ads.example', 'cdn.tags.example', 'www.google-analytics.com', 'connect.facebook.net'].flatMap(tracked),
  { url: 'https://bids.ads.example/auction?slot=top&w=728&h=90', mime: 'text/plain', bytes: 120, status: 503 },
];

/** One after the other in small steps, the slower the larger they are. */
const timed: readonly TimedVisit[] = visits.map((visit, index) => ({
  ...visit,
  page: 0,
  atMs: index < 3 ? index * 120 : 240 + index * 22,
  tookMs: 30 + (index % 5) * 17.25 + visit.bytes / 1_500,
}));

const generated: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(recorders).map(([name, recorder]) => [name, JSON.stringify(recordedBy(recorder, timed))]),
);

/** Names of recorded files: one visit as four recorders write it, made here, and recordings of real sites where they are at hand. */
export const RECORDED_FILES: readonly string[] = [...Object.keys(generated), ...REAL_FILES];

/** Text of a recorded file. */
export function readRecorded(name: string): string {
  return generated[name] ?? readFileSync(new URL(name, FOLDER), 'utf8');
}
