import { isRecord } from '../../lib/is-record.ts';
import { visibleText } from '../../lib/visible-text.ts';
import { INITIATOR_TYPES, type Party, PRIORITIES, protocolName, type ResourceType, renderBlockingName } from './har-model.ts';
import { cacheLifetimeSeconds, type Lookups, readHeaders } from './lookups.ts';
import { amountOf, isBadAmount, kindOf, listOf, looseAmountOf, recordOf, textOf } from './member.ts';
import { resourceType } from './resource-type.ts';

type Raw = Record<string, unknown>;

/** Reads the value of a member below an entry as an amount, and reports any other value. */
type ReadAmount = (value: unknown, member: string) => number | null;

/** The answer of an entry, as far as its sizes follow from it. */
type SizedAnswer = Omit<ReturnType<typeof readAnswer>, 'redirectUrl' | 'operation' | 'hasValidator'>;

/** Answers that HTTP gives no body (RFC 9110): what a recorder writes there is that of another answer, or of the cache. */
function hasNoBody({ method, status }: SizedAnswer): boolean {
  return method === 'HEAD' || status === 204 || status === 304 || (status !== null && status >= 100 && status < 200);
}

/** Informative entries that tell how a recorder counts. */
const ENOUGH_ENTRIES = 40;

/** Whether the recorder counts the headers into `bodySize` (Firefox): told by the entries whose Content-Length is known. */
export function bodyHoldsHeaders(entries: readonly unknown[]): boolean {
  let [within, apart] = [0, 0];
  for (const raw of entries) {
    const { bodySize, headersSize, headers } = recordOf(recordOf(raw).response);
    if (!(typeof headersSize === 'number' && headersSize > 0) || typeof bodySize !== 'number') continue;
    const length = amountText(readHeaders(listOf(headers)).get('content-length'));
    if (length === null) continue;
    if (bodySize === headersSize + length) within += 1;
    else if (bodySize === length) apart += 1;
    if (within + apart === ENOUGH_ENTRIES) break;
  }
  return within > apart;
}

/** Digits as an amount; null for any other text. */
const amountText = (text: string | undefined) => looseAmountOf(text?.trim());

const isRedirect = (status: number | null) => status !== null && status >= 300 && status < 400;

/** The sizes of an answer with a body as recorded; a redirect has no more of it than its Content-Length. */
function withBody(
  { status, contentLength, contentEncoding }: SizedAnswer,
  { bodySize, headersSize, contentSize }: Record<'bodySize' | 'headersSize' | 'contentSize', number | null>,
  holdsHeaders: boolean,
) {
  const most = isRedirect(status) && contentLength !== null ? contentLength : Number.POSITIVE_INFINITY;
  const ofHeaders = headersSize ?? 0;
  const body = bodySize && Math.min(most, Math.max(0, bodySize - (holdsHeaders ? ofHeaders : 0)));
  // What is not encoded is its body.
  const content = contentSize ?? (contentEncoding === null ? body : null);
  return {
    transferBytes: body === null ? null : body + ofHeaders,
    contentBytes: content && Math.min(contentEncoding !== null && most > 0 ? content : most, content),
  };
}

/**
 * Transferred: `_transferSize`, else headers and body; the body alone where the recorder gives no header size (usual for HTTP/2).
 * Some recorders write 0 for bodies they did not see (WebPagetest for SPDY): a success with a Content-Length above 0 gives them away,
 * and their own count (`_bytesIn`) is the best there is. Null where the file does not know.
 */
function readSizes(
  answer: SizedAnswer,
  raw: Raw,
  holdsHeaders: boolean,
  amount: ReadAmount,
  misread: (member: string, found: string) => void,
) {
  const { status, isCached, contentLength } = answer;
  const response = recordOf(raw.response);
  const transferSize = amount(response._transferSize, '.response._transferSize');
  const bodySize = amount(response.bodySize, '.response.bodySize');
  const headersSize = amount(response.headersSize, '.response.headersSize');
  const contentSize = amount(recordOf(response.content).size, '.response.content.size');
  if (hasNoBody(answer)) {
    // Headers alone were transferred; the content of a file that was not modified is that of the cache.
    const ofHeaders = headersSize ?? (bodySize === null ? null : 0);
    return { transferBytes: transferSize ?? ofHeaders, contentBytes: status === 304 ? contentSize : 0 };
  }
  if (isCached) return { transferBytes: transferSize ?? 0, contentBytes: contentSize };
  if (bodySize === 0 && transferSize === null && status === 200 && contentLength) {
    misread('.response.bodySize', '0 against its Content-Length');
    return { transferBytes: looseAmountOf(raw._bytesIn) || null, contentBytes: contentSize || null };
  }
  const { transferBytes, contentBytes } = withBody(answer, { bodySize, headersSize, contentSize }, holdsHeaders);
  return { transferBytes: transferSize ?? transferBytes, contentBytes };
}

/** State that all entries of a file share while it is read. */
export interface EntryReading {
  /** Tells of a member below `log.entries[index]` that drops its entry, or counts as unknown; nothing in it is text of the file. */
  report: (effect: 'dropped' | 'misread', index: number, member: string, found: string) => void;
  lookups: Lookups;
  bodyHoldsHeaders: boolean;
}

/** One entry, its start as ms since 1970 and its party still open; null when it has no request address. */
export function readEntry(raw: unknown, index: number, reading: EntryReading): HarEntry | null {
  const drop = (member: string, found: unknown) => {
    reading.report('dropped', index, member, kindOf(found));
    return null;
  };
  if (!isRecord(raw)) return drop('', raw);
  const { request } = raw;
  if (!isRecord(request)) return drop('.request', request);
  const { url } = request;
  if (typeof url !== 'string') return drop('.request.url', url);
  if (visibleText(url).trim() === '') return drop('.request.url', '');
  return entryOf(raw, request, url, index, reading);
}

/** The answer that an entry tells of, and whether a cache gave it. */
function readAnswer(raw: Raw, headers: ReadonlyMap<string, string>, timings: HarTimings, amount: ReadAmount) {
  const [request, response] = [recordOf(raw.request), recordOf(raw.response)];
  const status = readStatus(amount(response.status, '.response.status'));
  const method = textOf(request.method).toUpperCase() || 'GET';
  return {
    method,
    /** 0 when no response arrived (blocked, aborted, failed). */
    status,
    redirectUrl: isRedirect(status) ? textOf(response.redirectURL) || headers.get('location') || null : null,
    contentEncoding: headers.get('content-encoding')?.trim().toLowerCase() || null,
    contentLength: amountText(headers.get('content-length')),
    isCached: isMarkedCached(raw) || tookNoTime(raw, response, timings),
    /** Name of the GraphQL operation, for telling requests of one address apart; never to be shown. */
    operation: operationOf(request, method),
    hasValidator: headers.has('etag') || headers.has('last-modified'),
  };
}

/** Its connection, how urgent it was, at its end or else at its start, and what asked for it: an object, or two members of WebPagetest. */
function causeOf(raw: Raw) {
  const initiator = recordOf(raw._initiator);
  return {
    connection: /^\d{1,10}$/.exec(textOf(raw.connection))?.[0] ?? null,
    priority: [textOf(raw._priority), textOf(raw._initialPriority)].find((priority) => PRIORITIES.has(priority)) ?? null,
    initiatorType: [textOf(initiator.type), textOf(raw._initiator_type)].find((type) => INITIATOR_TYPES.has(type)) ?? null,
    initiatorUrl: textOf(initiator.url) || textOf(raw._initiator) || null,
  };
}

/** Kinds of requests that stay open. */
const STREAMS = new Set(['websocket', 'eventsource']);

/** Content that nothing was transferred for. */
const isOfCache = ({ transferBytes, contentBytes }: ReturnType<typeof readSizes>) => transferBytes === 0 && Boolean(contentBytes);

/**
 * One request, normalised: texts are as recorded and may hold secrets, so they are shown through `sanitiseUrl` or `shortUrl` only; null is
 * what the file does not say.
 */
export type HarEntry = ReturnType<typeof entryOf>;

function entryOf(raw: Raw, request: Raw, url: string, index: number, reading: EntryReading) {
  const { report, lookups, bodyHoldsHeaders: holdsHeaders } = reading;
  const misread = (member: string, found: string) => report('misread', index, member, found);
  const amount: ReadAmount = (value, member) => {
    const read = amountOf(value);
    if (read === null && isBadAmount(value)) misread(member, kindOf(value));
    return read;
  };
  const startMs = lookups.instant(textOf(raw.startedDateTime));
  if (startMs === null) misread('.startedDateTime', kindOf(raw.startedDateTime));
  const response = recordOf(raw.response);
  const responseHeaders = listOf(response.headers);
  const headers = readHeaders(responseHeaders);
  const timings = readTimings(recordOf(raw.timings), amount);
  const { isCached, contentLength, ...answer } = readAnswer(raw, headers, timings, amount);
  const sizes = readSizes({ ...answer, isCached, contentLength }, raw, holdsHeaders, amount, misread);
  const timeMs = amount(raw.time, '.time');
  const { mime, type } = lookups.contentKind(textOf(recordOf(response.content).mimeType) || headers.get('content-type') || '');
  const { host, domain } = lookups.placeOf(url);
  const purpose = purposeOf(raw, request, type);
  const isOfEvents = mime === 'text/event-stream';
  const isStream = isOfEvents || STREAMS.has(purpose) || /^wss?:/i.test(url);
  // A stream is opened once its connection is there, one of events with its first byte; how long it stays open is no wait.
  const opened = isStream ? { ...timings, waitMs: isOfEvents ? timings.waitMs : null, receiveMs: null } : timings;
  return {
    /** Position in `log.entries` of the file. */
    index,
    pageId: textOf(raw.pageref) || null,
    /** Since the earliest entry of the load, once that is known. */
    startMs,
    durationMs: readDuration(isStream ? null : timeMs, opened),
    url,
    /** Lower case without port, and its registrable domain by the public suffix list; null for addresses without a host. */
    host,
    domain,
    party: null as Party | null, // decided by the document
    ...answer,
    ...sizes,
    fromCache: isCached || isOfCache(sizes),
    /** Start of the first redirect that led here, like `startMs`; that of the request itself where none did. */
    askedMs: startMs,
    /** Lower case without parameters, empty when unknown. */
    mime,
    type: resourceType(purpose, type, url, answer.status ?? 0),
    timings: opened,
    protocol: protocolName(textOf(response.httpVersion)) ?? protocolName(textOf(request.httpVersion)),
    /** False for what no network was asked for: data, blob, about, files of an extension. */
    isNetwork: answer.method !== 'CONNECT' && (host !== null || !OTHER_SCHEME.test(url)),
    /** A socket or an event stream, of which only the opening is a wait: `durationMs` ends with it. */
    isStream,
    /** As Chrome names it. */
    renderBlocking: renderBlockingName(textOf(raw._renderBlocking)),
    ...causeOf(raw),
    /** False when the file has no response headers for this entry: then nothing is known of caching and compression. */
    headersKnown: responseHeaders.length > 0,
    /** Freshness by Cache-Control, else Expires; 0 = must not be reused unasked. */
    cacheLifetimeSeconds: cacheLifetimeSeconds(headers, startMs, lookups),
  };
}

/** Schemes by which nothing is asked of a network; a proxy's tunnel (CONNECT) asks nothing of a server either. */
const OTHER_SCHEME = /^\s*(?!https?:|wss?:)[a-z][a-z0-9+.-]*:/i;

/** Where Safari fetched a file from that the network did not give. */
const CACHE_TYPES = new Set(['Memory Cache', 'Disk Cache', 'Service Worker']);

/**
 * Each recorder marks what came from the cache in its own way: in the entry, its response, or its `cache` member alone (chrome-har), which
 * others also write of a file that was fetched again (HttpWatch): then it has a body.
 */
export function isMarkedCached(raw: Raw): boolean {
  const response = recordOf(raw.response);
  return (
    textOf(raw._fromCache) !== '' ||
    CACHE_TYPES.has(textOf(raw._fetchType)) ||
    response._fromDiskCache === true ||
    response._fromServiceWorker === true ||
    response._fromPrefetchCache === true ||
    (isRecord(recordOf(raw.cache).beforeRequest) && response.status === 200 && !(Number(response.bodySize) > 0))
  );
}

/** A success that took no time and had no headers to receive: so Firefox writes what it had already. */
function tookNoTime(raw: Raw, { status, headersSize }: Raw, { waitMs, receiveMs }: HarTimings): boolean {
  return raw.time === 0 && headersSize === 0 && status === 200 && waitMs === 0 && receiveMs === 0;
}

/** Longest body that is read for the name of its operation. */
const MAX_OPERATION_BODY = 100_000;

/** `operationName` of a GraphQL request, in the body or in the address. */
function operationOf(request: Raw, method: string): string | null {
  if (method !== 'POST') return /[?&]operationName=([^&#]*)/.exec(textOf(request.url).slice(0, MAX_OPERATION_BODY))?.[1] ?? null;
  const body = textOf(recordOf(request.postData).text).slice(0, MAX_OPERATION_BODY);
  return /"operationName"\s*:\s*"([^"]*)"/.exec(body)?.[1] ?? null;
}

/** Milliseconds of each phase, null for -1 and absent; `sslMs` is a part of `connectMs`, never added to it. */
export type HarTimings = ReturnType<typeof readTimings>;

function readTimings(raw: Raw, amount: ReadAmount) {
  return {
    blockedMs: amount(raw.blocked, '.timings.blocked'),
    dnsMs: amount(raw.dns, '.timings.dns'),
    connectMs: amount(raw.connect, '.timings.connect'),
    sslMs: amount(raw.ssl, '.timings.ssl'),
    sendMs: amount(raw.send, '.timings.send'),
    waitMs: amount(raw.wait, '.timings.wait'),
    receiveMs: amount(raw.receive, '.timings.receive'),
  };
}

/** `time`, else the sum of the known phases. A time of 0 without any known phase is how a file says that it does not know. */
function readDuration(timeMs: number | null, timings: HarTimings): number | null {
  if (timeMs !== null && timeMs > 0) return timeMs;
  const { blockedMs, dnsMs, connectMs, sendMs, waitMs, receiveMs } = timings;
  const phases = [blockedMs, dnsMs, connectMs, sendMs, waitMs, receiveMs].filter((ms) => ms !== null);
  if (phases.length === 0) return null;
  return timeMs ?? phases.reduce((sum, ms) => sum + ms, 0);
}

/** The status; null for anything that is none. */
export function readStatus(status: number | null): number | null {
  return status !== null && Number.isInteger(status) && status < 1000 ? status : null;
}

/** Known from the MIME type alone, so that the request headers need not be read. */
const CERTAIN = new Set<ResourceType | null>(['script', 'stylesheet', 'image', 'font', 'media']);

function purposeOf(raw: Raw, request: Raw, byMime: ResourceType | null): string {
  const purpose = textOf(raw._resourceType);
  if (purpose) return purpose.toLowerCase();
  if (CERTAIN.has(byMime)) return '';
  for (const header of listOf(request.headers)) {
    if (!isRecord(header) || typeof header.name !== 'string' || header.name.length !== SEC_FETCH_DEST.length) continue;
    if (header.name.toLowerCase() === SEC_FETCH_DEST) return textOf(header.value).toLowerCase();
  }
  return '';
}

const SEC_FETCH_DEST = 'sec-fetch-dest';

/** A page of the file; its times in ms, null when not recorded. */
export type HarPage = ReturnType<typeof readPages>[number];

/** The pages of a file. */
export function readPages(list: unknown[], { instant }: Lookups) {
  return list.filter(isRecord).map((page) => {
    const startMs = instant(textOf(page.startedDateTime));
    const timings = recordOf(page.pageTimings);
    return {
      id: textOf(page.id),
      startMs,
      onContentLoadMs: amountOf(timings.onContentLoad),
      onLoadMs: amountOf(timings.onLoad),
      // As a custom member of the recorder says; few do, and 0 is how WebPagetest says that it saw none.
      firstPaintMs: amountOf(timings._startRender) || amountOf(timings._firstPaint) || amountOf(timings._firstContentfulPaint) || null,
    };
  });
}
