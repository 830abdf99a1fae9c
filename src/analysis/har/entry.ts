import { cacheLifetimeSeconds } from './freshness.ts';
import { amountAt, isBadAmount, isRecord, kindOf, listAt, recordAt, textAt } from './member.ts';
import type { HarEntry, HarTimings } from './model.ts';
import { hostOf } from './parties.ts';
import { resourceType } from './resource-type.ts';
import { readHeaders } from './response-headers.ts';
import { type ReadAmount, readSizes } from './sizes.ts';
import { PRIORITIES, protocolName, RENDER_BLOCKING } from './words.ts';

/** What could not be read, told by the member below `log.entries[index]`; nothing in it is text of the file. */
export interface Findings {
  /** The entry is left out. */
  drop(index: number, member: string, found: string): void;
  /** The member counts as unknown. */
  misread(index: number, member: string, found: string): void;
}

/** What all entries of a file share while it is read. */
export interface Reading {
  findings: Findings;
  domainOf: (host: string) => string;
}

/** One entry, its start as ms since 1970 and its party still open; null when it has no request address. */
export function readEntry(raw: unknown, index: number, { findings, domainOf }: Reading): HarEntry | null {
  if (!isRecord(raw)) return drop(findings, index, '', raw);
  const { request } = raw;
  if (!isRecord(request)) return drop(findings, index, '.request', request);
  const { url } = request;
  if (typeof url !== 'string' || url.trim() === '') return drop(findings, index, '.request.url', url);
  const response = recordAt(raw, 'response');
  const content = recordAt(response, 'content');
  const initiator = recordAt(raw, '_initiator');
  const amount: ReadAmount = (record, parent, name) => {
    const value = amountAt(record, name);
    if (value === null && isBadAmount(record, name)) findings.misread(index, `${parent}.${name}`, kindOf(record[name]));
    return value;
  };

  const startMs = startOf(raw);
  if (startMs === null) findings.misread(index, '.startedDateTime', kindOf(raw.startedDateTime));
  const timings = readTimings(recordAt(raw, 'timings'), amount);
  const status = readStatus(amount(response, '.response', 'status'));
  const headers = readHeaders(listAt(response, 'headers'));
  const sizes = readSizes(raw, response, content, headers.contentLength, amount);
  if (sizes.bodyLost) findings.misread(index, '.response.bodySize', '0 against its Content-Length');
  const mime = bareMime(textAt(content, 'mimeType') || headers.contentType || '');
  const host = hostOf(url);
  return {
    index,
    pageId: textAt(raw, 'pageref') || null,
    startMs,
    durationMs: readDuration(amount(raw, '', 'time'), timings),
    method: textAt(request, 'method').toUpperCase() || 'GET',
    url,
    host,
    domain: host === null ? null : domainOf(host),
    party: null,
    status,
    redirectUrl: status >= 300 && status < 400 ? textAt(response, 'redirectURL') || headers.location : null,
    mime,
    type: resourceType(purposeOf(raw, request), mime, url, status),
    transferBytes: sizes.transferBytes,
    contentBytes: sizes.contentBytes,
    timings,
    protocol: protocolName(textAt(response, 'httpVersion')) ?? protocolName(textAt(request, 'httpVersion')),
    connection: textAt(raw, 'connection') || null,
    fromCache: isMarkedCached(raw, response) || (sizes.transferBytes === 0 && Boolean(sizes.contentBytes)),
    priority: oneOf(PRIORITIES, textAt(raw, '_priority')) ?? oneOf(PRIORITIES, textAt(raw, '_initialPriority')),
    renderBlocking: oneOf(RENDER_BLOCKING, textAt(raw, '_renderBlocking')),
    initiatorType: textAt(initiator, 'type') || textAt(raw, '_initiator_type') || null,
    initiatorUrl: textAt(initiator, 'url') || textAt(raw, '_initiator') || null,
    headersKnown: headers.known,
    contentEncoding: headers.contentEncoding,
    cacheLifetimeSeconds: cacheLifetimeSeconds(headers, startMs),
    hasValidator: headers.hasValidator,
  };
}

/** Chrome names the cache in the entry, its recorders mark the response. */
export function isMarkedCached(raw: Record<string, unknown>, response: Record<string, unknown>): boolean {
  return textAt(raw, '_fromCache') !== '' || CACHE_MARKS.some((mark) => response[mark] === true);
}

const CACHE_MARKS = ['_fromDiskCache', '_fromServiceWorker', '_fromPrefetchCache'];

function drop(findings: Findings, index: number, member: string, found: unknown): null {
  findings.drop(index, member, kindOf(found));
  return null;
}

function oneOf(words: Set<string>, text: string): string | null {
  return words.has(text) ? text : null;
}

function startOf(raw: Record<string, unknown>): number | null {
  const started = textAt(raw, 'startedDateTime');
  // Date.parse reads almost any text as some date.
  const startMs = started[4] === '-' && started[10] === 'T' ? Date.parse(started) : Number.NaN;
  return Number.isNaN(startMs) ? null : startMs;
}

function readTimings(raw: Record<string, unknown>, amount: ReadAmount): HarTimings {
  return {
    blockedMs: amount(raw, '.timings', 'blocked'),
    dnsMs: amount(raw, '.timings', 'dns'),
    connectMs: amount(raw, '.timings', 'connect'),
    sslMs: amount(raw, '.timings', 'ssl'),
    sendMs: amount(raw, '.timings', 'send'),
    waitMs: amount(raw, '.timings', 'wait'),
    receiveMs: amount(raw, '.timings', 'receive'),
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

/** The status, 0 for anything that is none. */
export function readStatus(status: number | null): number {
  return status !== null && Number.isInteger(status) && status < 1000 ? status : 0;
}

function bareMime(contentType: string): string {
  const end = contentType.indexOf(';');
  return (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

function purposeOf(raw: Record<string, unknown>, request: Record<string, unknown>): string {
  const purpose = textAt(raw, '_resourceType');
  if (purpose) return purpose.toLowerCase();
  for (const header of listAt(request, 'headers')) {
    if (!isRecord(header) || typeof header.name !== 'string' || header.name.length !== SEC_FETCH_DEST.length) continue;
    if (header.name.toLowerCase() === SEC_FETCH_DEST) return textAt(header, 'value').toLowerCase();
  }
  return '';
}

const SEC_FETCH_DEST = 'sec-fetch-dest';
