import type { ResponseHeaders } from './response-headers.ts';

type FreshnessHeaders = Pick<ResponseHeaders, 'cacheControl' | 'pragma' | 'expires' | 'date'>;

const TEN_YEARS_SECONDS = 315_360_000;

/** Readers of header values, which a file repeats: to be replaced by ones that remember. */
export interface FreshnessReaders {
  /** As `statedLifetimeSeconds`. */
  statedLifetime: (cacheControl: string) => number | null;
  /** Ms since 1970, NaN for what is no date. */
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
