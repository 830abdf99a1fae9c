import type { Clock } from '../lib/clock.ts';
import { type Limits, seconds } from './deadline.ts';
import { ApiError } from './errors.ts';

/** Requests for one call at most, the first included. */
export const MAX_ATTEMPTS = 3;
const FIRST_BACKOFF_MS = 400;
const LONGEST_BACKOFF_MS = 5_000;
/**
 * Shortest pause after an attempt that was given up: the platform has to see that its connection is closed, because until then it counts as
 * in flight.
 */
const LEAST_AFTER_TIMEOUT_MS = 50;
/** Longest pause while replicas may exceed the limit of the service together. */
const LONGEST_ALONE_BACKOFF_MS = 1_000;

/** Time until the instant or the delay of a `Retry-After` header; undefined when there is none that can be read. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Date.parse takes "-5" for a year; an HTTP date begins with its weekday.
  const instant = /^[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - nowMs);
}

/**
 * Repeats what failed for a moment: full jitter, never sooner than the service asked, given up at once when the deadline lies
 * before the next try. After an attempt without an answer the rest of the time is used, however short it is. A write that may have taken
 * effect is never repeated. What the service refuses because of too many calls is repeated until the deadline while `isAlone`: the calls of
 * other replicas end too.
 */
export async function retry<T>(
  limits: Limits,
  { clock, random, isAlone = () => false }: { clock: Clock; random: () => number; isAlone?: () => boolean },
  attempt: (number: number) => Promise<T>,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      if (!(error instanceof ApiError) || !error.transient || error.outcomeUnknown) throw error;
      const waitsForOthers = error.kind === 'busy' && isAlone();
      if (number >= MAX_ATTEMPTS && !waitsForOthers) throw error;
      const longestMs = waitsForOthers ? LONGEST_ALONE_BACKOFF_MS : LONGEST_BACKOFF_MS;
      const jitterMs = random() * Math.min(longestMs, FIRST_BACKOFF_MS * 2 ** (number - 1));
      const leftMs = limits.deadlineMs - clock.now();
      const waitMs =
        error.kind === 'timeout'
          ? Math.min(Math.max(LEAST_AFTER_TIMEOUT_MS, jitterMs), leftMs / 2)
          : Math.max(error.retryAfterMs ?? 0, jitterMs);
      if (leftMs <= 0 || waitMs >= leftMs) throw tooLong(error);
      await clock.sleep(waitMs, limits.signal);
    }
  }
}

function tooLong(error: ApiError): ApiError {
  if (error.retryAfterMs === undefined) return error;
  const { status, code, retryAfterMs: waitMs } = error;
  const message = `The service asks to wait ${seconds(waitMs)}, longer than the call may take. ${error.message}`;
  return new ApiError('busy', message, { status, code, retryAfterMs: waitMs });
}
