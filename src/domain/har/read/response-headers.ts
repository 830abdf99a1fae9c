import { isRecord } from './member.ts';

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
    const { name, value } = header;
    if (!LENGTHS.has(name.length)) continue;
    switch (name.toLowerCase()) {
      case 'content-type':
        headers.contentType = value;
        break;
      case 'content-encoding':
        headers.contentEncoding = value.trim().toLowerCase() || null;
        break;
      case 'content-length':
        headers.contentLength = value;
        break;
      case 'location':
        headers.location = value || null;
        break;
      case 'cache-control':
        // Sent twice, the lines count as one list.
        headers.cacheControl = headers.cacheControl === null ? value : `${headers.cacheControl}, ${value}`;
        break;
      case 'pragma':
        headers.pragma = value;
        break;
      case 'expires':
        headers.expires = value;
        break;
      case 'date':
        headers.date = value;
        break;
      case 'etag':
      case 'last-modified':
        headers.hasValidator = true;
        break;
    }
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

/** What a Cache-Control header says by itself; null when it leaves the lifetime to other headers. */
export function statedLifetimeSeconds(cacheControl: string): number | null {
  const control = cacheControl.toLowerCase();
  if (/no-store|no-cache/.test(control)) return 0;
  const maxAge = /(?:^|[\s,])max-age\s*=\s*"?(\d+)/.exec(control)?.[1];
  return maxAge === undefined ? null : Math.min(Number(maxAge), TEN_YEARS_SECONDS);
}
