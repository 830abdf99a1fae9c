import { visibleText } from '../../../lib/visible-text.ts';
import { type HarEntry, type HarTimings, PRIORITIES, protocolName, type ResourceType, renderBlockingName } from './har-model.ts';
import { cacheLifetimeSeconds, type Lookups, readHeaders } from './lookups.ts';
import { amountOf, isBadAmount, isRecord, kindOf, listOf, looseAmountOf, recordOf, textOf } from './member.ts';
import { resourceType } from './resource-type.ts';

/** Reads the value of a member below an entry as an amount, and reports any other value. */
export type ReadAmount = (value: unknown, member: string) => number | null;

/** Bytes of a response, null where the file does not know them. */
export interface Sizes {
  transferBytes: number | null;
  contentBytes: number | null;
  /** The recorder wrote 0 for a body that it did not see. */
  bodyLost: boolean;
}

/** An entry's response as far as its size follows from it. */
interface Sized {
  readonly raw: Record<string, unknown>;
  readonly response: Record<string, unknown>;
  readonly method: string;
  readonly status: number | null;
  readonly contentLength: number | null;
  readonly isCached: boolean;
  readonly isEncoded: boolean;
}

/** Answers that HTTP gives no body (RFC 9110): what a recorder writes there is that of another answer, or of the cache. */
function hasNoBody({ method, status }: Sized): boolean {
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
    const length = amountText(readHeaders(listOf(headers)).contentLength);
    if (length === null) continue;
    if (bodySize === headersSize + length) within += 1;
    else if (bodySize === length) apart += 1;
    if (within + apart === ENOUGH_ENTRIES) break;
  }
  return within > apart;
}

/** Digits as an amount; null for any other text. */
const amountText = (text: string | null) => (text === null ? null : looseAmountOf(text.trim()));

/** The sizes that a recorder wrote, as they stand. */
type Recorded = Record<'transferSize' | 'bodySize' | 'headersSize' | 'contentSize', number | null>;

function recordedSizes(response: Record<string, unknown>, amount: ReadAmount): Recorded {
  return {
    transferSize: amount(response._transferSize, '.response._transferSize'),
    bodySize: amount(response.bodySize, '.response.bodySize'),
    headersSize: amount(response.headersSize, '.response.headersSize'),
    contentSize: amount(recordOf(response.content).size, '.response.content.size'),
  };
}

const isRedirect = (status: number | null) => status !== null && status >= 300 && status < 400;

/** The body over the network and its content; a redirect has no more than its Content-Length. */
function bodyOf({ status, contentLength, isEncoded }: Sized, { bodySize, headersSize, contentSize }: Recorded, holdsHeaders: boolean) {
  const most = isRedirect(status) && contentLength !== null ? contentLength : Number.POSITIVE_INFINITY;
  const recorded = bodySize !== null && holdsHeaders ? Math.max(0, bodySize - (headersSize ?? 0)) : bodySize;
  const isAsRecorded = contentSize === null || (isEncoded && most > 0);
  return {
    body: recorded === null ? null : Math.min(most, recorded),
    contentBytes: isAsRecorded ? contentSize : Math.min(most, contentSize),
  };
}

/** Headers alone were transferred; nothing known where the recorder says nothing of either part. */
const ofHeaders = ({ headersSize, bodySize }: Recorded) => headersSize ?? (bodySize === null ? null : 0);

function isLost({ status, contentLength }: Sized, { bodySize, transferSize }: Recorded): boolean {
  return bodySize === 0 && transferSize === null && status === 200 && (contentLength ?? 0) > 0;
}

/**
 * Transferred: `_transferSize`, else headers and body; the body alone where the recorder gives no header size (usual for HTTP/2).
 * Some recorders write 0 for bodies they did not see (WebPagetest for SPDY): a success with a Content-Length above 0 gives them away,
 * and their own count (`_bytesIn`) is the best there is.
 */
function readSizes(sized: Sized, holdsHeaders: boolean, amount: ReadAmount): Sizes {
  const { raw, status } = sized;
  const recorded = recordedSizes(sized.response, amount);
  const { transferSize, headersSize, contentSize } = recorded;
  if (hasNoBody(sized)) {
    // The content of a file that was not modified is that of the cache.
    return { transferBytes: transferSize ?? ofHeaders(recorded), contentBytes: status === 304 ? contentSize : 0, bodyLost: false };
  }
  if (sized.isCached) return { transferBytes: transferSize ?? 0, contentBytes: contentSize, bodyLost: false };
  const bodyLost = isLost(sized, recorded);
  if (bodyLost) return { transferBytes: looseAmountOf(raw._bytesIn) || null, contentBytes: contentSize || null, bodyLost };
  const { body, contentBytes } = bodyOf(sized, recorded, holdsHeaders);
  return { transferBytes: transferSize ?? (body === null ? null : body + (headersSize ?? 0)), contentBytes, bodyLost };
}

/** Members that could not be read, by their place below `log.entries[index]`; nothing in it is text of the file. */
export interface Findings {
  /** The entry is left out. */
  drop(index: number, member: string, found: string): void;
  /** The member counts as unknown. */
  misread(index: number, member: string, found: string): void;
}

/** State that all entries of a file share while it is read. */
export interface EntryReading {
  findings: Findings;
  lookups: Lookups;
  bodyHoldsHeaders: boolean;
}

/** One entry, its start as ms since 1970 and its party still open; null when it has no request address. */
export function readEntry(raw: unknown, index: number, reading: EntryReading): HarEntry | null {
  const { findings } = reading;
  if (!isRecord(raw)) return drop(findings, index, '', raw);
  const { request } = raw;
  if (!isRecord(request)) return drop(findings, index, '.request', request);
  const { url } = request;
  if (typeof url !== 'string') return drop(findings, index, '.request.url', url);
  if (visibleText(url).trim() === '') return drop(findings, index, '.request.url', '');
  return entryOf({ raw, request, url, index }, reading);
}

/** An entry whose request has an address. */
interface AddressedEntry {
  readonly raw: Record<string, unknown>;
  readonly request: Record<string, unknown>;
  readonly url: string;
  readonly index: number;
}

/** The answer that an entry tells of: status, headers, phases, sizes, and whether a cache gave it. */
function readAnswer({ raw, request, index }: AddressedEntry, { findings, bodyHoldsHeaders: holdsHeaders }: EntryReading) {
  const response = recordOf(raw.response);
  const method = textOf(request.method).toUpperCase() || 'GET';
  const amount: ReadAmount = (value, member) => {
    const read = amountOf(value);
    if (read === null && isBadAmount(value)) findings.misread(index, member, kindOf(value));
    return read;
  };
  const timings = readTimings(recordOf(raw.timings), amount);
  const status = readStatus(amount(response.status, '.response.status'));
  const headers = readHeaders(listOf(response.headers));
  const isCached = isMarkedCached(raw) || tookNoTime(raw, response, timings);
  const [isEncoded, contentLength] = [headers.contentEncoding !== null, amountText(headers.contentLength)];
  const sized = { raw, response, method, status, contentLength, isCached, isEncoded };
  const { transferBytes, contentBytes, bodyLost } = readSizes(sized, holdsHeaders, amount);
  if (bodyLost) findings.misread(index, '.response.bodySize', '0 against its Content-Length');
  const timeMs = amount(raw.time, '.time');
  return { response, method, timings, timeMs, status, headers, isCached, transferBytes, contentBytes };
}

const protocolOf = ({ httpVersion }: Record<string, unknown>) => protocolName(textOf(httpVersion));

function targetOf(status: number | null, { redirectURL }: Record<string, unknown>, location: string | null): string | null {
  return isRedirect(status) ? textOf(redirectURL) || location : null;
}

/** Kinds of requests that stay open. */
const STREAMS = new Set(['websocket', 'eventsource']);

function entryOf(addressed: AddressedEntry, reading: EntryReading): HarEntry {
  const { raw, request, url, index } = addressed;
  const { findings, lookups } = reading;
  const startMs = lookups.instant(textOf(raw.startedDateTime));
  if (startMs === null) findings.misread(index, '.startedDateTime', kindOf(raw.startedDateTime));
  const { response, method, timings, timeMs, status, headers, isCached, transferBytes, contentBytes } = readAnswer(addressed, reading);
  const { mime, type } = lookups.contentKind(textOf(recordOf(response.content).mimeType) || headers.contentType || '');
  const { host, domain } = lookups.placeOf(url);
  const initiator = initiatorOf(raw);
  const purpose = purposeOf(raw, request, type);
  const isOfEvents = mime === 'text/event-stream';
  const isStream = isOfEvents || STREAMS.has(purpose) || /^wss?:/i.test(url);
  const opened = isStream ? untilOpen(timings, isOfEvents) : timings;
  return {
    index,
    pageId: textOf(raw.pageref) || null,
    startMs,
    durationMs: readDuration(isStream ? null : timeMs, opened),
    method,
    url,
    host,
    domain,
    party: null,
    status,
    redirectUrl: targetOf(status, response, headers.location),
    askedMs: startMs,
    mime,
    type: resourceType(purpose, type, url, status ?? 0),
    transferBytes,
    contentBytes,
    timings: opened,
    protocol: protocolOf(response) ?? protocolOf(request),
    connection: textOf(raw.connection) || null,
    fromCache: isCached || (transferBytes === 0 && Boolean(contentBytes)),
    isNetwork: host !== null || !OTHER_SCHEME.test(url),
    isStream,
    operation: operationOf(request, method),
    priority: priorityOf(raw),
    renderBlocking: renderBlockingName(textOf(raw._renderBlocking)),
    initiatorType: initiator.type,
    initiatorUrl: initiator.url,
    headersKnown: headers.known,
    contentEncoding: headers.contentEncoding,
    cacheLifetimeSeconds: cacheLifetimeSeconds(headers, startMs, lookups),
    hasValidator: headers.hasValidator,
  };
}

/** Schemes by which nothing is asked of a network. */
const OTHER_SCHEME = /^\s*(?!https?:|wss?:)[a-z][a-z0-9+.-]*:/i;

/** Where Safari fetched a file from. */
const CACHE_TYPES = new Set(['Memory Cache', 'Disk Cache']);

/** Each recorder marks what came from the cache in its own way: in the entry, its response, or its `cache` member alone (chrome-har). */
export function isMarkedCached(raw: Record<string, unknown>): boolean {
  const response = recordOf(raw.response);
  return (
    textOf(raw._fromCache) !== '' ||
    CACHE_TYPES.has(textOf(raw._fetchType)) ||
    response._fromDiskCache === true ||
    response._fromServiceWorker === true ||
    response._fromPrefetchCache === true ||
    (isRecord(recordOf(raw.cache).beforeRequest) && response.status === 200)
  );
}

/** A success that took no time and had no headers to receive: so Firefox writes what it had already. */
function tookNoTime(
  raw: Record<string, unknown>,
  { status, headersSize }: Record<string, unknown>,
  { waitMs, receiveMs }: HarTimings,
): boolean {
  return raw.time === 0 && headersSize === 0 && status === 200 && waitMs === 0 && receiveMs === 0;
}

/** A stream is opened once its connection is there, one of events with its first byte; how long it stays open is no wait. */
function untilOpen(timings: HarTimings, answers: boolean): HarTimings {
  return { ...timings, waitMs: answers ? timings.waitMs : null, receiveMs: null };
}

/** Longest body that is read for the name of its operation. */
const MAX_OPERATION_BODY = 100_000;

/** `operationName` of a GraphQL request, in the body or in the address. */
function operationOf(request: Record<string, unknown>, method: string): string | null {
  if (method !== 'POST') return /[?&]operationName=([^&#]*)/.exec(textOf(request.url).slice(0, MAX_OPERATION_BODY))?.[1] ?? null;
  const body = textOf(recordOf(request.postData).text).slice(0, MAX_OPERATION_BODY);
  return /"operationName"\s*:\s*"([^"]*)"/.exec(body)?.[1] ?? null;
}

function drop(findings: Findings, index: number, member: string, found: unknown): null {
  findings.drop(index, member, kindOf(found));
  return null;
}

/** The priority at the end of a request, else that at its start. */
function priorityOf(raw: Record<string, unknown>): string | null {
  const [atEnd, atStart] = [textOf(raw._priority), textOf(raw._initialPriority)];
  if (PRIORITIES.has(atEnd)) return atEnd;
  return PRIORITIES.has(atStart) ? atStart : null;
}

/** Chrome writes an object, WebPagetest two members of the entry. */
function initiatorOf(raw: Record<string, unknown>): { type: string | null; url: string | null } {
  const initiator = recordOf(raw._initiator);
  return {
    type: textOf(initiator.type) || textOf(raw._initiator_type) || null,
    url: textOf(initiator.url) || textOf(raw._initiator) || null,
  };
}

function readTimings(raw: Record<string, unknown>, amount: ReadAmount): HarTimings {
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

function purposeOf(raw: Record<string, unknown>, request: Record<string, unknown>, byMime: ResourceType | null): string {
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
