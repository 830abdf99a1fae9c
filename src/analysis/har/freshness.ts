import type { ResponseHeaders } from './response-headers.ts';

type FreshnessHeaders = Pick<ResponseHeaders, 'cacheControl' | 'pragma' | 'expires' | 'date'>;

const TEN_YEARS_SECONDS = 315_360_000;

/**
 * How long a browser may reuse the response without asking, by RFC 9111: Cache-Control, else Expires minus Date.
 * Null when nothing says so (browsers then guess), 0 when reuse is forbidden or ended already; at most ten years.
 */
export function cacheLifetimeSeconds(headers: FreshnessHeaders, receivedMs: number | null): number | null {
  const control = headers.cacheControl?.toLowerCase();
  if (control && /no-store|no-cache/.test(control)) return 0;
  const maxAge = control ? /(?:^|[\s,])max-age\s*=\s*"?(\d+)/.exec(control)?.[1] : undefined;
  if (maxAge !== undefined) return Math.min(Number(maxAge), TEN_YEARS_SECONDS);
  if (headers.expires !== null) {
    const expiresMs = Date.parse(headers.expires);
    if (Number.isNaN(expiresMs)) return 0;
    const sentMs = headers.date === null ? Number.NaN : Date.parse(headers.date);
    const fromMs = Number.isNaN(sentMs) ? receivedMs : sentMs;
    return fromMs === null ? null : Math.min(Math.max(0, (expiresMs - fromMs) / 1000), TEN_YEARS_SECONDS);
  }
  return headers.pragma?.toLowerCase().includes('no-cache') ? 0 : null;
}
