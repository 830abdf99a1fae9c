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
