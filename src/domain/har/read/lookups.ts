import { hostOf, registrableDomain } from './addresses.ts';
import type { ResourceType } from './har-model.ts';
import { isRecord } from './member.ts';
import { typeOfMime } from './resource-type.ts';

/** Lengths of the names below: most headers are passed over without a comparison. */
const LENGTHS = new Set(
  ['etag', 'pragma', 'expires', 'location', 'content-type', 'cache-control', 'content-length', 'content-encoding'].map(
    (name) => name.length,
  ),
);

/** The response headers that the analysis reads, as sent; null when absent. */
export interface ResponseHeaders {
  /** False when the file has none at all for the response. */
  known: boolean;
  contentType: string | null;
  contentEncoding: string | null;
  contentLength: string | null;
  location: string | null;
  cacheControl: string | null;
  pragma: string | null;
  expires: string | null;
  date: string | null;
  hasValidator: boolean;
}

/** How each header that is read changes what is known; one that is sent twice counts by its last line unless it is a list. */
const READERS: ReadonlyMap<string, (headers: ResponseHeaders, value: string) => void> = new Map([
  ['content-type', (headers, value) => void (headers.contentType = value)],
  ['content-encoding', (headers, value) => void (headers.contentEncoding = value.trim().toLowerCase() || null)],
  ['content-length', (headers, value) => void (headers.contentLength = value)],
  ['location', (headers, value) => void (headers.location = value || null)],
  [
    'cache-control',
    (headers, value) => void (headers.cacheControl = headers.cacheControl === null ? value : `${headers.cacheControl}, ${value}`),
  ],
  ['pragma', (headers, value) => void (headers.pragma = value)],
  ['expires', (headers, value) => void (headers.expires = value)],
  ['date', (headers, value) => void (headers.date = value)],
  ['etag', (headers) => void (headers.hasValidator = true)],
  ['last-modified', (headers) => void (headers.hasValidator = true)],
] satisfies [string, (headers: ResponseHeaders, value: string) => void][]);

/** Reads a header list in one pass; names in any case, members of another form passed over. */
export function readHeaders(list: unknown[]): ResponseHeaders {
  const headers: ResponseHeaders = {
    known: list.length > 0,
    contentType: null,
    contentEncoding: null,
    contentLength: null,
    location: null,
    cacheControl: null,
    pragma: null,
    expires: null,
    date: null,
    hasValidator: false,
  };
  for (const header of list) {
    if (!isRecord(header) || typeof header.name !== 'string' || typeof header.value !== 'string') continue;
    if (LENGTHS.has(header.name.length)) READERS.get(header.name.toLowerCase())?.(headers, header.value);
  }
  return headers;
}

type FreshnessHeaders = Pick<ResponseHeaders, 'cacheControl' | 'pragma' | 'expires' | 'date'>;

const TEN_YEARS_SECONDS = 315_360_000;

/** Readers of header values, which a file repeats: to be replaced by ones that remember. */
export interface FreshnessReaders {
  /** As `statedLifetimeSeconds`. */
  statedLifetime: (cacheControl: string) => number | null;
  /** Ms since 1970, NaN for anything but a date. */
  dateMs: (date: string) => number;
}

/**
 * How long a browser may reuse the response without asking, by RFC 9111: Cache-Control, else Expires minus Date.
 * Null when nothing says so (browsers then guess), 0 when reuse is forbidden or ended already; at most ten years.
 */
export function cacheLifetimeSeconds(
  headers: FreshnessHeaders,
  receivedMs: number | null,
  { statedLifetime, dateMs }: FreshnessReaders,
): number | null {
  const stated = headers.cacheControl === null ? null : statedLifetime(headers.cacheControl);
  if (stated !== null) return stated;
  if (headers.expires !== null) {
    const expiresMs = dateMs(headers.expires);
    if (Number.isNaN(expiresMs)) return 0;
    const sentMs = headers.date === null ? Number.NaN : dateMs(headers.date);
    const fromMs = Number.isNaN(sentMs) ? receivedMs : sentMs;
    return fromMs === null ? null : Math.min(Math.max(0, (expiresMs - fromMs) / 1000), TEN_YEARS_SECONDS);
  }
  return headers.pragma?.toLowerCase().includes('no-cache') ? 0 : null;
}

/** The lifetime that a Cache-Control header states; null when it leaves the lifetime to other headers. */
function statedLifetimeSeconds(cacheControl: string): number | null {
  const control = cacheControl.toLowerCase();
  if (/no-store|no-cache/.test(control)) return 0;
  const maxAge = /(?:^|[\s,])max-age\s*=\s*"?(\d+)/.exec(control)?.[1];
  return maxAge === undefined ? null : Math.min(Number(maxAge), TEN_YEARS_SECONDS);
}

const ZERO = 48;
const SECONDS_AT = 17;

/** The zone that ends a date. */
export const ZONE = /(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * A reader of `startedDateTime`, ms since 1970 or null for anything but an ISO date-time. The entries of a file lie in a few minutes, so
 * that of most only the seconds are read: a tenth of the time that Date.parse takes. `zone` is that of a date without one.
 */
function instantReader(zone: string): (text: string) => number | null {
  let minute = '';
  let minuteMs = 0;
  return (text) => {
    const afterMs = minute !== '' && text.length === 24 && text.startsWith(minute) ? secondsAsMs(text) : null;
    if (afterMs !== null) return minuteMs + afterMs;
    // Date.parse reads almost any text as some date.
    const ms = text[4] === '-' && text[10] === 'T' ? Date.parse(ZONE.test(text) ? text : `${text}${zone}`) : Number.NaN;
    if (Number.isNaN(ms)) return null;
    const seconds = text.length === 24 ? secondsAsMs(text) : null;
    if (seconds !== null) {
      minute = text.slice(0, SECONDS_AT);
      minuteMs = ms - seconds;
    }
    return ms;
  };
}

/** The `05.123Z` at the end of `2026-11-01T10:00:05.123Z` in ms; null for any other form. */
function secondsAsMs(text: string): number | null {
  if (text[19] !== '.' || text[23] !== 'Z') return null;
  const tens = text.charCodeAt(SECONDS_AT) - ZERO;
  let ms = tens;
  for (const position of [18, 20, 21, 22]) {
    const digit = text.charCodeAt(position) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return null;
    ms = ms * 10 + digit;
  }
  return tens >= 0 && tens <= 5 ? ms : null;
}

/** Where an address points: both null without a host. */
export interface PageAddress {
  host: string | null;
  domain: string | null;
}

/** A MIME type without parameters and what it says of the type. */
export interface ContentKind {
  mime: string;
  type: ResourceType | null;
}

/** Answers of one file, each worked out once: files repeat a few hosts and header values thousands of times. */
export interface Lookups extends FreshnessReaders {
  placeOf: (url: string) => PageAddress;
  contentKind: (contentType: string) => ContentKind;
  /** As `instantReader`. */
  instant: (text: string) => number | null;
}

/** Fresh lookups, to be forgotten with the file; `zone` is that of dates without one. */
export function createLookups(zone: string): Lookups {
  const placeByAuthority = remembered(placeAt);
  return {
    placeOf(url) {
      const end = authorityEnd(url);
      return end === -1 ? placeAt(url) : placeByAuthority(url.slice(0, end));
    },
    contentKind: remembered(contentKind),
    instant: instantReader(zone),
    statedLifetime: remembered(statedLifetimeSeconds),
    dateMs: remembered(Date.parse),
  };
}

/** The work done once for each text; one that gives undefined is done again. */
export function remembered<Value>(work: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = work(text);
    known.set(text, value);
    return value;
  };
}

function placeAt(url: string): PageAddress {
  const host = hostOf(url);
  return { host, domain: host === null ? null : registrableDomain(host) };
}

/** Where path, query or fragment begin; -1 for an address in another form than `scheme://…`. */
function authorityEnd(url: string): number {
  const start = url.startsWith('data:') ? -1 : url.indexOf('://');
  if (start === -1) return -1;
  for (let position = start + 3; position < url.length; position += 1) {
    const code = url.charCodeAt(position);
    if (code === SLASH || code === QUESTION || code === HASH || code === BACKSLASH) return position;
  }
  return url.length;
}

const SLASH = 47;
const QUESTION = 63;
const HASH = 35;
const BACKSLASH = 92;

function contentKind(contentType: string): ContentKind {
  const end = contentType.indexOf(';');
  const mime = (end === -1 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
  return { mime, type: typeOfMime(mime) };
}
