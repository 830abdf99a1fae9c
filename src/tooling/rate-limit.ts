import { ApiError } from '../api/errors.ts';
import type { Clock } from '../lib/clock.ts';

/** Code of the error for calls beyond the rate limit. */
export const RATE_LIMITED = 'RATE_LIMITED';

/** Lets so many calls a minute through. */
export interface RateLimit {
  /** Takes one call of this principal; throws a `busy` error that says when the next is due. */
  admit(principalId: string): void;
}

const MINUTE_MS = 60_000;

/** Makes a bucket for each principal: `perMinute` calls fit in, and as many flow in over a minute. */
export function createRateLimit({ clock, perMinute }: { clock: Clock; perMinute: number }): RateLimit {
  const buckets = new Map<string, { calls: number; atMs: number }>();
  let sweptAtMs = clock.now();

  /** Forgets whose bucket is full again, so that memory holds only those who called lately. */
  function sweep(nowMs: number): void {
    if (Math.abs(nowMs - sweptAtMs) < MINUTE_MS) return;
    sweptAtMs = nowMs;
    for (const [id, { atMs }] of buckets) if (nowMs - atMs >= MINUTE_MS) buckets.delete(id);
  }

  return {
    admit(principalId) {
      const nowMs = clock.now();
      sweep(nowMs);
      const { calls, atMs } = buckets.get(principalId) ?? { calls: perMinute, atMs: nowMs };
      // A clock that was set back gives nothing and takes nothing.
      const left = Math.min(perMinute, calls + (Math.max(0, nowMs - atMs) * perMinute) / MINUTE_MS);
      buckets.set(principalId, { calls: left >= 1 ? left - 1 : left, atMs: nowMs });
      if (left >= 1) return;
      const message = `This server takes ${perMinute} calls a minute from each caller, and yours are used up; nothing was sent.`;
      throw new ApiError('busy', message, { code: RATE_LIMITED, retryAfterMs: ((1 - left) * MINUTE_MS) / perMinute });
    },
  };
}
