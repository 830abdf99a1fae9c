import { isRecord } from '../../lib/is-record.ts';
import { hostOf, registrableDomain } from './addresses.ts';
import { typeOfMime } from './resource-type.ts';

/** The response headers that the analysis reads. */
const HEADERS = new Set([
  'etag',
  'last-modified',
  'pragma',
  'expires',
  'date',
  'location',
  'content-type',
  'cache-control',
  'content-length',
  'content-encoding',
]);
/** Lengths of these names: most headers are passed over without a comparison. */
const LENGTHS = new Set([...HEADERS].map(({ length }) => length));

/** Those of the headers above that a list holds, as sent, by name in lower case; of one that is sent twice the last, lists joined. */
export function readHeaders(list: readonly unknown[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const header of list) {
    if (!isRecord(header) || typeof header.name !== 'string' || typeof header.value !== 'string') continue;
    if (!LENGTHS.has(header.name.length)) continue;
    const name = header.name.toLowerCase();
    const before = name === 'cache-control' ? headers.get(name) : undefined;
    if (HEADERS.has(name)) headers.set(name, before === undefined ? header.value : `${before}, ${header.value}`);
  }
  return headers;
}

const TEN_YEARS_SECONDS = 315_360_000;

/**
 * How long a browser may reuse the response without asking, by RFC 9111: Cache-Control, else Expires minus Date.
 * Null when nothing says so (browsers then guess), 0 when reuse is forbidden or ended already; at most ten years.
 */
export function cacheLifetimeSeconds(
  headers: ReadonlyMap<string, string>,
  receivedMs: number | null,
  { statedLifetime, dateMs }: Lookups,
): number | null {
  const stated = statedLifetime(headers.get('cache-control') ?? '');
  if (stated !== null) return stated;
  const expires = headers.get('expires');
  if (expires === undefined) return headers.get('pragma')?.toLowerCase().includes('no-cache') ? 0 : null;
  const expiresMs = dateMs(expires);
  if (Number.isNaN(expiresMs)) return 0;
  const sentMs = dateMs(headers.get('date') ?? '');
  const fromMs = Number.isNaN(sentMs) ? receivedMs : sentMs;
  return fromMs === null ? null : Math.min(Math.max(0, (expiresMs - fromMs) / 1000), TEN_YEARS_SECONDS);
}

/** The lifetime that a Cache-Control header states; null when it leaves the lifetime to other headers. */
function statedLifetimeSeconds(cacheControl: string): number | null {
  const control = cacheControl.toLowerCase();
  if (/no-store|no-cache/.test(control)) return 0;
  const maxAge = /(?:^|[\s,])max-age\s*=\s*"?(\d+)/.exec(control)?.[1];
  return maxAge === undefined ? null : Math.min(Number(maxAge), TEN_YEARS_SECONDS);
}

/** The zone that ends a date. */
export const ZONE = /(?:Z|[+-]\d\d:?\d\d)$/i;

/** Answers of one file, each worked out once: files repeat a few hosts and header values thousands of times. */
export type Lookups = ReturnType<typeof createLookups>;

/** Scheme and authority of an address; what follows says nothing of its host. */
const AUTHORITY = /^[^:]*:\/\/[^/?#\\]*/;

/** Fresh lookups, to be forgotten with the file; `zone` is that of dates without one. */
export function createLookups(zone: string) {
  const placeByAuthority = remembered(placeAt);
  return {
    /** Host and registrable domain, both null without a host. */
    placeOf(url: string) {
      const authority = AUTHORITY.exec(url)?.[0];
      return authority === undefined ? placeAt(url) : placeByAuthority(authority);
    },
    /** A MIME type without parameters and what it says of the type. */
    contentKind: remembered((contentType) => {
      const mime = contentType.replace(/;.*/s, '').trim().toLowerCase();
      return { mime, type: typeOfMime(mime) };
    }),
    /** Ms since 1970 of a `startedDateTime`, null for anything but an ISO date-time. */
    instant: (text: string) => {
      // Date.parse reads almost any text as some date.
      if (text[4] !== '-' || text[10] !== 'T') return null;
      const ms = Date.parse(ZONE.test(text) ? text : `${text}${zone}`);
      return Number.isNaN(ms) ? null : ms;
    },
    statedLifetime: remembered(statedLifetimeSeconds),
    /** Ms since 1970, NaN for anything but a date. */
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

function placeAt(url: string) {
  const host = hostOf(url);
  return { host, domain: host === null ? null : registrableDomain(host) };
}
