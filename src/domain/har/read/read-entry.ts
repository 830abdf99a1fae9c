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

/**
 * Transferred: `_transferSize`, else headers and body; the body alone where the recorder gives no header size (usual for HTTP/2).
 * Some recorders write 0 for bodies they did not see (WebPagetest for SPDY): a success with a Content-Length above 0 gives them away,
 * and their own count (`_bytesIn`) is the best there is.
 */
function readSizes(
  raw: Record<string, unknown>,
  response: Record<string, unknown>,
  content: Record<string, unknown>,
  contentLength: string | null,
  amount: ReadAmount,
): Sizes {
  const transferSize = amount(response._transferSize, '.response._transferSize');
  const bodySize = amount(response.bodySize, '.response.bodySize');
  const headersSize = amount(response.headersSize, '.response.headersSize');
  const contentSize = amount(content.size, '.response.content.size');
  const bodyLost =
    bodySize === 0 && transferSize === null && contentLength !== null && response.status === 200 && Number(contentLength) > 0;
  if (bodyLost) return { transferBytes: looseAmountOf(raw._bytesIn) || null, contentBytes: contentSize || null, bodyLost };
  const bodyAndHeaders = bodySize === null ? null : bodySize + (headersSize ?? 0);
  return { transferBytes: transferSize ?? bodyAndHeaders, contentBytes: contentSize, bodyLost };
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
}

/** One entry, its start as ms since 1970 and its party still open; null when it has no request address. */
export function readEntry(raw: unknown, index: number, { findings, lookups }: EntryReading): HarEntry | null {
  if (!isRecord(raw)) return drop(findings, index, '', raw);
  const { request } = raw;
  if (!isRecord(request)) return drop(findings, index, '.request', request);
  const { url } = request;
  if (typeof url !== 'string') return drop(findings, index, '.request.url', url);
  if (visibleText(url).trim() === '') return drop(findings, index, '.request.url', '');
  return entryOf({ raw, request, url, index }, { findings, lookups });
}

/** An entry whose request has an address. */
interface AddressedEntry {
  readonly raw: Record<string, unknown>;
  readonly request: Record<string, unknown>;
  readonly url: string;
  readonly index: number;
}

function entryOf({ raw, request, url, index }: AddressedEntry, { findings, lookups }: EntryReading): HarEntry {
  const response = recordOf(raw.response);
  const content = recordOf(response.content);
  const amount: ReadAmount = (value, member) => {
    const read = amountOf(value);
    if (read === null && isBadAmount(value)) findings.misread(index, member, kindOf(value));
    return read;
  };

  const startMs = lookups.instant(textOf(raw.startedDateTime));
  if (startMs === null) findings.misread(index, '.startedDateTime', kindOf(raw.startedDateTime));
  const timings = readTimings(recordOf(raw.timings), amount);
  const status = readStatus(amount(response.status, '.response.status'));
  const headers = readHeaders(listOf(response.headers));
  const { transferBytes, contentBytes, bodyLost } = readSizes(raw, response, content, headers.contentLength, amount);
  if (bodyLost) findings.misread(index, '.response.bodySize', '0 against its Content-Length');
  const { mime, type } = lookups.contentKind(textOf(content.mimeType) || headers.contentType || '');
  const { host, domain } = lookups.placeOf(url);
  const initiator = initiatorOf(raw);
  return {
    index,
    pageId: textOf(raw.pageref) || null,
    startMs,
    durationMs: readDuration(amount(raw.time, '.time'), timings),
    method: textOf(request.method).toUpperCase() || 'GET',
    url,
    host,
    domain,
    party: null,
    status,
    redirectUrl: status >= 300 && status < 400 ? textOf(response.redirectURL) || headers.location : null,
    mime,
    type: resourceType(purposeOf(raw, request, type), type, url, status),
    transferBytes,
    contentBytes,
    timings,
    protocol: protocolName(textOf(response.httpVersion)) ?? protocolName(textOf(request.httpVersion)),
    connection: textOf(raw.connection) || null,
    fromCache: isMarkedCached(raw, response) || (transferBytes === 0 && Boolean(contentBytes)),
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

/** Chrome names the cache in the entry, its recorders mark the response. */
export function isMarkedCached(raw: Record<string, unknown>, response: Record<string, unknown>): boolean {
  return (
    textOf(raw._fromCache) !== '' ||
    response._fromDiskCache === true ||
    response._fromServiceWorker === true ||
    response._fromPrefetchCache === true
  );
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

/** The status, 0 for anything else. */
export function readStatus(status: number | null): number {
  return status !== null && Number.isInteger(status) && status < 1000 ? status : 0;
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
