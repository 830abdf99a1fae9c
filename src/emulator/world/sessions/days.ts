export const DAY_MS = 86_400_000;
/** Sessions are kept for 13 months. */
export const RETENTION_DAYS = 395;
/** No session lasts longer. */
export const MAX_SESSION_MS = 3_600_000;

/** UTC day of an instant. */
export function dayNumberOf(instantMs: number): number {
  return Math.floor(instantMs / DAY_MS);
}

/** First instant that is kept: the midnight 395 days back. */
export function retentionStartMs(nowMs: number): number {
  return (dayNumberOf(nowMs) - RETENTION_DAYS) * DAY_MS;
}
